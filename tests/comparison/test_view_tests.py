"""Statistics of columns and pairs under permutations: right about what changed."""

import numpy as np
import pytest

from mixed_tables import pooled, table
from samelaw.comparison.view_tests import ColumnTests
from samelaw.testing.permuting.units import Units


def statistics(pair, seed=0, permutations=99):
    rng = np.random.default_rng(seed)
    units = Units.of_rows(pair.sizes)
    memberships = np.concatenate(
        [units.labels.observed[None], units.labels.draw(rng, permutations)]
    )
    return ColumnTests(pair.columns, units, memberships, pair.sizes)


def test_every_column_and_its_holes_are_looked_at():
    rng = np.random.default_rng(1)
    found = statistics(pooled(table(rng, 80), table(rng, 60)))
    names = [view.name for view in found.views]
    assert "holes (missing)" in names
    assert {"when", "when (hour of day)", "when (day of week)"} < set(names)
    assert len(names) == 10
    assert found.alone.shape == (10, 100)
    assert not any(found.views[i].column is found.views[j].column for i, j in found.pairs)
    assert found.of_pairs().shape == (len(found.pairs), 100)


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
def test_the_changed_column_is_the_largest(name):
    rng = np.random.default_rng(3)
    found = statistics(pooled(table(rng, 200), CHANGES[name](table(rng, 200), rng)))
    largest = found.views[int(np.argmax(found.alone[:, 0]))]
    assert largest.column.name == name
    assert found.alone[:, 0].max() > found.alone[:, 1:].max()


def test_an_hour_of_the_day_is_seen_though_dates_are_spread_alike():
    rng = np.random.default_rng(4)
    a, b = table(rng, 300), table(rng, 300)
    morning = (b["when"].astype("datetime64[D]") + np.timedelta64(9, "h")).astype("datetime64[s]")
    b["when"] = morning + rng.integers(0, 7_200, 300).astype("timedelta64[s]")
    found = statistics(pooled(a, b))
    names = [view.name for view in found.views]
    hour, whole = names.index("when (hour of day)"), names.index("when")
    assert found.alone[hour, 0] > found.alone[hour, 1:].max() + 1
    assert found.alone[whole, 0] < found.alone[whole, 1:].max()


def test_dependence_alone_is_found_in_its_pair_only():
    rng = np.random.default_rng(5)
    found = statistics(pooled(table(rng, 400, rho=0.7), table(rng, 400)))
    values = found.of_pairs()
    i, j = found.pairs[int(np.argmax(values[:, 0]))]
    assert {found.views[i].name, found.views[j].name} == {"x", "y"}
    assert values[:, 0].max() > values[:, 1:].max()
    assert found.alone[:, 0].max() < found.alone[:, 1:].max()


def test_a_shift_that_a_correlated_column_follows_is_no_change_of_dependence():
    """Both columns move by the mechanism that ties them: E[xy] changes, the tie does not."""
    rng = np.random.default_rng(6)
    hits = []
    for _ in range(20):
        a, b = ({"x": rng.normal(shift, 1, 300)} for shift in (0.0, 0.8))
        for side in (a, b):
            side["y"] = 0.9 * side["x"] + 0.4 * rng.normal(size=300)
        values = statistics(pooled(a, b)).of_pairs()
        hits.append(np.mean(values[0] >= values[0, 0]) <= 0.05)
    assert np.mean(hits) <= 0.35  # without the regression it is 1


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


def test_what_a_column_shows_does_not_depend_on_the_permutations_drawn():
    """Scaled by the values of 99 permutations it moved by up to .6 between seeds."""
    rng = np.random.default_rng(9)
    pair = pooled(table(rng, 150), table(rng, 130))
    first, second = (statistics(pair, seed).alone[:, 0] for seed in (1, 2))
    np.testing.assert_array_equal(first, second)


def test_pairs_of_one_kind_share_their_scale_when_permutations_are_few():
    rng = np.random.default_rng(10)
    pair = pooled(*({f"x{i}": rng.normal(size=80) for i in range(6)} for _ in range(2)))
    observed = np.array([statistics(pair, seed).of_pairs()[:, 0] for seed in range(6)])
    assert observed.std(axis=0).max() < 0.12  # .26 by the moments of each pair alone


def test_one_odd_value_among_missing_ones_does_not_drown_other_columns():
    # 100 of 500 flags are known in each table, and one of the 200 is true: in either of two equal
    # tables it says the same, so that its moments have no spread, but permuted tables know more
    # or fewer flags.
    rng = np.random.default_rng(5)
    flags = np.full(500, None)
    flags[:100] = False
    a = {"flag": flags, "x": rng.normal(size=500)}
    b = {"flag": flags.copy(), "x": rng.normal(size=500) + 0.5}
    b["flag"][0] = True
    found = statistics(pooled(a, b))
    assert found.alone.max() < 20.0  # normal scores; they were hundreds
    x = [view.name for view in found.views].index("x")
    assert found.alone[x, 0] > found.alone[:, 1:].max()


@pytest.mark.parametrize("known", [15, 18, 20])
def test_a_column_with_few_known_values_is_found_by_them(known):
    rng = np.random.default_rng(known)
    x = np.full((2, 500), np.nan)
    x[:, :known] = rng.normal(np.array([[0.0], [3.0]]), size=(2, known))
    found = statistics(pooled(*({"x": own, "y": rng.normal(size=500)} for own in x)))
    values = found.alone[[view.name for view in found.views].index("x")]
    assert values[0] > values[1:].max()
