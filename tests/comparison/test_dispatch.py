"""Which way two tables go, told by the method of the result; the same rows, the same findings."""

import json
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from optional import need
from samelaw import Groups, Reference, compare
from samelaw.comparison.sums import large_tables

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
def gathered():
    """Frames of Dask, computed in this thread."""
    dask, dataframe, pandas = need("dask"), need("dask.dataframe"), need("pandas")
    with dask.config.set(scheduler="synchronous"):
        yield lambda table: dataframe.from_pandas(pandas.DataFrame(table), npartitions=2)


@pytest.fixture
def cluster(gathered, monkeypatch):
    """The same, where none is small enough to be gathered."""
    monkeypatch.setattr("samelaw.extras.dask.compare.ROOM", 0.0)
    return gathered


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


def test_dataframes_that_fit_are_compared_as_any_table(gathered):
    """A fifth of the rows of the first one was held back, and not said to be."""
    pandas = need("pandas")
    expected = compare(pandas.DataFrame(A), pandas.DataFrame(B), **OPTIONS)
    for pair in ((gathered(A), gathered(B)), (gathered(A), B), (A, gathered(B))):
        found = compare(*pair, **OPTIONS)
        assert found.sizes == (400, 300)
        assert (found.pvalue, found.sentence) == (expected.pvalue, expected.sentence)
        assert not found.notes
    asked = {"kinds": {"x": "numeric"}, "unique": True, "columns": ["x"]}
    assert compare(gathered(A), gathered(B), **asked, **OPTIONS).columns_compared == 1


def test_a_dataframe_beside_itself_is_never_different(gathered, monkeypatch):
    frame = gathered(A)
    assert not compare(frame, frame, **OPTIONS).reject
    assert not compare(frame, A, **OPTIONS).reject
    monkeypatch.setattr("samelaw.extras.dask.compare.ROOM", 0.0)
    for pair in ((frame, frame), (frame, A), (A, frame)):
        found = compare(*pair, **OPTIONS)
        assert not found.reject
        assert "held back" in " ".join(found.notes)
        assert "is compared without them" in " ".join(found.notes)


def again():
    """Results of every way, and what they are of."""
    codes = {"g": np.arange(400) % 20}
    a, b = {**A, **codes}, {**B, "g": codes["g"][:300]}
    reference, bare = (Reference.of(a, rng=0, keep_rows=keep) for keep in (True, False))
    swapped = {"groups": Groups("g", swap=True), "ignore": ["y"]}
    return {
        "in memory": (a, b, {"kinds": {"g": "categorical"}, "same_within": 0.5}),
        "groups": (a, b, {"groups": "g"}),
        "swapped groups": (a, b, swapped),
        "thinned groups": (a, b, {"groups": Groups("g", thin=3)}),
        "target": (a, b, {"target": "y"}),
        "a sample": (a, b, {"sample": 90, "allow_schema": True}),
        "some rows": (pa.table(a), pa.table(b), {"where": "x > -1", "columns": ["y"]}),
        "a reference": (reference, b, {"min_effect": 0.1}),
        "a bare reference": (bare, b, {"level": 0.1}),
    }


@pytest.mark.parametrize("way", again())
def test_the_settings_of_a_result_ask_the_same_again(way):
    """``compare(a, b, **r.settings)`` had no idea what ``swap`` or ``seed`` are."""
    a, b, asked = again()[way]
    found = compare(a, b, **asked, permutations=19)
    plain = json.loads(found.to_json())["settings"]
    for settings in (found.settings, plain):
        assert compare(a, b, **settings).pvalue == found.pvalue
    assert compare(a, b, **settings).to_dict() == found.to_dict()


@pytest.mark.parametrize("gather", [True, False])
def test_the_settings_of_dataframes_ask_the_same_again(gathered, monkeypatch, gather):
    if not gather:
        monkeypatch.setattr("samelaw.extras.dask.compare.ROOM", 0.0)
    for pair in ((gathered(A), gathered(A)), (gathered(A), B)):
        found = compare(*pair, kinds={"x": "numeric"}, permutations=39)
        assert compare(*pair, **found.settings).pvalue == found.pvalue


def test_the_settings_of_tables_read_piece_by_piece_ask_the_same_again(monkeypatch):
    monkeypatch.setattr(large_tables, "STREAMED_ABOVE", 500)
    monkeypatch.setattr(large_tables, "FEWEST", 100)
    a, b = (pa.table(own) for own in (A, B))
    found = compare(a, b, permutations=19)
    assert "exact p-value" in found.method
    assert compare(a, b, **found.settings).pvalue == found.pvalue
