"""Permutations and p-values: enumeration, scipy, ties, strata and sequential stopping."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy import stats

from samelaw import Fuse, Gaussian, two_sample_test
from samelaw.testing import KernelGroup, Sequential
from samelaw.testing.permuting.permutations import (
    Evaluation,
    Labels,
    ManyLabels,
    as_permutations,
    default_permutations,
    null_distribution,
    reached,
)


def gap_of_means(rows, n):
    """The difference of means, as a function of memberships."""

    def evaluate(members):
        chosen = members.astype(float)
        return Evaluation(chosen @ rows / n - (1 - chosen) @ rows / (len(rows) - n))

    return evaluate


def scipy_test(x, y, **options):
    def statistic(a, b, axis):
        return a.mean(axis=axis) - b.mean(axis=axis)

    return stats.permutation_test(
        (x, y), statistic, vectorized=True, alternative="greater", **options
    )


def rows_of(n, m, shift=0.0, seed=0):
    rows = np.random.default_rng(seed).standard_normal(n + m)
    rows[:n] += shift
    return rows


@pytest.mark.parametrize(("n", "m"), [(3, 4), (2, 5), (5, 2), (4, 4)])
def test_small_samples_are_enumerated(n, m):
    rows = rows_of(n, m, 0.8)
    null = null_distribution(
        gap_of_means(rows, n), Labels.of_sizes((n, m)), 999, np.random.default_rng(0)
    )
    every = [
        rows[list(c)].mean() - np.delete(rows, c).mean() for c in combinations(range(n + m), n)
    ]
    np.testing.assert_allclose(np.sort(null.values), np.sort(every), atol=1e-12)
    assert null.observed == pytest.approx(rows[:n].mean() - rows[n:].mean())
    assert null.pvalue == np.mean(np.array(every) >= null.observed - 1e-9)
    exact = scipy_test(rows[:n], rows[n:], n_resamples=np.inf)
    assert null.pvalue == pytest.approx(exact.pvalue)
    assert null.kind == "all permutations"


def test_random_relabellings_agree_with_scipy():
    rows = rows_of(30, 20, 0.9)
    ours = null_distribution(
        gap_of_means(rows, 30), Labels.of_sizes((30, 20)), 4_999, np.random.default_rng(1)
    )
    theirs = scipy_test(rows[:30], rows[30:], n_resamples=4_999, rng=np.random.default_rng(2))
    error = np.sqrt(2 * theirs.pvalue * (1 - theirs.pvalue) / 5_000)
    assert ours.observed == pytest.approx(theirs.statistic)
    assert 0.02 < theirs.pvalue < 0.5
    assert abs(ours.pvalue - theirs.pvalue) < 4 * error
    assert stats.ks_2samp(ours.values[1:], theirs.null_distribution).pvalue > 1e-3


def test_one_kernel_agrees_with_scipy():
    """The whole test at order 1 against scipy's with the same statistic, V-form MMD² of κ²."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((4, 1)), rng.standard_normal((5, 1)) + 1
    gram = np.exp(-((np.r_[x, y] - np.r_[x, y].T) ** 2))  # the square of Gaussian(1)

    def squared_mmd(a, b):
        i, j = a.astype(int), b.astype(int)
        return gram[np.ix_(i, i)].mean() + gram[np.ix_(j, j)].mean() - 2 * gram[np.ix_(i, j)].mean()

    theirs = stats.permutation_test(
        (np.arange(4), np.arange(4, 9)),
        squared_mmd,
        alternative="greater",
        vectorized=False,
        n_resamples=np.inf,
    )
    ours = two_sample_test(x, y, strategy=Fuse([KernelGroup([Gaussian(1.0)], (1,))]), rng=0)
    assert ours.pvalue == pytest.approx(theirs.pvalue)
    assert len(ours.null_distribution) == comb(9, 4) - 1


@pytest.mark.parametrize("permutations", [99, Sequential(5, 99)], ids=str)
def test_no_pvalue_is_zero(permutations):
    evaluate = gap_of_means(rows_of(20, 20, 100.0), 20)
    null = null_distribution(
        evaluate, Labels.of_sizes((20, 20)), permutations, np.random.default_rng(0)
    )
    assert null.pvalue == 0.01


def test_ties_count_as_reached_even_after_rounding():
    rows = np.repeat([0.1, 0.2, 0.3], 10)[np.random.default_rng(0).permutation(30)]
    evaluate = gap_of_means(rows, 15)

    def noisy(members):
        noise = 1e-16 * np.random.default_rng(1).standard_normal(len(members))
        return Evaluation(evaluate(members).values + noise)

    exact, rounded = (
        null_distribution(f, Labels.of_sizes((15, 15)), 199, np.random.default_rng(0)).pvalue
        for f in (evaluate, noisy)
    )
    assert exact == rounded
    assert np.all(reached(np.full(9, 0.3), 0.1 + 0.2))


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_ties_do_not_depend_on_the_unit_of_the_statistic(unit):
    values = unit * np.array([3.0, 1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(reached(values, values[0]), [True, False, False, True, True])


def test_constant_values_give_one():
    null = null_distribution(
        lambda members: Evaluation(np.zeros(len(members))),
        Labels.of_sizes((9, 9)),
        99,
        np.random.default_rng(0),
    )
    assert null.pvalue == 1.0


def test_simple_relabellings_keep_the_sizes_and_reach_every_split():
    labels = Labels.of_sizes((2, 3))
    members = labels.draw(np.random.default_rng(0), 4_000)
    assert np.all(members.sum(axis=1) == 2)
    codes, counts = np.unique(members @ (1 << np.arange(5)), return_counts=True)
    assert len(codes) == labels.count == len(labels.every()) == 10
    assert stats.chisquare(counts).pvalue > 1e-3
    np.testing.assert_array_equal(labels.every()[0], labels.observed)


def test_every_relabelling_starts_with_the_observed_one_wherever_its_units_lie():
    observed = np.array([False, True, True, False, True, False])
    every = Labels(observed).every()
    np.testing.assert_array_equal(every[0], observed)
    assert len(np.unique(every, axis=0)) == comb(6, 3)


def test_strata_keep_their_sizes_and_all_their_splits_are_equally_likely():
    observed = np.array([1, 0, 1, 0, 0, 1, 0], dtype=bool)
    strata = np.array([0, 0, 1, 1, 1, 2, 2])
    labels = Labels(observed, strata)
    members = labels.draw(np.random.default_rng(0), 6_000)
    for code, (first, _) in enumerate(zip(*labels.counts, strict=True)):
        assert np.all(members[:, strata == code].sum(axis=1) == first)
    codes, counts = np.unique(members @ (1 << np.arange(7)), return_counts=True)
    assert len(codes) == labels.count == 2 * 3 * 2
    assert stats.chisquare(counts).pvalue > 1e-3


def test_strata_need_not_lie_beside_each_other():
    strata = np.arange(40) % 4
    labels = Labels(np.arange(40) < 17, strata)
    members = labels.draw(np.random.default_rng(1), 50)
    for code in range(4):
        own = strata == code
        assert np.all(members[:, own].sum(axis=1) == labels.observed[own].sum())


def test_large_samples_have_plenty_of_relabellings():
    assert Labels.of_sizes((50_000, 50_000)).count > 1e9
    assert Labels(np.arange(6_000) < 3_000, np.arange(6_000) % 3_000).count > 1e9


def test_default_number_meets_the_level_exactly():
    for level in (0.1, 0.05, 0.01, 0.001):
        count = default_permutations(level)
        assert count >= 999
        assert round((count + 1) * level, 9) == round((count + 1) * level)
    assert default_permutations(0.05) == 999


@pytest.mark.parametrize("permutations", [18, Sequential(3, 18)], ids=str)
def test_too_few_permutations_for_the_level_are_refused(permutations):
    with pytest.raises(ValueError, match=r"cannot reach level 0\.05.*Take at least 19"):
        as_permutations(permutations, 0.05)
    assert as_permutations(19, 0.05) == 19


@pytest.mark.parametrize("permutations", [0, -3, 2.5, "many"])
def test_permutations_must_be_a_whole_number(permutations):
    with pytest.raises(ValueError, match="positive whole number"):
        as_permutations(permutations, 0.05)


def test_samples_too_small_for_the_level_are_refused():
    with pytest.raises(ValueError, match=r"only 6 permutations.*Collect more rows"):
        two_sample_test(np.arange(2.0), np.arange(2.0) + 9)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ((0, 10), "exceedances must be a whole number of at least 1, got 0"),
        ((5.5, 200), "exceedances must be a whole number of at least 1, got 5.5"),
        ((5, "200"), "most must be a whole number of at least 1, got '200'"),
        ((5, 4), "1 ≤ exceedances ≤ most"),
    ],
)
def test_a_sequential_rule_that_makes_no_sense_is_refused(rule, said):
    with pytest.raises(ValueError, match=said):
        Sequential(*rule)


def test_sequential_pvalues_are_valid():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(1_000):
        rows = rng.standard_normal(20)
        null = null_distribution(
            gap_of_means(rows, 10), Labels.of_sizes((10, 10)), Sequential(5, 99), rng
        )
        found.append(null.pvalue)
    for level in (0.02, 0.05, 0.1, 0.3, 0.6):
        count = int(np.sum(np.array(found) <= level + 1e-9))
        assert count <= stats.binom.ppf(0.9995, 1_000, level)
        assert count >= stats.binom.ppf(0.0005, 1_000, level - 0.02 * (level > 0.02)) - 1


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.6])
def test_sequential_pvalues_agree_with_fixed_ones(shift):
    rows = rows_of(20, 20, shift)
    evaluate, labels = gap_of_means(rows, 20), Labels.of_sizes((20, 20))
    fixed = null_distribution(evaluate, labels, 9_999, np.random.default_rng(0))
    early = null_distribution(evaluate, labels, Sequential(100, 9_999), np.random.default_rng(1))
    assert early.pvalue == pytest.approx(fixed.pvalue, rel=0.5)
    assert len(early.values) < len(fixed.values)
    assert "stopped by rule" in early.kind


def test_sequential_rule_stops_at_the_last_exceedance():
    """By hand: stop at the third value that reaches 0, the fifth drawn: p = 3/5."""
    drawn = iter([1.0, -1.0, 0.0, -2.0, 5.0, *[9.0] * 200])

    def evaluate(members):
        if len(members) == 1:
            return Evaluation(np.zeros(1))
        return Evaluation(np.array([next(drawn) for _ in members]))

    null = null_distribution(
        evaluate, Labels.of_sizes((9, 9)), Sequential(3, 150), np.random.default_rng(0)
    )
    assert null.pvalue == 3 / 5
    np.testing.assert_array_equal(null.values, [0.0, 1.0, -1.0, 0.0, -2.0, 5.0])


def test_sequential_rule_works_in_the_whole_test():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((25, 2)), rng.standard_normal((25, 2))
    strategy = Fuse([KernelGroup([Gaussian(1.0), Gaussian(0.3)], (1, 4))])
    fixed = two_sample_test(x, y, strategy=strategy, permutations=1_999, rng=0)
    early = two_sample_test(x, y, strategy=strategy, permutations=Sequential(50, 1_999), rng=1)
    assert early.statistic == pytest.approx(fixed.statistic, abs=0.05)
    assert early.pvalue == pytest.approx(fixed.pvalue, abs=0.1)
    assert len(early.null_distribution) < 1_999
    assert len(early.components) == 4


def test_samples_of_one_size_exchanged_are_no_other_division():
    assert Labels.of_sizes((3, 3)).different == 10
    assert Labels.of_sizes((3, 4)).different == 35
    assert Labels(np.tile([True, False], 5), np.repeat(np.arange(5), 2)).different == 16
    assert ManyLabels.of_sizes((2, 2, 2)).different == 15
    assert ManyLabels.of_sizes((4, 2, 2)).different == 210
    assert ManyLabels.of_sizes((2,) * 200).different == np.inf  # 200! is no float
