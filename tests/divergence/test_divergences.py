"""Divergences of several samples, with weights, and MMD."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samelaw
from samelaw import Gaussian, PowerSeries, VonNeumann, rjsd
from samelaw.kernels import Categorical, Tsallis
from samelaw.problems.closed_forms import shannon_entropy
from strategies import SEEDS

X = np.random.default_rng(0).standard_normal((6, 2))
Y = np.random.default_rng(1).standard_normal((4, 2)) + 0.5
Z = np.random.default_rng(2).standard_normal((5, 2)) - 0.5
ENTROPIES = [VonNeumann(), PowerSeries(1), PowerSeries(3), PowerSeries(10), Tsallis(2)]


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
@pytest.mark.parametrize("weights", ["proportional", "balanced", 0.3])
def test_row_weights_are_repeated_rows(entropy, weights):
    counts = np.array([1, 2, 3, 1, 1, 2]), np.array([2, 1, 1, 3])
    repeated = [np.repeat(z, c, axis=0) for z, c in zip((X, Y), counts, strict=True)]
    options = {"kernel": Gaussian(1.0), "entropy": entropy, "weights": weights}
    value = rjsd(X, Y, sample_weights=counts, **options)
    assert value == pytest.approx(float(rjsd(*repeated, **options)), abs=1e-12)


@pytest.mark.parametrize("entropy", [VonNeumann(), PowerSeries(1)], ids=repr)
def test_row_weights_on_every_library(entropy, to_xp):
    counts = np.array([1, 2, 3, 1, 1, 2]), np.array([2, 1, 1, 3])
    options = {"kernel": Gaussian(1.0), "entropy": entropy}
    expected = float(rjsd(X, Y, sample_weights=counts, **options))
    for weights in (counts, [to_xp(c) for c in counts]):
        value = rjsd(to_xp(X), to_xp(Y), sample_weights=weights, **options)
        assert float(value) == pytest.approx(expected, abs=1e-12)


def test_scale_of_balanced_row_weights_does_not_matter():
    options = {"kernel": Gaussian(1.0), "weights": "balanced"}
    weights = np.arange(1.0, 7), np.arange(1.0, 5)
    scaled = 10 * weights[0], 0.1 * weights[1]
    assert rjsd(X, Y, sample_weights=weights, **options) == pytest.approx(
        float(rjsd(X, Y, sample_weights=scaled, **options)), abs=1e-13
    )


def test_one_sided_row_weights():
    weights = np.arange(1.0, 7)
    left = rjsd(X, Y, kernel=Gaussian(1.0), sample_weights=(weights, None))
    both = rjsd(X, Y, kernel=Gaussian(1.0), sample_weights=(weights, np.ones(4)))
    assert left == both


def test_the_unit_of_row_weights_does_not_matter_however_large_or_small():
    weights = np.arange(1.0, 7), np.arange(1.0, 5)
    expected = float(rjsd(X, Y, kernel=Gaussian(1.0), sample_weights=weights))
    for unit in (1e307, 1e-300):
        scaled = tuple(unit * w for w in weights)
        value = float(rjsd(X, Y, kernel=Gaussian(1.0), sample_weights=scaled))
        assert value == pytest.approx(expected, abs=1e-12)


def test_row_weights_that_leave_a_sample_no_share_are_refused():
    weights = np.full(6, 1e300), np.full(4, 1e-300)
    with pytest.raises(ValueError, match="sample_weights of y are nothing beside the others"):
        rjsd(X, Y, sample_weights=weights)
    balanced = rjsd(X, Y, sample_weights=weights, weights="balanced")
    assert balanced == pytest.approx(float(rjsd(X, Y, weights="balanced")), abs=1e-12)


def test_row_of_weight_zero_is_no_row():
    weights = np.array([1, 1, 1, 1, 1, 0.0])
    value = rjsd(X, Y, kernel=Gaussian(1.0), sample_weights=(weights, None))
    assert value == pytest.approx(float(rjsd(X[:5], Y, kernel=Gaussian(1.0))), abs=1e-12)


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
@pytest.mark.parametrize("weights", ["proportional", "balanced", 0.3, (0.3, 0.7)])
def test_divergence_of_two_samples_is_the_general_one(entropy, weights):
    options = {"kernel": Gaussian(1.0), "entropy": entropy, "weights": weights}
    value = samelaw.generalized_divergence([X, Y], **options)
    assert value == pytest.approx(float(rjsd(X, Y, **options)), abs=1e-12)


@given(st.integers(2, 5), SEEDS)
def test_general_divergence_of_discrete_laws_is_the_classical_one(count, seed):
    rng = np.random.default_rng(seed)
    samples = [rng.integers(0, 4, size=rng.integers(1, 12)) for _ in range(count)]
    laws = np.array([np.bincount(s, minlength=4) / len(s) for s in samples])
    shares = rng.dirichlet(np.ones(count)) * 0.9 + 0.1 / count
    expected = shannon_entropy(shares @ laws) - shares @ [shannon_entropy(law) for law in laws]
    value = samelaw.generalized_divergence(samples, kernel=Categorical(), weights=shares.tolist())
    assert value == pytest.approx(expected, abs=1e-12)
    assert value <= shannon_entropy(shares) + 1e-12


def test_proportional_general_divergence_splits_by_groups():
    """The chain rule of information: all three = two together against the third, plus the two."""
    options = {"kernel": Gaussian(1.0)}
    whole = samelaw.generalized_divergence([X, Y, Z], **options)
    pair = np.concatenate([X, Y])
    expected = rjsd(pair, Z, **options) + len(pair) / 15 * rjsd(X, Y, **options)
    assert whole == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("samples", "weights", "message"),
    [
        ([X], "balanced", "expected at least two samples, got 1"),
        ([X, Y, Z], 0.5, "one number as weights needs two samples, got 3"),
        ([X, Y], (0.2, 0.3, 0.5), "expected 2 positive weights"),
        ([X, Y[:, :1]], "balanced", r"samples\[0\] has 2 columns, samples\[1\] has 1 columns"),
    ],
)
def test_groups_that_make_no_sense_are_refused(samples, weights, message):
    with pytest.raises(ValueError, match=message):
        samelaw.generalized_divergence(samples, weights=weights)


@pytest.mark.parametrize(
    ("entropy", "weights"), [(VonNeumann(), "proportional"), (PowerSeries(3), "balanced")]
)
def test_table_of_divergences_holds_each_pair(entropy, weights, to_xp, to_numpy):
    options = {"kernel": Gaussian(1.0), "entropy": entropy, "weights": weights}
    samples = [X[:5], Y, Z[:4]]  # two of one size: JAX compiles every shape anew
    table = to_numpy(samelaw.pairwise_divergence([to_xp(s) for s in samples], **options))
    np.testing.assert_array_equal(table, table.T)
    np.testing.assert_array_equal(np.diagonal(table), 0.0)
    for a in range(3):
        for b in range(a):
            expected = float(rjsd(samples[a], samples[b], **options))
            assert table[a, b] == pytest.approx(expected, abs=1e-12)


def test_table_of_divergences_has_no_first_sample():
    for weights in (0.3, (0.3, 0.7)):
        with pytest.raises(ValueError, match="is not that of y from x"):
            samelaw.pairwise_divergence([X, Y, Z], weights=weights)
    halves, balanced = (samelaw.pairwise_divergence([X, Y], weights=w) for w in (0.5, "balanced"))
    np.testing.assert_array_equal(halves, balanced)


def test_table_of_divergences_reports_progress():
    seen = []
    samelaw.pairwise_divergence([X, Y, Z], progress=lambda *step: seen.append(step))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_mmd_is_the_mean_difference_of_the_kernel(to_xp):
    kernel = Gaussian(1.0)
    xx, yy, xy = kernel(X, X), kernel(Y, Y), kernel(X, Y)
    plain = xx.mean() + yy.mean() - 2 * xy.mean()
    assert float(samelaw.mmd(to_xp(X), to_xp(Y), kernel=kernel)) == pytest.approx(plain, abs=1e-14)
    away = [k[~np.eye(len(k), dtype=bool)].mean() for k in (xx, yy)]
    unbiased = samelaw.mmd(to_xp(X), to_xp(Y), kernel=kernel, unbiased=True)
    assert float(unbiased) == pytest.approx(sum(away) - 2 * xy.mean(), abs=1e-14)


def test_unbiased_mmd_needs_two_rows():
    with pytest.raises(ValueError, match="needs two rows in y, got 1"):
        samelaw.mmd(X, Y[:1], unbiased=True)


def test_disjoint_point_masses_are_log_two_apart():
    from samelaw.problems.closed_forms import PointMasses

    for n, m in ((1, 1), (3, 9)):
        x, y = PointMasses(50.0).draw(n, m)
        expected = PointMasses().jsd(n / (n + m))
        assert rjsd(x, y, kernel=Gaussian(1.0)) == pytest.approx(expected, abs=1e-12)
    assert PointMasses().jsd() == pytest.approx(math.log(2))


def test_one_row_far_out_leaves_the_rest_as_it_is():
    """It was drawn to the mean, which took the digits of all other rows: a divergence of 0."""
    x, y = np.random.default_rng(3).standard_normal((2, 40, 3))
    x[0], far = 30.0, x.copy()
    far[0] = 1e12
    for measure in (rjsd, samelaw.mmd):
        expected = measure(x, y + 1.5, kernel=Gaussian(2.0))
        assert measure(far, y + 1.5, kernel=Gaussian(2.0)) == pytest.approx(expected, abs=1e-9)
    expected = samelaw.entropy(x, kernel=Gaussian(2.0))
    assert samelaw.entropy(far, kernel=Gaussian(2.0)) == pytest.approx(expected, abs=1e-9)
