"""The bounds on false alarms: kept by a right test, passed by a wrong one."""

import pytest
from scipy.stats import binom

from levels import check, fewest, most, runs_to_see


def test_a_test_of_its_level_stays_inside_but_once_in_a_thousand():
    for runs in (40, 250):
        inside = binom.cdf(most(runs, 0.1), runs, 0.1) - binom.cdf(fewest(runs, 0.1) - 1, runs, 0.1)
        assert inside >= 0.999


def test_runs_are_as_many_as_a_doubled_level_needs_to_be_seen():
    runs = runs_to_see(0.2, 0.1)
    assert binom.sf(most(runs, 0.1), runs, 0.2) >= 0.9
    assert binom.sf(most(runs - 1, 0.1), runs - 1, 0.2) < 0.9


def test_too_many_and_too_few_alarms_are_refused():
    check(25, 250, 0.1)
    with pytest.raises(AssertionError, match="50 false alarms in 250 runs; at most 42 fit"):
        check(50, 250, 0.1)
    with pytest.raises(AssertionError, match="2 false alarms in 250 runs; at least 11 fit"):
        check(2, 250, 0.1)
    check(2, 250, 0.1, exact=False)
