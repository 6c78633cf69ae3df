import pytest

from samelaw.data.names import check_distinct, check_names


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
