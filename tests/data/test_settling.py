import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.data.columns import Kind
from samelaw.data.kinds import read_column
from samelaw.data.objects import raw_objects
from samelaw.data.settling import settled, writing_of
from samelaw.data.writing import OPEN

DAY, MONTH, EITHER = "27/04/2025", "04/27/2025", "03/04/2025"


@pytest.mark.parametrize(
    ("a", "b", "orders"),
    [
        ([EITHER], [DAY], {True}),
        ([MONTH], [EITHER], {False}),
        ([MONTH], [DAY], {True, False}),
        ([EITHER], [EITHER], set()),
        ([EITHER, "31/31/2025"], [EITHER], set()),
    ],
)
def test_one_date_of_either_table_tells_the_order_of_all(a, b, orders):
    assert writing_of([raw_objects(a), raw_objects(b)]).orders == orders


@given(st.lists(st.sampled_from([DAY, MONTH, EITHER, "x", "2025-03-01"]), min_size=2), st.data())
def test_the_order_is_found_on_the_pool(values, data):
    cut = data.draw(st.integers(1, len(values) - 1))
    order = data.draw(st.permutations(range(len(values))))
    dealt = [values[i] for i in order]
    found = [writing_of([raw_objects(p[:cut]), raw_objects(p[cut:])]) for p in (values, dealt)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([EITHER, "05/06/2025"], "the month is open"),
        ([DAY, MONTH, EITHER], "some have the day first and some the month"),
    ],
)
def test_an_open_order_is_said_once_for_both_tables(values, why):
    sides = [raw_objects(values * 20), raw_objects([*values[::-1], "07/08/2025"] * 20)]
    column = read_column("when", sides)
    assert column.kind is Kind.CATEGORICAL
    (note,) = column.notes
    assert why in note
    assert EITHER in note


def test_dates_of_one_order_are_dates():
    column = read_column("when", [raw_objects([DAY, EITHER]), raw_objects(["2025-04-27"])])
    assert column.kind is Kind.DATETIME
    assert column.values[0] == column.values[2] == np.datetime64("2025-04-27", "s").astype(int)
    assert column.notes == ()


def test_nothing_to_settle():
    sides = [raw_objects(["a", "1"])]
    assert writing_of(sides) == OPEN
    assert settled(sides) is sides
