import numpy as np
import pytest

from samelaw.monitor.block_history import (
    BIN,
    KEPT,
    LONGEST_TRAIL,
    MOST_BINS,
    Past,
    effects_of,
    thinned,
)
from samelaw.monitor.martingale import BLOCK


def test_an_open_block_is_carried_on():
    past = Past.empty(1)
    sums, starts = past.with_open(np.array([[3.0]]), np.array([7]))
    past = past.closing(sums, starts, 4)  # four rows of the first block
    assert len(past.sums) == 0
    assert past.open_sum == 3.0
    assert past.open_start == 7
    sums, starts = past.with_open(np.array([[2.0], [1.0]]), np.array([7, 20]))
    past = past.closing(sums, starts, BLOCK + 5)
    assert past.sums.tolist() == [[5.0]]
    assert past.starts.tolist() == [7]
    assert past.open_sum == 1.0
    assert past.open_start == 20


def test_what_is_kept_does_not_grow():
    past = Past.empty(2)
    for i in range(5):
        blocks = np.full((60, 2), float(i))
        sums, starts = past.with_open(blocks, np.arange(60) + 600 * i)
        past = past.closing(sums, starts, 60 * BLOCK)
        past = past.recording(np.arange(600) + 600 * i, np.ones(600))
    assert past.sums.shape == (KEPT, 2)
    assert past.sums[-1, 0] == 4.0
    assert past.starts[-1] == 600 * 4 + 59
    assert len(past.trail) <= LONGEST_TRAIL


def test_a_trail_keeps_its_peaks_and_its_end():
    trail = np.column_stack([np.arange(3001.0), np.zeros(3001)])
    trail[1234, 1] = 5.0
    found = thinned(trail)
    assert len(found) <= LONGEST_TRAIL
    assert found[:, 1].max() == 5.0
    assert found[found[:, 1].argmax(), 0] == 1234
    assert found[-1, 0] == 3000
    assert np.all(np.diff(found[:, 0]) > 0)


def test_effects_are_means_over_bins_that_do_not_grow_in_number():
    rng, past, rows = np.random.default_rng(0), Past.empty(1), 0
    all_effects = []
    for count in rng.integers(1, 90, 700):
        effects = rng.normal(0.2, 1.0, count)
        all_effects.append(effects)
        rows += int(count)
        past = past.measuring(rows, effects)
    every = np.concatenate(all_effects)
    assert MOST_BINS / 2 <= len(past.bins) <= MOST_BINS
    assert past.bins[:-1, 1].min() >= BIN
    assert past.bins[:, 1].sum() == len(every)
    found = effects_of(past.bins)
    assert found[-1, 0] == rows
    assert np.average(found[:, 1], weights=past.bins[:, 1]) == pytest.approx(every.mean())
    assert np.allclose(found[:, 2] * past.bins[:, 1] ** 0.5, 1.0, atol=0.25)


def test_state_and_back():
    past = Past.empty(3)
    sums, starts = past.with_open(np.ones((2, 3)), np.array([0, 10]))
    past = past.closing(sums, starts, 15)
    again = Past.from_state(past.state())
    assert again.open_start == past.open_start == 10
    assert np.array_equal(again.sums, past.sums)
    assert np.array_equal(again.open_sum, past.open_sum)
