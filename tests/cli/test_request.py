"""What is asked for survives the way into words and back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.cli.request import Request, Written, kinds_of, names_of, sign_of, size_of, size_words

NAMES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1), max_size=4
)


def options(words, option):
    return [words[i + 1] for i, word in enumerate(words) if word == option]


@given(NAMES, NAMES)
def test_names_come_back_from_the_command(columns, ignore):
    words = Request("a", "b", columns=tuple(columns), ignore=tuple(ignore)).again(1, None, {})
    words = words[4:]  # a name may look like an option
    given_columns = [words[2 * i + 1] for i in range(len(columns))]
    given_ignore = [words[2 * (len(columns) + i) + 1] for i in range(len(ignore))]
    assert names_of(given_columns) == tuple(columns)
    assert names_of(given_ignore) == tuple(ignore)


@given(*[st.floats(0.051, 0.999)] * 3)  # not the default level, which is left out
def test_numbers_come_back_from_the_command(level, least, same):
    words = Request("a", "b", level=level, min_effect=least, same_within=same).again(1, None, {})
    for option, value in (("level", level), ("min-effect", least), ("same-within", same)):
        assert [float(word) for word in options(words, f"--{option}")] == [value]


def test_the_command_says_what_was_chosen_and_no_default():
    assert Request("a", "b").again(7, None, {"--report": None}) == (
        *("samelaw", "compare", "a", "b"),
        *("--seed", "7"),
    )
    chosen = Request(
        "a",
        "b",
        columns=("x", "a, b"),
        ignore=("y",),
        kinds={"x": "numeric"},
        groups="g",
        swap=True,
        unique=True,
        target="y",
        level=0.1,
        min_effect=0.25,
        same_within=0.5,
        permutations=99,
    )
    assert chosen.again(None, False, {"--json": Path("o.json")}) == (
        *("samelaw", "compare", "a", "b"),
        *("--columns", "x", "--columns", '"a, b"', "--ignore", "y", "--kind", "x=numeric"),
        *("--level", "0.1", "--min-effect", "0.25", "--same-within", "0.5"),
        *("--groups", "g", "--swap-sides", "--unique", "--target", "y"),
        *("--permutations", "99", "--no-rows"),
        *("--json", "o.json"),
    )


def test_what_is_known_of_files_comes_back():
    known = Request(
        *("a", "b"),
        allow_schema=True,
        sample=9,
        where="price > 5",
        written=Written("\t", header=False, encoding="cp1252", skip=3, sheet="May"),
        memory=2.0**29,
    )
    assert known.again(None, None, {})[4:] == (
        *("--allow-schema", "--sample", "9", "--where", "price > 5"),
        *("--sep", "\\t", "--no-header"),
        *("--encoding", "cp1252", "--skip", "3", "--sheet", "May", "--memory", "512M"),
    )
    assert "--header" in Request("a", "b", written=Written(header=True)).again(None, None, {})
    assert [sign_of(word) for word in ("\\t", "tab", ";", None)] == ["\t", "\t", ";", None]


@pytest.mark.parametrize(
    ("words", "size"), [("500M", 500 * 2**20), ("2g", 2**31), ("1.5 GiB", 3 * 2**29), ("7", 7)]
)
def test_sizes_are_read_as_people_write_them(words, size):
    assert size_of(words) == size
    assert size_of(size_words(size)) == size


@pytest.mark.parametrize("words", ["much", "2X", "", "-1G", "G"])
def test_what_is_no_size_is_refused(words):
    with pytest.raises(ValueError, match="expected a size such as 500M or 2G"):
        size_of(words)


def test_groups_reach_the_comparison():
    assert Request("a", "b").belonging is None
    groups = Request("a", "b", groups="customer", thin=True).belonging
    assert (groups.labels, groups.swap, groups.thin) == ("customer", False, True)


def test_what_to_do_with_groups_needs_groups():
    with pytest.raises(ValueError, match="say what to do with --groups NAME"):
        Request("a", "b", swap=True)


def test_kinds_are_split_at_the_last_sign():
    assert kinds_of(["x=numeric", "a=b=text"]) == {"x": "numeric", "a=b": "text"}
    for wrong in ("x", "=text"):
        with pytest.raises(ValueError, match=r"--kind is .*; expected NAME=KIND"):
            kinds_of([wrong])
