"""Columns and pairs in words."""

import re

import numpy as np

from samelaw.comparison.summarize import MOST_RANKED, describe_pair
from samelaw.data.column_views import ColumnView
from samelaw.data.kinds import Column, Kind


def column(name, values):
    return Column(name, Kind.NUMERIC, values, np.isnan(values))


def pair_of(rng, sizes, correlations):
    x = rng.normal(size=sum(sizes))
    rho = np.repeat(correlations, sizes)
    y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=len(x))
    x[rng.random(len(x)) < 0.1] = np.nan
    return ColumnView(column("x", x)), ColumnView(column("y", y))


def test_a_correlation_that_changed_is_given_for_both_tables():
    for sizes in ((900, 700), (MOST_RANKED + 500, 300), (MOST_RANKED + 1, MOST_RANKED + 30_000)):
        pair = pair_of(np.random.default_rng(0), sizes, (0.8, -0.4))
        found = re.findall(r"[+-][0-9.]+", describe_pair(*pair, sizes[0]))
        np.testing.assert_allclose([float(v) for v in found], (0.79, -0.38), atol=0.1)


def test_another_change_of_dependence_gets_no_correlation():
    rng = np.random.default_rng(1)
    pair = pair_of(rng, (20_000, 20_000), (0.3, 0.3))
    assert describe_pair(*pair, 20_000) == "depend on each other in another way"
