"""Tests of sketches: exact for random blocks, wrong for stripes of a sorted table."""

import numpy as np
import pytest

from levels import check, most
from samelaw.divergence.random_blocks import Deal, DealtSketch
from samelaw.divergence.sketch import Sketch
from samelaw.kernels import FourierFeatures
from samelaw.kernels.features import draw_frequencies
from samelaw.kernels.formulas import Gaussian
from samelaw.testing.sketch_test import sketch_test

MAP = FourierFeatures(draw_frequencies(Gaussian(1.5), 2, 12, rng=0))


def sorted_rows(rng, n, shift=0.0):
    rows = rng.normal(size=(n, 2)) + np.array([shift, 0.0])
    return rows[np.argsort(rows[:, 0])]


def dealt(rows, block, seed):
    empty = DealtSketch.empty(MAP, Deal(len(rows), block, seed))
    return empty.update(rows, np.arange(len(rows))).whole()


def striped(rows, block, seed):
    """The mistake: neighbours of a sorted table are dealt to different blocks in turn."""
    count = len(rows) // block
    return Sketch.of(MAP, np.concatenate([rows[i::count] for i in range(count)]), block=block)


def alarms(runs, blocks, deal, level=0.1):
    found = 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, blocks])
        x, y = (sorted_rows(rng, 5 * blocks // 2) for _ in range(2))
        sides = [deal(rows, 5, 2 * seed + i) for i, rows in enumerate((x, y))]
        found += sketch_test(*sides, level=level, permutations=49, rng=seed).reject
    return found


@pytest.mark.long
def test_random_blocks_of_sorted_tables_keep_the_level():
    check(alarms(150, 20, dealt), 150, 0.1)


def test_stripes_of_sorted_tables_do_not():
    """All blocks of a table have nearly the same mean then, which differs between the tables."""
    assert alarms(60, 40, striped) > most(60, 0.1)


@pytest.mark.heavy
@pytest.mark.parametrize("blocks", [20, 50, 200])
def test_the_level_is_exact(blocks):
    check(alarms(1000, blocks, dealt), 1000, 0.1)


def test_a_difference_is_found_and_the_result_says_how():
    rng = np.random.default_rng(0)
    x, y = sorted_rows(rng, 403), sorted_rows(rng, 300, shift=0.6)
    found = sketch_test(dealt(x, 10, 1), dealt(y, 10, 2), rng=0)
    assert found.reject
    assert found.sizes == (400, 300)
    assert found.method == "sketches of 40 v 30 blocks of 10 rows, 3 rows left over"
    assert found.calibration.startswith("exact p-value (blocks of random rows)")
    ordered = sketch_test(dealt(x, 10, 1), dealt(y, 10, 2), random_blocks=False, rng=0)
    assert ordered.calibration.startswith("approximate p-value")
    assert ordered.pvalue == found.pvalue


def test_too_few_blocks_are_refused():
    rows = sorted_rows(np.random.default_rng(0), 40)
    with pytest.raises(ValueError, match="1 v 4 blocks; a test takes at least two"):
        sketch_test(dealt(rows[:10], 10, 0), dealt(rows, 10, 1))
