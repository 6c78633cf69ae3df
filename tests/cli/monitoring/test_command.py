"""``samelaw monitor``: what was typed, and what is wrong with it."""

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
        (["--state", "s"], "there is nothing to judge"),
        (["a", "b", "--ever", ".1", "--run-length", "9"], "--ever and --run-length exclude"),
        (["a", "b", "--route", "whole"], "No such option: --route"),
        (["a", "b", "--watch", "in"], "No such option: --watch"),
        (["--accept", "--state", "s"], "--state: s does not exist"),
        (["--accept"], "--accept takes --state FILE"),
        (["reference.csv", "--accept", "--state", "s"], "--accept takes --state FILE and no"),
        (["a", "b", "--collect", "9"], "--collect belongs to --accept"),
        (["reference.csv", "no.csv"], "no.csv does not exist"),
        (["reference.csv", "no*.csv"], "no file matches no*.csv"),
        (["no.csv", "in", "--state", "s"], "no.csv does not exist"),
        (["reference.csv", "-", "--state", "s"], "- is a pipe, which --state cannot recognise"),
        (["reference.csv", "in/day01.csv", "--report", "in/day01.csv"], "is an input"),
    ],
)
def test_wrong_usage_is_2_and_one_line(samelaw, files, words, said):
    code, _, err = samelaw("monitor", *words)
    assert code == 2
    assert said in err
    assert len(err.splitlines()) == 1


def test_files_are_read_as_they_are_said_to_be_written(samelaw, files):
    plain = samelaw("monitor", "reference.csv", "in/day01.csv", "--seed", "1")
    for path in (Path("reference.csv"), Path("in/day01.csv")):
        path.write_text("shop\n" + path.read_text().replace(",", "^"))
    said = ("--sep", "^", "--skip", "1", "--seed", "1")
    code, out, err = samelaw("monitor", "reference.csv", "in/day01.csv", *said)
    assert (code, err) == (plain[0], "")
    assert out.partition("Run it again")[0] == plain[1].partition("Run it again")[0]
