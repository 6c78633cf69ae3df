"""Several samples in one test: level, power, and what is refused."""

import numpy as np
import pytest
from scipy.stats import binom

from samelaw import Fuse, k_sample_test
from samelaw.testing import Exact, KernelGroup, Sequential

RNG = np.random.default_rng


def three(seed, shift=0.0, size=24):
    rng = RNG([7, seed])
    return [rng.normal(size=(n, 2)) + s for n, s in ((size, 0.0), (size + 8, 0.0), (size, shift))]


@pytest.mark.long
def test_false_alarms_are_as_rare_as_promised():
    found = [k_sample_test(three(i), permutations=39, rng=i).pvalue <= 0.05 for i in range(60)]
    assert sum(found) <= binom.ppf(0.9995, 60, 0.05)


@pytest.mark.heavy
def test_false_alarms_of_many_runs():
    found = [k_sample_test(three(i), permutations=99, rng=i).pvalue <= 0.05 for i in range(2_000)]
    assert binom.ppf(0.0005, 2_000, 0.05) <= sum(found) <= binom.ppf(0.9995, 2_000, 0.05)


def test_one_sample_that_differs_is_found_and_names_are_taken():
    samples = dict(zip("abc", three(0, 1.2), strict=True))
    result = k_sample_test(samples, permutations=199, rng=0)
    assert result.reject
    assert result.sizes == (24, 32, 24)
    assert "24 v 32 v 24 rows" in str(result)
    assert result.to_dict()["sizes"] == [24, 32, 24]
    again = k_sample_test(list(samples.values()), permutations=199, rng=0)
    assert again.pvalue == result.pvalue


def test_the_order_of_samples_does_not_matter():
    """Another order is another stream of permutations, but the same observed statistic."""
    a, b, c = three(1, 0.5)
    plan = Fuse([KernelGroup(entropies=(1,))], scaling=Fuse.mmd().scaling)
    first, second = (
        k_sample_test(s, strategy=plan, permutations=19, rng=0).statistic
        for s in ((a, b, c), (c, a, b))
    )
    assert first == pytest.approx(second, rel=1e-4)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"samples": [np.ones((5, 2))]}, ValueError, "at least two samples"),
        ({"samples": 3}, TypeError, "samples must be a mapping or sequence"),
        ({"samples": [np.eye(3), np.eye(3)[:1]]}, ValueError, "two rows in sample 1"),
        ({"strategy": Fuse(statistic=Exact())}, TypeError, "Fuse of second-order forms"),
        ({"permutations": Sequential()}, ValueError, "fixed number of permutations"),
    ],
)
def test_what_cannot_be_tested_is_refused(change, error, message):
    with pytest.raises(error, match=message):
        k_sample_test(**{"samples": three(2), "rng": 0, **change})


def test_one_odd_row_in_samples_of_one_size_is_no_evidence():
    samples = np.zeros((3, 15, 2))
    samples[1, 4, 0] = 1.0
    for seed in range(3):
        assert k_sample_test(list(samples), permutations=99, rng=seed).pvalue == 1.0


def test_samples_of_one_size_are_refused_where_their_order_keeps_p_above_the_level():
    samples = [RNG(i).normal(size=(2, 2)) + 20.0 * i for i in range(3)]
    with pytest.raises(ValueError, match=r"^2 v 2 v 2 rows .* only 15 ways \(90 permutations"):
        k_sample_test(samples, rng=0)
    samples[2] = np.r_[samples[2], samples[2] + 1.0]
    assert k_sample_test(samples, rng=0).reject
