"""Which way two tables go, told by the method of the result; the same rows, the same findings."""

import numpy as np
import pyarrow as pa
import pytest

from samelaw import Reference, compare
from samelaw.streaming import large_tables

RNG = np.random.default_rng(5)
A = {"x": RNG.normal(size=400), "y": RNG.normal(size=400)}
B = {"x": RNG.normal(size=300), "y": RNG.normal(size=300) + 1.0}


def ways():
    kept, bare = Reference.of(A, rng=0), Reference.of(A, rng=0, keep_rows=False)
    return {
        "rows": ((A, B), "exact p-value"),
        "a reference with rows": ((kept, B), "exact p-value"),
        "a reference without rows": ((bare, B), "approximate p-value: the reference keeps no rows"),
        "the other side": ((B, bare), "approximate p-value: the reference keeps no rows"),
    }


@pytest.mark.parametrize("way", ways())
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
