"""The suite of problems: shapes, nulls that are null, and what is written down about runs."""

import numpy as np
import pytest
from experiments.suite import __main__ as command
from experiments.suite import report, trials
from experiments.suite.energy import Energy
from experiments.suite.methods import METHODS, OURS, RIVALS, applies
from scipy.stats import binom

from samelaw import two_sample_test

PROBLEMS = list(trials.PROBLEMS.values())
NULL_DRAWS = 12


def _draw(problem, seed, strength=None):
    try:
        return problem.draw(np.random.default_rng(seed), strength)
    except SystemExit as missing:
        pytest.skip(str(missing))  # the folder of real data is not part of the checkout


def test_halves_are_wide_and_share_no_family():
    families = {half: {p.family for p in held} for half, held in trials.HALVES.items()}
    assert not families["tuning"] & families["reporting"]
    assert len(families["reporting"]) >= 8
    assert len(PROBLEMS) == sum(map(len, trials.HALVES.values()))  # no name twice
    assert len(PROBLEMS) >= 40
    sizes = [p.sizes for p in PROBLEMS]
    assert (5, 500) in sizes
    assert (40, 400) in sizes
    assert max(p.columns for p in PROBLEMS) == 1500


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_draws_have_the_shapes_they_say_and_differ(problem):
    x, y = _draw(problem, 0)
    n, m = problem.sizes
    assert (x.shape, y.shape) == ((n, problem.columns), (m, problem.columns))
    assert np.isfinite(x).all()
    assert np.isfinite(y).all()
    null = _draw(problem, 0, 0.0)
    assert not np.array_equal(y, null[1])  # the strength does something


@pytest.mark.long
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_no_strength_is_no_difference(problem):
    """More than 5 of 12 at level .05 come by chance once in 100,000."""
    found = 0
    for seed in range(NULL_DRAWS):
        x, y = _draw(problem, seed, 0.0)
        if problem.columns > 200:  # distances are what costs
            x, y = x[:60], y[:60]
        test = two_sample_test(x, y, strategy=Energy(), permutations=39, rng=seed)
        found += test.reject
    assert found <= binom.isf(1e-5, NULL_DRAWS, 0.05)


def test_every_rival_runs_somewhere_and_ours_is_no_rival():
    for method in METHODS:
        assert any(applies(method, problem) for problem in PROBLEMS)
    assert OURS not in RIVALS
    with pytest.raises(KeyError):  # a pilot cannot run the default
        trials.pilot_trial("diabetes", 0.1, OURS, np.random.default_rng(0), 0)


def test_reporting_half_is_not_for_tries(capsys):
    with pytest.raises(SystemExit):
        command.options(["run", "--half", "reporting", "--quick"])
    assert "once per release" in capsys.readouterr().err


def test_evaluations_of_the_reporting_half_are_entered(tmp_path):
    cell = {"problem": "diabetes", "method": "energy", "repetitions": 3}
    log = tmp_path / "log.md"
    command.enter("reporting", "pilot", {"cells": {"a": cell}}, log)
    command.enter("tuning", "run", {"cells": {"a": cell}}, log)
    (line,) = log.read_text().splitlines()
    assert "| reporting: pilot | energy | 3 |" in line


def _book(**rates):
    cells = {}
    for method, values in rates.items():
        entry = {"problem": "a problem", "method": method, "values": values}
        cells[method] = {**entry, "repetitions": len(values)}
    return {"cells": cells}


def test_report_marks_clear_deficits_only(tmp_path):
    found, missed = [0.01] * 60, [0.5] * 60
    book = _book(samelaw=missed[:40] + found[:20], energy=found, forest=found[:55] + missed[:5])
    summary = report.reduced("tuning", book)
    (line,) = report.lines(summary["tuning"])
    assert line.best_rival == "energy"
    assert line.deficit.value == pytest.approx(40 / 60)
    report.write(summary, tmp_path)
    table = (tmp_path / "table.md").read_text()
    assert table.count("▼") == 2  # in the words above the table, and ours
    assert "| 0.33 [0.22, 0.47] ▼0.67 |" in table
    assert "**1.00**" in table
    assert (tmp_path / "figure.png").stat().st_size > 5_000


def test_deficit_covers_the_truth():
    """Pairs with shares .3 and .2 of wins: the difference .1 is in 99 % of the intervals."""
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(400):
        draw = rng.random(100)
        better, worse = draw < 0.3, draw > 0.8
        gap = report.Deficit.of(better, worse)
        inside += gap.low <= 0.1 <= gap.high
        back = report.Deficit.of(worse, better)
        assert (back.low, back.high) == pytest.approx((-gap.high, -gap.low))
    assert inside >= binom.ppf(1e-4, 400, 0.99)


def test_a_run_of_ours_keeps_the_draws_of_the_rivals():
    versions = {"versions": {"commit": "a1"}, "seed": 14}
    first = report.joined(
        {}, "reporting", {**_book(samelaw=[0.01] * 4, energy=[0.5] * 4), **versions}
    )
    later = {**versions, "versions": {"commit": "b2"}}
    again = report.joined(first, "reporting", {**_book(samelaw=[0.5] * 3, energy=[0.01]), **later})
    cells = again["reporting"]["cells"]
    assert (cells["samelaw"]["commits"], cells["energy"]["commits"]) == (["b2"], ["a1"])
    assert report.hits(cells["samelaw"]).sum() == 0
    assert len(report.hits(cells["energy"])) == 4
