"""Draws that groups share are, for each group by itself, uniform permutations."""

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import chisquare, hypergeom

from many_groups import control_sums
from samelaw.extras.groups.control_sums import ControlDraws, GroupRows

RNG = np.random.default_rng(0)
POOL = RNG.normal(size=(60, 2))


def draws(control):
    return ControlDraws(control, np.random.default_rng(1))


def test_sums_are_those_over_the_first_rows_of_one_order():
    control = control_sums(POOL, POOL[:9])
    found = draws(control).sums(5, 2, 9)
    assert found.shape[:2] == (8, 5)
    assert np.allclose(found[-1], 0.0, atol=1e-4)  # all rows of the control, less its mean
    steps = np.diff(found, axis=0)
    for b in range(5):
        taken = [int(np.abs(control.rows - step).sum(axis=1).argmin()) for step in steps[:, b]]
        assert len(set(taken)) == 7


def test_subsets_of_the_control_are_uniform():
    control = control_sums(POOL, POOL[:6])
    source, counts = draws(control), Counter()
    sets = {frozenset(s): control.rows[list(s)].sum(axis=0) for s in combinations(range(6), 3)}
    names, sums = list(sets), np.array(list(sets.values()))
    for _ in range(20):  # the orders of before serve again
        for row in source.sums(100, 3, 3)[0]:
            counts[names[int(np.abs(sums - row).sum(axis=1).argmin())]] += 1
    assert len(counts) == comb(6, 3)
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_permuted_values_are_those_of_all_permutations():
    """Every split of 3 + 4 rows comes as often as another."""
    control, own = control_sums(POOL, POOL[:4]), POOL[10:13]
    group = GroupRows.of(control.features(own))
    rng, source = np.random.default_rng(2), draws(control)
    back = group.own(control, rng, 4_000)
    expected = hypergeom(7, 3, 3).pmf(range(4)) * 4_000
    assert chisquare(np.bincount(back, minlength=4), expected).pvalue > 1e-3
    sums = source.sums(4_000, 0, 3)
    values = group.permuted(control, back, sums[3 - back, np.arange(4_000)], rng)[:, 0]
    both = np.concatenate([group.rows, control.rows])[:, control.maps.slices[0]]
    every = []
    for chosen in combinations(range(7), 3):
        inside = np.isin(np.arange(7), chosen)
        every.append(np.sum((both[inside].mean(axis=0) - both[~inside].mean(axis=0)) ** 2))
    nearest = np.abs(values[:, None] - np.array(every)).argmin(axis=1)
    assert np.abs(values - np.array(every)[nearest]).max() < 1e-4
    assert chisquare(np.bincount(nearest, minlength=35)).pvalue > 1e-3
    assert group.observed(control)[0, 0] == pytest.approx(every[0], rel=1e-4)


def test_fewer_orders_at_once_for_longer_groups():
    source = draws(control_sums(POOL, POOL[:9]))
    assert source.at_once(10**6) == 1 < source.at_once(10)
