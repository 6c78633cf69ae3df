"""A comparison in a notebook: the verdict, the numbers, and the effects as bars.

It needs no library, and no colours of its own but those of the bars, so that it is legible on any
ground.
"""

from typing import TYPE_CHECKING

from samelaw.comparison import wording
from samelaw.comparison.effects.lines import Axis, Line, column_lines, pair_lines
from samelaw.comparison.verdict import pairs_first
from samelaw.results.plots import Palette
from samelaw.results.result import Html, element
from samelaw.results.words import decimal, shorten

if TYPE_CHECKING:
    from samelaw.comparison.result import Comparison

MOST_LINES = 10
MOST_PAIRS = 5
_QUIET = "opacity:.75;font-size:90%"
_CELL = "text-align:left;vertical-align:middle;padding:.25em .8em .25em 0"
_NUMBER = "text-align:right;vertical-align:middle;padding:.25em 0 .25em .8em;white-space:nowrap"


def compact_page(comparison: "Comparison") -> str:
    """The answer as a piece of HTML."""
    verdict = comparison.verdict[:1].upper() + comparison.verdict[1:]
    return element(
        "div",
        element("div", verdict, style="font-size:140%;font-weight:700"),
        element("div", shorten(comparison.sentence, 1_000), style="margin:.3em 0"),
        element("div", _numbers(comparison), style=_QUIET),
        _table(comparison),
        style="max-width:60em;line-height:1.45",
    )


def _numbers(comparison: "Comparison") -> str:
    low, high = comparison.effect_interval
    n, m = comparison.sizes
    said = [
        f"effect {wording.effect_estimate(comparison)} ({decimal(low)} to {decimal(high)}) on "
        f"{comparison.effect_of}",
        wording.changed_words(comparison),
        f"p-value {wording.pvalue_and_level(comparison)}",
        f"{n:,} v {m:,} rows",
    ]
    return " · ".join(filter(None, said))


def _table(comparison: "Comparison") -> Html:
    """Columns and pairs that changed, by effect, with a bar for each."""
    found = [one for one in comparison.marginals if one.changed]
    pairs = [pair for pair in comparison.pairs if pair.changed]
    axis = Axis.over([*found, *pairs])
    alone = column_lines(found[:MOST_LINES], axis)
    together = pair_lines(pairs[:MOST_PAIRS], axis)
    lines = [*together, *alone] if pairs_first(found, pairs) else [*alone, *together]
    if not lines:
        return Html("")
    words = ("Changed", "How", f"Effect, 0 to {axis.end:g}", "", "p")
    head = element("tr", *(element("th", word, style=_CELL) for word in words))
    rows = [_row(line) for line in lines]
    left = len(found) + max(comparison.pairs_changed, len(pairs)) - len(lines)
    more = f"… and {left:,} more in to_frame() and save()." if left > 0 else ""
    table = element(
        "table", head, *rows, style="margin:.6em 0;border-collapse:collapse;font-size:95%"
    )
    return Html(table + element("div", more, style=_QUIET))


def _row(line: Line) -> Html:
    name = f"{shorten(line.name, 60)} ({line.tag})" if line.tag else shorten(line.name, 60)
    return element(
        "tr",
        element("td", element("b", name), style=_CELL),
        element("td", shorten(line.how, 160), style=_CELL),
        element("td", _bar(line), style=_CELL),
        element("td", decimal(line.effect), style=_NUMBER),
        element("td", decimal(line.pvalue), style=_NUMBER),
    )


def _bar(line: Line) -> Html:
    """The interval as a bar and the effect as a dot."""
    color = Palette.b
    bar = "position:absolute;left:var(--l);width:var(--w);top:.45em;height:.3em;opacity:.45"
    dot = "position:absolute;left:calc(var(--p) - .3em);top:.3em;width:.6em;height:.6em"
    return element(
        "div",
        element("div", style=f"{bar};background:{color}"),
        element("div", style=f"{dot};border-radius:50%;background:{color}"),
        style=f"{line.bar};position:relative;width:11em;height:1.2em;"
        "border-left:1px solid currentColor",
    )
