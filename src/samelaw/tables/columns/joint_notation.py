"""How a column is written, decided on the values of all tables together.

Was it decided on one table, a permutation of the rows could have decided otherwise.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from samelaw.results.words import quoted
from samelaw.tables.columns.notation import OPEN, Clocks, Commas, Dots, Units, Writing
from samelaw.tables.columns.parse import OF_DAY, SPANS
from samelaw.tables.columns.raw_column import Form, RawColumn

SHOWN = 0.5
"""Share of the values that must have a decimal comma to tell what dots are in other columns."""


def settled(tables: Sequence[RawColumn]) -> Sequence[RawColumn]:
    """The same columns, decimal commas and dates read alike in all of them."""
    if any(side.is_settled for side in tables):
        return tables
    writing = writing_of(tables)
    return tables if writing == OPEN else [side.styled(writing) for side in tables]


def writing_of(tables: Sequence[RawColumn]) -> Writing:
    """How the values of a column are written, as far as they tell it themselves."""
    dates = [side.open_dates for side in tables]
    counts = _commas([side for side in tables if not side.comma])
    orders: frozenset[bool] = frozenset().union(*(own for own, _ in dates))
    clocks = Clocks(*(sum(own) for own in zip(*(side.clocks for side in tables), strict=True)))
    units = _units(tables)
    notes = (OF_DAY,) if clocks.are_times else ()
    if units.one:
        notes = (*notes, f"numbers followed by {quoted(units.one)} are read as numbers")
    elif any(side.spans for side in tables):
        notes = (*notes, SPANS)
    return Writing(
        _decimal_comma(tables),
        counts.decimal if counts.alike else None,
        orders,
        min((date for _, date in dates if date), default=""),
        clock=clocks.are_times if clocks.clocks else None,
        unit=units.one if units.counts else None,
        notes=notes,
    )


def _units(tables: Sequence[RawColumn]) -> Units:
    sides = [side.units for side in tables]
    counts: Counter[str] = Counter()
    for side in sides:
        counts.update(side.counts)
    return Units(sum(side.known for side in sides), sum(side.plain for side in sides), counts)


def _commas(sides: Sequence[RawColumn]) -> Commas:
    counts = [side.comma_counts for side in sides]
    return Commas(*(sum(own) for own in zip(*counts, strict=True))) if counts else Commas(0)


def _decimal_comma(tables: Sequence[RawColumn]) -> bool | None:
    """Whether numbers have decimal commas; None where nothing looks like it.

    Point or comma, never both in one column: 1.500 would have two meanings.
    """
    if not any(side.commas for side in tables):
        return None
    ways = {
        comma: sum(side.styled(Writing(comma)).count(Form.NUMBER) for side in tables if side.comma)
        for comma in (False, True)
    }
    return ways[True] >= ways[False]


class _Told(NamedTuple):
    """A column of all tables, and what its values tell of how they are written."""

    sides: Sequence[RawColumn]
    writing: Writing

    def of(self, comma: bool) -> list[RawColumn]:
        return [side for side in self.sides if side.comma is comma]


def writings_of(
    tables: Sequence[Mapping[str, RawColumn]], names: Sequence[str]
) -> dict[str, Writing]:
    """How the values of these columns are written.

    What 1.234 is, a column may leave open that others tell: files with decimal commas mark
    thousands by dots.
    """
    shared = [name for name in tables[0] if all(name in table for table in tables)]
    columns = [[table[name] for table in tables] for name in shared]
    told = {
        name: _Told(sides, writing_of(sides)) for name, sides in zip(shared, columns, strict=True)
    }
    commas = {comma for comma in (True, False) if any(_shows(one, comma) for one in told.values())}
    return {name: _with_dots(told[name], commas) for name in names}


def _shows(column: _Told, comma: bool) -> bool:
    """Whether most values have a comma that can only be decimal."""
    counts = _commas(column.of(comma)) if column.writing.decimal(comma) else Commas(0)
    return counts.clear > SHOWN * counts.known


def _with_dots(column: _Told, commas: set[bool]) -> Writing:
    dots, notes = set(), [*column.writing.notes]
    for comma in (True, False):
        if column.writing.decimal(comma):
            continue
        if comma in commas:
            found = _dots(column.of(comma))
            if found.grouped and not found.other:
                dots.add(comma)
                notes.append(
                    f"dots are read as thousands, as in {quoted(found.grouped)}: other columns "
                    "have decimal commas"
                )
        elif comma and any(side.may_be_thousands for side in column.of(comma)):
            notes += _doubts(_dots(column.of(comma)))
    return replace(column.writing, dots=frozenset(dots), notes=tuple(notes))


def _doubts(found: Dots) -> Iterator[str]:
    if found.grouped and found.whole and not found.other:
        yield (
            f"{quoted(found.grouped)} is read as a fraction, as nothing tells whether its dot "
            "marks thousands; if so, write it without"
        )


def _dots(sides: Sequence[RawColumn]) -> Dots:
    found = [side.dots for side in sides]
    grouped = min((own.grouped for own in found if own.grouped), default="")
    return Dots(grouped, any(own.other for own in found), any(own.whole for own in found))
