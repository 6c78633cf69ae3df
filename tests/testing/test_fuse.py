"""Fusing: scaling, combining, weights and the published special cases."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp

from samelaw import Aggregate, Exact, Fuse, Gaussian, Groups, Laplace, Renyi, two_sample_test
from samelaw.core.errors import TooFewRows
from samelaw.kernels import LinearGrid, QuantileGrid
from samelaw.kernels.bandwidths import pairwise_distances
from samelaw.testing import KernelGroup, Sequential, Unscaled


def samples(n=20, m=16, shift=0.7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


def statistic(strategy, x, y, **options):
    return two_sample_test(x, y, strategy=strategy, permutations=19, rng=0, **options).statistic


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0], [1.0, float("nan")]], ids=str)
def test_weights_that_make_no_sense_are_refused(weights):
    strategy = Fuse([KernelGroup([Gaussian(1.0), Laplace(1.0)], (1, 30))], weights=weights)
    with pytest.raises(ValueError, match=r"weights, one per kernel|weights must be finite"):
        statistic(strategy, *samples())


def test_a_kernel_without_weight_is_silent():
    x, y = samples()
    alone = statistic(Fuse([KernelGroup([Gaussian(1.0)], (1,))]), x, y)
    both = statistic(
        Fuse([KernelGroup([Gaussian(1.0), Gaussian(0.1)], (1,))], weights=(1, 0)), x, y
    )
    assert both == pytest.approx(alone)


def test_rjsd_fuse_of_order_one_is_the_soft_maximum_of_normalised_mmd():
    """(TS5) with weights m n/N² for the V-form of MMD² of κ²."""
    x, y = samples()
    pool = np.r_[x, y]
    values = []
    for family, metric in ((Gaussian, "euclidean"), (Laplace, "cityblock")):
        for bandwidth in QuantileGrid()(pairwise_distances(pool, metric=metric)):
            gram = family(float(bandwidth))(pool, pool)
            squared, signs = gram * gram, np.r_[np.full(20, 1 / 20), np.full(16, -1 / 16)]
            norm = math.sqrt((squared.sum() - 36) / (16 * 15))
            values.append(20 * 16 / 36**2 * (signs @ squared @ signs) / norm)
    expected = logsumexp(240 * np.array(values), b=1 / 20) / 240
    assert statistic(Fuse.rjsd(entropy=1), x, y) == pytest.approx(expected, rel=1e-6)


def test_mmd_fuse_is_as_published():
    """Unbiased MMD² over its own grid, divided by N, soft maximum with λ = n(n−1)."""
    x, y = samples()
    pool = np.r_[x, y]
    values = []
    for family, metric in ((Gaussian, "euclidean"), (Laplace, "cityblock")):
        for bandwidth in LinearGrid()(pairwise_distances(pool, metric=metric)):
            gram = family(float(bandwidth))(pool, pool)
            off = gram - np.eye(36)
            mmd = off[:20, :20].sum() / 380 + off[20:, 20:].sum() / 240
            mmd -= 2 * gram[:20, 20:].mean()
            values.append(mmd / math.sqrt(np.sum(off**2) / 240))
    expected = logsumexp(240 * np.array(values), b=1 / 20) / 240
    assert statistic(Fuse.mmd(), x, y) == pytest.approx(expected, rel=1e-6)


def test_default_is_the_maximum_of_all_components():
    x, y = samples()
    result = two_sample_test(x, y, permutations=19, rng=0)
    values = [component["value"] for component in result.components]
    kernels = 6 + 1 + 1 + 2  # wide, of normal scores at two orders, near neighbours
    assert len(values) == kernels + 2 + 2 + 7  # moments, largest changes, row scores
    assert values == sorted(values, reverse=True)
    assert result.statistic == pytest.approx(values[0])
    assert "largest: " + result.components[0]["name"] in str(result)
    assert (
        "10 kernels and 2 moments of columns and 2 largest changes and 7 row scores"
        in result.method
    )
    names = [component["name"] for component in result.components]
    assert len(set(names)) == len(names)
    assert "leverage" in names


def test_rjsd_fuse_can_be_exact_or_without_the_bias_of_each_kernel():
    x, y = samples(60, 60)
    plain, exact = statistic(Fuse.rjsd(), x, y), statistic(Fuse.rjsd(exact=True), x, y)
    assert exact == pytest.approx(plain, rel=0.1)
    rng = np.random.default_rng(3)
    alike = rng.normal(size=(60, 2)), rng.normal(size=(60, 2))
    corrected, biased = (Fuse.rjsd(sharpness=1e-6, corrected=flag) for flag in (True, False))
    means = [
        np.mean(two_sample_test(*alike, strategy=s, permutations=999, rng=0).null_distribution)
        for s in (corrected, biased)
    ]
    assert abs(means[0]) < 0.05 * means[1]  # a mean over kernels, all centred
    with pytest.raises(ValueError, match="exclude each other"):
        Fuse.rjsd(corrected=True, exact=True)


def test_infinite_order_is_von_neumann_and_entropies_are_taken():
    x, y = samples()
    strategy = Fuse([KernelGroup([Gaussian(1.0)], (math.inf, Renyi(2)))])
    result = two_sample_test(x, y, strategy=strategy, permutations=99, rng=0)
    names = {component["name"] for component in result.components}
    assert names == {"Gaussian(1), VonNeumann()", "Gaussian(1), Renyi(alpha=2)"}


@pytest.mark.parametrize(
    ("entropies", "message"),
    [((), "entropies is empty"), ((0,), "order must be a whole number")],
)
def test_entropies_that_make_no_sense_are_refused(entropies, message):
    with pytest.raises(ValueError, match=message):
        KernelGroup(entropies=entropies)


@pytest.mark.parametrize(
    "components", [Gaussian(1.0), [Gaussian(1.0)], KernelGroup([Gaussian(1.0)])], ids=str
)
def test_what_is_fused_is_a_list_of_groups(components):
    with pytest.raises(TypeError, match="components must be a sequence of groups"):
        Fuse(components)


def test_what_is_fused_can_be_printed_changed_and_passed_back():
    x, y = samples()
    default = Fuse().components
    assert statistic(Fuse(default), x, y) == statistic(Fuse(), x, y)
    assert "KernelGroup" in repr(default)
    every = two_sample_test(x, y, permutations=19, rng=0).components
    without = two_sample_test(x, y, strategy=Fuse(default[:-1]), permutations=19, rng=0)
    assert len(without.components) == len(every) - 2


def test_sequential_stopping_that_cannot_be_exact_is_refused():
    from samelaw.testing import Sequential

    x, y = samples(20, 20)
    rule = Sequential(5, 99)
    with pytest.raises(ValueError, match="needs moments in closed form"):
        two_sample_test(x, y, permutations=rule, groups=np.arange(40) // 2)
    with pytest.raises(MemoryError, match="sequential stopping keeps"):
        two_sample_test(*samples(750, 650), permutations=rule, memory=2**27)


@pytest.mark.parametrize(
    ("strategy", "options"),
    [
        (Fuse([KernelGroup([Gaussian(1.0)], (4,))], statistic=Exact(), scaling=Unscaled()), {}),
        (Fuse.mmd(), {"groups": np.repeat(np.arange(16), [1, 2, 1, 2] * 4)}),
        (Fuse.mmd(), {"sample_weights": (np.arange(1.0, 13.0), np.arange(1.0, 13.0))}),
    ],
    ids=["exact", "groups", "weights"],
)
def test_values_that_come_one_after_the_other_are_those_that_come_together(strategy, options):
    """The observed value, alone in its batch, was taken as constant: no change was ever found."""
    x, y = samples(12, 12, shift=2.0)
    options = {"strategy": strategy, "rng": 0, **options}
    together = two_sample_test(x, y, permutations=199, **options)
    apart = two_sample_test(x, y, permutations=Sequential(20, 199), **options)
    assert apart.statistic == pytest.approx(together.statistic)
    assert together.reject
    assert apart.reject


def test_constant_values_that_come_one_after_the_other_are_ties():
    x, strategy = np.ones((9, 2)), Fuse.rjsd(exact=True)
    found = two_sample_test(x, x, strategy=strategy, permutations=Sequential(5, 39), rng=0)
    assert found.pvalue == 1.0


ALIKE = np.zeros((15, 2))
ODD = np.where(np.arange(15)[:, None] == 4, [[1.0, 0.0]], ALIKE)  # one row, the same in all splits
SIDES = np.arange(15) // 3


@pytest.mark.parametrize(
    "permutations", [99, Sequential(5, 99)], ids=["together", "some at a time"]
)
@pytest.mark.parametrize("strategy", [Fuse(), Fuse.mmd()], ids=["scores", "as they are"])
@pytest.mark.parametrize("groups", [None, Groups((SIDES, SIDES), swap=True)], ids=["rows", "sides"])
def test_one_odd_row_in_samples_of_one_size_is_no_evidence(strategy, permutations, groups):
    """Rounding was, another p-value on every processor: its variance is that of equal numbers."""
    options = {"strategy": strategy, "permutations": permutations, "groups": groups, "level": 0.1}
    for seed in range(4):
        found = two_sample_test(ALIKE, ODD, rng=seed, **options)
        assert found.pvalue == 1.0


@pytest.mark.parametrize("strategy", [Aggregate(), Aggregate.mmd()], ids=repr)
def test_one_odd_row_is_no_evidence_for_any_of_many_kernels(strategy):
    assert two_sample_test(ALIKE, ODD, strategy=strategy, permutations=99, rng=1).pvalue == 1.0


def test_one_odd_row_is_no_evidence_where_groups_are_permuted_as_wholes():
    for seed in range(4):
        found = two_sample_test(ALIKE, ODD, groups=(SIDES, SIDES + 5), permutations=99, rng=seed)
        assert found.pvalue == 1.0


@pytest.mark.parametrize("strategy", [Fuse(), Fuse.mmd(), Aggregate()], ids=repr)
def test_samples_of_one_size_are_refused_where_their_mirror_images_keep_p_above_the_level(strategy):
    """3 v 3 rows have 20 permutations but 10 values: p = .1 at best was "no difference found"."""
    x, y = samples(5, 5, shift=20.0)
    with pytest.raises(TooFewRows, match=r"3 v 3 rows .* only 10 ways \(20 permutations, .*0\.05"):
        two_sample_test(x[:3], y[:3], strategy=strategy, rng=0)
    assert two_sample_test(x[:3], y[:3], strategy=strategy, level=0.1, rng=0).pvalue == 0.1
    assert two_sample_test(x[:3], y[:4], strategy=strategy, rng=0).pvalue >= 1 / 35


def test_sides_that_are_swapped_have_mirror_images_too():
    groups = np.repeat(np.arange(6), 4)
    x, y = samples(24, 24, shift=20.0)
    swapped = {n: Groups((groups[: 4 * n], groups[: 4 * n]), swap=True) for n in (5, 6)}
    with pytest.raises(TooFewRows, match=r"5 v 5 groups .* only 16 ways"):
        two_sample_test(x[:20], y[:20], groups=swapped[5], rng=0)
    assert two_sample_test(x, y, groups=swapped[6], rng=0).reject
