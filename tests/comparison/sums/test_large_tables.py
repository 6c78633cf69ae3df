"""Which rows of large tables are held: samples, and few against many; and what is refused."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from optional import need
from samelaw import compare
from samelaw.comparison.sums import large_tables
from samelaw.comparison.sums.large_tables import open_large
from samelaw.tables.reading import file_batches
from samelaw.tables.reading.formats import FOUND
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
    seen = []
    found = judged(a, b, sample=400, progress=lambda *step: seen.append(step))
    assert seen == sorted(seen), "the bar never goes back"
    assert seen[-1] == (100, 100)
    assert "streamed" not in found.method
    assert found.sizes == SIZES
    assert found.columns_changed == ("x",)
    assert any("400 of the 2,500 rows of A" in note for note in found.notes)
    row = next(row for row in found.rows if row.table == "B")
    assert row.values["x"] == repr(b["x"][row.row].as_py()), "numbered as in the whole table"
    again = judged(a, b, sample=400)
    assert again.statistic == found.statistic, "the seed fixes the rows"


def test_groups_and_distinct_rows_of_a_sample_are_compared(piecewise):
    a, b = (table.select(["x", "word"]) for table in tables())
    found = judged(a, b, groups="word", sample=600)
    assert any(note.startswith("word: ") and "groups are in both" in note for note in found.notes)
    again = pa.concat_tables([b, *[b.slice(7, 1)] * 300])
    found = judged(a, again, columns=["x"], unique=True, sample=9_999)
    assert "approximate p-value (distinct rows only)" in found.method
    assert any("2,500 of the 2,500 of A, 2,000 of the 2,300 of B" in note for note in found.notes)


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


MANY = r" needs all rows in memory; tables .* 500,000 rows or more .* whatever memory \(--memory\) "
REFUSED = {
    "groups": r"groups \(--groups\)" + MANY + r""".*where='hash\("word"\) % 10 = 0' \(--where\)""",
    "unique": r"unique \(--unique\)" + MANY + r".*SELECT DISTINCT \* FROM .* sample=100000",
}


@pytest.mark.parametrize(("option", "value"), [("groups", "word"), ("unique", True)])
def test_what_needs_all_rows_is_refused_of_large_tables(piecewise, option, value):
    with pytest.raises(ValueError, match=REFUSED[option]):
        judged(*tables(), memory=2**40, **{option: value})


def test_the_queries_that_refusals_name_do_what_they_say(piecewise, tmp_path):
    """Whole groups, the same in both tables, are few enough; so are distinct rows."""
    duckdb = need("duckdb")
    a, b = (
        pa.table({"who": np.arange(6_000) // 3, "x": np.arange(6_000.0) % 97 + side})
        for side in range(2)
    )
    found = judged(a, b, groups="who", where='hash("who") % 10 = 0')
    assert 0 < found.sizes[0] == found.sizes[1] < 2_000
    assert found.sizes[0] % 3 == 0, "whole groups"
    paths = [str(tmp_path / f"{side}.parquet") for side in "ab"]
    with duckdb.connect() as database:
        for path, rows in zip(paths, (a, b), strict=True):
            database.register("rows", pa.concat_tables([rows, rows]))
            database.execute(f"COPY (SELECT DISTINCT * FROM rows) TO '{path}'")
    assert judged(*paths).sizes == (6_000, 6_000)


def test_rows_that_turn_out_to_be_few_are_all_held(piecewise, tmp_path, monkeypatch):
    """How many rows a text file has is a guess until it is read."""
    monkeypatch.setattr(file_batches, "_lines", lambda path: 1e6)
    paths = [tmp_path / f"{side}.csv" for side in "ab"]
    for path, table in zip(paths, tables(), strict=True):
        pc.write_csv(table.slice(0, 300), path)
    assert judged(*paths, columns=["x"], groups="word").sizes == (300, 300)
    assert "distinct rows only" in judged(*paths, columns=["x"], unique=True).method


def test_few_rows_against_many_take_what_adds_something(piecewise, monkeypatch):
    monkeypatch.setattr(large_tables, "MOST_ROWS_OF_ONE", 600)
    small = mixed(5, 3)
    found = judged(mixed(6_000, 0), small)
    assert found.sizes == (6_000, 5)
    assert any("A: 600 of its 6,000 rows" in note for note in found.notes)


def test_large_whole_numbers_keep_their_digits_piece_by_piece(piecewise):
    rng = np.random.default_rng(0)
    a, b = ({"key": pa.array(2**60 + low + rng.integers(0, 40, 2_500))} for low in (0, 20))
    a, b = (pa.table(side) for side in (a, b))
    found = judged(a, b)
    assert "streamed" in found.method
    assert found.columns_changed == ("key",)
    assert found.effect > 0.4
    with pytest.raises(ValueError, match="column 'key' holds whole numbers up to"):
        judged(a, b, kinds={"key": "integer"})
