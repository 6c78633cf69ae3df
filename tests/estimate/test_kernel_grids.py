"""Collections of kernels whose bandwidths come from the pooled rows."""

import numpy as np
import pytest

from samelaw import Aggregate, Fuse, Gaussian, two_sample_test
from samelaw.bandwidths import KernelCollection, LinearGrid
from samelaw.strategies import KernelGroup


def samples(n=20, m=16, shift=0.7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


def test_a_collection_follows_the_pool():
    x, y = samples()
    narrow = Fuse([KernelGroup(KernelCollection(families=(Gaussian,), grid=LinearGrid(3)), (1,))])
    result = two_sample_test(x, y, strategy=narrow, permutations=19, rng=0)
    wide = two_sample_test(10 * x, 10 * y, strategy=narrow, permutations=19, rng=0)
    assert len(result.components) == 3
    assert result.statistic == pytest.approx(wide.statistic)


@pytest.mark.parametrize("strategy", [Fuse(), Fuse.mmd(), Aggregate()], ids=["fuse", "mmd", "agg"])
@pytest.mark.parametrize("far", [1e20, 1e40, 1e150])
def test_one_row_far_out_hides_no_change_of_the_others(strategy, far):
    """1e20 is what climate data write for a missing value: every test gave p = 1."""
    x, y = samples(n=150, m=150)
    x[0] = far
    assert two_sample_test(x, y, strategy=strategy, permutations=99, rng=0).reject
