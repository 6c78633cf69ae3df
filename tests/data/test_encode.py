import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from samelaw.data.encode import TAME, monotone, prepare
from samelaw.data.kinds import FEW_ROWS, Kind
from samelaw.data.pair import pair_tables
from samelaw.data.read import read_table

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


def test_owners_features_and_codes():
    found = prepared(mixed(50, RNG), mixed(40, RNG))
    assert [owner.name for owner in found.owners] == [
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
    assert found.features.shape == (90, len(found.feature_names))
    assert found.codes.shape == (90, 1)
    assert found.code_names == ("word",)
    assert np.isfinite(found.features).all()
    for j, owner in enumerate(found.owners):
        assert tuple(np.flatnonzero(found.feature_owner == j)) == owner.features
        assert tuple(np.flatnonzero(found.code_owner == j)) == owner.codes
    assert found.owners[-1].kind is Kind.DATETIME
    assert len(found.owners[-1].features) == 5


def test_dissimilarity_sums_what_the_coordinates_say():
    found = prepared(mixed(12, RNG), mixed(9, RNG))
    rows, others = np.array([0, 5, 20]), slice(3, 11)
    total = found.dissimilarity(rows, others)
    by_hand = np.abs(found.features[rows][:, None] - found.features[others]).sum(-1)
    by_hand += (found.codes[rows][:, None] != found.codes[others]).sum(-1)
    np.testing.assert_allclose(total, by_hand)
    parts = [found.dissimilarity(rows, others, owner=j) for j in range(len(found.owners))]
    np.testing.assert_allclose(sum(parts), total)
    np.testing.assert_allclose(np.diag(found.dissimilarity(ALL, ALL)), 0)


def test_the_coordinate_is_the_mean_of_rank_and_tamed_value():
    values = RNG.normal(3.0, 2.0, 999)
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], method="midpoint")
    scaled = (values - middle) / ((high - low) / 1.349)
    ranks = (2 * rankdata(values) - 1) / len(values) - 1
    expected = (ranks + TAME * np.arcsinh(scaled)) / 2
    np.testing.assert_allclose(monotone(values), expected, atol=1e-12)


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(size=4000),
        RNG.uniform(size=4000),
        RNG.lognormal(0, 0.5, size=4000),
        RNG.poisson(4.0, 4000).astype(float),
    ],
    ids=["normal", "uniform", "lognormal", "poisson"],
)
def test_numeric_columns_count_about_equally(values):
    z = monotone(values)
    assert np.mean(np.abs(z - RNG.permutation(z))) == pytest.approx(2 / 3, abs=0.1)


def test_time_counts_like_a_number():
    found = prepared(mixed(1500, RNG), mixed(1500, RNG))
    j = [owner.name for owner in found.owners].index("time")
    rows = found.dissimilarity(slice(0, 1500), slice(1500, None), owner=j)
    assert rows.mean() == pytest.approx(2 / 3, abs=0.1)


@pytest.mark.parametrize(
    "values",
    [
        [0.0] * 98 + [1.0, 2.0],  # IQR = 0
        [1e308, -1e308, 0.0, 1.0],
        [np.inf, -np.inf, 0.0, 1.0],
        [np.inf, np.inf, -np.inf],
        [5e-324, 0.0, 1.0],
        [1e-300, 2e-300, 3e-300],
        [2.5],
        [2.5, np.nan],
        [-np.inf, np.inf],
    ],
)
def test_awkward_numbers_stay_finite_and_in_order(values):
    values = np.array(values)
    z = monotone(values)
    assert np.isfinite(z).all()
    known = ~np.isnan(values)
    assert (z[~known] == 0).all()
    order = np.argsort(values[known], kind="stable")
    assert (np.diff(z[known][order]) >= 0).all()
    assert len(np.unique(z[known])) == len(np.unique(values[known]))


def test_missing_values_speak_once():
    a = {"x": [1.0, 2.0, 3.0, None], "c": ["u", "u", "v", None], "b": [True, True, False, None]}
    found = prepared(a, a)
    names = [owner.name for owner in found.owners]
    assert names == ["x", "x (missing)", "c", "c (missing)", "b", "b (missing)"]
    np.testing.assert_array_equal(found.codes[:4, 0], [0, 0, 1, 0])
    features = dict(zip(found.feature_names, found.features.T, strict=True))
    assert features["x"][3] == features["x"][1] == 0.0
    np.testing.assert_array_equal(features["x (missing)"][:4], [0, 0, 0, 1])
    np.testing.assert_array_equal(features["b"][:4], [1, 1, 0, 1])


@pytest.mark.parametrize(
    ("days", "minutes", "parts"),
    [
        (1, 1, ()),
        (5, 60, ("time of day",)),
        (30, 0, ("weekday",)),
        (30, 7, ("time of day", "weekday")),
    ],
)
def test_cycles_are_compared_when_they_are_spanned(days, minutes, parts):
    day, minute = np.timedelta64(1, "D"), np.timedelta64(1, "m")
    steps = np.arange(days + 1)
    times = np.datetime64("2025-03-03T00:00") + steps * day + steps * minutes * minute
    found = prepared({"t": times}, {"t": times})
    expected = [f"t ({part}), {turn}" for part in parts for turn in ("cos", "sin")]
    assert list(found.feature_names[1:]) == expected


def test_weekdays_that_are_equal_share_their_point():
    times = np.datetime64("2025-03-03") + np.arange(28)  # from a Monday on
    found = prepared({"t": times}, {"t": times})
    points = found.features[:28, 1:]
    np.testing.assert_allclose(points[:7], points[7:14], atol=1e-12)
    np.testing.assert_allclose(points[0] * 2, [0.41, 0.0], atol=1e-12)


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
    assert one.owners == other.owners
    np.testing.assert_array_equal(one.features[order], other.features)
    np.testing.assert_array_equal(one.codes[order], other.codes)


@given(st.lists(st.floats(allow_nan=True), min_size=1, max_size=40))
def test_any_numbers_give_finite_ordered_coordinates(values):
    values = np.array(values)
    if np.isnan(values).all():
        return
    z = monotone(values)
    assert np.isfinite(z).all()
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    assert (np.diff(z[known][order]) >= 0).all()
