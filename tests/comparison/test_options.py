"""What is asked is checked before a table is read, and told again as it was asked."""

import numpy as np
import pytest

from optional import need
from questions import ASKED
from samelaw.comparison.options import Question
from samelaw.testing.permuting.group_units import Groups
from samelaw.testing.permuting.permutations import Sequential


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"level": 2.0}, "level"),
        ({"min_effect": 1.0}, "min_effect"),
        ({"same_within": 0.0}, "same_within"),
        ({"same_within": 0.1, "min_effect": 0.1}, "give one of them"),
        ({"unique": True, "groups": "shop"}, "give one of them"),
        ({"min_effect": None}, "min_effect must be at least 0 and below 1, got None"),
        ({"same_within": "a"}, "same_within must be above 0 and below 1, got 'a'"),
        ({"sample": 1}, r"sample \(--sample\) must be a whole number of at least 2, got 1"),
        ({"sample": 2.5}, "at least 2, got 2.5"),
        ({"sample": "10"}, "at least 2, got '10'"),
        ({"columns": "ab"}, "columns is the text 'ab'"),
        ({"ignore": "ab"}, "ignore is the text 'ab'"),
    ],
)
def test_what_makes_no_sense_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        Question.of(**{**ASKED, **asked})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"groups": 3}, "must be the name of a column .* got 3"),
        ({"groups": ["a", "b"]}, "the name of a column"),
        ({"groups": np.arange(9)}, r"got ndarray of shape \(9,\)"),
        ({"groups": Groups(np.arange(9))}, r"got ndarray of shape \(9,\)"),
        ({"kinds": ["x"]}, "kinds must be as"),
        ({"columns": 3}, "columns must be a list of names, got 3"),
        ({"rng": 1.5}, "rng must be a whole number"),
    ],
)
def test_what_is_of_another_type_is_refused(asked, said):
    with pytest.raises(TypeError, match=said):
        Question.of(**{**ASKED, **asked})


def test_names_and_kinds_may_come_from_a_frame_or_be_read_once():
    pd = need("pandas")
    kinds = pd.Series({"zip": "categorical"})
    given = {"columns": (n for n in ("x", "zip")), "ignore": pd.Index(["y"]), "kinds": kinds}
    question = Question.of(**{**ASKED, **given, "level": np.float32(0.25), "sample": np.int64(9)})
    for _ in range(2):
        assert tuple(question.read) == ("x", "zip")
    said = question.settings()
    assert (said["columns"], said["ignore"]) == (["x", "zip"], ["y"])
    assert said["kinds"] == {"zip": "categorical"}
    assert (said["level"], said["sample"]) == (0.25, 9)


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
    assert (said["sample"], said["rng"], said["permutations"]) == (40, 3, 999)


def test_a_question_about_the_rows_drawn_has_randomness_of_its_own():
    question = Question.of(**{**ASKED, "columns": ["x"], "ignore": ["y"]})
    inner = question.of_all_columns(0.025)
    assert inner.level == 0.025
    assert inner.columns is None
    assert inner.ignore == ()
    draws = [one.streams.joint.random(4) for one in (question, inner)]
    assert not np.array_equal(*draws)
