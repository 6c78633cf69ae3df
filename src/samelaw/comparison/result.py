"""What a comparison of two tables found: numbers and sentences that never compute."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from samelaw.comparison.findings import (
    ColumnFinding,
    Direction,
    MissingFinding,
    PairFinding,
    Picture,
    RowFinding,
    Rule,
    by_effect,
)
from samelaw.comparison.rows.duplicates import Duplicates
from samelaw.comparison.target import TargetFinding
from samelaw.core.files import write_text
from samelaw.core.types import Matrix
from samelaw.results.result import Facts, Result, Tabular, as_json, empty_axes, plain
from samelaw.results.table_plots import draw_effects, draw_panel
from samelaw.results.words import in_a_row
from samelaw.tables.columns.identifiers import IdentifierFinding
from samelaw.tables.columns.panels import Panel
from samelaw.tables.pairing.left_out import LeftOut
from samelaw.tables.pairing.rewritten import Cause
from samelaw.tables.pairing.schema_changes import SchemaChange

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 20  # names listed before "and 7 more"
DRAWN = 15  # columns and pairs in a plot


@dataclass(frozen=True, eq=False)
class Comparison(Tabular, Result):
    """The outcome of `compare`; unpacks to ``statistic, pvalue``.

    Attributes
    ----------
    verdict : str
        "different", "no difference found", or "different, but too little to matter" when the
        change is significant yet not shown to reach ``min_effect``. With ``same_within``: "the
        same within 0.02" (or what was asked for) or "not shown to be the same".
    sentence : str
        One plain sentence for people who want no statistics.
    statistic, pvalue, level, reject
        One max-T over everything that was looked at; ``reject`` is whether a difference was
        found: of the values (that is shown to reach ``min_effect``), or of the schema.
    null_distribution : array (B,)
    effect : float
        Bias-corrected balanced von Neumann RJSD / log 2, in [0, 1]. The largest of all columns
        together, and of the columns and pairs that were found changed. In the population at least
        so large a share of the rows would have to change to turn A into B; mostly it is a larger
        share, so it is no estimate of it.
    effect_of : str
        What it was found on: "all columns", or a column or pair that changed.
    effect_interval : (float, float)
        Simultaneous confidence limits at 1 − level of this effect. The lower one is the largest
        lower limit of all columns together and of what changed, as the largest effect is at least
        as large.
    detectable_effect : float
        About the smallest effect on all columns together that would be found with probability .8
        at these sizes.
    min_effect : float
    columns_changed : sequence of str
        Names, each once: changed alone or as one of a pair.
    column_groups : sequence of sequences of str
        Sets of columns that changed jointly.
    marginals, pairs, missing, rows, directions, panels, picture
        See `samelaw.comparison.findings`.
    schema_changes : sequence of SchemaChange
        Those with ``difference`` are differences by themselves.
    schema_differs : bool
        Whether some are, and were not waived by ``allow_schema``.
    left_out : sequence of LeftOut
        Columns that were not compared, and why.
    sizes : (int, int)
    sources : (str, str)
    notes : sequence of str
        What was done on the way that a reader should know.
    settings : mapping
        What to pass to run it again: ``compare(a, b, **result.settings)``. A generator that was
        passed as ``rng`` is not among them (None).
    seed : int or None
    method : str
    causes : sequence of Cause
        What was done to a table that moves its values: one row 50 times, other capitals, values
        that were cut, dates in another notation, times some hours later; and rows of both tables.
    duplicates : Duplicates or None
        How many rows occur more than once, within the tables and in both.
    identifiers : sequence of IdentifierFinding
        How many values of each column of identifiers occur twice, and in both tables.
    rule : Rule or None
        Where the change is clearest, in words, found on some of the rows and shown by others; None
        if no difference was found, if those others do not show it, or with groups.
    target : TargetFinding or None
        What became of the inputs, the target and the relation between them, if one was named.
    same_within : float or None
        The effect below which the tables were to be shown the same.
    same : bool or None
        Whether they were: ``effect_limit < same_within``, and no difference of the schema.
    effect_limit : float
        Upper limit of the largest effect: the highest upper end of the intervals at 1 − level
        that every effect has by itself.
    effect_limit_of : str
        What has this upper limit: "all columns", or a column or pair, changed or not.
    detectable_worst : float
        As ``detectable_effect``, on the column or pair where a change is hardest to find.
    detectable_worst_of : str
        Which that is.
    rows_needed : (int, int) or None
        About as many rows as these would show them the same; None if they are, if nobody asked,
        or if the effect itself is too large.
    pairs_changed : int
        How many pairs of columns changed; ``pairs`` has the clearest of them.
    """

    kind: ClassVar[str] = "comparison"

    verdict: str
    sentence: str
    statistic: float
    pvalue: float
    level: float
    reject: bool
    null_distribution: Matrix = field(repr=False)
    effect: float
    effect_of: str
    effect_interval: tuple[float, float]
    detectable_effect: float
    min_effect: float
    columns_changed: tuple[str, ...]
    column_groups: tuple[tuple[str, ...], ...]
    marginals: tuple[ColumnFinding, ...] = field(repr=False)
    pairs: tuple[PairFinding, ...] = field(repr=False)
    missing: tuple[MissingFinding, ...] = field(repr=False)
    rows: tuple[RowFinding, ...] = field(repr=False)
    directions: tuple[Direction, ...] = field(repr=False)
    panels: tuple[Panel, ...] = field(repr=False)
    picture: Picture = field(repr=False)
    schema_changes: Sequence[SchemaChange] = field(repr=False)
    left_out: Sequence[LeftOut] = field(repr=False)
    sizes: tuple[int, int]
    sources: tuple[str, str]
    notes: tuple[str, ...]
    settings: Mapping[str, Any] = field(repr=False)
    seed: int | None
    method: str
    causes: tuple[Cause, ...] = ()
    duplicates: Duplicates | None = None
    identifiers: tuple[IdentifierFinding, ...] = ()
    rule: Rule | None = None
    target: TargetFinding | None = None
    same_within: float | None = None
    same: bool | None = None
    effect_limit: float = 1.0
    effect_limit_of: str = ""
    detectable_worst: float = 0.0
    detectable_worst_of: str = ""
    rows_needed: tuple[int, int] | None = None
    pairs_changed: int = 0
    schema_differs: bool = False

    @property
    def columns_compared(self) -> int:
        """How many columns were looked at."""
        return len({found.column for found in self.marginals})

    @property
    def values_differ(self) -> bool:
        """Whether a difference was found in the values, not only in the schema."""
        return self.pvalue <= self.level and self.effect_interval[0] >= self.min_effect

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def __str__(self) -> str:
        from samelaw.comparison.text_report import answer

        return answer(self)

    def without_rows(self) -> "Comparison":
        """The same without the values of any row: no rows that stand out, no dots in pictures."""
        nothing = replace(self.picture, x=(), y=(), table=(), witness=())
        return replace(self, rows=(), picture=nothing)

    def to_dict(self, *, rows: bool = False) -> dict[str, Any]:
        """Everything but the drawings, as plain Python values; see ``schemas/comparison.json``.

        The rows that stand for the difference, with their values, are there if asked for.
        """
        found = super().to_dict()
        return {**found, "rows": plain(self.rows)} if rows else found

    @property
    def changed_alone(self) -> tuple[str, ...]:
        """Names, each once, of the columns whose own values changed."""
        return tuple(dict.fromkeys(found.column for found in self.marginals if found.changed))

    def _content(self) -> dict[str, Any]:
        found = super()._content()
        return {name: value for name, value in found.items() if name not in _KEPT_APART}

    def to_json(self, *, rows: bool = False, **options: Any) -> str:
        """`to_dict` as JSON that is safe to print; options go to ``json.dumps``."""
        return as_json(self.to_dict(rows=rows), options)

    def records(self) -> list[dict[str, Any]]:
        """One row per column view, what changed first, each by its effect."""
        return [
            {
                "column": found.column,
                "kind": found.kind,
                "missing": found.missing,
                "part": found.part,
                "changed": found.changed,
                "pvalue": found.pvalue,
                "effect": found.effect,
                "effect_low": found.effect_interval[0],
                "effect_high": found.effect_interval[1],
                "sentence": found.sentence,
            }
            for found in self.marginals
        ]

    def plot(self, ax: "Axes | None" = None, *, column: str | None = None) -> "Axes":
        """Where the tables differ, or both tables in one column; needs matplotlib."""
        if column is None:
            return super().plot(ax)
        ax = empty_axes() if ax is None else ax
        draw_panel(ax, self._panel(column))
        ax.set_title(column, parse_math=False)
        ax.legend(frameon=False)
        return ax

    def draw(self, ax: "Axes") -> None:
        """Effects with their intervals, the largest first; those that changed stand out."""
        pairs = (pair for pair in self.pairs if pair.changed)
        found: list[ColumnFinding | PairFinding] = [*self.marginals, *pairs]
        shown = sorted(found, key=by_effect)[:DRAWN]
        draw_effects(
            ax,
            [one.name for one in shown],
            [one.effect for one in shown],
            [one.effect_interval for one in shown],
            [one.changed for one in shown],
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write JSON (.json) or the text that is printed (.txt); `write_report` writes a page.

        A file that is there is replaced once the new one is complete.
        """
        suffix = PurePath(path).suffix.lower()
        if suffix not in (".json", ".txt"):
            raise ValueError(
                f"path must end in .json or .txt to say what is written, got {str(path)!r}; "
                "write_report(result, path) writes a page, to_frame() gives the columns as a frame."
            )
        text = self.to_json(indent=1) if suffix == ".json" else str(self)
        write_text(path, text + "\n")

    def _repr_html_(self) -> str:
        from samelaw.comparison.notebook import compact_page

        return compact_page(self)

    def _panel(self, column: str) -> Panel:
        for panel in self.panels:
            if panel.column == column:
                return panel
        if not self.panels:
            raise ValueError(
                f"column {column!r} cannot be drawn, as the values of no column are known: the "
                "reference keeps no rows. plot() draws what is known of the columns."
            )
        known = ", ".join(repr(panel.column) for panel in self.panels[:10])
        raise ValueError(f"column {column!r} was not compared; there are {known}.")

    def facts(self) -> Facts:
        """The sentence, the numbers beside it and what changed."""
        low, high = self.effect_interval
        looks: list[ColumnFinding | PairFinding] = [*self.marginals, *self.pairs]
        changed = [one.name for one in sorted(looks, key=by_effect) if one.changed]
        if self.schema_differs:
            changed += [
                f"{change.column} ({change.kind.value})"
                for change in self.schema_changes
                if change.difference
            ]
        return [
            ("verdict", self.sentence),
            ("p-value", f"{self.pvalue:.3g} at level {self.level:g}"),
            ("effect", f"{_digits(self.effect)} ({low:.3g} to {high:.3g}) on {self.effect_of}"),
            ("changed", in_a_row(changed, SHOWN) or "nothing found"),
            ("rows", f"{self.sizes[0]} v {self.sizes[1]}"),
        ]


def _digits(effect: float) -> str:
    return "not known" if math.isnan(effect) else f"{effect:.3g}"


_KEPT_APART = ("null_distribution", "rows", "panels", "picture")  # large, or values of rows
