"""Sketches of tables in parts: any parts in any order, and none lost or counted twice."""

import numpy as np
import pytest

from samelaw.divergence.random_blocks import Deal, DealtSketch
from samelaw.kernels import FourierFeatures

MAP = FourierFeatures(np.random.default_rng(0).standard_normal((2, 5)))
ROWS = np.random.default_rng(1).normal(size=(103, 2))
EMPTY = DealtSketch.empty(MAP, Deal(103, 10, seed=7))


def part(numbers):
    return EMPTY.update(ROWS[numbers], numbers)


def test_any_parts_in_any_order_give_the_same_blocks():
    whole = part(np.arange(103)).whole()
    assert whole.left_over == 3
    for seed in range(3):
        rng = np.random.default_rng(seed)
        cuts = np.sort(rng.choice(102, 6, replace=False)) + 1
        parts = [part(numbers) for numbers in np.split(rng.permutation(103), cuts)]
        merged = sum(parts[1:], parts[0]).whole()
        np.testing.assert_allclose(merged.totals, whole.totals, atol=1e-12)


def test_blocks_hold_the_rows_dealt_to_them():
    sketch = part(np.arange(103)).whole()
    blocks = EMPTY.deal.blocks(np.arange(103))
    features = MAP(ROWS[blocks == 4])
    np.testing.assert_allclose(sketch.totals[4], features.T @ features, atol=1e-12)


def test_lost_and_doubled_parts_are_found():
    first, second, third = (part(n) for n in np.split(np.arange(103), [40, 80]))
    with pytest.raises(ValueError, match="80 rows came of 103; 23 are missing and 0 came more"):
        (first + second).whole()
    with pytest.raises(ValueError, match="120 rows came of 103"):
        (first + second + second).whole()
    with pytest.raises(ValueError, match="a part was lost or counted twice"):
        (first + first + third).whole()  # as many rows as there should be


def test_parts_dealt_otherwise_do_not_merge():
    other = DealtSketch.empty(MAP, Deal(103, 10, seed=8))
    with pytest.raises(ValueError, match="dealt alike"):
        EMPTY + other
    with pytest.raises(ValueError, match="3 rows came with 2 numbers"):
        EMPTY.update(ROWS[:3], np.arange(2))


def test_a_row_with_nan_leaves_no_trace():
    bad = np.full((1, 2), np.nan)
    with pytest.raises(ValueError, match="NaN"):
        EMPTY.update(bad, np.array([0]))
    assert EMPTY.rows == 0
    assert not EMPTY.totals.any()
