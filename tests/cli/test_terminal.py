"""The answer in a terminal: in colour where there is one, and never wider than it."""

import re

import pytest

from comparisons import changed_shop, same_shop
from optional import need
from samelaw.cli.terminal import shown
from samelaw.comparison.text_report import answer


@pytest.fixture(autouse=True)
def _libraries(monkeypatch):
    need("rich")
    monkeypatch.setenv("COLUMNS", "80")


def test_a_pipe_gets_the_text_and_nothing_else():
    for found in (changed_shop(), same_shop()):
        expected = answer(found).replace("result.rows has", "--rows out.csv has")
        assert shown(found, quiet=False) == expected
        assert shown(found, quiet=True) == found.sentence  # no terminal: scripts read one line


def test_a_terminal_gets_the_sentence_in_colour(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    text = shown(changed_shop(), quiet=False)
    assert re.match("\x1b\\[1;31mB differs", text)
    assert re.match("\x1b\\[1;32mNo difference", shown(same_shop(), quiet=True))


@pytest.mark.parametrize("width", [40, 60])
def test_a_narrow_terminal_is_kept_to(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, shown(changed_shop(), quiet=False).splitlines())) <= width


@pytest.mark.parametrize("width", ["0", "1"])
def test_a_terminal_without_a_width_has_the_usual_one(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    for found in (changed_shop(), same_shop()):
        printed = shown(found, quiet=False).replace(
            "--rows out.csv has them", "result.rows has them"
        )
        assert printed == answer(found)


def test_names_are_text_not_markup():
    text = shown(changed_shop(notes=("[link=file:///]here[/link] :smile:",)), quiet=False)
    assert "[link=file:///]here[/link] :smile:" in text
