"""Rows that occur more than once."""

import subprocess

import numpy as np
import pytest

from mixed_tables import pooled, table
from samelaw import Groups, compare
from samelaw.comparison.rows.duplicates import (
    Duplicates,
    distinct_rows,
    duplicates_of,
    duplicates_of_keys,
    row_keys,
    rows_apart,
)


def rows(whole, chosen):
    return {name: np.asarray(values)[chosen] for name, values in whole.items()}


def tables(seed=0, n=200, m=150):
    rng = np.random.default_rng(seed)
    return table(rng, n), table(rng, m)


def test_repeats_within_and_across_tables_are_counted():
    a, b = tables()
    c = rows(b, [*range(150), *[7] * 24, 90])
    both = {k: np.concatenate([np.asarray(a[k]), np.asarray(c[k])[:20]]) for k in a}
    found = duplicates_of(pooled(both, c))
    assert found.repeats == (0, 25)
    assert found.most == (1, 25)
    assert found.most_row[1] == 7
    assert found.shared == (20, 44)  # row 7 25 times
    assert found.telling
    notes = " ".join(found.notes())
    assert "B: 25 of its 175 rows repeat an earlier one" in notes
    assert "the most frequent (row 7) occurs 25 times" in notes
    assert "20 of the 220 rows of A are also in B (44 of the 175 of B in A)" in notes
    assert "--unique" in notes


def test_missing_values_make_rows_neither_equal_nor_unequal_by_themselves():
    a = {"x": [1.0, None, 1.0, None, 0.0, -0.0], "c": ["u", "u", "u", "u", None, None]}
    keys = row_keys(pooled(a, a).columns)[:6]
    assert len(set(keys)) == 3
    assert keys[0] == keys[2] != keys[1] == keys[3]
    assert keys[4] == keys[5]


def test_independent_rows_get_no_note_and_few_answers_none_either():
    a, b = tables(1)
    found = duplicates_of(pooled(a, b))
    assert found.repeats == found.shared == (0, 0)
    assert found.notes() == found.remarks() == []
    answers = [{"q": np.arange(60) % 3, "r": np.arange(60) % 2} for _ in range(2)]
    many = duplicates_of(pooled(*answers))
    assert many.repeats == (54, 54)
    assert not many.telling
    assert many.notes() == many.remarks() == []


def keyed(whole, first):
    return {**whole, "key": [f"k{i}" for i in range(first, first + len(whole["x"]))]}


def test_columns_that_are_not_compared_tell_rows_apart():
    """Rows that are alike but for a key are other rows, also for unique=True."""
    a, b = tables(6, 60, 60)
    again = rows(a, [*range(60), *range(20)])
    assert duplicates_of(pooled(again, b)).repeats == (20, 0)
    pair = pooled(keyed(again, 0), keyed(a, 500))
    assert [out.column for out in pair.left_out] == ["key"]
    found = duplicates_of(pair)
    assert found.repeats == found.shared == (0, 0)
    assert distinct_rows(pair).sizes == (80, 60)
    same = {**keyed(again, 0), "key": keyed(a, 0)["key"] + keyed(a, 0)["key"][:20]}
    assert duplicates_of(pooled(same, keyed(b, 500))).repeats == (20, 0)


def test_coarse_rows_that_meet_by_chance_are_no_news():
    """Two columns of 40 values: hundreds of 300 rows are told apart, and some meet."""
    told = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        a, b = ({"x": rng.integers(0, 40, n), "y": rng.integers(0, 40, n)} for n in (300, 250))
        found = duplicates_of(pooled(a, b))
        assert found.telling
        assert min(found.shared) > 10
        told += bool(found.notes())
    assert told <= 3


def halves(pool, count):
    """Random halves of rows, by the numbers of the rows."""
    half = len(pool) // 2
    for seed in range(count):
        dealt = np.random.default_rng(seed).permutation(pool)
        yield duplicates_of_keys(dealt, (half, len(pool) - half))


def test_halves_of_one_table_say_nothing_of_its_copies():
    """Of 30 such halves 12 were told "26 % of the rows of B repeat an earlier one, 4.8 % of A"."""
    few_often = np.concatenate([np.arange(150), np.repeat(np.arange(150, 165), 4)])
    for found in halves(few_often, 30):
        assert max(found.repeats) > 10
        assert found.causes() == found.remarks() == []


def test_rows_that_a_table_has_twice_are_shared_by_its_halves():
    """ "23 % of the rows of A are also in B, so the p-value may be far off": they are dealt so."""
    twice = np.concatenate([np.arange(200), np.arange(40)])
    for found in halves(twice, 40):
        assert found.telling
        assert max(found.shared) > 10
        assert found.causes() == found.remarks() == []


def test_copies_that_are_all_in_one_table_are_no_chance():
    """25 of 25 copies in B passed for chance beside rows that occur once; the note was missing."""
    keys = np.concatenate([np.arange(500), 250 + np.arange(25)])
    found = duplicates_of_keys(keys, (250, 275))
    (cause,) = found.causes()
    assert cause.text == "9.1 % of the rows of B repeat an earlier one, 0 % of A"
    count, advice = found.notes()
    assert count.startswith("B: 25 of its 275 rows repeat an earlier one")
    assert advice.startswith("A row that is repeated moves every column")
    assert found.repeats_by_chance == (True, False)


def test_the_row_that_is_a_cause_is_counted():
    keys = np.concatenate([np.arange(2_000), np.zeros(60, dtype=int), np.arange(300, 600)])
    found = duplicates_of_keys(keys[::-1].copy(), (1_360, 1_000))
    assert [one.table for one in found.surplus] == ["A"]
    assert found.notes()[-2].startswith("A: ")


def test_a_table_and_its_continuation_are_not_independent():
    whole, _ = tables(7, 300)
    first = rows(whole, range(200))
    found = duplicates_of(pooled(first, whole))
    assert found.entangled
    assert found.remarks() == [
        "100 % of the rows of A are also in B, so the p-value may be far off"
    ]
    fact, advice = found.notes(("old day.csv", "new.csv"))
    assert fact.startswith("200 of the 200 rows of A are also in B (200 of the 300 of B in A)")
    assert "not independent samples" in fact
    assert "far too small or far too large" in fact
    assert advice.startswith("Compare A with the rows that only B has: awk ")
    assert advice.endswith("> only_in_B.csv; samelaw compare 'old day.csv' only_in_B.csv")
    assert "EXCEPT" in found.notes()[1]
    assert "EXCEPT" in found.notes(("long" * 80 + ".csv", "b.csv"))[1]
    assert max(map(len, (fact, advice))) <= 300, "what terminal and page show of a note"


def test_a_table_against_itself_is_said_to_be_so():
    a, _ = tables()
    found = duplicates_of(pooled(a, a))
    assert found.entangled
    assert found.overlap == "every row of A is in B and every row of B in A"


def test_the_advice_leaves_the_new_rows(tmp_path):
    lines = ["x,y", *(f"{i},{i * i}" for i in range(9))]
    for name, count in (("a.csv", 6), ("b.csv", 10)):
        (tmp_path / name).write_text("\n".join(lines[:count]) + "\n")
    found = Duplicates((0, 0), (1, 1), (0, 0), (5, 5), True, (5, 9), (True, True), False)
    script = found.notes(("a.csv", "b.csv"))[1].split(": ", 1)[1].replace("; samelaw", "; echo")
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)
    assert (tmp_path / "only_in_B.csv").read_text().split() == ["x,y", *lines[6:]]


def test_one_row_written_two_hundred_times_is_given_as_the_reason():
    a, b = tables(2, 300, 200)
    found = compare(a, rows(b, [*range(200), *[5] * 50]), rng=0, permutations=99)
    assert found.reject
    assert len(found.columns_changed) > 1
    assert found.sentence.startswith(
        "B differs from A: one row occurs 51 times in B (20 % of its rows), never in A; "
    )
    assert found.causes[0].evidence.startswith("row 5 of B (from 0)")
    assert found.duplicates.most == (1, 51)
    assert any("--unique" in note for note in found.notes)


def copies(whole, rest, times):
    both = {name: np.concatenate([whole[name], rest[name]]) for name in whole}
    return rows(both, [0] * times + [*range(300)])


def test_a_row_that_both_tables_repeat_is_told_of_the_one_that_repeats_it_more():
    rng = np.random.default_rng(0)
    row, a, b = ({"x": rng.normal(size=n), "y": rng.normal(size=n)} for n in (1, 299, 299))
    third, two_thirds = copies(row, a, 150), copies(row, b, 600)
    (more,) = duplicates_of(pooled(third, two_thirds)).surplus
    assert (more.table, more.row, more.times) == ("B", 0, (151, 601))
    assert more.cause().text == (
        "one row occurs 601 times in B (67 % of its rows), 151 times in A (34 %)"
    )
    assert duplicates_of(pooled(third, copies(row, b, 150))).causes() == []


def test_each_table_may_repeat_a_row_of_its_own():
    rng = np.random.default_rng(0)
    one, other, a, b = ({"x": rng.normal(size=n)} for n in (1, 1, 299, 299))
    found = duplicates_of(pooled(copies(one, a, 50), copies(other, b, 50)))
    assert [cause.text for cause in found.causes()] == [
        f"one row occurs 51 times in {side} (15 % of its rows), never in {there}"
        for side, there in ("AB", "BA")
    ]


def test_rows_that_repeat_in_one_table_are_a_cause_without_one_that_stands_out():
    a, b = tables(3, 300, 200)
    (cause,) = duplicates_of(pooled(a, rows(b, [*range(200), *range(100)]))).causes()
    assert cause.text == "33 % of the rows of B repeat an earlier one, 0 % of A"


def test_identical_tables_are_said_to_be_so_and_no_caution_is_given():
    a, b = tables(0, 60, 60)
    same = compare(a, a, rng=0, permutations=99)
    assert same.sentence == "A and B are identical: the same 60 rows in the same order."
    assert "far off" not in str(same)
    assert "independent" not in str(same)
    turned = compare(a, rows(a, np.arange(60)[::-1]), rng=0, permutations=99)
    assert turned.sentence == "A and B are identical: the same 60 rows in another order."
    some = compare(a, {**a, "x": b["x"]}, rng=0, permutations=99, ignore=["x"])
    assert some.sentence.startswith("A and B are identical in the columns that were compared: ")
    drawn = compare(a, a, rng=0, permutations=99, sample=30)
    assert "identical" not in drawn.sentence
    longer = compare(a, {**a, "new": [1] * 60}, rng=0, permutations=99)
    assert "identical" not in longer.sentence
    asked = compare(a, a, rng=0, permutations=99, same_within=0.5)
    assert asked.sentence.startswith("A and B are identical: the same 60 rows in the same order. ")


def test_distinct_rows_are_compared_if_asked_for_and_labelled():
    a, b = tables(2, 300, 200)
    found = compare(a, rows(b, [*range(200), *[5] * 50]), rng=0, permutations=99, unique=True)
    assert not found.reject
    assert "approximate p-value (distinct rows only)" in found.method
    assert "exact p-value" not in found.method
    assert found.settings["unique"] is True
    assert found.sizes == (300, 250)
    note = next(note for note in found.notes if note.startswith("Distinct rows only"))
    assert "200 of the 250 of B" in note
    assert "not exact" in note


def test_row_numbers_are_those_of_the_table():
    a, b = tables(3, 40, 30)
    pair = distinct_rows(pooled(a, rows(b, [*[0] * 20, *range(30)])))
    assert pair.sizes == (40, 30)
    assert pair.row_in_table(40) == 0
    assert pair.row_in_table(41) == 21


@pytest.mark.long
def test_why_it_cannot_be_exact():
    """The distinct rows of 2,000 v 200 of one law differ: large tables have more rare ones."""
    rng = np.random.default_rng(4)
    a, b = ({"c": np.exp(2 * rng.normal(size=n)).round()} for n in (2_000, 200))
    assert not compare(a, b, rng=0, permutations=99).reject
    assert compare(a, b, rng=0, permutations=99, unique=True).reject


def test_what_cannot_be_asked_for():
    a, b = tables(5, 30, 30)
    with pytest.raises(ValueError, match="give one of them"):
        compare(a, b, unique=True, groups=Groups("word"))
    with pytest.raises(ValueError, match="all rows of B are the same"):
        compare(a, rows(b, [0] * 9), unique=True)


def test_distinct_rows_that_meet_by_chance_are_no_news_either():
    """Of three answers and a flag both tables have all there is: "the p-value may be far off"."""
    rng = np.random.default_rng(4)
    a, b = (
        {"answer": rng.choice(["yes", "no", "maybe"], 200), "stars": rng.integers(0, 5, 200)}
        for _ in range(2)
    )
    found = compare(a, b, rng=0, permutations=49, unique=True)
    assert "Worth a look" not in found.sentence
    assert "not independent" not in "".join(found.notes)
    a, b = tables()
    copied = {k: np.concatenate([np.asarray(a[k]), np.asarray(b[k])]) for k in a}
    assert "may be far off" in compare(a, copied, rng=0, permutations=49, unique=True).sentence


def test_what_could_be_found_is_said_of_the_rows_compared():
    a, b = tables()
    few = compare(a, b, rng=0, permutations=49, sample=50)
    assert few.sizes == (200, 150)
    assert "8 times in 10 with 50 v 50 rows" in " ".join(str(few).split())
    assert "with 200 v 150 rows" in " ".join(str(compare(a, b, rng=0, permutations=49)).split())


def test_rows_that_both_have_leave_the_larger_table_each_once():
    x = np.array([5, 5, *range(100, 140)])
    y = np.array([5, *range(120, 180), 5, 5])
    first, second = rows_apart(x, y)
    assert first.tolist() == list(range(42))
    assert second.tolist() == [*range(21, 61), 62]  # one of the three fives is left
    assert [side.tolist() for side in rows_apart(y, x)] == [second.tolist(), first.tolist()]


def test_tables_that_share_few_rows_or_all_of_them_keep_theirs():
    rng = np.random.default_rng(0)
    x, y = rng.permutation(4_000)[:1_500], np.arange(4_000)[:1_000]
    assert rows_apart(np.arange(900), 900 + np.arange(900)) is None
    assert rows_apart(rng.integers(0, 5, 300), rng.integers(0, 5, 300)) is None  # by chance
    assert rows_apart(y, rng.permutation(y)) is None
    assert rows_apart(x, np.append(x, 9_999)) is None
