"""What a page shows of a comparison; the template only arranges it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from samelaw.comparison import wording
from samelaw.comparison.effects.lines import Axis, column_lines, pair_lines
from samelaw.comparison.findings import (
    ColumnFinding,
    Direction,
    PairFinding,
    RowFinding,
    by_effect,
    known_effect,
)
from samelaw.comparison.page import figures as page_figures
from samelaw.comparison.result import Comparison
from samelaw.comparison.verdict import pairs_first
from samelaw.core.version import own_version
from samelaw.results.plots import Palette
from samelaw.results.shell import shell_line
from samelaw.results.table_plots import MOST_BARS
from samelaw.results.words import confidence, decimal, percent, shorten
from samelaw.tables.columns.panels import Panel

MOST_NAMES = 30


@dataclass(frozen=True)
class Cell:
    """Two columns that no longer go together as before; an empty one is none."""

    shade: int = 0
    said: str = ""


@dataclass(frozen=True)
class PairMap:
    """The lower triangle of all pairs of some columns; row i has i cells.

    Parameters
    ----------
    names : sequence of str
        Those with the most changed pairs first.
    rows : sequence of sequences of Cell
    left : int
        Columns that found no room.
    """

    names: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left: int

    @classmethod
    def of(cls, pairs: Sequence[PairFinding]) -> "PairMap":
        changed = [pair for pair in pairs if pair.changed]
        often = Counter(name for pair in changed for name in pair.names)
        every = [name for name, _ in often.most_common()]
        names = every[:MOST_NAMES]
        largest = max((known_effect(pair) for pair in changed), default=0.0) or 1.0
        cells = {
            frozenset(pair.names): Cell(
                round(20 + 80 * known_effect(pair) / largest),
                f"{pair.name}: {pair.sentence}, effect {decimal(pair.effect)}",
            )
            for pair in changed
        }
        rows = [
            [cells.get(frozenset((name, other)), Cell()) for other in names[:place]]
            for place, name in enumerate(names)
        ]
        return cls(names, rows, len(every) - len(names))


MOST_PANELS = 24
MOST_LINES = 120
SHOWN_LINES = 15
SHOWN_PAIRS = 5
SHOWN_MISSING = 8
SHOWN_SCHEMA = 8
MOST_ROWS = 6
MOST_ROW_COLUMNS = 8
MOST_PATTERNS = 4
MOST_NOTES = 20
WORTH_NAMING = 0.3  # weight of a column in a pattern, as a share of the largest
LONGEST_CELL = 40
LONGEST_LINE = 300

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Cut(Generic[Thing]):
    """What of a list is shown, and how many were left out."""

    shown: Sequence[Thing]
    left: int = 0

    @classmethod
    def of(cls, things: Iterable[Thing], most: int) -> "Cut[Thing]":
        every = tuple(things)
        return cls(every[:most], max(0, len(every) - most))


@dataclass(frozen=True)
class Folded(Generic[Thing]):
    """What is shown, what is a click away, and how many were left out."""

    shown: Sequence[Thing]
    folded: Sequence[Thing]
    left: int

    @property
    def kept(self) -> int:
        return len(self.shown) + len(self.folded)

    @classmethod
    def of(cls, things: Iterable[Thing], first: int) -> "Folded[Thing]":
        cut = Cut.of(things, MOST_LINES)
        return cls(cut.shown[:first], cut.shown[first:], cut.left)


@dataclass(frozen=True)
class Panels:
    """Figures of columns that changed and of others, and how many were left out."""

    changed: Sequence["Drawn"]
    others: Sequence["Drawn"]
    left: int


@dataclass(frozen=True)
class Drawn:
    """A column and its figure."""

    name: str
    tag: str
    sentence: str
    svg: str


def content(comparison: Comparison, command: Sequence[str]) -> dict[str, object]:
    """Everything the template shows; it only arranges."""
    changed = sorted((f for f in comparison.marginals if f.changed), key=by_effect)
    pairs = sorted((pair for pair in comparison.pairs if pair.changed), key=by_effect)
    axis = Axis.over([*changed, *pairs])
    return {
        "comparison": comparison,
        "words": _words(comparison),
        "tone": _tone(comparison),
        "light": Palette(),
        "axis": axis,
        "lines": Folded.of(column_lines(changed, axis), SHOWN_LINES),
        "pairs": Folded.of(pair_lines(pairs, axis), SHOWN_PAIRS),
        "pairs_first": pairs_first(changed, pairs),
        "causes": [one for one in comparison.causes if one.evidence],
        "pairs_changed": max(comparison.pairs_changed, len(pairs)),
        "pair_map": PairMap.of(pairs),
        "columns": Cut.of(sorted(comparison.marginals, key=by_effect), MOST_LINES),
        "panels_drawn": _panels(comparison),
        "patterns": _patterns(comparison),
        "rows": _rows(comparison),
        "row_columns": _row_columns(comparison),
        "missing": Folded.of(
            sorted(comparison.missing, key=lambda f: (not f.changed, f.pvalue)), SHOWN_MISSING
        ),
        "schema": Folded.of(
            sorted(
                (change for change in comparison.schema_changes if change.cause is None),
                key=lambda change: not change.difference,
            ),
            SHOWN_SCHEMA,
        ),
        "notes": Cut.of(comparison.notes, MOST_NOTES),
        "left_out": Cut.of(comparison.left_out, MOST_LINES),
        "settings": _settings(comparison),
        "command": shell_line(command),
        "figures": _figures(comparison),
        "version": own_version(),
    }


def _words(comparison: Comparison) -> dict[str, str]:
    verdict = comparison.verdict[:1].upper() + comparison.verdict[1:]
    found = comparison.reject or comparison.same is False
    return {
        "verdict": verdict if found else verdict + wording.among(comparison),
        "pvalue": wording.pvalue_and_level(comparison),
        "dependence": wording.dependence_words(comparison),
        "confidence": confidence(comparison.level),
        "effect": wording.effect_estimate(comparison),
        "meaning": wording.meaning(comparison),
        "rule": wording.rule_words(comparison),
        "detectable": wording.detectable_words(comparison),
    }


def _tone(comparison: Comparison) -> str:
    """How the page looks: what was found, in one word."""
    if comparison.same is not None:
        return "none" if comparison.same else "little"
    if comparison.reject:
        return "differ"
    return "none" if comparison.verdict == wording.NO_DIFFERENCE else "little"


def _figures(comparison: Comparison) -> dict[str, object]:
    from markupsafe import Markup

    axes = " against ".join(comparison.picture.axes)
    names = {"A": "table A", "B": "table B"}
    return {
        "null": Markup(
            page_figures.null_figure(
                comparison,
                f"Histogram of the statistic under permutation; observed "
                f"{decimal(comparison.statistic)}.",
            )
        ),
        "picture": {
            table: Markup(page_figures.picture_figure(comparison.picture, table, f"{name}: {axes}"))
            for table, name in names.items()
            if table in comparison.picture.table
        },
    }


def _panels(comparison: Comparison) -> Panels:
    """Figures of the columns: those that changed first, the others by how close they came."""
    best: dict[str, ColumnFinding] = {}
    for finding in sorted(comparison.marginals, key=lambda f: (f.missing, *by_effect(f))):
        best.setdefault(finding.column if finding.missing else finding.name, finding)
    tags = _tags(comparison)

    def place(panel: Panel) -> tuple[bool, bool, float, float]:
        finding = best.get(panel.column)
        unchanged, effect, pvalue = by_effect(finding) if finding else (True, 0.0, 1.0)
        return panel.column not in tags, unchanged, effect, pvalue

    cut = Cut.of(sorted(comparison.panels, key=place), MOST_PANELS)
    drawn = [
        _drawn(panel, tags.get(panel.column, ""), best.get(panel.column)) for panel in cut.shown
    ]
    return Panels(
        [one for one in drawn if one.tag], [one for one in drawn if not one.tag], cut.left
    )


def _drawn(panel: Panel, tag: str, known: ColumnFinding | None) -> Drawn:
    from markupsafe import Markup

    from samelaw.comparison.page.figures import panel_figure

    sentence = known.sentence if known and not known.missing else ""
    svg = Markup(panel_figure(panel, panel_label(panel, sentence)))
    return Drawn(panel.column, tag, sentence, svg)


def _tags(comparison: Comparison) -> dict[str, str]:
    """How columns, or parts of them, changed, in a few words; those that did not are not there."""
    tags: dict[str, str] = {}
    for pair in comparison.pairs:
        for column, partner in (pair.columns, pair.columns[::-1]) if pair.changed else ():
            if column in pair.names:
                tags.setdefault(column, f"together with {shorten(partner)}")
    changed = [found for found in comparison.marginals if found.changed]
    for found in changed:
        if found.missing:
            tags |= dict.fromkeys((found.column, found.name), "missing values changed")
    return tags | {found.name: "changed" for found in changed if not found.missing}


def panel_label(panel: Panel, sentence: str) -> str:
    """What the figure shows, for those who do not see it."""
    name = shorten(panel.column, LONGEST_CELL)
    if not panel.categories:
        return f"Distribution of {name} in A and B. {sentence}".strip()
    sides = zip(panel.categories, panel.shares_a, panel.shares_b, strict=True)
    bars = "; ".join(
        f"{shorten(word)} {percent(a)} in A, {percent(b)} in B"
        for word, a, b in list(sides)[:MOST_BARS]
    )
    return f"Shares of {name}: {bars}."


def _rows(comparison: Comparison) -> Mapping[str, Sequence[RowFinding]]:
    """Rows under the titles they are shown with."""
    found = {
        wording.rows_title(table, rows): rows
        for table in "BA"
        if (rows := [row for row in comparison.rows if row.table == table][:MOST_ROWS])
    }
    return found


def _row_columns(comparison: Comparison) -> Cut[str]:
    """Columns shown of these rows: those that changed, then the first ones."""
    known = list(comparison.rows[0].values) if comparison.rows else []
    first = [name for name in comparison.columns_changed if name in known]
    return Cut.of(dict.fromkeys([*first, *known]), MOST_ROW_COLUMNS)


def _patterns(comparison: Comparison) -> list[tuple[str, Direction]]:
    """Patterns and what tells their rows from others; of those told alike the strongest."""
    found: dict[tuple[str, bool], Direction] = {}
    for direction in comparison.directions:
        weights = [abs(weight) for _, weight in direction.columns]
        least = WORTH_NAMING * max(weights, default=0.0)
        told = zip(direction.words, weights, strict=True)
        words = dict.fromkeys(word for word, weight in told if weight >= least)
        found.setdefault((", ".join(words), direction.strength > 0), direction)
    return [(words, one) for (words, _), one in found.items()][:MOST_PATTERNS]


def _settings(comparison: Comparison) -> list[tuple[str, str]]:
    said = {**comparison.settings, "rng": comparison.seed, "method": comparison.method}
    return [
        (str(name), shorten(str(value), LONGEST_LINE))
        for name, value in said.items()
        if value or (value == 0 and value is not False)
    ]
