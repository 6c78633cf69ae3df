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
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

SCHEMA_VERSION = 1
SHOWN = 20  # names listed before "and 7 more"

Vector = np.ndarray[Any, Any]


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
    """

    column: str
    kind: str
    missing: bool
    changed: bool
    pvalue: float
    effect: float
    effect_interval: tuple[float, float]
    sentence: str

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
        change is significant yet not shown to reach ``min_effect``.
    sentence : str
        One plain sentence for people who want no statistics.
    statistic, pvalue, level, reject
        One max-T over everything that was looked at; ``reject`` is whether the verdict is
        "different".
    null_distribution : array (B,)
    effect : float
        Bias-corrected balanced von Neumann RJSD / log 2, in [0, 1]: at least so large a share of
        the rows changed (population value). The largest of all columns together and of each alone.
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

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"{name}: {said}" for name, said in self._facts())])

    def to_dict(self) -> dict[str, Any]:
        """Everything but the drawings, as plain Python values; see ``schemas/comparison.json``."""
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
            "rows": [_plain(row) for row in self.rows],
            "directions": [_plain(direction) for direction in self.directions],
            "sizes": list(self.sizes),
            "sources": list(self.sources),
            "notes": list(self.notes),
            "settings": dict(self.settings),
            "seed": self.seed,
            "method": self.method,
        }

    def to_json(self, **options: Any) -> str:
        """`to_dict` as JSON; options go to ``json.dumps``."""
        return json.dumps(self.to_dict(), **{"allow_nan": False, "ensure_ascii": False, **options})

    def plot(self, column: str | None = None, ax: Any = None) -> Any:
        """Both tables in one column, or the statistic among relabelled ones; needs matplotlib."""
        import matplotlib.pyplot as plt

        from samelaw.decide.showing import draw_null, draw_panel

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
        from samelaw.decide.showing import html_table

        return html_table([("verdict", self.sentence), *self._facts()])

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
