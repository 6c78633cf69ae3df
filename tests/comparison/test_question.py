"""What is asked is checked before a table is read, and told again as it was asked."""

import numpy as np
import pytest

from samelaw.comparison.question import Question
from samelaw.data.csv import CsvFormat
from samelaw.twosample.group_units import Groups
from samelaw.twosample.permutations import Sequential

ASKED = {
    "level": 0.05,
    "min_effect": 0.0,
    "same_within": None,
    "columns": None,
    "ignore": (),
    "kinds": None,
    "groups": None,
    "unique": False,
    "target": None,
    "permutations": None,
    "rng": 3,
    "memory": None,
    "progress": None,
    "allow_schema": False,
    "sample": None,
    "where": None,
    "text": CsvFormat(None, None, None),
}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"level": 2.0}, "level"),
        ({"min_effect": 1.0}, "min_effect"),
        ({"same_within": 0.0}, "same_within"),
        ({"same_within": 0.1, "min_effect": 0.1}, "give one of them"),
        ({"unique": True, "groups": "shop"}, "give one of them"),
    ],
)
def test_what_makes_no_sense_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        Question.of(**{**ASKED, **asked})


def test_no_column_may_stop_early():
    with pytest.raises(TypeError, match="none of them may stop early"):
        Question.of(**{**ASKED, "permutations": Sequential()})


def test_the_column_of_the_groups_is_read_and_not_compared():
    question = Question.of(**{**ASKED, "groups": "shop", "columns": ["x"], "ignore": ["y"]})
    assert isinstance(question.groups, Groups)
    assert question.groups.labels == "shop"
    assert tuple(question.read) == ("x", "shop")
    assert question.left_out == ("y", "shop")


def test_settings_are_plain_and_say_what_was_asked():
    said = Question.of(**{**ASKED, "kinds": {"zip": "categorical"}, "sample": 40}).settings()
    assert said["kinds"] == {"zip": "categorical"}
    assert (said["sample"], said["seed"], said["permutations"]) == (40, 3, 999)


def test_a_question_about_the_rows_drawn_has_randomness_of_its_own():
    question = Question.of(**{**ASKED, "columns": ["x"], "ignore": ["y"]})
    inner = question.of_all_columns(0.025)
    assert inner.level == 0.025
    assert inner.columns is None
    assert inner.ignore == ()
    draws = [one.streams.joint.random(4) for one in (question, inner)]
    assert not np.array_equal(*draws)
