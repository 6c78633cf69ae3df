"""Which rows of large tables are compared: samples, distinct rows, groups, and few against many."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from samelaw import compare
from samelaw.reading.formats import FOUND
from samelaw.reading.read import read_table
from samelaw.streaming import large_tables
from samelaw.streaming.large_tables import open_large
from samelaw.tables.pair import pair_tables
from samelaw.twotables.duplicates import distinct_rows
from streaming_tables import mixed

SIZES = (2_500, 2_000)


@pytest.fixture
def piecewise(monkeypatch):
    """Tables of 4,000 rows or more are read piece by piece."""
    monkeypatch.setattr(large_tables, "STREAMED_ABOVE", 4_000)
    monkeypatch.setattr(large_tables, "FEWEST", 500)
    monkeypatch.setattr(large_tables, "_SMALL", 0)


def tables(**change):
    """Two columns that depend on each other and one of words."""
    made = mixed(SIZES[0], 0), mixed(SIZES[1], 1, **change)
    return tuple(table.select(["x", "y", "word"]) for table in made)


def judged(a, b, **options):
    return compare(a, b, rng=0, permutations=99, **options)


def test_small_tables_and_what_cannot_be_read_twice_are_held_in_memory(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x\n1\n2\n")
    assert open_large((path, path), None, FOUND) is None
    assert open_large(("-", path), None, FOUND) is None
    assert open_large((mixed(100, 0), mixed(100, 1)), None, FOUND) is None


def test_a_sample_is_drawn_as_the_tables_are_read(piecewise):
    a, b = tables(shift=0.5)
    found = judged(a, b, sample=400)
    assert "streamed" not in found.method
    assert found.sizes == SIZES
    assert found.columns_changed == ("x",)
    assert any("400 of the 2,500 rows of A" in note for note in found.notes)
    row = next(row for row in found.rows if row.table == "B")
    assert row.values["x"] == repr(b["x"][row.row].as_py()), "numbered as in the whole table"
    again = judged(a, b, sample=400)
    assert again.statistic == found.statistic, "the seed fixes the rows"


@pytest.mark.long
def test_a_large_sample_is_compared_piece_by_piece(piecewise):
    a, b = tables(shift=0.5)
    found = judged(a, b, sample=2_000)
    assert "streamed" in found.method
    assert any("2,000 of the 2,500 rows of A" in note for note in found.notes)
    row = next(row for row in found.rows if row.table == "A")
    assert row.values["x"] == repr(a["x"][row.row].as_py())


def test_a_sample_that_does_not_fit_is_refused(piecewise, monkeypatch):
    monkeypatch.setattr(large_tables, "_FOR_ROWS", 1e-4)
    wide = pa.table({f"x{i}": np.arange(5_000.0) for i in range(8)})
    with pytest.raises(
        ValueError, match=r"sample \(--sample\) asks for 4,000 rows .* Sample fewer"
    ):
        judged(wide, wide, sample=4_000)


@pytest.mark.long
def test_a_target_is_looked_at_piece_by_piece(piecewise):
    a, b = tables(together=0.1)
    found = judged(a, b, target="y")
    assert "streamed" in found.method
    assert found.target is not None
    assert found.target.relation_changed
    with pytest.raises(ValueError, match="target"):
        judged(a, b, target="nobody")


def test_distinct_rows_are_those_of_a_comparison_in_memory(piecewise):
    a, b = tables()
    b = pa.concat_tables([b, *[b.slice(7, 1)] * 300, b.slice(0, 200)])
    found = judged(a, b, unique=True)
    assert "streamed" in found.method
    assert "approximate p-value (distinct rows only)" in found.method
    note = next(note for note in found.notes if note.startswith("Distinct rows"))
    assert "2,500 of the 2,500 of A, 2,000 of the 2,500 of B" in note
    assert found.sizes == (2_500, 2_500)
    pair = distinct_rows(pair_tables(read_table(a), read_table(b)))
    assert note in pair.notes


def test_a_column_stays_what_it_is_when_its_repeats_are_gone(piecewise):
    a, b = (pa.table({"x": np.arange(2_500) % rows}) for rows in (2_100, 2_300))
    found = judged(a, b, unique=True)
    assert [one.column for one in found.marginals] == ["x"]


def test_few_rows_against_many_take_what_adds_something(piecewise, monkeypatch):
    monkeypatch.setattr(large_tables, "MOST_ROWS_OF_ONE", 600)
    small = mixed(5, 3)
    found = judged(mixed(6_000, 0), small)
    assert found.sizes == (6_000, 5)
    assert any("A: 600 of its 6,000 rows" in note for note in found.notes)


def test_groups_fit_into_memory_by_chance_alone(piecewise, tmp_path, monkeypatch):
    monkeypatch.setattr(large_tables, "STREAMED_ABOVE", 500)
    rng = np.random.default_rng(0)
    paths = []
    for side, rows in enumerate((2_000, 1_000)):
        who = rng.integers(0, 60, size=rows) + 1_000 * side
        table = pa.table({"who": who, "x": rng.normal(size=rows), "y": rng.normal(size=rows)})
        paths.append(tmp_path / f"{side}.csv")
        pc.write_csv(table, paths[-1])
    found = judged(*paths, groups="who")
    assert found.verdict == "no difference found"
    assert found.sizes == (2_000, 1_000)
    note = next(note for note in found.notes if "drawn at random, are compared" in note)
    assert note.startswith("120 groups and one in 6 of their rows")
    assert any(note.startswith("Groups:") for note in found.notes)
    with pytest.raises(ValueError, match="nobody"):
        judged(*paths, groups="nobody")
