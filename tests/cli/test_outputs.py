"""Inputs are safe, and places that cannot be written to are refused before the work."""

import os
import re
from pathlib import Path

import pytest

from samelaw.cli.outputs import check_outputs


def bad_outputs(folder):
    """Outputs that must be refused, with the message."""
    (folder / "in").mkdir()
    data = folder / "in" / "a.csv"
    data.write_text("x\n1\n")
    return [
        ({"--report": data}, "--report: {0} is an input; choose another name."),
        ({"--rows": folder / "in" / "new.csv"}, "--rows: {0} would lie in the input {1};"),
        ({"--json": folder}, "--json: {0} is a folder; add a file name."),
        (
            {"--json": folder / "no" / "x.json"},
            "--json: the folder {2} does not exist; create it first.",
        ),
        (
            {"--json": folder / "x", "--report": folder / "in" / ".." / "x"},
            "--json and --report name the same file; give each its own.",
        ),
    ]


@pytest.mark.parametrize("case", range(5))
def test_bad_places_are_refused_before_the_work(tmp_path, case):
    outputs, message = bad_outputs(tmp_path)[case]
    place = next(iter(outputs.values()))
    expected = message.format(place, tmp_path / "in", place.parent)
    with pytest.raises(ValueError, match=re.escape(expected)):
        check_outputs(outputs, [str(tmp_path / "in" / "a.csv"), str(tmp_path / "in")])


def test_an_input_is_recognised_through_a_link_and_a_pattern(tmp_path):
    data, link = tmp_path / "a.csv", tmp_path / "link.html"
    data.write_text("x\n1\n")
    link.symlink_to(data)
    for inputs in ([str(data)], [str(tmp_path / "*.csv")]):
        with pytest.raises(ValueError, match="is an input"):
            check_outputs({"--report": link}, inputs)


def test_good_places_leave_nothing_behind(tmp_path):
    check_outputs({"--report": tmp_path / "r.html", "--json": None}, ["a.csv", "b.csv"])
    check_outputs({"--report": Path(os.devnull)}, [])
    assert list(tmp_path.iterdir()) == []


def test_only_json_is_printed():
    with pytest.raises(ValueError, match="--report: - is no file"):
        check_outputs({"--report": Path("-")}, [])


def test_an_ending_of_another_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"page\.pdf ends in '\.pdf'; expected '\.html'"):
        check_outputs({"--report": tmp_path / "page.pdf"}, [])
    check_outputs({"--report": tmp_path / "page", "--rows": tmp_path / "rows.CSV"}, [])
