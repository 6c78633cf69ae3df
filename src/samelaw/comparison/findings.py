"""What was found on columns, pairs, rows and patterns of two tables: the parts of a `Comparison`.

- `ColumnFinding`, one per column view: a column, or the absence of its values;
- `PairFinding`, one per pair of column views whose dependence was looked at;
- `MissingFinding`, one per column with missing values;
- `RowFinding`, one per row of B unlike A, or of A no longer seen in B;
- `Rule`, a set of rows in words that one table has more of;
- `Direction`, one per strong eigen-mode of C_B − C_A;
- `Panel` and `Picture`, what is needed to draw both tables.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from samelaw.tables.columns.views import view_name


@dataclass(frozen=True)
class Measure:
    """A plain difference between B and A in the units of a column.

    Attributes
    ----------
    of : str
        "median", "mean", "true", "missing", or the category, quoted, whose share moved most.
    kind : str
        "share" (differences of shares, 0.16 is 16 points), "days" (of dates), "hours" (of times of
        day), or "value".
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
    """Whether one column view (a column, the absence of its values, or a part) changed.

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
        Adjusted for everything that was looked at (step-down max-T on the same permutations).
    effect, effect_interval : float, (float, float)
        Of this column alone, on the scale of `Comparison.effect`; NaN, 0 to 1 where it is not
        known, as of numbers in a reference without rows.
    sentence : str
        What changed, in words: "median 12.3 → 15.1, spread 4.0 → 4.2".
    measures : sequence of Measure
        The plain differences: median and mean of numbers, median of dates, the share that moved
        most of everything else. Empty where a table has fewer than two values.
    part : str
        What of the column this is about: "hour of day", "day of week" of dates, "as written" (signs
        and stray words among numbers), "length", "words", "characters", "pattern" or "trigrams" of
        text; empty for its values.
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
    part: str = ""

    @property
    def name(self) -> str:
        return view_name(self.column, missing=self.missing, part=self.part)

    @property
    def aspect(self) -> str:
        """What of the column this is about, in words; empty for its values as they are."""
        return "missing values" if self.missing else self.part


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
    effect, effect_interval : float, (float, float)
        Of their dependence, on the scale of `Comparison.effect`: without what each did alone where
        one of them changed, by ranks within the tables; NaN, 0 to 1 where it was not measured.
    """

    columns: tuple[str, str]
    names: tuple[str, str]
    changed: bool
    pvalue: float
    sentence: str
    comparable: bool = True
    effect: float = math.nan
    effect_interval: tuple[float, float] = (0.0, 1.0)

    @property
    def name(self) -> str:
        return " × ".join(self.names)


def by_effect(found: ColumnFinding | PairFinding) -> tuple[bool, float, float]:
    """What findings are sorted by: changed or not, then the effect, then the p-value."""
    return not found.changed, -known_effect(found), found.pvalue


def known_effect(found: ColumnFinding | PairFinding) -> float:
    """The effect as far as it is known, 0 if not at all: NaN has no place in an order."""
    return 0.0 if math.isnan(found.effect) else found.effect


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
    unseen : sequence of str
        Columns in which the other table has nothing like its value: not the category, no missing
        value, or no number as far out.
    """

    table: str
    row: int
    score: float
    values: Mapping[str, str | None]
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A set of rows in words that one table has more of, found on two thirds of the rows.

    Attributes
    ----------
    text : str
        "age > 60 and region = 'north'".
    conditions : sequence of str
        Its conditions, one by one.
    columns : sequence of str
        The columns they are about.
    share_a, share_b : float
        Of all rows of A and of B that were compared, the share it holds for.
    pvalue : float
        Three times that of Fisher's exact test on the third of the rows that it was not found on,
        in the direction that was found, as three such rules were tried.
    expected_gap : float
        ``share_b − share_a`` to expect among new rows. That of the rows at hand is too far from 0,
        as the search chose the rule by it.
    """

    text: str
    conditions: tuple[str, ...]
    columns: tuple[str, ...]
    share_a: float
    share_b: float
    pvalue: float
    expected_gap: float

    @property
    def gap(self) -> float:
        """The difference of the shares, B less A."""
        return self.share_b - self.share_a


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
    words : sequence of str
        The same in words: "high price", "region = 'north'".
    """

    strength: float
    share_a: float
    share_b: float
    columns: tuple[tuple[str, float], ...]
    words: tuple[str, ...] = ()


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
    dates : (bool, bool)
        Whether the coordinates are moments, in seconds since 1970.
    of_day : (bool, bool)
        Whether they are times of day, in hours.
    """

    axes: tuple[str, str]
    x: tuple[float, ...] = field(repr=False)
    y: tuple[float, ...] = field(repr=False)
    table: tuple[str, ...] = field(repr=False)
    witness: tuple[float, ...] = field(repr=False)
    dates: tuple[bool, bool] = (False, False)
    of_day: tuple[bool, bool] = (False, False)
