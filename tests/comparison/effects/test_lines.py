"""Lines of effects: the axis holds them, bars lie where the numbers say."""

import re
from dataclasses import replace

import pytest

from comparisons import changed_shop
from samelaw.comparison.effects.lines import Axis, column_lines, pair_lines


@pytest.mark.parametrize(
    ("longest", "end"),
    [(0.17, 0.2), (0.2, 0.2), (0.21, 0.3), (0.9, 1.0), (0.0031, 0.004), (0.123, 0.15), (0, 0.001)],
)
def test_the_axis_ends_at_a_round_number(longest, end):
    found = replace(changed_shop().marginals[0], effect_interval=(0.0, longest))
    assert Axis.over([found]).end == end


def test_bars_begin_and_end_with_the_interval():
    found = replace(changed_shop().marginals[0], effect=0.1, effect_interval=(0.05, 0.2))
    line = column_lines([found], Axis(0.2))[0]
    assert line.bar == "--l:25.0%;--w:75.0%;--p:50.0%"
    far = replace(found, effect_interval=(0.3, 0.9))
    assert all(float(v) <= 100 for v in re.findall(r"([\d.]+)%", Axis(0.2).places(far)))


def test_a_line_says_what_of_the_column_and_the_measure_that_moved():
    found = changed_shop().marginals[0]
    still = replace(found.measures[0], of="mean", difference=0.0, interval=(-1.0, 1.0))
    line = column_lines([replace(found, missing=True, measures=(still, *found.measures))], Axis(1))[
        0
    ]
    assert (line.tag, line.measured) == ("missing values", "median +4.8 (+2.5 to +7.1)")
    pair = pair_lines(changed_shop().pairs, Axis(1.0))[0]
    assert (pair.name, pair.tag) == ("minutes_on_site × pages_seen", "")
