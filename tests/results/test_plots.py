"""Drawings hold what they are given, on the axes they are given."""

import numpy as np
import pytest

from optional import need
from samelaw.results import plots


@pytest.fixture
def ax():
    return need("matplotlib.figure").Figure().add_subplot()


def test_the_null_distribution_has_all_values_and_the_observed_one(ax):
    plots.draw_null(ax, np.arange(40.0), 35.5, 0.1)
    assert sum(bar.get_height() for bar in ax.patches) == 40
    assert ax.lines[0].get_xdata()[0] == 35.5


def test_power_takes_options_and_shows_the_level(ax):
    limits = np.array([[0.0, 0.2], [0.5, 0.9]])
    plots.draw_power(ax, [0, 1], np.array([0.1, 0.7]), limits, 0.05, label="ours")
    assert ax.get_legend_handles_labels()[1] == ["ours"]
    assert 0.05 in [line.get_ydata()[0] for line in ax.lines]


def test_power_at_values_of_several_numbers_stands_side_by_side(ax):
    limits = np.array([[0.0, 0.2], [0.5, 0.9]])
    plots.draw_power(ax, [(40, 0.5), (80, 0.5)], np.array([0.1, 0.7]), limits, 0.05)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [0, 1])
    assert [label.get_text() for label in ax.get_xticklabels()] == ["(40, 0.5)", "(80, 0.5)"]


def test_pvalues_stand_under_each_other(ax):
    plots.draw_pvalues(ax, ["a v b", "a v c"], [0.001, 0.5], 0.05)
    np.testing.assert_allclose(ax.collections[0].get_offsets(), [[0.001, 0], [0.5, 1]])
    assert ax.get_xscale() == "log"


def test_an_estimate_and_steps(ax):
    plots.draw_estimate(ax, 0.3, (0.28, 0.31))
    low, high = (float(x) for x in ax.collections[0].get_segments()[0][:, 0])
    assert (low, high) == pytest.approx((0.28, 0.31))
    other = ax.figure.add_subplot()
    plots.draw_steps(other, [1, 2], [0.5, 0.7], kept=2, name="accuracy")
    assert other.get_ylabel() == "accuracy"
    assert other.lines[1].get_xdata()[0] == 2


def test_importing_the_room_loads_no_matplotlib():
    import subprocess
    import sys

    script = (
        "import sys, samelaw.results.plots, samelaw.results.result, samelaw.comparison.api; "
        "print([name for name in sys.modules if name.split('.')[0] in ('matplotlib', 'pandas')])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
