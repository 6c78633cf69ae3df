"""Which way a test goes: all pairs, blocks, or fewer rows."""

import numpy as np
import pytest

from samelaw import (
    Fuse,
    two_sample_test,
)
from samelaw.testing import routes


def samples(n=20, m=16, shift=0.7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


@pytest.mark.parametrize("strategy", [Fuse.rjsd(), Fuse.mmd()], ids=["rjsd", "mmd"])
def test_scalings_that_need_all_pairs_say_so_when_memory_is_short(strategy):
    x, y = samples(1_500, 1_500)
    with pytest.raises(MemoryError, match=r"all pairs of 3,000 rows .* Raise memory= to at least"):
        two_sample_test(x, y, strategy=strategy, memory=2**27)


def test_a_handful_of_rows_against_very_many_thins_the_many_and_says_so(monkeypatch):
    monkeypatch.setattr(routes, "MOST_GRAM_ROWS", 500)
    x, y = samples(5, 8_000)
    result = two_sample_test(x, y, permutations=39, rng=0)
    assert "7505 rows left out at random" in result.method
    assert result.sizes == (5, 8_000)
