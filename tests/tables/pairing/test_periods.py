"""Dates and keys that tell two tables apart completely are set aside, and the level holds."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

import levels
from samelaw import compare
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.pairing import periods
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.pairing.periods import Periods
from samelaw.tables.reading.read import read_table

N = 60
RNG = np.random.default_rng(6)
X, Y = RNG.normal(size=N), RNG.normal(size=N)
JANUARY = np.datetime64("2013-01-01") + np.arange(N) % 31
JULY = np.datetime64("2013-07-01") + np.arange(N) % 31
GAPS = np.cumsum(RNG.integers(1, 9, 2 * N))
OPTION = "--kind {0}={1} (kinds={{'{0}': '{1}'}}) compares it"


def pair(one, other, **options):
    return pair_tables(read_table({"c": one, "x": X}), read_table({"c": other, "x": Y}), **options)


def reason(one, other, **options):
    return {out.column: out.reason for out in pair(one, other, **options).left_out}.get("c", "")


@pytest.mark.parametrize("swapped", [False, True])
def test_dates_of_different_periods_are_told_in_one_line(swapped):
    sides = [(JANUARY, "2013-01-01 to 2013-01-31"), (JULY, "2013-07-01 to 2013-07-31")]
    (one, a), (other, b) = reversed(sides) if swapped else sides
    assert reason(one.astype(str), other.astype(str)) == (
        f"{a} in A, {b} in B: the tables cover different periods; {OPTION.format('c', 'datetime')}"
    )
    assert [column.name for column in pair(one, other).columns] == ["x"]


@pytest.mark.parametrize(
    ("one", "other", "ends"),
    [
        (np.arange(N), np.arange(N) + 50 * N, "0 to 59 in A, 3000 to 3059 in B"),
        (np.arange(N)[::-1], np.arange(N) + 50 * N, "0 to 59 in A, 3000 to 3059 in B"),
        (RNG.permutation(N), RNG.permutation(N) + 9 * N, "0 to 59 in A, 540 to 599 in B"),
        (GAPS[:N], GAPS[N:], f"{GAPS[0]} to {GAPS[N - 1]} in A, {GAPS[N]} to {GAPS[-1]} in B"),
    ],
)
def test_whole_numbers_that_count_up_are_keys(one, other, ends):
    said = f"{ends}: it counts up and never repeats, as keys do"
    assert reason(one, other) == f"{said}; {OPTION.format('c', 'integer')}"


def test_parts_of_dates_are_periods():
    year = {side: read_table({"Year": [side] * N, "x": X}) for side in (2023, 2024)}
    (out,) = pair_tables(year[2023], year[2024]).left_out
    assert out.reason.startswith("2023 in A, 2024 in B: the tables cover different periods")
    assert reason([2023] * N, [2024] * N) == ""  # by another name any number


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (JANUARY, JANUARY + 30),  # one day of both
        (JANUARY[:5], JULY[:5]),  # 2 of the 252 ways to label these rows
        (RNG.permutation(GAPS[:N]), RNG.permutation(GAPS[N:])),  # amounts that rose
        (np.arange(N) // 2, np.arange(N) // 2 + 50),  # they repeat
        (X, Y + 100.0),
    ],
)
def test_other_columns_are_compared(one, other):
    a = read_table({"c": one, "x": X[: len(one)]})
    b = read_table({"c": other, "x": Y[: len(other)]})
    assert [column.compared for column in pair_tables(a, b).columns] == [True, True]


def test_a_kind_that_was_told_is_compared():
    found = pair(JANUARY, JULY, kinds={"c": "datetime"})
    assert [column.name for column in found.columns] == ["c", "x"]
    assert not found.left_out


def test_dates_are_compared_where_nothing_else_is():
    a, b = (read_table({"day": days}) for days in (JANUARY, JULY))
    assert [column.name for column in pair_tables(a, b).columns] == ["day"]
    gone = {"day": [None, *JANUARY[1:]]}
    (column,) = pair_tables(read_table(gone), b).columns
    assert column.compared


def test_missing_values_are_compared_and_rows_told_apart_all_the_same():
    found = pair([None, *JANUARY[1:]], JULY)
    (out,) = found.left_out
    assert out.missingness_compared
    assert [(c.name, c.compared) for c in found.columns] == [("c", False), ("x", True)]
    assert len(np.unique(found.others)) == 1 + 31 + 31


def test_two_labellings_of_all_separate_the_tables(monkeypatch):
    """What the bound on the level rests on: by chance 2 of C(N, n), with ties none more."""
    monkeypatch.setattr(periods, "NO_CHANCE", 1.0)
    values = np.array([1.0, 2.0, 2.0, 5.0, 7.0, 9.0, 11.0])
    for n in (2, 3, 5):
        told = 0
        for first in combinations(range(7), n):
            order = [*first, *(i for i in range(7) if i not in first)]
            column = Column("c", Kind.DATETIME, values[order], np.zeros(7, dtype=bool))
            told += Periods((n, 7 - n), (n, 7 - n)).reason(column) != ""
        assert told <= 2 < comb(7, n)


@pytest.mark.parametrize(("count", "aside"), [(5, False), (40, True)])
def test_groups_that_are_few_may_be_separated_by_chance(count, aside):
    """Whole groups change places, so that few of them have few labellings, however many rows."""
    who = np.arange(N) % count
    a = read_table({"day": JANUARY, "who": [f"a{i}" for i in who], "x": X})
    b = read_table({"day": JULY, "who": [f"b{i}" for i in who], "x": Y})
    found = pair_tables(a, b, ignore=["who"], groups="who")
    assert [out.column for out in found.left_out] == ["day"] * aside


def test_what_else_changed_is_found():
    z, w = RNG.normal(size=(2, N))
    a, b = {"day": [*JANUARY], "x": X, "y": z}, {"day": JULY, "x": Y, "y": w + 2.0}
    found = compare(a, b, rng=0, permutations=99)
    assert found.columns_changed == ("y",)
    assert found.effect < 0.9
    assert {name for one in found.pairs for name in one.columns} == {"x", "y"}
    assert [row.row for row in found.rows if "day" in row.unseen] == []
    a["day"][:3] = [None] * 3
    assert "day" not in compare(a, b, rng=0, permutations=99).picture.axes
    b["y"] = w
    assert not compare(a, b, rng=0, permutations=99).reject
    assert compare(a, b, rng=0, permutations=99, kinds={"day": "datetime"}).reject


@pytest.mark.long
@pytest.mark.parametrize("separated", [True, False])
def test_the_rest_keeps_its_level(separated):
    """Whether the tables are cut by date, or dates are dealt to them at random."""
    runs, alarms = 120, 0
    rng = np.random.default_rng(35)
    for run in range(runs):
        day = np.datetime64("2024-01-01") + np.sort(rng.choice(400, 2 * N, replace=False))
        z, word = rng.normal(size=2 * N), rng.choice(["a", "b", "c"], 2 * N)
        rows = np.arange(2 * N) if separated else rng.permutation(2 * N)
        a, b = ({"day": day[k], "z": z[k], "word": word[k]} for k in np.split(rows, 2))
        found = compare(a, b, rng=run, permutations=99)
        assert [out.column for out in found.left_out] == ["day"] * separated
        alarms += found.reject
    levels.check(alarms, runs, 0.05)
