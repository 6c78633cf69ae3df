import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.tables.columns.kinds import FEW_ROWS
from samelaw.tables.pairing.encode import prepare
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table

RNG = np.random.default_rng(0)


ALL = slice(None)


def prepared(a, b, **options):
    return prepare(pair_tables(read_table(a), read_table(b), **options))


def mixed(rows, rng):
    """A table with every kind of column, ties, missing values and a heavy tail."""
    times = np.datetime64("2025-03-01T00:00") + rng.integers(0, 31 * 1440, rows).astype("m8[m]")
    return {
        "number": rng.standard_cauchy(rows),
        "gaps": np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows)),
        "count": rng.poisson(0.3, rows),
        "flag": rng.random(rows) < 0.4,
        "word": rng.choice(["a", "b", "c"], rows).tolist(),
        "hole": [None if rng.random() < 0.3 else "k" for _ in range(rows)],
        "time": times,
    }


def test_views_features_and_codes():
    found = prepared(mixed(50, RNG), mixed(40, RNG))
    assert [view.name for view in found.views] == [
        "number",
        "gaps",
        "gaps (missing)",
        "count",
        "flag",
        "word",
        "hole (missing)",
        "time",
    ]
    assert found.sizes == (50, 40)
    assert found.features.shape == (90, 11)
    assert found.codes.shape == (90, 1)
    assert np.isfinite(found.features).all()
    assert [f for view in found.views for f in view.features] == list(range(11))
    assert {view.name: view.codes for view in found.views if view.codes} == {"word": (0,)}
    assert found.views[-1].column == "time"
    assert len(found.views[-1].features) == 5


def test_dissimilarity_sums_what_the_coordinates_say():
    found = prepared(mixed(12, RNG), mixed(9, RNG))
    rows, others = np.array([0, 5, 20]), slice(3, 11)
    total = found.dissimilarity(rows, others)
    by_hand = np.abs(found.features[rows][:, None] - found.features[others]).sum(-1)
    by_hand += (found.codes[rows][:, None] != found.codes[others]).sum(-1)
    np.testing.assert_allclose(total, by_hand)
    parts = [found.dissimilarity(rows, others, view=j) for j in range(len(found.views))]
    np.testing.assert_allclose(sum(parts), total)
    np.testing.assert_allclose(np.diag(found.dissimilarity(ALL, ALL)), 0)


def test_time_counts_like_a_number():
    found = prepared(mixed(1500, RNG), mixed(1500, RNG))
    j = [view.name for view in found.views].index("time")
    rows = found.dissimilarity(slice(0, 1500), slice(1500, None), view=j)
    assert rows.mean() == pytest.approx(2 / 3, abs=0.1)


def test_missing_values_speak_once():
    a = {"x": [1.0, 2.0, 3.0, None], "c": ["u", "u", "v", None], "b": [True, True, False, None]}
    found = prepared(a, a)
    names = [view.name for view in found.views]
    assert names == ["x", "x (missing)", "c", "c (missing)", "b", "b (missing)"]
    np.testing.assert_array_equal(found.codes[:4, 0], [0, 0, 1, 0])
    features = {v.name: found.features[:, v.features[0]] for v in found.views if v.features}
    assert features["x"][3] == features["x"][1] == 0.0
    np.testing.assert_array_equal(features["x (missing)"][:4], [0, 0, 0, 1])
    np.testing.assert_array_equal(features["b"][:4], [1, 1, 0, 1])


def test_scale_and_units_do_not_matter():
    a, b = RNG.normal(size=30), RNG.normal(size=20)
    one = prepared({"x": a}, {"x": b}).features
    other = prepared({"x": 7 + 1000 * a}, {"x": 7 + 1000 * b}).features
    np.testing.assert_allclose(one, other, atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(FEW_ROWS, 60), st.data())
def test_preparation_never_looks_at_the_label(seed, rows, data):
    """Dealing the rows out to two tables anew only moves the rows of the result."""
    rng = np.random.default_rng(seed)
    table = {name: np.asarray(values, dtype=object) for name, values in mixed(rows, rng).items()}
    cut = data.draw(st.integers(1, rows - 1))
    order = rng.permutation(rows)

    def deal(index):
        return (
            {name: values[index[:cut]].tolist() for name, values in table.items()},
            {name: values[index[cut:]].tolist() for name, values in table.items()},
        )

    one, other = prepared(*deal(np.arange(rows))), prepared(*deal(order))
    assert one.views == other.views
    np.testing.assert_array_equal(one.features[order], other.features)
    np.testing.assert_array_equal(one.codes[order], other.codes)
