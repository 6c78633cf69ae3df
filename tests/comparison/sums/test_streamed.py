"""Comparisons that keep no rows: the same answers, exact, within bounds of memory."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from samelaw import compare
from samelaw.comparison.plan import Stages, Streams
from samelaw.comparison.sums import large_tables, streamed
from samelaw.comparison.sums import memory_plan as stream_room
from samelaw.comparison.sums.displayed_rows import Request
from samelaw.comparison.sums.streamed import streamed_test
from samelaw.core.memory import Budget
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.testing.sketch_backend import MOST_BLOCKS, blocks_of
from streaming_tables import mixed

SIZES = (2_400, 1_800)


@pytest.fixture
def piecewise(monkeypatch):
    """Tables of any size are read piece by piece."""
    for name in ("STREAMED_ABOVE", "FEWEST", "_SMALL"):
        monkeypatch.setattr(large_tables, name, 0)


def judged(a, b, seed, permutations=99):
    return streamed_test(
        (open_batches(a), open_batches(b)),
        Request(None, (), None),
        level=0.05,
        permutations=permutations,
        streams=Streams.spawned(np.random.default_rng(seed)),
        budget=Budget(),
        stages=Stages(None),
    )


def test_row_numbers_are_not_compared(piecewise, monkeypatch):
    """Of the rows drawn they are any whole numbers, and tables of other sizes have others."""
    monkeypatch.setattr(stream_room, "DRAWN", 1_200)
    a, b = (
        mixed(rows, seed).select(["x", "flag"]).append_column("row", pa.array(np.arange(rows)))
        for seed, rows in enumerate(SIZES)
    )
    found = compare(a, b, rng=0, permutations=99)
    assert not found.reject
    assert [out.column for out in found.left_out] == ["row"]


def test_a_column_of_many_words_is_left_out_of_the_rows_shown_as_of_those_counted(
    piecewise, monkeypatch
):
    """The rows that are shown are more than those that kinds are found on, and words repeat."""
    monkeypatch.setattr(stream_room, "DRAWN", 400)
    a, b = (
        mixed(rows, seed).select(["x"]).append_column("user", pa.array(_users(rows, seed)))
        for seed, rows in enumerate(SIZES)
    )
    found = compare(a, b, rng=0, permutations=99)
    assert not found.reject
    assert [out.column for out in found.left_out] == ["user"]
    assert [one.column for one in found.marginals] == ["x"]


def _users(rows, seed):
    return [f"u{number:03d}" for number in np.random.default_rng(seed).integers(300, size=rows)]


@pytest.mark.parametrize("gaps", [False, True])
def test_dates_and_keys_that_separate_the_tables_are_set_aside(piecewise, monkeypatch, gaps):
    monkeypatch.setattr(stream_room, "DRAWN", 1_200)
    tables = []
    for seed, rows in enumerate(SIZES):
        key = seed * 10**6 + np.cumsum(np.random.default_rng(seed).integers(1, 9, rows))
        day = np.datetime64("2013-01-01", "s") + 86_400 * (181 * seed + np.arange(rows) % 31)
        gone = (np.arange(rows) % 10 == 0) & gaps
        day = pa.array(day, mask=gone)
        tables.append(mixed(rows, seed).select(["x"]).add_column(0, "day", day))
        tables[-1] = tables[-1].append_column("key", pa.array(key))
    found = compare(*tables, rng=0, permutations=99)
    assert not found.reject
    assert {one.name for one in found.marginals} == {"x"} | ({"day (missing)"} if gaps else set())
    when, counted = sorted(found.left_out, key=lambda out: out.column)
    assert when.reason.startswith("2013-01-01 to 2013-01-31 in A, 2013-07-01 to 2013-07-31 in B:")
    assert when.missingness_compared is gaps
    assert "it counts up and never repeats" in counted.reason
    told = compare(*tables, rng=0, permutations=99, kinds={"day": "datetime"})
    assert told.columns_changed[0] == "day"


def test_other_words_for_true_and_false_are_told(piecewise, tmp_path):
    for name, words, seed in (("a.csv", ("no", "yes"), 0), ("b.csv", ("NO", "YES"), 1)):
        table = mixed(SIZES[seed], seed)
        flag = pa.array([words[one] for one in table["flag"].to_pylist()])
        pc.write_csv(table.select(["x"]).append_column("flag", flag), tmp_path / name)
    found = compare(tmp_path / "a.csv", tmp_path / "b.csv", rng=0, permutations=99)
    assert "streamed" in found.method
    (change,) = found.schema_changes
    assert "read as the same: 'NO' for 'no', 'YES' for 'yes'" in change.text


def test_losses_in_brackets_are_numbers_as_in_memory(piecewise):
    """Though the rows drawn first, or a whole piece, may have none."""
    amounts = [mixed(rows, seed)["x"].to_numpy() for seed, rows in enumerate(SIZES)]
    a, b = (
        pa.table({"amount": [f"({-v:.2f})" if v < -2 else f"{v:.2f}" for v in np.sort(own)]})
        for own in amounts
    )
    found = {one.name: one for one in compare(a, b, rng=0, permutations=99).marginals}
    assert found["amount"].kind == "numeric"
    assert found.keys() == {"amount"}, "brackets are no other way of writing"
    assert found["amount"].measures[0].a == pytest.approx(np.median(amounts[0]), abs=0.02)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"together": 0.2}, {"x", "y"}),
        pytest.param({"missing": 0.15}, {"gaps"}, marks=pytest.mark.long),
    ],
)
def test_changes_are_found_and_named(piecewise, change, names):
    found = compare(mixed(SIZES[0], 0), mixed(SIZES[1], 1, **change), rng=0, permutations=199)
    assert found.pvalue <= 0.01
    assert set(found.columns_changed) == names
    assert found.sizes == SIZES
    assert "streamed: sums over" in found.method
    assert "exact p-value" in found.method


@pytest.mark.long
def test_the_answer_is_that_of_rows_in_memory(piecewise, monkeypatch):
    names = ["x", "word", "gaps"]
    a, b = mixed(SIZES[0], 0).select(names), mixed(SIZES[1], 1, shift=0.3).select(names)
    found = compare(a, b, rng=0, permutations=199)
    monkeypatch.setattr(large_tables, "STREAMED_ABOVE", 10**9)
    rows = compare(a, b, rng=0, permutations=199)
    assert "streamed" not in rows.method
    assert found.verdict == rows.verdict
    assert found.columns_changed == rows.columns_changed
    by_name = {one.name: one for one in found.marginals}
    assert set(by_name) == {one.name for one in rows.marginals}
    for one in rows.marginals:
        own = by_name[one.name]
        assert abs(own.effect - one.effect) < 0.003
        assert own.changed == one.changed
    measured = (
        by_name["x"].measures[0],
        next(o for o in rows.marginals if o.name == "x").measures[0],
    )
    assert abs(measured[0].difference - measured[1].difference) < 0.02
    widths = [one.interval[1] - one.interval[0] for one in measured]
    assert 0.8 < widths[0] / widths[1] < 1.25


@pytest.mark.long
def test_every_format_gives_the_same_numbers(piecewise, tmp_path):
    values = []
    tables = [mixed(1_000, seed).select(["x", "word", "gaps"]) for seed in (0, 1)]
    for kind in ("frame", "csv", "folder"):  # of Parquet
        sources = []
        for side, table in enumerate(tables):
            path = tmp_path / f"{side}.{kind}"
            if kind == "csv":
                pc.write_csv(table, path)
            elif kind == "folder":
                path.mkdir()
                for k in range(2):
                    piece = table.slice(k * 500, 500)
                    pq.write_table(piece, path / f"{k}.parquet", row_group_size=300)
            sources.append(table if kind == "frame" else path)
        found = judged(*sources, seed=3)
        values.append((found.steps.pvalue, float(found.steps.values[0])))
    np.testing.assert_allclose(values, [values[0]] * 3, rtol=1e-4)


def test_a_result_is_complete(piecewise):
    seen = []
    found = compare(
        mixed(SIZES[0], 0), mixed(SIZES[1], 1, shift=0.3), rng=0, permutations=99,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen == sorted(seen)
    assert {(8, 100), (90, 100), (100, 100)} <= set(seen), "progress through both passes to the end"
    assert found.rows
    assert found.rule is not None
    assert {panel.column for panel in found.panels} >= {"x", "word", "flag"}
    assert any("piece by piece" in note for note in found.notes)
    assert found.to_json()
    row = found.rows[0]
    assert row.values["x"] == repr(mixed(SIZES[1], 1, shift=0.3)["x"][row.row].as_py()), (
        "rows are numbered as in their table"
    )


def test_a_rare_word_that_no_row_drawn_has_is_no_silence(piecewise, monkeypatch):
    monkeypatch.setattr(stream_room, "DRAWN", 200)
    a = {"x": np.arange(6_000) % 10, "note": ["same"] * 6_000}
    b = {"x": np.arange(6_000) % 10, "note": ["same"] * 5_940 + ["other"] * 60}
    found = compare(pa.table(a), pa.table(b), rng=4, permutations=99)
    assert found.columns_changed == ("note",)


def _null(seed):
    a, b = mixed(1_500, 2 * seed), mixed(1_000, 2 * seed + 1)
    found = judged(a.sort_by("word"), b.sort_by("word"), seed, permutations=39)
    return found.steps.pvalue <= 0.05


@pytest.mark.heavy
def test_the_level_is_kept_on_sorted_tables_with_many_categories():
    from scipy.stats import binom

    rejected = sum(_null(seed) for seed in range(400))
    assert rejected <= binom.ppf(0.9995, 400, 0.05)


_BOUNDED = """
import resource, sys
import samelaw
resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30))
found = samelaw.compare(*sys.argv[1:], rng=0, permutations=199)
assert "streamed" in found.method, found.method
print(found.sizes)
"""


@pytest.mark.heavy
def test_memory_is_bounded_whatever_the_rows(tmp_path):
    """Three million rows a side within 1 GiB of data; in memory they take more than 4."""
    paths = [tmp_path / f"{name}.parquet" for name in "ab"]
    for seed, path in enumerate(paths):
        piece = mixed(250_000, seed)
        with pq.ParquetWriter(path, piece.schema) as writer:
            for _ in range(12):
                writer.write_table(piece)
    done = subprocess.run(
        [sys.executable, "-c", _BOUNDED, *map(str, paths)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-600:]
    assert "(3000000, 3000000)" in done.stdout


def test_the_notes_say_what_rows_beyond_the_last_block_would_add():
    """20,000 v 5,000,000 rows: 32 blocks of 625 rows, and 1,968."""
    sizes = (20_000, 5_000_000)
    block, counts = blocks_of(sizes, streamed.BLOCKS, MOST_BLOCKS)
    said = streamed._notes((50, 50), sizes, counts, block)[0]
    assert "but 3,770,000 that fill no block (the larger table has 1,968 blocks for 32" in said
    assert 0.004 < streamed._gained(sizes, counts) < 0.008
    sizes = (500_000, 600_000)
    block, counts = blocks_of(sizes, streamed.BLOCKS, MOST_BLOCKS)
    few = streamed._notes((50, 50), sizes, counts, block)
    assert "larger table" not in few[0]
