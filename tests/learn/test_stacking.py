"""Several scores, one lower bound: right with the true log-ratio, never flattered by its fit."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from samelaw.learn.stacking import estimate_from_log_ratios
from samelaw.problems import GaussianPair

LAWS = GaussianPair.mean_shift(2, 2.0)


def scores(rows=2000, seed=0):
    """The true log-ratio of a shift, a linear function of the rows, and the rows themselves."""
    x, y = LAWS.draw(rows, rng=seed)
    return [(z, LAWS.log_ratio(z)[:, None]) for z in (x, y)]


def test_the_true_log_ratio_gives_the_divergence():
    (_, x), (_, y) = scores()
    found = estimate_from_log_ratios(x, y)
    assert abs(found.value - LAWS.jsd()) < 3 * found.standard_error < 0.03
    assert found.rows == (2000, 2000)
    assert found.is_lower_bound


@pytest.mark.parametrize(("scale", "shift"), [(10.0, 0.0), (0.01, 3.0), (-1.0, 0.0)])
def test_the_scale_of_a_score_is_its_own(scale, shift):
    (_, x), (_, y) = scores()
    plain, other = (
        estimate_from_log_ratios(*pair) for pair in ((x, y), (scale * x + shift, scale * y + shift))
    )
    assert other.value == pytest.approx(plain.value, abs=1e-6)


def test_scores_that_each_see_a_part_see_all_together():
    """Either column of the rows, and both."""
    x, y = LAWS.draw(2000, rng=0)
    alone = [estimate_from_log_ratios(x[:, [k]], y[:, [k]]) for k in (0, 1)]
    both = estimate_from_log_ratios(x, y)
    assert both.value > max(one.value for one in alone) + 5 * both.standard_error
    assert abs(both.value - LAWS.jsd()) < 3 * both.standard_error


def test_scores_without_meaning_are_worth_nothing_on_average():
    """The fit to the rows adds k/2N to the bound, which is taken out again."""
    rng = np.random.default_rng(0)
    runs = 300
    found = [estimate_from_log_ratios(*rng.normal(size=(2, 60, 4))) for _ in range(runs)]
    values = np.array([one.value for one in found])
    error = values.std() / math.sqrt(runs)
    assert abs(values.mean()) < 4 * error
    assert 12 * error < 4 / 240  # what would be left if it were not taken out: seen at once
    above = sum(one.lower_limit() > 0 for one in found)
    assert above <= binom.ppf(0.999, runs, 0.05)


def test_samples_that_a_score_separates_are_log_two_apart():
    found = estimate_from_log_ratios(np.ones((20, 1)), -np.ones((30, 1)))
    assert math.log(2) - 0.01 < found.value <= math.log(2)
    assert found.standard_error < 0.01


def test_a_score_that_says_nothing_changes_nothing():
    (_, x), (_, y) = scores(300)
    blind = [np.concatenate([z, np.full_like(z, 7.0)], axis=1) for z in (x, y)]
    assert estimate_from_log_ratios(*blind).value == pytest.approx(
        estimate_from_log_ratios(x, y).value, abs=1e-5
    )


def test_one_row_is_refused():
    with pytest.raises(ValueError, match="needs at least 2 rows in x, got 1"):
        estimate_from_log_ratios(np.ones((1, 1)), np.ones((3, 1)))
