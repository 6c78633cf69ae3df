"""A result shows what it holds, and computes nothing."""

import json
from dataclasses import replace

import numpy as np
import pytest

from samelaw import TestResult

RESULT = TestResult(
    statistic=3.25,
    pvalue=0.025,
    reject=True,
    level=0.05,
    null_distribution=np.linspace(-2.0, 4.0, 39),
    method="fused by hand",
    calibration="exact p-value from 39 permutations",
    sizes=(14, 12),
    components=({"name": "Gaussian(1), order 1", "value": 3.25}, {"name": "other", "value": 1.0}),
    settings={"seed": 11},
    seed=11,
)


def test_it_unpacks_to_statistic_and_pvalue():
    assert tuple(RESULT) == (3.25, 0.025)


def test_it_reads_as_text():
    assert str(RESULT) == (
        "differ: p = 0.025 at level 0.05 (14 v 12 rows)\n"
        "statistic 3.25; fused by hand; exact p-value from 39 permutations\n"
        "largest: Gaussian(1), order 1 (3.25)"
    )
    quiet = replace(RESULT, reject=False, components=())
    assert str(quiet).startswith("no difference found: ")
    assert "largest" not in str(quiet)


def test_controls_of_a_terminal_are_not_passed_on():
    assert "\x1b" not in str(replace(RESULT, method="\x1b[31mred"))


def test_html_is_escaped():
    html = replace(RESULT, method="<script>&")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;&amp;" in html
    assert html.count("<tr>") == html.count("</tr>") == 8


def test_json_holds_every_number():
    read = json.loads(RESULT.to_json(allow_nan=False))
    assert read == RESULT.to_dict()
    assert read["null_distribution"] == RESULT.null_distribution.tolist()
    assert (read["kind"], read["pvalue"], read["seed"]) == ("test", 0.025, 11)


def test_it_draws_the_null_distribution_and_the_observed_value():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.patches import Rectangle

    figure, ax = plt.subplots()
    assert RESULT.plot(ax) is ax
    assert ax.lines[0].get_xdata()[0] == RESULT.statistic
    assert sum(bar.get_height() for bar in ax.patches if isinstance(bar, Rectangle)) == 39
    plt.close(figure)
