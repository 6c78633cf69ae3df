"""How rows are dealt to blocks."""

from itertools import pairwise

import numpy as np
import pytest

from optional import need

need("torch")
need("torchmetrics")

from samelaw.learn.metrics.block_metric import blocks_of_rows  # noqa: E402


@pytest.mark.parametrize("blocks", [2, 7, 32])
@pytest.mark.parametrize("most", [1, 16, 128])
def test_dealing_depends_on_the_numbers_of_the_rows_alone(blocks, most):
    whole = blocks_of_rows(0, 9000, blocks, most)
    cuts = [0, 1, 5, 700, 701, 4096, 9000]
    parts = [blocks_of_rows(a, b - a, blocks, most) for a, b in pairwise(cuts)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert set(whole) == set(range(blocks))


@pytest.mark.parametrize("count", [32, 64, 200, 1000, 20_000])
def test_blocks_stay_even_at_every_size(count):
    sizes = np.bincount(blocks_of_rows(0, count, 32, 128), minlength=32)
    run = min(128, max(1, count // 64))
    assert sizes.max() - sizes.min() <= 2 * run
    assert sizes.min() > 0


def test_later_batches_touch_few_blocks():
    touched = [len(set(blocks_of_rows(s, 512, 32, 128))) for s in range(16_384, 60_000, 512)]
    assert max(touched) <= 5


@pytest.mark.parametrize("period", [2, 3, 8, 32, 64, 100])
def test_no_period_of_the_data_falls_on_one_block(period):
    group = np.arange(6400) % period < period / 2
    block = blocks_of_rows(0, 6400, 32, 1)
    shares = [group[block == b].mean() for b in range(32)]
    assert max(shares) - min(shares) < 0.25
