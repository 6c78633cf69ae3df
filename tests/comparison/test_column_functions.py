"""Functions of columns and pairs: centred, blind to labels, and right about what changed."""

import numpy as np
import pytest

from samelaw.comparison.column_functions import MOST_CATEGORIES, ColumnStatistics, aspects_of
from samelaw.data.pair import pair_tables
from samelaw.data.read import read_table
from samelaw.twosample.units import Units


def table(rng, rows, rho=0.0):
    x = rng.normal(size=rows)
    y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=rows)
    day = 1_700_000_000 + rng.integers(0, 40 * 86_400, rows)
    holes = np.where(rng.random(rows) < 0.2, np.nan, rng.exponential(size=rows))
    return {
        "x": x,
        "y": y,
        "holes": holes,
        "count": rng.poisson(2, rows),
        "word": rng.choice(["red", "green", "blue", "grey"], rows, p=[0.5, 0.3, 0.15, 0.05]),
        "flag": rng.random(rows) < 0.3,
        "when": np.array([np.datetime64(int(s), "s") for s in day]),
    }


def pooled(a, b):
    return pair_tables(read_table(a), read_table(b))


def statistics(pair, seed=0, permutations=99):
    rng = np.random.default_rng(seed)
    units = Units.of_rows(pair.sizes)
    members = np.concatenate([units.labels.observed[None], units.labels.draw(rng, permutations)])
    return ColumnStatistics(pair.columns, units, members, pair.sizes)


def test_functions_are_centred_and_missing_values_count_as_nothing():
    rng = np.random.default_rng(0)
    for column in pooled(table(rng, 150), table(rng, 100)).columns:
        for aspect in aspects_of(column):
            functions = aspect.functions.astype(np.float64)
            np.testing.assert_allclose(functions.mean(axis=0), 0, atol=1e-5)
            known = functions if aspect.missing else functions[~column.missing]
            np.testing.assert_allclose(known.std(axis=0), 1, atol=1e-4)
            if not aspect.missing:
                assert not functions[column.missing].any()
            assert aspect.forms.shape[1] == functions.shape[1]
            assert (aspect.forms >= 0).all()


def test_every_column_and_its_holes_are_looked_at():
    rng = np.random.default_rng(1)
    found = statistics(pooled(table(rng, 80), table(rng, 60)))
    names = [(column.name, missing) for column, missing in found.names]
    assert ("holes", True) in names
    assert len(names) == 8
    assert found.alone.shape == (8, 100)
    assert not any(found.names[i][0] is found.names[j][0] for i, j in found.pairs)
    assert found.of_pairs().shape == (len(found.pairs), 100)


def test_functions_do_not_know_which_table_a_row_is_of():
    rng = np.random.default_rng(2)
    a, b = table(rng, 90), table(rng, 70)
    whole = {k: np.concatenate([np.asarray(a[k]), np.asarray(b[k])]) for k in a}
    mixed = rng.permutation(160)
    c = {k: v[mixed[:90]] for k, v in whole.items()}
    d = {k: v[mixed[90:]] for k, v in whole.items()}
    for one, other in zip(pooled(a, b).columns, pooled(c, d).columns, strict=True):
        for first, second in zip(aspects_of(one), aspects_of(other), strict=True):
            np.testing.assert_allclose(first.functions[mixed], second.functions, atol=1e-5)


CHANGES = {
    "x": lambda t, rng: t | {"x": t["x"] + 0.8},
    "y": lambda t, rng: t | {"y": t["y"] * 1.8},
    "holes": lambda t, rng: t | {"holes": t["holes"] ** 2},
    "count": lambda t, rng: t | {"count": t["count"] + 1},
    "word": lambda t, rng: t | {"word": rng.choice(["red", "green", "new"], len(t["x"]))},
    "flag": lambda t, rng: t | {"flag": rng.random(len(t["x"])) < 0.6},
    "when": lambda t, rng: t | {"when": t["when"] + np.timedelta64(30, "D")},
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_changed_column_speaks_loudest(name):
    rng = np.random.default_rng(3)
    found = statistics(pooled(table(rng, 200), CHANGES[name](table(rng, 200), rng)))
    loudest = found.names[int(np.argmax(found.alone[:, 0]))]
    assert loudest[0].name == name
    assert found.alone[:, 0].max() > found.alone[:, 1:].max()


def test_an_hour_of_the_day_is_seen_though_dates_are_spread_alike():
    rng = np.random.default_rng(4)
    a, b = table(rng, 300), table(rng, 300)
    morning = (b["when"].astype("datetime64[D]") + np.timedelta64(9, "h")).astype("datetime64[s]")
    b["when"] = morning + rng.integers(0, 7_200, 300).astype("timedelta64[s]")
    found = statistics(pooled(a, b))
    place = [c.name for c, _ in found.names].index("when")
    assert found.alone[place, 0] > found.alone[place, 1:].max() + 1


def test_dependence_alone_is_found_in_its_pair_only():
    rng = np.random.default_rng(5)
    found = statistics(pooled(table(rng, 400, rho=0.7), table(rng, 400)))
    values = found.of_pairs()
    i, j = found.pairs[int(np.argmax(values[:, 0]))]
    assert {found.names[i][0].name, found.names[j][0].name} == {"x", "y"}
    assert values[:, 0].max() > values[:, 1:].max()
    assert found.alone[:, 0].max() < found.alone[:, 1:].max()


def test_a_shift_that_a_correlated_column_follows_is_no_change_of_dependence():
    """Both columns move by the mechanism that ties them: E[xy] changes, the tie does not."""
    rng = np.random.default_rng(6)
    loud = []
    for _ in range(20):
        a, b = ({"x": rng.normal(shift, 1, 300)} for shift in (0.0, 0.8))
        for side in (a, b):
            side["y"] = 0.9 * side["x"] + 0.4 * rng.normal(size=300)
        values = statistics(pooled(a, b)).of_pairs()
        loud.append(np.mean(values[0] >= values[0, 0]) <= 0.05)
    assert np.mean(loud) <= 0.35  # without the regression it is 1


def test_many_categories_share_the_last_indicator():
    rng = np.random.default_rng(7)
    words = np.array([f"w{i}" for i in range(90)])
    sides = [{"word": rng.choice(words, 2_000), "x": rng.normal(size=2_000)} for _ in range(2)]
    aspect = aspects_of(pooled(*sides).columns[0])[0]
    assert aspect.functions.shape == (4_000, MOST_CATEGORIES)
    np.testing.assert_array_equal((aspect.functions > 0).sum(axis=1), 1)  # none is left out


def alone_pvalue(a, b):
    """Of one column, not adjusted for anything."""
    (values,) = statistics(pooled({"c": a}, {"c": b}), permutations=999).alone
    return float(np.mean(values >= values[0]))


def test_a_new_category_does_not_drown_among_many_old_ones():
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(20)])
    a, b = rng.choice(words, size=500), rng.choice(words, size=400)
    assert alone_pvalue(a, b) > 0.05
    b[:11] = "new"  # Fisher's exact test: p = 1e-4
    assert alone_pvalue(a, b) <= 0.01  # with the χ² of all alone it is .13


def test_a_slight_move_of_all_categories_is_seen_together():
    rng = np.random.default_rng(3)
    shares = np.linspace(0.5, 1.5, 12)
    words = np.array([f"w{i}" for i in range(12)])
    a = rng.choice(words, size=600, p=shares / shares.sum())
    b = rng.choice(words, size=600, p=shares[::-1] / shares.sum())
    assert alone_pvalue(a, b) <= 0.002


def test_a_few_rows_far_out_are_enough():
    rng = np.random.default_rng(8)
    found = []
    for _ in range(10):
        a, b = rng.normal(size=300), rng.normal(size=300)
        b[:12] += 6
        found.append(alone_pvalue(a, b) <= 0.01)
    assert sum(found) >= 9  # one of them without the indicators of the ends


def test_ties_at_an_end_leave_no_indicator_there():
    rng = np.random.default_rng(9)
    sides = [{"c": rng.integers(0, 3, 200).astype(float)} for _ in range(2)]
    (aspect,) = aspects_of(pooled(*sides).columns[0])
    assert aspect.functions.shape[1] == aspect.forms.shape[1] == 16
