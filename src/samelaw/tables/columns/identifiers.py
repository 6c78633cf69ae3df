"""What can be said of identifiers: how many both tables share, and how many occur twice in one.

Neither is tested: no permutation of the rows keeps the identifiers of a table apart. Both must be
known: a key that repeats is a mistake, and tables of the same customers are not independent.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from samelaw.results.shell import shell_line
from samelaw.results.words import percent
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.kinds import IDENTIFIER_SHARE, look_at
from samelaw.tables.columns.raw_column import Codes, Floats, Form, RawColumn

_SAME_THINGS = 0.5  # share of the values of both tables that the other one has
_NO_CHANCE = 7.0  # equal pairs to be expected, from which on none is a chance of one in a thousand


@dataclass(frozen=True)
class IdentifierFinding:
    """How often the values of an identifier occur in two tables.

    Attributes
    ----------
    column : str
    known : (int, int)
        Rows of A and of B that have a value.
    repeats : (int, int)
        Rows of A and of B that repeat a value of an earlier one.
    shared : (int, int)
        Rows of A whose value is in B too, and rows of B whose value is in A.
    row_index : bool
        Whether the values only count the rows of each table, so that one in both means nothing.
    """

    column: str
    known: tuple[int, int]
    repeats: tuple[int, int]
    shared: tuple[int, int]
    row_index: bool = False

    def remarks(self) -> Iterator[str]:
        """What belongs into a sentence: values that repeat in one table only."""
        for k in (0, 1):
            if self.repeats[k] and not self.repeats[1 - k]:
                rows = f"{self.repeats[k]:,} row{'s' if self.repeats[k] > 1 else ''}"
                yield f"{self.column} repeats in {rows} of {'AB'[k]}, never in {'AB'[1 - k]}"

    def notes(self) -> Iterator[str]:
        """What else a reader should know."""
        a, b = (count / max(known, 1) for count, known in zip(self.shared, self.known, strict=True))
        if not a:
            return
        shares = f"{percent(a)} of the values in A are in B too, {percent(b)} of B in A"
        yield f"{self.column}: {shares}."
        if min(a, b) >= _SAME_THINGS and not self.row_index:
            option = f"--groups {shell_line([self.column])} (groups={self.column!r})"
            yield (
                f"{self.column}: if one value means one thing in both tables, their rows are not "
                f"independent; {option} then compares each with itself."
            )


def counts_rows(values: Floats) -> bool:
    """Whether values (n,) are 0, 1, 2, … or 1, 2, 3, …, the numbers of rows and nothing else.

    Examples
    --------
    >>> counts_rows(np.array([1.0, 2.0, 3.0])), counts_rows(np.array([7.0, 8.0, 9.0]))
    (True, False)
    """
    first = values[:1]
    return bool(np.isin(first, (0.0, 1.0)).all() and (np.diff(values) == 1.0).all())


def numbers_rows(values: Floats, rows: float) -> bool:
    """Whether whole numbers (k,), drawn from so many rows, number those rows in any order.

    None repeats, and they lie within as many values as there are rows; that tells only where
    others would have repeated.

    Examples
    --------
    >>> rows = np.arange(900.0, 0.0, -3.0)
    >>> numbers_rows(rows, 900), numbers_rows(rows, 600)
    (True, False)
    """
    span = float(np.ptp(values)) + 1.0
    if span > rows / IDENTIFIER_SHARE or len(np.unique(values)) < len(values):
        return False
    return 0.5 * len(values) * (len(values) - 1.0) / span >= _NO_CHANCE


def number_rows(name: str, sides: Sequence[RawColumn], rows: int) -> bool:
    """Whether a column numbers the rows of tables of which some were drawn.

    Of row numbers a draw has gaps, so that they look like any whole numbers. They lie within as
    many values as there are rows in all, and none repeats in a table; that tells only where
    others would have repeated.

    Parameters
    ----------
    name : str
    sides : sequence of RawColumn
        The rows drawn of each table.
    rows : int
        Of all tables, drawn or not.

    Examples
    --------
    >>> from samelaw.tables.reading.read import read_table
    >>> sides = [read_table({"row": range(0, 900, 3)}).raw["row"]]
    >>> number_rows("row", sides, 900), number_rows("row", sides, 600)
    (True, False)
    """
    if look_at(name, sides).kind is not Kind.INTEGER:
        return False
    tables = [values[~np.isnan(values)] for values in (s.numbers(Form.INTEGER) for s in sides)]
    known = np.concatenate(tables)
    share = len(known) / sum(len(side.missing) for side in sides)
    span = float(known.max() - known.min()) + 1
    if span > share * rows / IDENTIFIER_SHARE:
        return False
    expected = sum(0.5 * len(own) * (len(own) - 1.0) for own in tables) / span
    return expected >= _NO_CHANCE and all(len(np.unique(own)) == len(own) for own in tables)


def enough_to_number(rows: int) -> int:
    """How many rows must be drawn of so many for `number_rows` to tell.

    Examples
    --------
    >>> enough_to_number(30_000)
    666
    """
    return min(rows, 1 + math.ceil(math.sqrt(2.0 * _NO_CHANCE * rows / IDENTIFIER_SHARE)))


def count_identifiers(
    name: str, codes: Codes, n: int, *, row_index: bool = False
) -> IdentifierFinding:
    """Count the codes of a column, −1 for missing, of which the first n are of A.

    Examples
    --------
    >>> count_identifiers("key", np.array([0, 1, 1, -1, 1, 2]), 4)
    IdentifierFinding(column='key', known=(3, 2), repeats=(1, 0), shared=(2, 1), row_index=False)
    """
    size = int(codes.max(initial=-1)) + 1
    a, b = (_counts(side, size) for side in (codes[:n], codes[n:]))
    return IdentifierFinding(
        name,
        known=(int(a.sum()), int(b.sum())),
        repeats=(int((a - (a > 0)).sum()), int((b - (b > 0)).sum())),
        shared=(int(a[b > 0].sum()), int(b[a > 0].sum())),
        row_index=row_index,
    )


def lost_identifier(
    name: str, sides: Sequence[RawColumn], codes: Codes, n: int
) -> IdentifierFinding | None:
    """What a column tells that identifies the rows of one table and repeats in the other.

    A join that doubled rows makes it no identifier of both. None if a table that small could
    have missed the repeats by chance.

    Examples
    --------
    >>> from samelaw.tables.reading.read import read_table
    >>> keys = [f"k{i}" for i in range(40)]
    >>> sides = [read_table({"key": side}).raw["key"] for side in (keys, 2 * keys)]
    >>> lost_identifier("key", sides, np.tile(np.arange(40), 3), 40).repeats
    (0, 40)
    """
    found = count_identifiers(name, codes, n)
    for own, other in ((0, 1), (1, 0)):
        if found.repeats[other] and not found.repeats[own]:
            own_rows, other_rows = found.known[own], found.known[other]
            counts = _counts((codes[:n], codes[n:])[other], int(codes.max(initial=-1)) + 1)
            alike = float((counts * (counts - 1.0)).sum()) / (other_rows * (other_rows - 1.0))
            expected = 0.5 * own_rows * (own_rows - 1.0) * alike
            if expected >= _NO_CHANCE and look_at(name, [sides[own]]).kind is Kind.IDENTIFIER:
                return found
    return None


def _counts(codes: Codes, size: int) -> Codes:
    return np.bincount(codes[codes >= 0], minlength=size)
