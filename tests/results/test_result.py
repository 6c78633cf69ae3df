"""One protocol for all results: each kind prints, becomes JSON of its schema, and draws."""

import inspect
import json
from importlib import import_module
from importlib.resources import files
from pkgutil import walk_packages

import numpy as np
import pytest

import samelaw
from comparisons import changed_shop
from optional import need
from samelaw import DriftReading, GroupTests, PowerCurve, TestResult
from samelaw.divergence import Estimate
from samelaw.extras.generators import (
    CloserFinding,
    GeneratorComparison,
    GeneratorEvaluation,
    GeneratorFinding,
    GeneratorScores,
    Score,
)
from samelaw.extras.groups import ControlTests
from samelaw.extras.layers import LayerInformation
from samelaw.monitor.drift_reading import ChangeTerm, StandingRow
from samelaw.monitor.history import Alarm, DriftHistory, Period
from samelaw.results.result import SCHEMA_VERSION, Result, TableResult, Tabular, empty_axes, plain
from samelaw.results.table_plots import draw_effects
from samelaw.tables.columns.panels import Panel

HOSTILE = "<script>\x1b[2J"
SCHEMAS = files("samelaw.results") / "schemas"


def a_test(**changes):
    values = {
        "statistic": 2.5,
        "pvalue": 0.01,
        "reject": np.bool_(True),
        "level": 0.05,
        "null_distribution": np.array([0.1, np.nan, 0.7]),
        "method": HOSTILE,
        "calibration": "exact",
        "sizes": (3, 4),
        "components": ({"name": HOSTILE, "value": np.float32(2.5)},),
        "settings": {"permutations": np.int64(3)},
        "seed": 1,
    }
    return TestResult(**{**values, **changes})


def many_tests():
    tests = [a_test(), a_test(pvalue=0.5, reject=False)]
    pairs = [("a", HOSTILE), ("a", "c")]
    return GroupTests(pairs, tests, np.array([0.02, 0.5]), np.array([True, False]), 0.05, None)


def control_tests():
    numbers = np.array([0.1, 0.01])
    return ControlTests(
        HOSTILE, ["a", HOSTILE], numbers, numbers, numbers, numbers, numbers < 0.05,
        ["means", HOSTILE], np.array([20, 999]), np.array([9, 8]), np.array([9, 8]), (50, 40), 0.05,
        "Fuse", None,
    )  # fmt: skip


def curve():
    intervals = np.array([[0.0, 0.2], [0.5, 0.9]])
    return PowerCurve([np.float64(0.0), 1.0], np.array([0.1, 0.7]), intervals, 20, 0.05, 0)


def comparison():
    return changed_shop(sentence=f"{HOSTILE} differs.", effect_of=HOSTILE)


def estimate():
    return Estimate(0.3, 0.01, (5, 6), corrected=0.2)


def score():
    return Score(0.5, float("nan"))


def generator_scores():
    names = ("rjsd", "precision", "recall", "density", "coverage")
    return GeneratorScores({name: Score(0.5, 0.1) for name in names}, (5, 6))


def generator_comparison():
    return GeneratorComparison(0.1, 0.2, 0.6, (-0.3, 0.5), 0.95, (0.3, 0.2), (5, 6, 7), HOSTILE)


def generator_evaluation():
    names = (HOSTILE, "b")
    findings = tuple(GeneratorFinding(name, generator_scores(), 0.01, True) for name in names)
    pair = CloserFinding((HOSTILE, "b"), generator_comparison(), 0.6, None)
    return GeneratorEvaluation(HOSTILE, 5, findings, (pair,), 0.05, 3)


def layers():
    one = np.array([[0.5, np.nan]])
    return LayerInformation(((HOSTILE,), (HOSTILE, "b")), one, one, one, one, 5, 5)


def drift():
    changes = (ChangeTerm((HOSTILE, "b"), "going together", 0.4, 1.0, 0.02),)
    return DriftReading(
        True, np.float64(44.0), 40.0, 300, 20, 1000, True, 280, 100, (90, 120), (HOSTILE, "b"),
        changes, 20, (StandingRow(281, 3.5),), 0.2, 0.1, 0, 1, "at most .05",
        np.array([[10, 0.0], [280, 44.0]]), np.array([[280, 0.1, np.nan]]), (HOSTILE,), 3,
    )  # fmt: skip


def drift_history():
    panel = Panel(HOSTILE, "numeric", (0.5, 0.5), (0.1, 0.9), (0.0, 1.0, 2.0))
    alarm = Alarm(280, 100, (90, 120), drift().changes, drift().standing_out, (panel,))
    period = Period(HOSTILE, 0, 300, 44.0, 40.0, 0.1, 0.02, 1, alarm, "", "ab12")
    bad = Period("bad.csv", 300, 0, 44.0, 40.0, error=HOSTILE)
    return DriftHistory(drift(), [period, bad], HOSTILE)


def fit():
    need("torch")
    from samelaw.learn.training import Fit

    return Fit(estimate(), history(), None, HOSTILE)


def history():
    need("torch")
    from samelaw.learn.training import History

    return History((0.1, 0.2), (Estimate(0.3, 0.01, (5, 6)),), ((1, 0.2),), 2, False, 0.5)


def adaptation():
    need("torch")
    from samelaw.learn.adaptation.trainer import Adaptation

    history = [{"step": s, "target_accuracy": float("nan") if s else 0.5} for s in (0, 10)]
    chosen = {HOSTILE: {"step": 10, "target_accuracy": 0.5}}
    return Adaptation(history, chosen, HOSTILE, {}, 3, 1.5)


KINDS = {
    "test": a_test,
    "group_tests": many_tests,
    "control_tests": control_tests,
    "power_curve": curve,
    "comparison": comparison,
    "estimate": estimate,
    "score": score,
    "generator_scores": generator_scores,
    "generator_comparison": generator_comparison,
    "generator_evaluation": generator_evaluation,
    "layer_information": layers,
    "drift": drift,
    "drift_history": drift_history,
    "fit": fit,
    "history": history,
    "adaptation": adaptation,
}
KINDS_OF_TABLES = [
    "group_tests",
    "power_curve",
    "comparison",
    "generator_scores",
]
each = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


def test_no_result_of_the_package_is_left_out():
    """Every class that inherits the protocol is one of the kinds above, and has its schema."""
    need("torch")
    found = set()
    for module in walk_packages(samelaw.__path__, "samelaw."):
        if "__main__" not in module.name:
            for thing in vars(import_module(module.name)).values():
                if inspect.isclass(thing) and issubclass(thing, Result):
                    found.add(thing)
    assert {one.kind for one in found - {Result, TableResult}} == set(KINDS)
    assert {place.name for place in SCHEMAS.iterdir()} == {f"{kind}.json" for kind in KINDS}


@each
def test_json_follows_the_schema_of_its_kind(make):
    jsonschema = need("jsonschema")
    found = make()
    read = json.loads(found.to_json(indent=1))
    assert read == found.to_dict()
    assert read["schema_version"] == SCHEMA_VERSION
    schema = json.loads((SCHEMAS / f"{read['kind']}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(read, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**read, "another": 1}, schema)


@each
def test_it_prints_and_nothing_drives_a_terminal_or_a_page(make):
    found = make()
    assert str(found).strip()
    assert str(found) != repr(found)
    html = found._repr_html_()
    assert html.startswith(("<table>", "<div"))
    assert html.endswith(("</table>", "</div>"))
    for text in (str(found), html, found.to_json()):
        assert "\x1b" not in text
    assert "<script>" not in html


@each
def test_it_draws_on_the_axes_it_is_given(make):
    figure = need("matplotlib.figure").Figure()
    ax, other = figure.subplots(1, 2)
    found = make()
    assert found.plot(ax) is ax
    assert found.plot(ax=other) is other
    for drawn in (ax, other):
        assert drawn.has_data()
        assert drawn.get_xlabel() or drawn.get_ylabel()


@each
def test_only_tables_have_frames(make):
    found = make()
    assert hasattr(found, "to_frame") == isinstance(found, Tabular)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("kind", KINDS_OF_TABLES)
def test_a_table_becomes_a_frame(kind, library):
    need(library)
    found = KINDS[kind]()
    rows = found.records()
    frame = need("narwhals").from_native(found.to_frame(library))
    assert frame.rows(named=True) == rows
    assert frame.columns == list(rows[0])


def test_a_library_that_is_missing_is_named():
    with pytest.raises(ModuleNotFoundError, match="to_frame needs modin"):
        curve().to_frame("modin")


def test_plain_knows_what_json_knows():
    assert plain((np.int64(1), np.bool_(True), float("inf"), None)) == [1, True, None, None]
    assert plain({1: {"x"}}) == {"1": "{'x'}"}


def test_a_result_without_a_drawing_says_so():
    with pytest.raises(NotImplementedError, match="Result has no drawing"):
        Result().draw(None)
    with pytest.raises(NotImplementedError, match="TableResult has no rows"):
        TableResult().to_frame()


def test_a_second_drawing_does_not_cover_the_first():
    plt = need("matplotlib.pyplot")
    try:
        mine = plt.figure(figsize=(3, 2))
        first, second = a_test().plot(), a_test().plot()
        assert first.figure is mine  # an empty figure was at hand
        assert second.figure is not mine
    finally:
        plt.close("all")


def test_long_names_are_within_the_figure():
    plt = need("matplotlib.pyplot")
    names = ["a long name of a column of sensors (hour of day)"] * 2
    try:
        ax = empty_axes()
        draw_effects(ax, names, [0.1, 0.2], [(0.0, 0.2), (0.1, 0.3)], [True, False])
        ax.figure.canvas.draw()
        assert all(label.get_window_extent().x0 >= 0 for label in ax.get_yticklabels())
    finally:
        plt.close("all")
