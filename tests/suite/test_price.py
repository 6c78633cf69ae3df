"""What a share of the level costs: the calculation against a z-test drawn out."""

import numpy as np
import pytest
from experiments.suite import price
from scipy.stats import norm


@pytest.mark.parametrize("power", [0.3, 0.55, 0.8])
def test_a_z_test_with_the_share_that_is_needed_loses_a_twentieth(power):
    shift = norm.isf(0.05) + norm.ppf(power)
    values = np.random.default_rng(0).normal(shift, size=400_000)
    assert np.mean(values > norm.isf(0.05)) == pytest.approx(power, abs=0.004)
    bar = norm.isf(0.05 * price.needed(power))
    assert np.mean(values > bar) == pytest.approx(power - 0.05, abs=0.004)


def test_shares_of_the_level_reject_by_either_pvalue():
    own, rival = np.array([0.01, 0.05, 0.2, 0.04]), np.array([0.5, 0.5, 0.0125, 0.0375])
    assert price.rejected((own, rival), 0.0).tolist() == [True, True, False, True]
    assert price.rejected((own, rival), 0.25).tolist() == [True, False, True, False]
    assert price.rejected((own, rival), 0.75).tolist() == [True, False, True, True]


def test_the_readme_says_what_the_price_was():
    rows = [line.split("|") for line in price.PAGE.read_text().splitlines() if line[:3] == "| 0"]
    power = {float(row[1]): float(row[2]) for row in rows}
    lost = {float(row[1]): row[5].split(" of ") for row in rows}
    assert set(power) == set(price.SHARES)
    assert 1 / 7 < (power[0.0] - power[0.75]) / power[0.0] < 1 / 5  # "a sixth"
    fell, of = map(int, lost[0.75])
    assert 0.6 < fell / of < 0.72  # "two problems of three"
