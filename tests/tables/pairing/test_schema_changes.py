import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optional import need
from samelaw.tables.columns.column import Kind
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.pairing.schema_changes import Change
from samelaw.tables.reading.read import read_table


def pair(a, b, **options):
    return pair_tables(read_table(a), read_table(b), **options)


def changes(found):
    return [(change.kind, change.column) for change in found.schema_changes]


def test_columns_on_one_side_are_reported():
    found = pair({"x": [1, 2], "old": [1, 2]}, {"new": [1, 2], "x": [1, 3]})
    assert changes(found) == [(Change.ONLY_IN_A, "old"), (Change.ONLY_IN_B, "new")]
    assert found.schema_changes[0].text == "old: only in A, so not compared."
    assert [change.column for change in found.schema_differences] == ["old", "new"]


def test_changes_of_type():
    found = pair(
        {"i": [1, 2], "b": [True, False], "w": [1, 2], "gone": [1, 2], "d": ["2025-03-01"] * 2},
        {"i": [1.5, 2], "b": [0, 1], "w": ["a", "b"], "gone": [None] * 2, "d": ["x", "y"]},
    )
    assert [change.text for change in found.schema_changes if change.kind is Change.TYPE] == [
        "i: whole numbers in A, numbers in B.",
        "b: true/false in A, numbers in B.",
        "w: numbers in A, text in B, compared as categories.",
        "d: dates in A, words in B, compared as categories.",
    ]
    assert [change.column for change in found.schema_differences] == ["b", "w"]
    assert (Change.ALL_MISSING, "gone") in changes(found)
    assert "every value is missing in B" in str(found.schema_changes)


def frames(library):
    """How a library makes a column, and what it calls text, a moment and one in a zone."""
    frame = need(library)
    moments = np.array(["2025-03-01T12:00", "2025-03-02T12:00"], dtype="datetime64[us]")
    if library == "pandas":
        naive = frame.Series(moments)
        return frame.DataFrame, naive, naive.dt.tz_localize("UTC")
    naive = frame.Series(moments)
    return frame.DataFrame, naive, naive.dt.replace_time_zone("UTC")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_declared_types_of_frames_are_a_difference(library):
    make, naive, aware = frames(library)
    a = make({"x": [1, 2], "t": naive, "f": [1, 2], "flag": [True, False], "none": [1.5, None]})
    b = make({"x": ["1", "2"], "t": aware, "f": [1.5, 2.5], "flag": [0, 1], "none": [None, None]})
    found = pair(a, b)
    assert [(change.column, change.types) for change in found.schema_differences] == [
        ("x", ("numbers", "text")),
        ("t", ("times without a zone", "times with a zone")),
        ("flag", ("true/false", "numbers")),
    ]
    told = {change.column: change.text for change in found.schema_changes}
    assert told["f"] == "f: whole numbers in A, numbers in B."  # a missing value would do as much
    assert told["none"] == "none: every value is missing in B."
    assert pair(a, a).schema_changes == []
    assert pair(a, b, kinds={"x": "numeric"}).schema_differences[0].column == "t"


def test_a_stray_word_makes_no_declared_type():
    """Libraries that guess types on reading call numbers with one word text."""
    numbers = [*range(40)]
    strayed = [*map(str, numbers[1:]), "oops"]
    found = pair({"x": numbers, "y": numbers}, {"x": strayed, "y": [f"${v}" for v in numbers]})
    assert [change.column for change in found.schema_differences] == ["y"]
    texts = [change.text for change in found.schema_changes]
    assert "x (as written): new in B: 'oops' (1 row)." in texts


def test_files_of_words_declare_nothing(tmp_path):
    need("pyarrow")
    for name, cells in {"a": "1\n2\n3\n", "b": "x\ny\nz\n"}.items():
        (tmp_path / f"{name}.csv").write_text("v\n" + cells)
    found = pair(tmp_path / "a.csv", tmp_path / "b.csv")
    assert found.schema_differences == ()
    assert found.schema_changes[0].text.startswith("v: whole numbers in A, words in B")


def test_dates_in_json_are_no_declared_text(tmp_path):
    pa = need("pyarrow")
    days = [dt.date(2025, 3, 1 + i) for i in range(28)]
    rows = [f'{{"when": "{day}", "at": "08:{day.day:02d}", "x": 1}}\n' for day in days]
    (tmp_path / "a.jsonl").write_text("".join(rows))
    at = [dt.time(8, day.day) for day in days]
    table = pa.table({"when": days, "at": at, "x": [1] * len(days)})
    assert pair(tmp_path / "a.jsonl", table).schema_changes == []
    words = pa.table({"when": [str(day) for day in days], "at": at, "x": [1] * len(days)})
    assert pair(words, table).schema_changes[0].types == ("text", "dates")


@pytest.mark.parametrize("other", ["yes/no", "Y/N", "T/F", "on/off", "TRUE/FALSE", "1/0"])
def test_truth_is_one_however_it_is_spelt(tmp_path, other):
    need("pyarrow")
    for name, words in (("a.csv", "true/false"), ("b.csv", other)):
        yes, no = words.split("/")
        (tmp_path / name).write_text("flag,x\n" + f"{yes},1\n{no},2\n{yes},3\n")
    found = pair(tmp_path / "a.csv", tmp_path / "b.csv")
    assert found.columns[0].kind is Kind.BOOLEAN
    assert found.columns[0].values.tolist() == [1, 0, 1] * 2
    assert found.schema_differences == ()


def test_an_absent_key_of_json_is_a_missing_value(tmp_path):
    rows = "\n".join(f'{{"x": {i}, "y": {i}.5}}' for i in range(30))
    (tmp_path / "a.jsonl").write_text(rows)
    (tmp_path / "b.jsonl").write_text(rows.replace('"y"', '"z"'))
    found = pair(tmp_path / "a.jsonl", tmp_path / "b.jsonl", ignore=["x"])
    assert found.schema_differences == ()
    assert [(c.kind, c.column) for c in found.schema_changes] == [
        (Change.ALL_MISSING, "y"),
        (Change.ALL_MISSING, "z"),
    ]
    assert [column.name for column in found.columns] == ["y", "z"]


def test_marked_thousands_are_told():
    found = pair({"x": ["1000", "2000"]}, {"x": ["1,000", "2,000"]})
    (change,) = found.schema_changes
    assert change.text == "x: thousands are marked in B only, as in '1,000'."
    assert not change.difference


def test_other_capitals_and_blanks_are_told_as_such():
    found = pair({"x": ["autumn", "spring", "old"]}, {"x": ["AUTUMN ", "AUTUMN ", "Spring", "new"]})
    assert [change.text for change in found.schema_changes] == [
        "x: the same after trimming and lower-casing: 'AUTUMN ' for 'autumn', 'Spring' for "
        "'spring' (3 rows).",
        "x: new in B: 'new' (1 row).",
        "x: no longer in B: 'old' (1 row).",
    ]
    assert pair({"x": ["a", "A"]}, {"x": ["a", "A"]}).schema_changes == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("Yes No", "YES NO"), ("y n", "Y N"), ("yes no", "true false"), ("T F", "TRUE FALSE")],
)
def test_other_words_for_true_and_false_are_told(old, new):
    """They are read alike, so that no test of values can see it."""
    found = pair({"b": old.split() * 3}, {"b": new.split() * 2})
    assert found.columns[0].kind is Kind.BOOLEAN
    (change,) = found.schema_changes
    assert change.kind is Change.RESPELT_CATEGORIES
    assert not change.difference
    pairs = [f"{n!r} for {o!r}" for o, n in zip(old.split(), new.split(), strict=True)]
    assert change.text == f"b (as written): read as the same: {', '.join(sorted(pairs))} (4 rows)."
    assert not pair({"b": old.split() * 3}, {"b": old.split()}).schema_changes


def test_one_word_of_two_that_changed_is_told():
    one, other = ["yes", "no"] * 3, ["yes", "0"] * 2
    assert [c.text for c in pair({"b": one}, {"b": other}).schema_changes] == [
        "b (as written): read as the same: '0' for 'no' (2 rows)."
    ]
    assert [c.text for c in pair({"b": one}, {"b": one + other}).schema_changes] == [
        "b (as written): new in B: '0' (2 rows)."
    ]
    assert not pair(
        {"b": [True, False]}, {"b": ["yes", "no"]}, kinds={"b": "boolean"}
    ).schema_changes


def test_new_and_vanished_categories_with_the_most_frequent_first():
    found = pair({"x": ["a", "b", "b"]}, {"x": ["a", "d", *"ccc", *"efghi"]})
    new, gone = found.schema_changes
    assert new.categories == ("c", "d", "e", "f", "g", "h", "i")
    assert new.text == "x: new in B: 'c', 'd', 'e', 'f', 'g' and 2 more (9 rows)."
    assert gone.text == "x: no longer in B: 'b' (2 rows)."


CELLS = st.sampled_from([None, "a", "b", "c", "1", "2", "2.5"])


@given(st.lists(CELLS, min_size=2, max_size=15), st.lists(CELLS, min_size=2, max_size=15))
def test_swapping_the_tables_swaps_the_report(a, b):
    extra = {"t": [0.5] * len(a)}, {"t": [1.5] * len(b)}
    one = pair({"x": a} | extra[0], {"x": b} | extra[1])
    other = pair({"x": b} | extra[1], {"x": a} | extra[0])
    assert [c.kind for c in one.columns] == [c.kind for c in other.columns]
    assert [c.categories for c in one.columns] == [c.categories for c in other.columns]
    for left, right in zip(one.columns, other.columns, strict=True):
        np.testing.assert_array_equal(left.values, np.roll(right.values, len(a)))
    swap = {
        Change.NEW_CATEGORIES: Change.VANISHED_CATEGORIES,
        Change.VANISHED_CATEGORIES: Change.NEW_CATEGORIES,
    }
    assert {(swap.get(c.kind, c.kind), c.categories) for c in one.schema_changes} == {
        (c.kind, c.categories) for c in other.schema_changes
    }
