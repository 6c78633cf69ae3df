"""``samelaw monitor``: tables one after another, folders, and what is written."""

import json
from pathlib import Path

import pytest

from drift_files import ROWS, fill, reference
from optional import need

need("pyarrow")
pytestmark = pytest.mark.usefixtures("empty_folder")
QUICK = ("--interval", "0.05s", "--seed", "0")


@pytest.fixture
def files():
    """Six days, the last two of which have moved, and a reference."""
    fill(Path("in"), range(1, 7), shift=1.0)
    reference(Path())
    return sorted(Path("in").glob("*.csv"))


def test_a_quiet_stream_is_0_and_an_alarm_is_1(samelaw, files):
    code, out, err = samelaw("monitor", "reference.csv", *files[:4], "--seed", 0)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("day01.csv ")
    assert "No alarm after 600 rows." in out
    code, out, err = samelaw("monitor", "reference.csv", *files, "--seed", 0, "--quiet")
    assert (code, err) == (1, "")
    assert out == "The law of the stream has changed since about row 600, most in amount.\n"


def test_everything_is_written(samelaw, files):
    outputs = ("--report", "p.html", "--json-lines", "l.jsonl", "--prometheus", "m.prom")
    code, out, _ = samelaw("monitor", "reference.csv", *files, "--json", "-", *outputs)
    found = json.loads(out)
    assert code == 1
    assert found["kind"] == "drift_history"
    assert found["reading"]["rows"] == 6 * ROWS
    assert [period["name"] for period in found["periods"]] == [path.name for path in files]
    assert len(Path("l.jsonl").read_text().splitlines()) == 6
    assert "samelaw_drift_alarm 1\n" in Path("m.prom").read_text()
    page = Path("p.html").read_text()
    assert f"--seed {found['reading']['seed']}" in page
    assert "Alarm in day05.csv" in page


def test_a_folder_is_watched_resumed_and_its_change_accepted(samelaw, files):
    watch = ("--watch", "in", "--state", "state", "--once", *QUICK)
    code, out, err = samelaw("monitor", "reference.csv", *watch, "--json", "all.json")
    assert (code, err) == (1, "")
    assert len(out.splitlines()) > 7
    direct = samelaw("monitor", "reference.csv", *files, "--seed", 0, "--json", "-")[1]
    watched = json.loads(Path("all.json").read_text())["reading"]
    assert watched["evidence"] == json.loads(direct)["reading"]["evidence"]
    code, out, _ = samelaw("monitor", *watch, "-q")  # the reference is in the state
    assert code == 1
    assert len(out.splitlines()) == 1
    code, out, _ = samelaw("monitor", "--accept", "--collect", 300, "--state", "state", "-q")
    again = samelaw("monitor", "--accept", "--state", "state")
    assert again[0] == 2
    assert "no alarm stands" in again[2]
    assert (code, out) == (0, "Collecting a new reference: 300 more rows are needed.\n")
    fill(Path("in"), [7, 8, 9], shift=1.0)
    code, out, _ = samelaw("monitor", *watch)
    assert code == 0
    assert "day09.csv" in out


def test_files_that_were_set_aside_are_an_error_and_not_forgotten(samelaw, files):
    for path in files:
        path.write_text("other\n1\n2\n")
    watch = ("--watch", "in", "--state", "state", "--once", *QUICK)
    code, out, err = samelaw("monitor", "reference.csv", *watch)
    assert code == 2
    assert "set aside" in out
    assert err.startswith("samelaw: 6 files were set aside and never judged: day01.csv, ")
    code, _, err = samelaw("monitor", *watch, "-q")
    assert code == 0, "nothing new was set aside"
    assert "6 files were set aside" in err
    fill(Path("in"), [1])
    assert "5 files were set aside" in samelaw("monitor", *watch, "-q")[2]


def test_the_answer_says_how_to_run_it_again_and_what_was_not_judged(samelaw, files):
    _, out, _ = samelaw("monitor", "reference.csv", *files, "--seed", 0)
    assert "\nRun it again: samelaw " in out
    assert out.endswith(" --seed 0\n")
    assert "rows were not judged" in out


def test_a_promise_is_kept_in_the_words_of_the_answer(samelaw, files):
    for words, said in (
        (("--run-length", 5_000), "at least 5,000 rows on average"),
        (("--ever", 0.2), "at most 0.2"),
        (("--stretch", 3), "approximate: stretches of 3 rows"),
        (("--route", "whole"), "any number of rows"),
        (("--route", "suspicion", "--pairs", 2), "more rows"),
    ):
        assert said in samelaw("monitor", "reference.csv", files[0], *words)[1]
