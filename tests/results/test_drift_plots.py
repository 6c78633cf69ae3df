"""The line of the alarm stands where it stood when the rows came."""

import pytest

from optional import need
from samelaw.results import drift_plots


@pytest.fixture
def ax():
    return need("matplotlib.figure").Figure().add_subplot()


def test_the_line_of_the_alarm_is_as_it_was_at_each_row(ax):
    drift_plots.draw_evidence(ax, [10, 20, 30], [1.0, 50.0, 2.0], [40.0, 40.0, 160.0])
    line = ax.lines[1]
    assert line.get_drawstyle() == "steps-pre"
    assert line.get_xdata().tolist() == [0, 10, 20, 30]
    assert line.get_ydata().tolist() == [40, 40, 40, 160]


def test_one_line_of_the_alarm_goes_all_the_way(ax):
    drift_plots.draw_evidence(ax, [10], [1.0], 40.0)
    assert set(ax.lines[1].get_ydata()) == {40.0}
