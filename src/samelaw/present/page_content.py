"""What a page shows of a comparison; the template only arranges it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from samelaw.comparison.findings import ColumnFinding, Panel, RowFinding
from samelaw.comparison.result import Comparison
from samelaw.present import wording
from samelaw.present.shell import shell_line
from samelaw.present.versions import own_version
from samelaw.show.plots import MOST_BARS, Palette
from samelaw.show.words import decimal, percent, shorten

MOST_PANELS = 24
MOST_LINES = 120
MOST_ROWS = 10
MOST_ROW_COLUMNS = 8
MOST_PATTERNS = 4
WORTH_NAMING = 0.3  # weight of a column in a pattern, as a share of the largest
LONGEST_CELL = 40
LONGEST_LINE = 300

Thing = TypeVar("Thing")
Rank: TypeAlias = tuple[bool, float, float]


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
class Drawn:
    """A column and its figure."""

    name: str
    tag: str
    sentence: str
    svg: str


def content(comparison: Comparison, command: Sequence[str]) -> dict[str, object]:
    """Everything the template shows; it only arranges."""
    changed = [finding for finding in comparison.marginals if finding.changed]
    return {
        "comparison": comparison,
        "words": _words(comparison),
        "tone": _tone(comparison),
        "light": Palette(),
        "changed": Cut.of(sorted(changed, key=lambda f: -f.effect), MOST_LINES),
        "pairs": Cut.of((pair for pair in comparison.pairs if pair.changed), MOST_LINES),
        "columns": Cut.of(sorted(comparison.marginals, key=_rank), MOST_LINES),
        "panels": _panels(comparison),
        "directions": comparison.directions[:MOST_PATTERNS],
        "patterns": _patterns(comparison),
        "rows": _rows(comparison),
        "row_columns": _row_columns(comparison),
        "missing": Cut.of(
            sorted(comparison.missing, key=lambda f: (not f.changed, f.pvalue)), MOST_LINES
        ),
        "schema": Cut.of(comparison.schema_changes, MOST_LINES),
        "left_out": Cut.of(comparison.left_out, MOST_LINES),
        "settings": _settings(comparison),
        "command": shell_line(command),
        "figures": _figures(comparison),
        "version": own_version(),
    }


def _words(comparison: Comparison) -> dict[str, str]:
    return {
        "verdict": comparison.verdict[:1].upper() + comparison.verdict[1:],
        "pvalue": wording.pvalue_words(comparison),
        "confidence": wording.confidence(comparison),
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


def _rank(finding: ColumnFinding) -> Rank:
    return not finding.changed, -finding.effect, finding.pvalue


def _figures(comparison: Comparison) -> dict[str, object]:
    from markupsafe import Markup

    from samelaw.present import figures

    axes = " against ".join(comparison.picture.axes)
    names = {"A": "table A", "B": "table B"}
    return {
        "effects": Markup(
            figures.effects_figure(
                comparison, "Effect on all columns and on each, with intervals; see the table."
            )
        ),
        "null": Markup(
            figures.null_figure(
                comparison,
                f"Histogram of the statistic under permutation; observed "
                f"{decimal(comparison.statistic)}.",
            )
        ),
        "picture": {
            table: Markup(figures.picture_figure(comparison.picture, table, f"{name}: {axes}"))
            for table, name in names.items()
            if table in comparison.picture.table
        },
    }


def _panels(comparison: Comparison) -> Cut[Drawn]:
    """Figures of the columns: those that changed first, the others by how close they came."""
    from markupsafe import Markup

    from samelaw.present.figures import panel_figure

    best: dict[str, ColumnFinding] = {}
    for finding in sorted(comparison.marginals, key=lambda f: (f.missing, *_rank(f))):
        best.setdefault(finding.column if finding.missing else finding.name, finding)
    hits = set(comparison.columns_changed)

    def place(panel: Panel) -> tuple[bool, bool, float, float]:
        finding = best.get(panel.column)
        unchanged, effect, pvalue = _rank(finding) if finding else (True, 0.0, 1.0)
        return unchanged, panel.column not in hits, effect, pvalue

    cut = Cut.of(sorted(comparison.panels, key=place), MOST_PANELS)
    drawn = []
    for panel in cut.shown:
        known = best.get(panel.column)
        sentence = known.sentence if known and not known.missing else ""
        label = panel_label(panel, sentence)
        svg = Markup(panel_figure(panel, label))
        drawn.append(Drawn(panel.column, _tag(comparison, panel.column), sentence, svg))
    return Cut(drawn, cut.left)


def _tag(comparison: Comparison, column: str) -> str:
    """How a column, or the part of one, changed, in a few words; empty if it did not."""
    alone = [
        found.missing
        for found in comparison.marginals
        if found.changed and column in (found.name, found.column if found.missing else "")
    ]
    if alone:
        return "changed" if False in alone else "missing values changed"
    partners = [
        pair.columns[1 - pair.columns.index(column)]
        for pair in comparison.pairs
        if pair.changed and column in pair.columns and column in pair.names
    ]
    return f"together with {shorten(partners[0])}" if partners else ""


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
        "Rows of B least like A": [row for row in comparison.rows if row.table == "B"],
        "Rows of A no longer seen in B": [row for row in comparison.rows if row.table == "A"],
    }
    return {title: rows[:MOST_ROWS] for title, rows in found.items() if rows}


def _row_columns(comparison: Comparison) -> Cut[str]:
    """Columns shown of these rows: those that changed, then the first ones."""
    known = list(comparison.rows[0].values) if comparison.rows else []
    first = [name for name in comparison.columns_changed if name in known]
    return Cut.of(dict.fromkeys([*first, *known]), MOST_ROW_COLUMNS)


def _patterns(comparison: Comparison) -> list[str]:
    """What tells the rows of each pattern from others."""
    kinds = {found.column: found.kind for found in comparison.marginals}

    def said(name: str, weight: float) -> str:
        side = "high" if weight > 0 else "low"
        ordered = kinds.get(name) in ("numeric", "integer", "datetime")
        return f"{side} {shorten(name)}" if ordered else shorten(name)

    words = []
    for direction in comparison.directions[:MOST_PATTERNS]:
        least = WORTH_NAMING * max((abs(weight) for _, weight in direction.columns), default=0.0)
        named = [said(name, weight) for name, weight in direction.columns if abs(weight) >= least]
        words.append(", ".join(named))
    return words


def _settings(comparison: Comparison) -> list[tuple[str, str]]:
    said = {**comparison.settings, "seed": comparison.seed, "method": comparison.method}
    return [
        (str(name), shorten(str(value), LONGEST_LINE))
        for name, value in said.items()
        if value or value == 0
    ]
