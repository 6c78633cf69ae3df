"""Two tables side by side: the columns they share, one kind each, and what changed around them.

Everything here is decided on the values of both tables together. Had the kind of a column been
found on one side, a permutation of the rows could have found another one, and the level of the
test would no longer be exact.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from samelaw.core.memory import within, worth_taking
from samelaw.core.types import Matrix
from samelaw.results.words import in_a_row
from samelaw.tables.columns.column import AS_WRITTEN, Column, Kind
from samelaw.tables.columns.identifiers import (
    IdentifierFinding,
    count_identifiers,
    counts_rows,
    lost_identifier,
    number_rows,
)
from samelaw.tables.columns.joint_notation import writings_of
from samelaw.tables.columns.kinds import (
    as_kinds,
    as_written,
    look_at,
    pool_words,
    read_column,
    remarks_of,
)
from samelaw.tables.columns.names import as_names, check_names, no_names
from samelaw.tables.columns.raw_column import Codes, Form, RawColumn
from samelaw.tables.columns.text import parts_of
from samelaw.tables.hash64 import mixed
from samelaw.tables.pairing.left_out import LeftOut, left_out, nothing_left
from samelaw.tables.pairing.periods import Periods
from samelaw.tables.pairing.schema_changes import SHOWN, SchemaChange, changes_of, one_sided
from samelaw.tables.table import Table, row_numbers
from samelaw.tables.thinning import Sample, draw_rows, sampling, thinning


def shared_columns(
    a: Table,
    b: Table,
    columns: Sequence[str] | None,
    ignore: Collection[str],
    chosen: Iterable[str] = (),
) -> list[str]:
    """Names of the columns that are compared; names that nobody knows are refused.

    ``chosen`` are columns whose kinds were told.
    """
    for option, names in (("columns", columns), ("ignore", ignore)):
        if isinstance(names, str):
            raise ValueError(f"{option} is the text {names!r}; expected a list of names.")
    either = tuple(dict.fromkeys((*a.names, *b.names)))
    check_names((*ignore, *chosen), either, "either table")
    for table in (a, b):
        check_names(columns or (), table.names, table.source)
    if columns is None:
        _check_first_lines(a, b)
    return _shared(a, b, columns, ignore)


def _check_first_lines(a: Table, b: Table) -> None:
    """Rows that were taken for names would be compared as columns gone and columns new."""
    if set(a.names) == set(b.names):
        return
    for table in (a, b):
        if table.first_line:
            raise no_names(table.source, table.first_line)


def _shared(
    a: Table, b: Table, columns: Sequence[str] | None, ignore: Collection[str]
) -> list[str]:
    wanted = a.names if columns is None else tuple(dict.fromkeys(columns))
    both = [name for name in wanted if name in b.raw and name not in ignore]
    if not both and any(name in b.raw for name in wanted):
        raise ValueError("every column that both tables have is ignored; leave one to compare.")
    if not both:
        alone = 1 in (len(a.names), len(b.names))
        other = ", or say what separates values (--sep, sep= in Python)" if alone else ""
        raise ValueError(
            f"{a.source} and {b.source} share no column to compare: the first has "
            f"{_named(a)}, the second {_named(b)}; rename them to match{other}."
        )
    return both


def _named(table: Table) -> str:
    return in_a_row([repr(name) for name in table.names], SHOWN)


MOST_KEPT = 2_000_000
"""Cells of both tables that are kept as they were read, to show rows by; more take memory."""


@dataclass(frozen=True, eq=False)
class TablePair:
    """The rows of A over the rows of B, in the columns that are compared.

    Parameters
    ----------
    columns : tuple of Column
        Values of A and B under each other, (n + m,), in the order of A. Of columns of kind text,
        identifier and constant only the missing values and the parts are compared.
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
    identifiers : list of IdentifierFinding
        Of all rows of both tables.
    as_read : (Table, Table), optional
        The same rows as they were read, unless they are many.
    others : array (n + m,), optional
        A number of 64 bits for each row from its values in the columns that are not compared, by
        which rows are told apart all the same.
    shared_by_chance : bool
        Whether it was found that rows of both tables are so by chance: of distinct rows nothing
        tells any more.
    """

    columns: tuple[Column, ...]
    sizes: tuple[int, int]
    schema_changes: list[SchemaChange] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    sources: tuple[str, str] = ("A", "B")
    notes: tuple[str, ...] = ()
    chosen: Codes | None = field(default=None, repr=False)
    all_sizes: tuple[int, int] | None = None
    identifiers: list[IdentifierFinding] = field(default_factory=list)
    as_read: tuple[Table, Table] | None = field(default=None, repr=False)
    others: Matrix | None = field(default=None, repr=False)
    shared_by_chance: bool = False

    @property
    def table_sizes(self) -> tuple[int, int]:
        """Rows the tables have, compared or not."""
        return self.all_sizes or self.sizes

    @property
    def schema_differences(self) -> tuple[SchemaChange, ...]:
        """The changes that are differences by themselves."""
        return tuple(change for change in self.schema_changes if change.difference)

    def row_in_table(self, row: int) -> int:
        """The number of a pooled row in its own table."""
        number = row if self.chosen is None else int(self.chosen[row])
        return number - (self.table_sizes[0] if row >= self.sizes[0] else 0)

    def row_as_read(self, row: int) -> dict[str, str | None]:
        """A pooled row as its source writes it, in the columns of both; nothing if it is gone."""
        if self.as_read is None:
            return {}
        second = row >= self.sizes[0]
        table = self.as_read[second]
        names = [c.name for c in self.columns] + [out.column for out in self.left_out]
        place = row - second * self.sizes[0]
        return {name: table.raw[name].as_read(place) for name in dict.fromkeys(names)}

    def thinned(self, rng: np.random.Generator, most: float = math.inf) -> "TablePair":
        """Without the rows of a far larger table that would add nothing but work.

        ``most`` is the number of rows there is memory for.
        """
        worth = worth_taking(self.sizes)
        counts = within(worth, most)
        if counts == self.sizes:
            return self
        chosen = draw_rows(self.sizes, counts, rng)
        return replace(
            self,
            columns=tuple(c.taken(chosen) for c in self.columns),
            sizes=counts,
            notes=(*self.notes, thinning(self.table_sizes, counts, short=counts != worth)),
            chosen=chosen if self.chosen is None else self.chosen[chosen],
            all_sizes=self.table_sizes,
            as_read=None,
            others=None if self.others is None else self.others[chosen],
        )


def pair_tables(
    a: Table,
    b: Table,
    *,
    columns: Sequence[str] | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, Kind | str] | None = None,
    thin: np.random.Generator | None = None,
    sample: Sample | None = None,
    groups: str | None = None,
    aside: bool = True,
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
    thin : Generator, optional
        Draw the rows of a far larger table that are worth taking, and let go of the others column
        by column: all of them together may be gigabytes.
    sample : Sample, optional
        Look at so many rows of each table only.
    groups : name, optional
        The column by whose groups rows are permuted.
    aside : bool
        Set dates and keys aside that tell the tables apart completely (`tables.periods`), as long
        as other columns are left.

    Returns
    -------
    TablePair

    Notes
    -----
    Linear in the number of values, plus sorting the distinct words of each column.

    Examples
    --------
    >>> from samelaw.tables.reading.read import read_table
    >>> a = read_table({"size": [1, 2, 3], "colour": ["red", "blue", "red"]})
    >>> b = read_table({"size": [1.5, 2.0, 2.5], "colour": ["red", "green", "red"]})
    >>> for change in pair_tables(a, b).schema_changes:
    ...     print(change.text)
    size: whole numbers in A, numbers in B.
    colour: new in B: 'green' (1 row).
    colour: no longer in B: 'blue' (1 row).
    """
    chosen = as_kinds(kinds)
    columns = None if columns is None else as_names("columns", columns)
    ignore = as_names("ignore", ignore)
    a, b = a.filled(b.names), b.filled(a.names)
    shared = shared_columns(a, b, columns, ignore, chosen)
    if sample is not None:
        drawn = sample.drawn((a, b))
        some = pair_tables(
            *(t.taken(rows) for t, rows in zip((a, b), drawn, strict=True)),
            columns=columns, ignore=ignore, kinds={**row_numbers((a, b), shared), **chosen},
            thin=thin, groups=groups, aside=aside,
        )  # fmt: skip
        said = sampling((len(drawn[0]), len(drawn[1])), (a.rows, b.rows))
        return replace(some, notes=(*some.notes, said))
    changes = [] if columns is not None else one_sided(a, b, set(ignore))
    compared, left = [], []
    keys: list[IdentifierFinding] = []
    others: Matrix | None = None
    counts = sizes = (a.rows, b.rows)
    chosen_rows = None
    if thin is not None and (counts := worth_taking(sizes)) != sizes:
        chosen_rows = draw_rows(sizes, counts, thin)
    writings = writings_of((a.raw, b.raw), shared)
    whole = (a.whole or a.rows, b.whole or b.rows)
    periods = Periods.of((a, b), groups)
    for name in shared:
        sides = [table.raw[name].styled(writings[name]) for table in (a, b)]
        kind = chosen.get(name)
        if kind is None and whole != sizes and number_rows(name, sides, sum(whole)):
            kind = Kind.IDENTIFIER
        column = _pooled(name, sides, kind)
        if aside and kind is None:
            column = replace(column, set_aside=periods.reason(column))
        if (out := left_out(column)) is not None:
            left.append(out)
            others = _told_apart(others, column)
        if out is None or out.missingness_compared or out.in_part:
            compared.append(column if chosen_rows is None else column.taken(chosen_rows))
        keys += _identifying(column, sides, told=name in chosen)
        changes += changes_of(
            column,
            sides,
            chosen.get(name),
            typed=a.typed and b.typed,
            dateless=(a.open_ended, b.open_ended),
        )
    if aside and all(column.set_aside for column in compared):
        return pair_tables(
            a, b, columns=columns, ignore=ignore, kinds=kinds, thin=thin, groups=groups, aside=False
        )
    if not compared:
        raise ValueError(nothing_left(left))
    notes = tuple(f"{t.source}: {note}" for t in (a, b) for note in t.notes)
    pair = TablePair(
        tuple(compared), counts, changes, left, (a.source, b.source), notes,
        chosen=_numbers_in_whole(a, b), all_sizes=whole, identifiers=keys, others=others,
    )  # fmt: skip
    if chosen_rows is None:
        small = (a.rows + b.rows) * len(shared) <= MOST_KEPT
        return replace(pair, as_read=(a, b)) if small else pair
    return replace(
        pair,
        notes=(*notes, thinning(sizes, counts, short=False)),
        chosen=chosen_rows if pair.chosen is None else pair.chosen[chosen_rows],
        others=None if others is None else others[chosen_rows],
    )


def _numbers_in_whole(a: Table, b: Table) -> Codes | None:
    """Numbers of the rows among all rows of the tables they were drawn from, if they were."""
    if a.numbers is None and b.numbers is None:
        return None
    first, second = (np.arange(t.rows) if t.numbers is None else t.numbers for t in (a, b))
    return np.concatenate([first, (a.whole or a.rows) + second])


def _pooled(name: str, sides: Sequence[RawColumn], chosen: Kind | None) -> Column:
    look = look_at(name, sides)
    kind = chosen if chosen and look.kind is not Kind.EMPTY else look.kind
    if kind not in (Kind.TEXT, Kind.IDENTIFIER, Kind.EMPTY):
        return read_column(name, sides, chosen)
    missing = np.concatenate([side.missing for side in sides])
    notes = tuple(dict.fromkeys(n for side in sides for n in side.notes))
    notes += () if look.form else remarks_of(sides)
    if kind is Kind.EMPTY:
        return Column(name, kind, np.full(len(missing), -1), missing, (), notes)
    codes, labels = pool_words(sides)
    parts: Mapping[str, Column]
    if look.form is None or kind is Kind.TEXT:
        parts = parts_of(name, kind, codes, labels)
    else:
        written = as_written(name, look.form, sides)
        parts = {} if written is None else {AS_WRITTEN: written}
    return Column(name, kind, codes, missing, (), notes, parts)


def _identifying(
    column: Column, sides: Sequence[RawColumn], *, told: bool
) -> Iterator[IdentifierFinding]:
    """What the values of a column tell if they identify rows, of both tables or of one.

    ``told`` if its kind was chosen by the user, who knows that it is none.
    """
    n = len(sides[0].missing)
    if column.kind is Kind.IDENTIFIER:
        index = all(counts_rows(side.numbers(Form.INTEGER)) for side in sides)
        yield count_identifiers(column.name, column.values, n, row_index=index)
    if not told and column.kind in (Kind.TEXT, Kind.CATEGORICAL, Kind.INTEGER):
        codes = column.values
        if column.kind is Kind.INTEGER:
            codes = np.unique(codes, return_inverse=True)[1]
            codes[column.missing] = -1
        if (lost := lost_identifier(column.name, sides, codes, n)) is not None:
            yield lost


def _told_apart(others: Matrix | None, column: Column) -> Matrix | None:
    """Numbers (n + m,) of the rows by columns that are not compared, with one more of them."""
    if column.set_aside:
        column = replace(column, values=np.unique(column.values, return_inverse=True)[1])
    elif column.kind not in (Kind.TEXT, Kind.IDENTIFIER):
        return others
    codes = np.asarray(column.values, dtype=np.int64).view(np.uint64)
    return mixed(codes if others is None else others ^ codes)
