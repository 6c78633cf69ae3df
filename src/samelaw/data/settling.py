"""How a column is written, decided on the values of all tables together.

Was it decided on one table, a permutation of the rows could have decided otherwise.
"""

from collections.abc import Sequence

from samelaw.data.raw_column import Form, RawColumn
from samelaw.data.writing import OPEN, Writing


def settled(tables: Sequence[RawColumn]) -> Sequence[RawColumn]:
    """The same columns, decimal commas and dates read alike in all of them."""
    writing = writing_of(tables)
    return tables if writing == OPEN else [side.styled(writing) for side in tables]


def writing_of(tables: Sequence[RawColumn]) -> Writing:
    """How the values of a column are written."""
    dates = [side.open_dates for side in tables]
    orders: frozenset[bool] = frozenset().union(*(own for own, _ in dates))
    return Writing(
        _decimal_comma(tables), orders, min((date for _, date in dates if date), default="")
    )


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
