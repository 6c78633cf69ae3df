"""Step-down max-T: against the definition, and what it must not depend on."""

import numpy as np
import pytest

from samelaw.testing.permuting.stepdown import holm, step_down


def by_definition(values):
    """Westfall and Young: remove the clearest hypothesis, take the maximum of the rest, repeat."""
    order = np.argsort(-values[:, 0], kind="stable")
    pvalues, least = np.empty(len(values)), 0.0
    for step, hypothesis in enumerate(order):
        rest = values[order[step:]].max(axis=0)
        least = max(least, float(np.mean(rest >= values[hypothesis, 0])))
        pvalues[hypothesis] = least
    return pvalues


@pytest.mark.parametrize("seed", range(5))
def test_one_family_follows_the_definition(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(6, 40)) + np.array([3, 0, 0, 1, 0, 2])[:, None] * (np.arange(40) == 0)
    found = step_down([values], 0.05, [1.0])
    np.testing.assert_allclose(found.adjusted[0], by_definition(values))
    assert found.pvalue == found.adjusted[0].min()
    np.testing.assert_allclose(np.argmax(found.values), np.argmax(values.max(axis=0)))


def test_scale_and_shift_of_a_family_do_not_matter():
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(3, 60)), rng.normal(size=(50, 60))
    first = step_down([one, other], 0.05, [1.0, 0.5])
    second = step_down([1e4 * one - 7.0, other], 0.05, [1.0, 0.5])
    for before, after in zip(first.adjusted, second.adjusted, strict=True):
        np.testing.assert_allclose(before, after)


def test_p_is_never_zero_and_a_family_may_be_empty():
    values = np.zeros((1, 20))
    values[0, 0] = 9.0
    found = step_down([values, np.empty((0, 20))], 0.05, [1.0, 1.0])
    assert found.pvalue == 1 / 20
    assert found.adjusted[1].shape == (0,)


def test_alike_values_are_ties():
    found = step_down([np.full((2, 30), 0.7)], 0.05, [1.0])
    np.testing.assert_array_equal(found.adjusted[0], 1.0)


def test_a_clear_hypothesis_makes_room_for_the_next():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(2, 200))
    values[0, 0], values[1, 0] = 50.0, np.quantile(values[1, 1:], 0.96)
    single = np.mean(values.max(axis=0) >= values[1, 0])
    found = step_down([values], 0.05, [1.0])
    assert found.adjusted[0][1] < single
    assert found.adjusted[0][1] <= 0.05


def test_false_names_are_as_rare_as_the_level():
    """One true hypothesis among nine null ones: any null one is named in at most 5 % of runs."""
    from scipy.stats import binom

    rng = np.random.default_rng(2)
    false = 0
    for _ in range(400):
        values = rng.normal(size=(10, 100))
        values[0, 0] += 6.0
        families = [values[:1], values[1:4], values[4:]]
        found = step_down(families, 0.05, [1.0, 1.0, 0.5])
        false += bool(np.concatenate(found.adjusted)[1:].min() <= 0.05)
    assert false <= binom.ppf(0.999, 400, 0.05)


def test_holm_is_in_order_and_at_most_one():
    assert holm(np.array([0.04, 0.01, 0.9, 0.02])).tolist() == [0.08, 0.04, 0.9, 0.06]
    assert holm(np.zeros(0)).size == 0


def test_scales_add_little_to_what_pvalues_differ_by_between_draws():
    """The deviation over that of a binomial share; by quantiles of 100 values it was 1.5."""
    rng, found = np.random.default_rng(3), []
    for _ in range(150):
        families = [rng.normal(size=(count, 100)) for count in (20, 30, 60)]
        for family in families:
            family[:, 0] = 0.0
        families[1][0, 0] = 2.9
        found.append(step_down(families, 0.05, [1.0, 1.0, 0.5]).pvalue)
    mean = np.mean(found)
    assert np.std(found) < 1.4 * np.sqrt(mean * (1 - mean) / 100)


def test_names_must_hold_in_both_tests():
    one, other = (
        step_down([values], 0.05, [1.0])
        for values in np.random.default_rng(4).normal(size=(2, 3, 40))
    )
    both = one.named_by_both(other)
    np.testing.assert_array_equal(both.adjusted[0], np.maximum(one.adjusted[0], other.adjusted[0]))
    assert both.pvalue == one.pvalue
