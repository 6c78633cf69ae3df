"""The choices in one place: used, explained, and within the ranges that keep the level."""

import ast
import re
from itertools import pairwise
from pathlib import Path

from samelaw.comparison import constants as design

ROOMS = [Path(design.__file__).parents[1] / room for room in ("twotables", "comparison")]
NAMES = [name for name in vars(design) if name.isupper()]


def test_every_choice_is_used_and_says_why():
    places = [place for room in ROOMS for place in room.glob("*.py") if place.name != "design.py"]
    used = "".join(place.read_text() for place in places)
    body = ast.parse(Path(design.__file__).read_text()).body
    said = {
        one.targets[0].id: ast.unparse(after)  # type: ignore[attr-defined]
        for one, after in pairwise(body)
        if isinstance(one, ast.Assign) and isinstance(after, ast.Expr)
    }
    assert list(said) == NAMES
    for name in NAMES:
        assert re.search(rf"\b{name}\b", used), name
        assert len(said[name]) > 40, name


def test_files_and_tests_that_are_named_exist():
    root = Path(__file__).parents[2]
    for place in re.findall(
        r"`((?:experiments|tests)/[\w/.]+)`", Path(design.__file__).read_text()
    ):
        assert (root / place).exists(), place


def test_ends_of_classes_rise():
    for ends in (design.CLASS_ENDS, design.PAIR_ENDS):
        assert list(ends) == sorted(set(ends))
        assert 0 < ends[0] < ends[-1] < 1
    assert design.TAIL_ENDS[-1] == 1.0
