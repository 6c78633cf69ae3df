"""What a comparison of two tables found: numbers and sentences that never compute.

A `Comparison` holds, under

- ``marginals``, a `ColumnFinding` per column, and one more per column with missing values;
- ``pairs``, a `PairFinding` per pair of columns whose dependence was looked at;
- ``rows``, a `RowFinding` per row of B unlike A, or of A no longer seen in B;
- ``directions``, the strongest eigen-modes of C_B − C_A;
- ``panels`` and ``picture``, what is needed to draw both tables.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from samelaw.show.legible import escape_json, legible

SCHEMA_VERSION = 2
SHOWN = 20  # names listed before "and 7 more"

Vector = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Measure:
    """A plain difference between B and A in the units of a column.

    Attributes
    ----------
    of : str
        "median", "mean", "true", "missing", or the category, quoted, whose share moved most.
    kind : str
        "share" (differences of shares, 0.16 is 16 points), "days" (of dates), or "value".
    a, b : float
        In each table; dates in seconds since 1970.
    difference, interval : float, (float, float)
        B − A and its confidence limits at 1 − level, for this column by itself.
    """

    of: str
    kind: str
    a: float
    b: float
    difference: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class ColumnFinding:
    """Whether one column (or the absence of its values) changed.

    Attributes
    ----------
    column : str
    kind : str
        numeric, integer, boolean, categorical, datetime, …
    missing : bool
        Whether this is about its missing values.
    changed : bool
        Whether ``pvalue <= level``.
    pvalue : float
        Adjusted for everything that was looked at (step-down max-T on the same relabellings).
    effect, effect_interval : float, (float, float)
        Of this column alone, on the scale of `Comparison.effect`.
    sentence : str
        What changed, in words: "median 12.3 → 15.1, spread 4.0 → 4.2".
    measures : sequence of Measure
        The plain differences: median and mean of numbers, median of dates, the share that moved
        most of everything else. Empty where a table has fewer than two values.
    """

    column: str
    kind: str
    missing: bool
    changed: bool
    pvalue: float
    effect: float
    effect_interval: tuple[float, float]
    sentence: str
    measures: tuple[Measure, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.column} (missing)" if self.missing else self.column


@dataclass(frozen=True)
class PairFinding:
    """Whether the dependence between two columns changed, whatever each did alone.

    Attributes
    ----------
    columns : (str, str)
    names : (str, str)
        As `ColumnFinding.name`: says whether the missing values of a column are meant.
    changed : bool
        Whether ``pvalue <= level`` and the pair is comparable.
    pvalue : float
        Adjusted for everything that was looked at. Exact when the tables follow one law,
        approximate when a column moved and the dependence did not.
    sentence : str
    comparable : bool
        False if a column has no values, one value, or a point mass of another size in a table;
        the sentence then says which.
    """

    columns: tuple[str, str]
    names: tuple[str, str]
    changed: bool
    pvalue: float
    sentence: str
    comparable: bool = True


@dataclass(frozen=True)
class MissingFinding:
    """Shares of missing values of a column that has some."""

    column: str
    share_a: float
    share_b: float
    changed: bool
    pvalue: float


@dataclass(frozen=True)
class RowFinding:
    """A row that stands for the difference: of B and unlike A, or of A and no longer seen in B.

    Attributes
    ----------
    table : "A" or "B"
    row : int
        Counted from 0, without the header.
    score : float
        How much more its surroundings belong to its own table than to the other; 0 is neutral.
    values : mapping
        Its values as they are shown, by column; None where missing.
    """

    table: str
    row: int
    score: float
    values: Mapping[str, str | None]


@dataclass(frozen=True)
class Direction:
    """An eigen-mode of C_B − C_A: a pattern of rows that one table has more of.

    Attributes
    ----------
    strength : float
        Eigenvalue: positive when B has more of the pattern.
    share_a, share_b : float
        Mass of the pattern in each table.
    columns : sequence of (name, weight)
        Columns that tell rows of the pattern from others, strongest first; weights in [−1, 1],
        positive when high values belong to the pattern.
    """

    strength: float
    share_a: float
    share_b: float
    columns: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Panel:
    """How the values of one column are spread in both tables.

    Attributes
    ----------
    edges : sequence of float
        Bin edges of a numeric column or of dates in seconds since 1970; empty for categories.
    categories : sequence of str
        The categories shown; the last may gather the rest.
    shares_a, shares_b : sequences of float
        Share of the known values per bin or category.
    """

    column: str
    kind: str
    shares_a: tuple[float, ...]
    shares_b: tuple[float, ...]
    edges: tuple[float, ...] = ()
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """Rows of both tables in the plane, coloured by the witness function.

    Attributes
    ----------
    axes : (str, str)
        What the coordinates are.
    x, y : sequences of float
    table : sequence of "A" or "B"
    witness : sequence of float in [−1, 1]
        Positive where B has more rows than A, negative where A has.
    """

    axes: tuple[str, str]
    x: tuple[float, ...] = field(repr=False)
    y: tuple[float, ...] = field(repr=False)
    table: tuple[str, ...] = field(repr=False)
    witness: tuple[float, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Comparison:
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
        found (that is shown to reach ``min_effect``).
    null_distribution : array (B,)
    effect : float
        Bias-corrected balanced von Neumann RJSD / log 2, in [0, 1]. The largest of all columns
        together and of each alone. In the population at least so large a share of the rows would
        have to change to turn A into B; mostly it is a larger share, so it is no estimate of it.
    effect_of : str
        What it was found on: "all columns" or the name of one.
    effect_interval : (float, float)
        Simultaneous confidence limits at 1 − level.
    detectable_effect : float
        About the smallest effect that would be found with probability .8 at these sizes.
    min_effect : float
    columns_changed : sequence of str
        Names, each once: changed alone or as one of a pair.
    column_groups : sequence of sequences of str
        Sets of columns that changed jointly.
    marginals, pairs, missing, rows, directions, panels, picture
        See the top of this module.
    schema_changes : sequence of SchemaChange
    left_out : sequence of LeftOut
        Columns that were not compared, and why.
    sizes : (int, int)
    sources : (str, str)
    notes : sequence of str
        What was done on the way that a reader should know.
    settings : mapping
        What to pass to run it again.
    seed : int or None
    method : str
    same_within : float or None
        The effect below which the tables were to be shown the same.
    same : bool or None
        Whether they were: ``effect_limit < same_within``.
    effect_limit : float
        Upper limit of the largest effect: the highest upper end of the intervals at 1 − level
        that every effect has by itself.
    rows_needed : (int, int) or None
        About as many rows as these would show them the same; None if they are, if nobody asked,
        or if the effect itself is too large.
    """

    verdict: str
    sentence: str
    statistic: float
    pvalue: float
    level: float
    reject: bool
    null_distribution: Vector = field(repr=False)
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
    schema_changes: Sequence[Any] = field(repr=False)
    left_out: Sequence[Any] = field(repr=False)
    sizes: tuple[int, int]
    sources: tuple[str, str]
    notes: tuple[str, ...]
    settings: Mapping[str, Any] = field(repr=False)
    seed: int | None
    method: str
    same_within: float | None = None
    same: bool | None = None
    effect_limit: float = 1.0
    rows_needed: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def __str__(self) -> str:
        lines = [self.sentence, *(f"{name}: {said}" for name, said in self._facts())]
        return "\n".join(map(legible, lines))

    def without_rows(self) -> "Comparison":
        """The same without the values of any row: no rows that stand out, no dots in pictures."""
        nothing = replace(self.picture, x=(), y=(), table=(), witness=())
        return replace(self, rows=(), picture=nothing)

    def to_dict(self, *, rows: bool = False) -> dict[str, Any]:
        """Everything but the drawings, as plain Python values; see ``schemas/comparison.json``.

        The rows that stand for the difference, with their values, are there if asked for.
        """
        found = self._summary()
        return {**found, "rows": [_plain(row) for row in self.rows]} if rows else found

    def _summary(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "level": self.level,
            "reject": self.reject,
            "effect": self.effect,
            "effect_of": self.effect_of,
            "effect_interval": list(self.effect_interval),
            "detectable_effect": self.detectable_effect,
            "min_effect": self.min_effect,
            "columns_changed": list(self.columns_changed),
            "column_groups": [list(group) for group in self.column_groups],
            "marginals": [_plain(finding) for finding in self.marginals],
            "pairs": [_plain(finding) for finding in self.pairs],
            "missing": [_plain(finding) for finding in self.missing],
            "schema_changes": [_plain(change) for change in self.schema_changes],
            "left_out": [_plain(out) for out in self.left_out],
            "directions": [_plain(direction) for direction in self.directions],
            "sizes": list(self.sizes),
            "sources": list(self.sources),
            "notes": list(self.notes),
            "settings": dict(self.settings),
            "seed": self.seed,
            "method": self.method,
            "same_within": self.same_within,
            "same": self.same,
            "effect_limit": self.effect_limit,
            "rows_needed": None if self.rows_needed is None else list(self.rows_needed),
        }

    def to_json(self, *, rows: bool = False, **options: Any) -> str:
        """`to_dict` as JSON that is safe to print; options go to ``json.dumps``."""
        options = {"allow_nan": False, "ensure_ascii": False, **options}
        return escape_json(json.dumps(self.to_dict(rows=rows), **options))

    def plot(self, column: str | None = None, ax: Any = None) -> Any:
        """Both tables in one column, or the statistic among relabelled ones; needs matplotlib."""
        import matplotlib.pyplot as plt

        from samelaw.show.plots import draw_null, draw_panel

        ax = plt.gca() if ax is None else ax
        if column is None:
            draw_null(ax, self.null_distribution, self.statistic, self.pvalue)
            return ax
        panel = next((panel for panel in self.panels if panel.column == column), None)
        if panel is None:
            known = ", ".join(repr(panel.column) for panel in self.panels[:10])
            raise ValueError(f"column {column!r} was not compared; there are {known}.")
        draw_panel(ax, panel)
        ax.set_title(column, parse_math=False)
        ax.legend(frameon=False)
        return ax

    def _repr_html_(self) -> str:
        from samelaw.show.plots import html_table

        facts = [("verdict", self.sentence), *self._facts()]
        return html_table([(name, legible(said)) for name, said in facts])

    def _facts(self) -> list[tuple[str, str]]:
        low, high = self.effect_interval
        changed = [finding.name for finding in self.marginals if finding.changed]
        changed += [" × ".join(pair.names) for pair in self.pairs if pair.changed]
        more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        return [
            ("p-value", f"{self.pvalue:.3g} at level {self.level:g}"),
            ("effect", f"{self.effect:.3g} ({low:.3g} to {high:.3g}) on {self.effect_of}"),
            ("changed", (", ".join(changed[:SHOWN]) or "nothing found") + more),
            ("rows", f"{self.sizes[0]} v {self.sizes[1]}"),
        ]


def _plain(finding: Any) -> dict[str, Any]:
    """A finding as JSON knows it: tuples become lists, enumerations their words."""
    return dict(json.loads(json.dumps(asdict(finding), default=str)))
