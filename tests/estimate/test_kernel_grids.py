"""Collections of kernels whose bandwidths come from the pooled rows."""

import numpy as np
import pytest

from samelaw import Fuse, Gaussian, two_sample_test
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
