"""The answer as text: a sentence, the numbers, the columns, in the order in which they matter.

It fits 80 cells, needs no colour, and is what both the terminal and `print` show.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from samelaw.comparison import wording
from samelaw.comparison.columns.measures import clearest, measure_words
from samelaw.comparison.findings import ColumnFinding, PairFinding, RowFinding
from samelaw.comparison.verdict import pairs_first
from samelaw.results.escape_controls import legible, legible_lines
from samelaw.results.text_columns import columns, wrapped
from samelaw.results.words import amount, decimal, in_a_row, percent, shorten

if TYPE_CHECKING:
    from samelaw.comparison.result import Comparison

WIDTH = 80
MOST_LINES = 20
MOST_PAIRS = 5
MOST_ROWS = 5
MOST_STILL = 5  # columns whose missing values did not change
MOST_SCHEMA = 8
LONGEST_SENTENCE = 1_000
_NAME = 60


def headline(comparison: "Comparison", width: int = WIDTH) -> str:
    """The verdict as one sentence, on as many lines as it takes."""
    return "\n".join(wrapped(shorten(comparison.sentence, LONGEST_SENTENCE), width))


def details(comparison: "Comparison", width: int = WIDTH, rows: str = "result.rows") -> str:
    """Everything below the sentence; ``rows`` is where those that stand out are."""
    together = _pairs(comparison, width)
    first = pairs_first(comparison.marginals, comparison.pairs)
    parts = [
        _causes(comparison, width),
        columns(_numbers(comparison), width),
        together if first else [],
        _changed(comparison, width),
        [] if first else together,
        _unchanged(comparison, width),
        _schema(comparison, width),
        _rows(comparison, width, rows),
        _missing(comparison, width),
        _bullets("Not compared", _left_out(comparison), width),
        _bullets("Notes", comparison.notes, width),
    ]
    return legible_lines("\n\n".join("\n".join(part) for part in parts if part))


def answer(comparison: "Comparison", width: int = WIDTH) -> str:
    """All of it."""
    return f"{headline(comparison, width)}\n\n{details(comparison, width)}"


def _causes(comparison: "Comparison", width: int) -> list[str]:
    """What was done to the tables, and what that rests on."""
    title = "Causes" if comparison.reject else "Worth a look"
    lines = (f"{one.text}: {one.evidence}" for one in comparison.causes if one.evidence)
    return _bullets(title, lines, width)


def _numbers(comparison: "Comparison") -> list[tuple[str, str]]:
    said = [
        ("effect", wording.effect_words(comparison)),
        ("meaning", wording.meaning(comparison)),
        ("changed", wording.changed_words(comparison)),
        ("where", wording.rule_words(comparison)),
        ("p-value", wording.pvalue_and_level(comparison)),
        ("caution", wording.dependence_words(comparison)),
        ("detectable", wording.detectable_words(comparison)),
    ]
    return [line for line in said if line[1]]


def _changed(comparison: "Comparison", width: int) -> list[str]:
    found = [one for one in comparison.marginals if one.changed]
    lines = [(shorten(one.name, _NAME), _how(one), *_sizes(one)) for one in found[:MOST_LINES]]
    return _table(lines, "Changed", len(found) - MOST_LINES, width)


def _pairs(comparison: "Comparison", width: int) -> list[str]:
    found = [pair for pair in comparison.pairs if pair.changed]
    lines = [
        (" × ".join(shorten(name, _NAME) for name in pair.names), pair.sentence, *_sizes(pair))
        for pair in found[:MOST_PAIRS]
    ]
    left = max(comparison.pairs_changed, len(found)) - MOST_PAIRS
    return _table(lines, "Changed together", left, width)


def _table(lines: Sequence[Sequence[str]], title: str, left: int, width: int) -> list[str]:
    if not lines:
        return []
    more = [f"… and {left:,} more; the page and the JSON have them."] if left > 0 else []
    return [*columns([*map(_clean, lines)], width, (title, "How", "effect", "p")), *more]


def _clean(line: Sequence[str]) -> list[str]:
    """Before it is measured: a control that is written out takes room."""
    return [legible_lines(cell) for cell in line]


def _how(found: ColumnFinding) -> str:
    """What the column did, and the plain difference with its interval."""
    measure = clearest(found.measures)
    return "\n".join([found.sentence, *([measure_words(measure)] if measure else [])])


def _sizes(found: ColumnFinding | PairFinding) -> tuple[str, str]:
    """The effect and p-value of what changed; an estimate of 0 is no effect of 0."""
    high = found.effect_interval[1]
    effect = f"≤ {amount(high)}" if found.effect == 0 else decimal(found.effect)
    return effect, decimal(found.pvalue)


def _unchanged(comparison: "Comparison", width: int) -> list[str]:
    """Columns in which nothing was found, neither alone nor with another, and none is rewritten."""
    hits = {*comparison.columns_changed}
    hits.update(change.column for change in comparison.schema_changes if change.rewritten)
    names = dict.fromkeys(f.column for f in comparison.marginals if f.column not in hits)
    if not names:
        return []
    said = in_a_row([shorten(name, 30) for name in names], 12)
    return wrapped(f"No change found in {legible(said)}.", width)


def _rows(comparison: "Comparison", width: int, place: str) -> list[str]:
    if not (comparison.values_differ and comparison.rows):
        return []
    lines = [
        f"{wording.rows_title(table, found)}: {', '.join(str(row.row) for row in found)}."
        for table in "BA"
        if (found := _of(table, comparison.rows)[:MOST_ROWS])
    ]
    lines.append(f"(Counted from 0 below the header; {place} has them.)")
    return [line for text in lines for line in wrapped(text, width)]


def _of(table: str, rows: Sequence[RowFinding]) -> list[RowFinding]:
    return [row for row in rows if row.table == table]


def _missing(comparison: "Comparison", width: int) -> list[str]:
    """Columns whose missing values changed, and some others: none is passed over in silence."""
    every = sorted(comparison.missing, key=lambda found: (not found.changed, found.pvalue))
    moved = sum(found.changed for found in every)
    shown = every[: min(moved + MOST_STILL, MOST_LINES)]
    if not shown:
        return []
    lines = [
        (
            shorten(found.column, _NAME),
            f"{percent(found.share_a)} → {percent(found.share_b)}"
            + (", changed" if found.changed else ""),
            decimal(found.pvalue),
        )
        for found in shown
    ]
    left = len(every) - len(shown)
    plural = "s" * (left > 1)
    more = [f"… and {left:,} more column{plural} with missing values."] if left else []
    return [*columns([*map(_clean, lines)], width, ("Missing values", "A → B", "p")), *more]


def _schema(comparison: "Comparison", width: int) -> list[str]:
    others = (change for change in comparison.schema_changes if change.cause is None)
    every = sorted(others, key=lambda change: not change.difference)
    return _bullets("Schema", (change.text for change in every), width, MOST_SCHEMA)


def _left_out(comparison: "Comparison") -> Iterator[str]:
    return (f"{out.column}: {out.reason}" for out in comparison.left_out)


def _bullets(title: str, lines: Iterable[str], width: int, most: int = MOST_LINES) -> list[str]:
    said = [legible(shorten(line, 300)) for line in lines]
    if not said:
        return []
    more = [f"… and {len(said) - most:,} more"] if len(said) > most else []
    return [title, *columns([("•", line) for line in [*said[:most], *more]], width)]
