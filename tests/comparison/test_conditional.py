"""Dependence on the table beyond what is given: none if only inputs moved, slopes that turned."""

import numpy as np
import pytest

from levels import check, runs_to_see
from samelaw.comparison.target import conditional_change

LEVEL = 0.1
ALLOWED = 1.5 * LEVEL
"""The test is approximate: some error of the predictions is left."""

FEW = runs_to_see(4 * LEVEL, ALLOWED)


def moved_inputs(run, rows=150, *, turned=False, higher=0.0):
    """Inputs of B lie elsewhere; the relation stays unless it is turned or raised."""
    rng = np.random.default_rng(run)
    second = np.arange(2 * rows) >= rows
    x = rng.normal(size=(2 * rows, 2))
    x[second, 0] += 0.8
    slope = np.where(second & turned, -1.0, 1.0)
    y = np.sin(x[:, 0]) + slope * x[:, 1] + higher * second + 0.5 * rng.normal(size=2 * rows)
    return np.column_stack([y, y**2]), x, second, np.arange(2 * rows), rng


@pytest.mark.long
@pytest.mark.parametrize("runs", [FEW, pytest.param(400, marks=pytest.mark.heavy)])
def test_inputs_that_moved_alone_are_no_change_of_the_relation(runs):
    hits = sum(conditional_change(*moved_inputs(run)).pvalue <= LEVEL for run in range(runs))
    check(hits, runs, ALLOWED, exact=False)


@pytest.mark.parametrize("change", [{"turned": True}, {"higher": 0.5}])
def test_relations_that_changed_are_seen(change):
    assert all(conditional_change(*moved_inputs(run, **change)).pvalue < 0.02 for run in range(5))


@pytest.mark.parametrize("place", [0, 20])
def test_a_slope_that_turned_is_seen_wherever_its_coordinate_stands(place):
    rng = np.random.default_rng(3)
    second = np.arange(600) >= 300
    x = rng.normal(size=(600, 21))
    y = np.where(second, 0.6, 0.0) * x[:, place] + rng.normal(size=600)
    assert conditional_change(y[:, None], x, second, np.arange(600), rng).pvalue < 0.01


def test_an_interaction_that_turned_is_seen():
    """No coordinate by itself shows it: predictions from either table do."""
    rng = np.random.default_rng(4)
    second = np.arange(800) >= 400
    x = rng.normal(size=(800, 3))
    y = np.where(second, -1.0, 1.0) * x[:, 0] * x[:, 1] + 0.5 * rng.normal(size=800)
    assert conditional_change(y[:, None], x, second, np.arange(800), rng).pvalue < 0.01


def test_rows_of_a_group_count_as_one():
    """A group has its own level, and lies in one table: rows taken as independent see a change."""
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(40), 20)
    second = group >= 20
    x = rng.normal(size=(800, 1))
    y = (x[:, 0] + 2 * rng.normal(size=40)[group] + 0.1 * rng.normal(size=800))[:, None]
    alone = conditional_change(y, x, second, np.arange(800), rng).pvalue
    together = conditional_change(y, x, second, group, rng).pvalue
    assert alone < 0.01 < together


def test_what_does_not_vary_says_nothing():
    rng = np.random.default_rng(0)
    second = np.arange(60) >= 30
    same = conditional_change(
        np.ones((60, 1)), rng.normal(size=(60, 1)), second, np.arange(60), rng
    )
    assert same.pvalue == 1.0
