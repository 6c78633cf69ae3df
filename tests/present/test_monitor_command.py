"""``samelaw monitor``: what was typed, and what is wrong with it."""

import json
from pathlib import Path

import pytest

from drift_files import fill, reference
from optional import need

need("pyarrow")


@pytest.fixture
def files(empty_folder):
    """A day and a reference."""
    fill(Path("in"), range(1, 2))
    reference(Path())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reference.csv"], "there is nothing to judge"),
        ([], "there is nothing to judge"),
        (["reference.csv", "--watch", "in"], "--watch and --accept need --state FILE"),
        (["reference.csv", "in/day01.csv", "--state", "s"], "--state belongs to --watch"),
        (["--watch", "in", "--state", "s", "--once"], "s is new: name the reference first"),
        (["a", "b", "--watch", "in", "--state", "s"], "--watch takes the reference alone"),
        (["a", "--watch", "no", "--state", "s"], "the folder no does not exist"),
        (["a", "b", "--ever", ".1", "--run-length", "9"], "--ever and --run-length exclude"),
        (
            ["reference.csv", "in/day01.csv", "--route", "x"],
            "--route is 'x'; expected one of always",
        ),
        (["a", "b", "--interval", "soon"], "--interval is 'soon'"),
        (["a", "b", "--webhook", "ftp://x"], "--webhook is 'ftp://x'"),
        (["--accept", "--state", "s"], "--state: s does not exist"),
        (["reference.csv", "no.csv"], "no.csv does not exist"),
        (["reference.csv", "in/day01.csv", "--report", "in/day01.csv"], "is an input"),
    ],
)
def test_wrong_usage_is_2_and_one_line(samelaw, files, words, said):
    code, _, err = samelaw("monitor", *words)
    assert code == 2
    assert said in err
    assert len(err.splitlines()) == 1


def test_files_are_read_as_they_are_said_to_be_written(samelaw, files):
    plain = samelaw("monitor", "reference.csv", "in/day01.csv", "--seed", "1", "--json", "-")
    for path in (Path("reference.csv"), Path("in/day01.csv")):
        path.write_text("shop\n" + path.read_text().replace(",", "^"))
    said = ("--sep", "^", "--skip", "1", "--seed", "1", "--json", "-")
    assert samelaw("monitor", "reference.csv", "in/day01.csv", *said) == plain
    watched = ("--watch", "in", "--state", "s", "--once", "--interval", "1s")
    code, out, err = samelaw("monitor", "reference.csv", *watched, *said)
    assert (code, err) == (0, "")
    assert json.loads(out)["reading"]["rows"] == json.loads(plain[1])["reading"]["rows"] > 0
