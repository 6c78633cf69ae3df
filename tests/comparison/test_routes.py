"""Which way two tables go, told by the method of the result; the same rows, the same findings."""

from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from optional import need
from samelaw import Reference, compare
from samelaw.streaming import large_tables

RNG = np.random.default_rng(5)
A = {"x": RNG.normal(size=400), "y": RNG.normal(size=400)}
B = {"x": RNG.normal(size=300), "y": RNG.normal(size=300) + 1.0}


@cache
def ways():
    kept, bare = Reference.of(A, rng=0), Reference.of(A, rng=0, keep_rows=False)
    return {
        "rows": ((A, B), "exact p-value"),
        "a reference with rows": ((kept, B), "exact p-value"),
        "a reference without rows": ((bare, B), "approximate p-value: the reference keeps no rows"),
        "the other side": ((B, bare), "approximate p-value: the reference keeps no rows"),
    }


@pytest.mark.parametrize(
    "way", ["rows", "a reference with rows", "a reference without rows", "the other side"]
)
def test_every_way_finds_the_column_that_moved(way):
    tables, said = ways()[way]
    found = compare(*tables, rng=0, permutations=199)
    assert found.columns_changed == ("y",)
    assert said in found.method


def test_frames_that_are_large_go_piece_by_piece(monkeypatch):
    for name in ("STREAMED_ABOVE", "FEWEST", "_SMALL"):
        monkeypatch.setattr(large_tables, name, 0)
    found = compare(pa.table(A), pa.table(B), rng=0, permutations=199)
    assert found.columns_changed == ("y",)
    assert "streamed" in found.method


def test_rows_of_a_reference_are_not_shown():
    found = compare(Reference.of(A, rng=0), B, rng=0, permutations=199)
    assert found.rows
    assert {row.table for row in found.rows} == {"B"}


def test_sums_cannot_show_sameness():
    with pytest.raises(ValueError, match=r"same_within .--same-within. cannot be answered"):
        compare(Reference.of(A, rng=0, keep_rows=False), B, same_within=0.1)


def test_a_condition_is_refused_where_it_would_be_passed_over():
    with pytest.raises(ValueError, match=r"where .* cannot be applied to a reference"):
        compare(Reference.of(A, rng=0), B, where="x > 0")


def test_a_table_of_a_database_is_compared_with_a_reference(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "shop.db") as database:
        database.execute("CREATE TABLE b (x REAL, y REAL)")
        rows = zip(B["x"].tolist(), B["y"].tolist(), strict=True)
        database.executemany("INSERT INTO b VALUES (?, ?)", rows)
    database.close()
    address = f"sqlite:///{tmp_path / 'shop.db'}?table=b"
    found = compare(Reference.of(A, rng=0), address, rng=0, permutations=199)
    assert found.columns_changed == ("y",)


@pytest.fixture
def cluster():
    """Frames of Dask, computed in this thread."""
    dask, dataframe, pandas = need("dask"), need("dask.dataframe"), need("pandas")
    with dask.config.set(scheduler="synchronous"):
        yield lambda table: dataframe.from_pandas(pandas.DataFrame(table), npartitions=2)


OPTIONS = {"rng": 0, "permutations": 99}


@pytest.mark.parametrize("allow_schema", [False, pytest.param(True, marks=pytest.mark.long)])
def test_columns_of_one_dataframe_are_differences_as_in_memory(cluster, allow_schema):
    rng = np.random.default_rng(1)  # a table beside a copy of itself is no independent one
    more = {name: rng.normal(size=300) for name in (*A, "new")}
    for a, b in ((A, more), (more, A)) if allow_schema else ((A, more),):
        expected = compare(a, b, allow_schema=allow_schema, **OPTIONS)
        found = compare(cluster(a), cluster(b), allow_schema=allow_schema, **OPTIONS)
        assert found.schema_changes == expected.schema_changes
        assert (found.verdict, found.reject) == (expected.verdict, expected.reject)
        assert found.sentence == expected.sentence


def test_two_dataframes_say_what_was_asked(cluster):
    asked = {"columns": ["y", "x"], "ignore": ["x"], "kinds": {"y": "numeric"}}
    found = compare(cluster(A), cluster(B), **asked, **OPTIONS)
    assert {name: found.settings[name] for name in asked} == asked
    assert found.columns_changed == ("y",)
    assert found.settings["level"] == 0.05
    assert found.rows == ()
    one = compare(cluster(A), B, **asked, **OPTIONS)
    assert {name: one.settings[name] for name in asked} == asked


def test_both_tests_of_two_dataframes_take_the_permutations_asked_for(cluster):
    found = compare(cluster(A), cluster(B), **OPTIONS)
    assert found.pvalue == pytest.approx(0.02)  # twice the least of 99
    assert "the least that" not in str(found)
    with pytest.raises(ValueError, match="at half the level: 19 permutations"):
        compare(cluster(A), cluster(B), permutations=19)


def test_a_reference_beside_a_dataframe_has_its_kinds(cluster):
    with pytest.raises(ValueError, match="there is no kinds"):
        compare(Reference.of(A, rng=0), cluster(B), kinds={"x": "categorical"})


def test_a_column_of_the_dataframe_alone_may_be_ignored(cluster):
    more = {**A, "new": A["x"]}
    for a, b in ((cluster(more), B), (B, cluster(more))):
        found = compare(a, b, ignore=["new"], **OPTIONS)
        assert found.schema_changes == ()
        assert found.columns_changed == ("y",)
    with pytest.raises(ValueError, match="'nope' is not in either table"):
        compare(cluster(more), B, ignore=["nope"], **OPTIONS)
