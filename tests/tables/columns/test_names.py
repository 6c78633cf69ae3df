import numpy as np
import pytest

from optional import need
from samelaw.tables.columns.names import as_names, check_distinct, check_names

pd = need("pandas")


def test_names_become_text_and_must_be_distinct():
    assert check_distinct(["x", 1, None], "t.csv") == ["x", "1", "None"]
    with pytest.raises(ValueError, match=r"t\.csv has more than one column named '1', 'x'; rename"):
        check_distinct([1, "1", "x", "x", "y"], "t.csv")


def test_a_name_that_is_not_there_is_answered_with_those_that_are():
    check_names(["b"], ["a", "b"], "t.csv")
    with pytest.raises(
        ValueError, match=r"column 'c' is not in t\.csv; its columns are 'a', 'b'\."
    ):
        check_names(["a", "c"], ["a", "b"], "t.csv")
    many = [f"x{i}" for i in range(30)]
    with pytest.raises(ValueError, match=r"'x9', …\."):
        check_names(["c"], many, "t.csv")


@pytest.mark.parametrize(
    "names",
    [
        ["a", 2],
        (name for name in ("a", 2)),
        np.array(["a", "2"]),
        pd.Index(["a", "2"]),
        pd.Series(["a", "2"]),
        {"a": 1, 2: 1},
    ],
    ids=lambda names: type(names).__name__,
)
def test_names_come_in_any_container(names):
    assert as_names("columns", names) == ("a", "2")


@pytest.mark.parametrize(
    ("names", "error", "said"),
    [
        ("ab", ValueError, "ignore is the text 'ab'; expected a list of names"),
        (b"ab", ValueError, "ignore is the text b'ab'"),
        (3, TypeError, "ignore must be a list of names, got 3"),
    ],
)
def test_what_is_no_list_of_names_is_refused(names, error, said):
    with pytest.raises(error, match=said):
        as_names("ignore", names)


def test_a_misspelt_name_is_guessed():
    with pytest.raises(ValueError, match=r"'City' is not in t; did you mean 'city'\? Its columns"):
        check_names(["City"], ["city", "price"], "t")
