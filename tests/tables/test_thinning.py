"""How many rows are worth taking, which ones, and what is said of it."""

import numpy as np
import pytest

from samelaw.core.memory import within, worth_taking
from samelaw.tables.reading.read import read_table
from samelaw.tables.thinning import Sample, draw_rows, sampling, thinning


@pytest.mark.parametrize(
    ("sizes", "worth"),
    [
        ((500, 500), (500, 500)),
        ((200_001, 3), (200_000, 3)),
        ((3, 10**9), (3, 200_000)),
        ((10**6, 9_000), (900_000, 9_000)),
    ],
)
def test_a_hundred_times_the_other_table_is_worth_taking(sizes, worth):
    assert worth_taking(sizes) == worth


@pytest.mark.parametrize(
    ("most", "counts"),
    [(110, (100, 10)), (60, (50, 10)), (12, (6, 6)), (np.inf, (100, 10))],
)
def test_the_larger_table_gives_first(most, counts):
    assert within((100, 10), most) == counts
    assert within((10, 100), most) == counts[::-1]


def test_rows_are_drawn_in_order_and_without_replacement():
    rows = draw_rows((50, 40), (20, 40), np.random.default_rng(0))
    assert len(set(rows.tolist())) == 60
    np.testing.assert_array_equal(rows, np.sort(rows))
    assert (rows < 50).sum() == 20
    drawn = Sample(20, np.random.default_rng(0)).drawn([read_table({"x": np.arange(50.0)})])
    np.testing.assert_array_equal(drawn[0], rows[:20])


def test_it_is_said_why_some_rows_are_compared():
    assert "more would add nothing to what 10 rows" in thinning((90, 10), (80, 10), short=False)
    assert "B: 80 of its 90 rows" in thinning((10, 90), (10, 80), short=False)
    assert "to keep within the memory allowed" in thinning((90, 90), (80, 80), short=True)
    assert "as was asked" in sampling((80, 10), (90, 10))
