"""Two tables side by side: the columns they share, one kind each, and what changed around them.

Everything here is decided on the values of both tables together. Had the kind of a column been
found on one side, a permutation of the rows could have found another one, and the level of the
test would no longer be exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from samelaw.data.kinds import Column, Kind, Table, as_kinds, find_kind, read_column
from samelaw.data.names import check_names
from samelaw.data.raw_column import Codes, RawColumn
from samelaw.data.schema_changes import SHOWN, SchemaChange, changes_of, one_sided
from samelaw.show.words import in_a_row

MOST_ROWS_OF_ONE = 200_000
"""Rows of the larger table that are always compared, however small the other one is."""


@dataclass(frozen=True)
class LeftOut:
    """A column both tables have but whose values are not compared, and why."""

    column: str
    reason: str
    missingness_compared: bool = False


@dataclass(frozen=True, eq=False)
class TablePair:
    """The rows of A over the rows of B, in the columns that are compared.

    Parameters
    ----------
    columns : tuple of Column
        Values of A and B under each other, (n + m,), in the order of A. Of columns of kind text,
        identifier and constant only the missing values are compared.
    sizes : (n, m)
        Rows of A and of B.
    schema_changes : list of SchemaChange
    left_out : list of LeftOut
    sources : names of A and B.
    notes : what was done on reading that a reader should know.
    chosen : array (n + m,), optional
        Numbers of these rows among all pooled rows, if they are only some of them.
    all_sizes : (int, int), optional
        Rows the tables have, if more.
    """

    columns: tuple[Column, ...]
    sizes: tuple[int, int]
    schema_changes: list[SchemaChange] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    sources: tuple[str, str] = ("A", "B")
    notes: tuple[str, ...] = ()
    chosen: Codes | None = field(default=None, repr=False)
    all_sizes: tuple[int, int] | None = None

    @property
    def table_sizes(self) -> tuple[int, int]:
        """Rows the tables have, compared or not."""
        return self.all_sizes or self.sizes

    def row_in_table(self, row: int) -> int:
        """The number of a pooled row in its own table."""
        number = row if self.chosen is None else int(self.chosen[row])
        return number - (self.table_sizes[0] if row >= self.sizes[0] else 0)

    def thinned(self, rng: np.random.Generator) -> "TablePair":
        """Without the rows of a far larger table that would add nothing but work.

        The error of a comparison is that of the smaller table; a hundred times its rows on the
        other side come within half a percent of it.
        """
        limits = [max(MOST_ROWS_OF_ONE, 100 * size) for size in self.sizes[::-1]]
        if all(size <= limit for size, limit in zip(self.sizes, limits, strict=True)):
            return self
        n = self.sizes[0]
        taken = [
            np.sort(rng.choice(size, min(size, limit), replace=False, shuffle=False))
            for size, limit in zip(self.sizes, limits, strict=True)
        ]
        side = "A" if len(taken[0]) < n else "B"
        few, many = min(map(len, taken)), max(self.sizes)
        note = (
            f"{side}: {max(map(len, taken)):,} of its {many:,} rows, drawn at random, are "
            f"compared; more would add nothing to what {few:,} rows on the other side can show."
        )
        chosen = np.concatenate([taken[0], n + taken[1]])
        return replace(
            self,
            columns=tuple(
                replace(c, values=c.values[chosen], missing=c.missing[chosen]) for c in self.columns
            ),
            sizes=(len(taken[0]), len(taken[1])),
            notes=(*self.notes, note),
            chosen=chosen,
            all_sizes=self.sizes,
        )


def pair_tables(
    a: Table,
    b: Table,
    *,
    columns: Sequence[str] | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, Kind | str] | None = None,
) -> TablePair:
    """Bring two tables to the columns they share, with one kind and one list of categories each.

    Parameters
    ----------
    a, b : Table
    columns : names, optional
        Compare only these; each must be in both tables.
    ignore : names
        Columns to leave alone, as if they were in neither table.
    kinds : {name: kind}, optional
        Kinds that should not be found by looking, such as ``{"zip": "categorical"}``.

    Returns
    -------
    TablePair

    Notes
    -----
    Linear in the number of values, plus sorting the distinct words of each column.

    Examples
    --------
    >>> from samelaw.data.read import read_table
    >>> a = read_table({"size": [1, 2, 3], "colour": ["red", "blue", "red"]})
    >>> b = read_table({"size": [1.5, 2.0, 2.5], "colour": ["red", "green", "red"]})
    >>> for change in pair_tables(a, b).schema_changes:
    ...     print(change.text)
    size: whole numbers in A, numbers in B.
    colour: new in B: 'green' (1 row).
    colour: no longer in B: 'blue' (1 row).
    """
    chosen = as_kinds(kinds)
    for option, names in (("columns", columns), ("ignore", ignore)):
        if isinstance(names, str):
            raise ValueError(f"{option} is the text {names!r}; expected a list of names.")
    ignore = tuple(ignore)
    either = tuple(dict.fromkeys((*a.names, *b.names)))
    check_names((*ignore, *chosen), either, "either table")
    for table in (a, b):
        check_names(columns or (), table.names, table.source)
    shared = _shared(a, b, columns, set(ignore))
    changes = [] if columns is not None else one_sided(a, b, set(ignore))
    compared, left = [], []
    for name in shared:
        sides = (a.raw[name], b.raw[name])
        column = _pooled(name, sides, chosen.get(name))
        reason = _reason(column)
        if reason:
            left.append(LeftOut(name, reason, _speaks_by_absence(column)))
        if not reason or _speaks_by_absence(column):
            compared.append(column)
        changes += changes_of(column, sides, chosen.get(name))
    if not compared:
        raise ValueError(_nothing_left(left))
    notes = tuple(f"{t.source}: {note}" for t in (a, b) for note in t.notes)
    sizes, sources = (a.rows, b.rows), (a.source, b.source)
    return TablePair(tuple(compared), sizes, changes, left, sources, notes)


def _shared(a: Table, b: Table, columns: Sequence[str] | None, ignore: set[str]) -> list[str]:
    wanted = a.names if columns is None else tuple(dict.fromkeys(columns))
    both = [name for name in wanted if name in b.raw and name not in ignore]
    if not both:
        raise ValueError(
            f"{a.source} and {b.source} share no column to compare: the first has "
            f"{_named(a)}, the second {_named(b)}; rename them to match."
        )
    return both


def _named(table: Table) -> str:
    return in_a_row([repr(name) for name in table.names], SHOWN)


def _pooled(name: str, sides: Sequence[RawColumn], chosen: Kind | None) -> Column:
    kind = chosen or find_kind(name, sides)
    if kind in (Kind.TEXT, Kind.IDENTIFIER, Kind.EMPTY):  # their words are never looked at
        missing = np.concatenate([side.missing for side in sides])
        notes = tuple(dict.fromkeys(n for side in sides for n in (*side.notes, *side.remarks())))
        return Column(name, kind, np.where(missing, -1, 0), missing, (), notes)
    return read_column(name, sides, chosen)


def _speaks_by_absence(column: Column) -> bool:
    return bool(column.missing.any()) and not bool(column.missing.all())


def _reason(column: Column) -> str:
    """Why the values of a column are not compared; empty if they are."""
    match column.kind:
        case Kind.EMPTY:
            return "every value is missing"
        case Kind.CONSTANT:
            return "every value is the same"
        case Kind.IDENTIFIER:
            known = "".join(f"; {note}" for note in column.notes)
            return f"an identifier: nearly every value occurs once{known}"
        case Kind.TEXT:
            known = "".join(f"; {note}" for note in column.notes)
            return f"free text: add embeddings as numeric columns to compare it{known}"
    return ""


def _nothing_left(left: Sequence[LeftOut]) -> str:
    reasons = "; ".join(f"{out.column!r} ({out.reason})" for out in left[:SHOWN])
    return (
        f"no column is left to compare: {reasons}; a column of another kind than it looks can be "
        "told so (--kind NAME=KIND, kinds= in Python)."
    )
