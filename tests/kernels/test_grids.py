"""Collections of kernels whose bandwidths come from the pooled rows."""

import numpy as np
import pytest

from samelaw import Aggregate, Fuse, Gaussian, two_sample_test
from samelaw.kernels import KernelCollection, LinearGrid
from samelaw.testing import KernelGroup


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


@pytest.mark.parametrize(
    "strategy", [Fuse(), Fuse.rjsd(), Aggregate()], ids=["fuse", "rjsd", "agg"]
)
@pytest.mark.parametrize(("count", "tiny", "share"), [(60, 1e-301, 0.8), (150, 1e-21, 0.7)])
def test_rows_that_nearly_coincide_hide_no_change_of_the_others(strategy, count, tiny, share):
    """Distances to the others, over the square of such a small bandwidth, are beyond floats."""
    rng = np.random.default_rng(0)
    near = [rng.random((count, 1)) < part for part in (share, share / 2)]
    x, y = (np.where(some, tiny, 1.0) * rng.standard_normal((count, 1)) for some in near)
    assert two_sample_test(x, y, strategy=strategy, permutations=99, rng=0).reject
