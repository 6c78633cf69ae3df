"""The same rows of pandas are the same table in memory, in Arrow, in polars and in files."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optional import need
from samelaw import compare
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.pandas_columns import in_words, index_notes, with_index
from samelaw.tables.reading.read import read_table

pandas, polars = need("pandas"), need("polars")
ROWS = 60


def held(frame, folder):
    """The same rows as others hold them."""
    path = str(folder / "frame.parquet")
    frame.to_parquet(path)
    return {
        "Parquet": path,
        "Arrow": pq.read_table(path),
        "polars": polars.read_parquet(path),
        "Arrow of pandas": pa.Table.from_pandas(frame),
    }


def words(table, name):
    codes, labels = table.raw[name].words()
    return [None if code < 0 else labels[code] for code in codes]


PERIODS = {
    freq: pandas.period_range("2019-11-30 22:00", periods=ROWS, freq=freq) for freq in "DMQYWh"
}
INTERVALS = {
    side: pandas.IntervalIndex.from_breaks(np.arange(ROWS + 1) / 4, closed=side)
    for side in ("left", "right", "both", "neither")
}


@pytest.mark.parametrize("kind", [*PERIODS, *INTERVALS])
def test_periods_and_intervals_are_the_words_that_pandas_writes(kind, tmp_path):
    """A period beside its own Parquet file was "p (characters) changed", with effect 1."""
    values = (PERIODS | INTERVALS)[kind]
    frame = pandas.DataFrame({"p": values}, index=range(ROWS))
    frame.loc[3, "p"] = None
    frame.to_csv(tmp_path / "frame.csv", index=False)
    expected = words(read_table(frame), "p")
    assert expected[3] is None
    assert expected[1] == str(values[1])
    csv = pandas.read_csv(tmp_path / "frame.csv", dtype=str)["p"]
    assert csv[5] == expected[5]
    for holder, other in held(frame, tmp_path).items():
        assert words(read_table(other), "p") == expected, holder
        found = open_batches(other)
        assert words(found.table(next(found.pieces())), "p") == expected, holder
    found = open_batches(frame)
    assert words(found.table(next(found.pieces())), "p") == expected
    later = compare(frame, str(tmp_path / "frame.parquet"), rng=0, permutations=19)
    assert not later.reject


def test_classes_that_are_intervals_are_their_words():
    cut = pandas.DataFrame({"c": pandas.cut(np.arange(ROWS) % 9, 3)})
    expected = words(read_table(cut), "c")
    assert len({*expected}) == 3
    for other in (pa.Table.from_pandas(cut), polars.from_pandas(cut)):
        assert words(read_table(other), "c") == expected


def test_a_file_says_the_same_where_pandas_was_not_imported(tmp_path):
    """Arrow then has whole numbers and structs, and facts beside them."""
    path = tmp_path / "a.parquet"
    frame = pandas.DataFrame({"p": PERIODS["D"], "i": INTERVALS["both"]})
    frame.to_parquet(path)
    script = (
        "import sys; from samelaw.tables.reading.read import read_table\n"
        "assert 'pandas' not in sys.modules\n"
        f"table = read_table({str(path)!r})\n"
        "print(*(table.raw[name].as_read(0) for name in table.names), sep=';')"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"{PERIODS['D'][0]};{INTERVALS['both'][0]}"


def test_tables_without_such_columns_stay_as_they_are():
    table = pa.table({"x": [1, 2], "s": [{"left": 1}, {"left": 2}]})
    assert in_words(table) is table


def frame_of(index):
    x = np.random.default_rng(0).normal(size=ROWS)
    return pandas.DataFrame({"x": x, "g": ["a", "b"] * (ROWS // 2)}, index=index)


DAYS = pandas.date_range("2025-01-01", periods=ROWS)
SHUFFLED = np.random.default_rng(1).permutation(ROWS)
INDICES = {
    "shuffled": (SHUFFLED, (), 0),
    "named": (pandas.Index(SHUFFLED, name="id"), ("id",), 1),
    "range": (pandas.RangeIndex(ROWS, name="id"), (), 0),
    "days": (DAYS, (), 1),
    "named days": (DAYS.rename("when"), ("when",), 1),
    "taken": (pandas.Index(SHUFFLED, name="x"), (), 0),
    "a number": (pandas.Index(SHUFFLED, name=7), ("7",), 1),
    "two levels": (
        pandas.MultiIndex.from_arrays([SHUFFLED, DAYS], names=[None, "when"]),
        ("when",),
        1,
    ),
}


@pytest.mark.filterwarnings("ignore:The DataFrame has non-str index name")
@pytest.mark.parametrize("case", INDICES)
def test_an_index_is_a_column_if_it_has_a_name_whoever_holds_it(case, tmp_path):
    """``__index_level_0__`` was new in the file of a shuffled frame, a named index too."""
    index, more, notes = INDICES[case]
    frame = frame_of(index)
    table = read_table(frame)
    assert tuple(table.raw) == ("x", "g", *more)
    assert len(table.notes) == notes
    assert open_batches(frame).about.notes == table.notes
    for holder, other in held(frame, tmp_path).items():
        assert tuple(read_table(other).raw) == tuple(table.raw), holder
        found = open_batches(other)
        assert found.names == tuple(table.raw), holder
        pieces = open_batches(frame).pieces(), found.pieces()
        assert [next(own).column_names for own in pieces] == 2 * [list(table.raw)]
        result = compare(frame, other, rng=0, permutations=19)
        assert not result.schema_changes, holder
        assert not result.reject, holder


def test_what_became_of_an_index_is_said(tmp_path):
    named, days = frame_of(DAYS.rename("when")), frame_of(DAYS)
    assert index_notes(named) == ("its index 'when' is compared as a column",)
    assert "call reset_index()" in index_notes(days)[0]
    assert index_notes(frame_of(SHUFFLED)) == index_notes({"x": [1]}) == ()
    days.to_parquet(tmp_path / "days.parquet")
    (note,) = read_table(tmp_path / "days.parquet").notes
    assert note.startswith("column '__index_level_0__' is an index of pandas without a name")
    path = str(tmp_path / "days.parquet")
    assert not compare(path, path, ignore=["__index_level_0__"], rng=0, permutations=19).reject


def test_the_frame_itself_stays_as_it_is():
    frame = frame_of(DAYS.rename("when"))
    assert with_index(frame) is not frame
    assert list(frame.columns) == ["x", "g"]
    plain = frame_of(range(ROWS))
    assert with_index(plain) is plain
