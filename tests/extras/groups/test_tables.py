"""Groups of tables that are read piece by piece."""

import numpy as np
import pytest

from many_groups import FEW
from optional import need
from samelaw.extras.groups import control_tests, sketch_groups

ROWS = 600


def table(sort=False):
    pa = need("pyarrow")
    rng = np.random.default_rng(0)
    shops = rng.permutation(np.array(["a", "b", "c"]).repeat(200))
    if sort:
        shops = np.sort(shops)
    values = rng.normal(size=(ROWS, 2)) + (shops == "b")[:, None]
    return pa.table({"shop": shops, "price": values[:, 0], "size": values[:, 1]})


@pytest.mark.parametrize("sort", [False, True])
def test_a_file_gives_the_sketches_of_its_rows(tmp_path, sort):
    path = tmp_path / "sales.parquet"
    need("pyarrow.parquet").write_table(table(sort), path, row_group_size=100)
    found = sketch_groups(path, "shop", control="a", rng=0)
    assert dict(zip(found.names, found.counts, strict=True)) == {"a": 200, "b": 200, "c": 200}
    tested = control_tests(found, strategy=FEW, rng=0)
    assert dict(zip(tested.names, tested.reject, strict=True)) == {"b": True, "c": False}


def test_rows_that_scales_come_from_are_drawn_from_the_whole_table():
    found = sketch_groups(table(sort=True), "shop", rng=0)
    assert len(found.plan.pool) == ROWS  # at most 2,000


def test_columns_and_rows_are_chosen():
    need("duckdb")
    found = sketch_groups(table(), "shop", columns=["price"], where="shop <> 'c'", rng=0)
    assert found.plan.columns == 1
    assert sorted(found.names) == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.set_column(1, "price", [[None] + [1.0] * 599]), "'price' .* missing values"),
        (lambda t: t.set_column(1, "price", [["x"] * 600]), "'price' .* holds no numbers"),
        (lambda t: t.set_column(0, "shop", [[None] + ["a"] * 599]), "1 rows .* have no 'shop'"),
        (lambda t: t.drop_columns(["shop"]), "no column 'shop'"),
        (lambda t: 5, "cannot be read piece by piece"),
    ],
)
def test_what_is_wrong_is_named(change, words):
    with pytest.raises((TypeError, ValueError), match=words):
        sketch_groups(change(table()), "shop", rng=0)
