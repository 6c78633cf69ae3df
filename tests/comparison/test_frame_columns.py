"""Columns of two dataframes that have not the same ones."""

import numpy as np
import pytest

from optional import need
from questions import ASKED
from samelaw.comparison.options import Question
from samelaw.extras.dask.compare import FrameColumns

dataframe = need("dask.dataframe")
pandas = need("pandas")


def frame(*names):
    return dataframe.from_pandas(pandas.DataFrame({n: np.arange(4.0) for n in names}), 2)


A, B = frame("u", "v", "gone"), frame("new", "v", "u")


def columns(a=A, b=B, **asked):
    return FrameColumns.of(a, b, Question.of(**{**ASKED, **asked}))


def test_columns_of_one_dataframe_are_told_and_not_compared():
    found = columns()
    assert found.shared == ("u", "v")
    assert found.alone == (("gone",), ("new",))
    assert [list(one.columns) for one in found.frames(A, B)] == [["u", "v"], ["u", "v"]]
    assert columns(ignore=["gone", "v"]) == FrameColumns(("u",), ((), ("new",)))


def test_nothing_is_told_of_columns_that_nobody_asked_for():
    assert columns(columns=["v", "u"]) == FrameColumns(("v", "u"))


def test_kinds_are_passed_on_for_columns_of_both():
    kinds = {"u": "categorical", "new": "numeric"}
    assert columns(kinds=kinds).kinds(kinds) == {"u": "categorical"}


def test_names_of_columns_may_be_numbers():
    a, b = frame(0, 1), frame(1, 2)
    found = columns(a, b, columns=[1])
    assert found.shared == ("1",)
    assert [list(one.columns) for one in found.frames(a, b)] == [[1], [1]]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"ignore": ["nope"]}, "column 'nope' is not in either dataframe"),
        ({"kinds": {"nope": "numeric"}}, "column 'nope' is not in either dataframe"),
        ({"columns": ["new"]}, "column 'new' is not in the Dask dataframe"),
        ({"columns": ["gone"]}, "column 'gone' is not in the Dask dataframe"),
        ({"columns": []}, "share no column to compare"),
        ({"ignore": ["u", "v"]}, "share no column to compare"),
    ],
)
def test_what_is_in_neither_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        columns(**asked)
