"""A table as it was read from anywhere; its columns are typed by looking."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.kinds import as_kinds, find_kind, read_column
from samelaw.tables.columns.names import check_names
from samelaw.tables.columns.raw_column import Form, RawColumn
from samelaw.tables.columns.raw_words import RawWords


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length, as read; ``columns`` types them by looking.

    ``typed`` says whether the source declares types, ``open_ended`` whether a row may leave out
    names (JSON), so that a column may be absent by chance; ``first_line`` is the line of names
    of a file where it looks like a row; ``whole`` is how many rows these were
    drawn from, if they are only some, and ``numbers`` (k,) says which of those they are.

    Examples
    --------
    >>> from samelaw.tables.reading.read import read_table
    >>> table = read_table({"price": [1.5, None, 2.5], "colour": ["red", "red", "blue"]})
    >>> [(column.name, str(column.kind)) for column in table.columns]
    [('price', 'numeric'), ('colour', 'categorical')]
    """

    raw: Mapping[str, RawColumn] = field(repr=False)
    rows: int
    source: str
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    typed: bool = True
    open_ended: bool = False
    first_line: str = ""
    whole: int | None = None
    numbers: Matrix | None = field(default=None, repr=False)

    def taken(self, rows: Matrix) -> "Table":
        """Some of the rows."""
        raw = {name: column.taken(rows) for name, column in self.raw.items()}
        numbers = rows if self.numbers is None else self.numbers[rows]
        whole = self.whole or self.rows
        return replace(self, raw=raw, rows=len(rows), whole=whole, numbers=numbers)

    def filled(self, names: Iterable[str]) -> "Table":
        """With a column of missing values for each name that all rows of JSON left out."""
        absent = [name for name in names if name not in self.names] if self.open_ended else []
        if not absent:
            return self
        nothing = RawWords(np.full(self.rows, -1, dtype=np.int64), ())
        return replace(self, raw={**self.raw, **dict.fromkeys(absent, nothing)})

    @property
    def names(self) -> tuple[str, ...]:
        """Of all columns of the source, also of those that were not read."""
        return (*self.raw, *self.unread)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(self.column(name) for name in self.raw)

    def column(self, name: str, kind: Kind | str | None = None) -> Column:
        """One column by name, as the kind found by looking or as the one given."""
        check_names([name], tuple(self.raw), self.source)
        chosen = None if kind is None else as_kinds({name: kind})[name]
        return read_column(name, [self.raw[name]], chosen)


def row_numbers(tables: Sequence[Table], names: Iterable[str]) -> dict[str, Kind]:
    """Columns of whole numbers that identify rows, which a few rows of the tables may not show.

    Examples
    --------
    >>> from samelaw.tables.reading.read import read_table
    >>> table = read_table({"row": range(90), "size": [4, 2, 2] * 30})
    >>> {name: str(kind) for name, kind in row_numbers([table], table.names).items()}
    {'row': 'identifier'}
    """
    sides = {name: [table.raw[name] for table in tables] for name in names}
    whole = {n: own for n, own in sides.items() if all(Form.INTEGER in s.forms for s in own)}
    found = {name: find_kind(name, own) for name, own in whole.items()}
    return {name: kind for name, kind in found.items() if kind is Kind.IDENTIFIER}
