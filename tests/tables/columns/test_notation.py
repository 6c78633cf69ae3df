import pytest

from samelaw.tables.columns.notation import OPEN, Clocks, Commas, Writing


@pytest.mark.parametrize(
    ("orders", "day_first"), [([True], True), ([False], False), ([], None), ([True, False], None)]
)
def test_an_order_must_be_demanded_and_not_contradicted(orders, day_first):
    assert Writing(orders=frozenset(orders)).day_first is day_first


def test_sources_where_commas_separate_are_told_apart():
    writing = Writing(comma=True, quoted=False)
    assert (writing.decimal(True), writing.decimal(False)) == (True, False)
    assert (OPEN.decimal(True), OPEN.decimal(False)) == (None, None)


@pytest.mark.parametrize(
    ("counts", "decimal"),
    [((100, 90, 50), True), ((100, 89, 50), False), ((100, 100, 4), False), ((0, 0, 0), False)],
)
def test_commas_are_decimal_if_nearly_all_are_and_some_must(counts, decimal):
    assert Commas(*counts).decimal is decimal


def test_nearly_all_must_be_times_of_day():
    assert Clocks(100, 90).are_times
    assert not Clocks(100, 89).are_times
    assert not Clocks().are_times
