"""Changes of dependence: blind to margins and to which table comes first, loud where they exist."""

from dataclasses import dataclass

import numpy as np
import pytest

from samelaw.comparison.pairs.cells import Cells
from samelaw.comparison.pairs.classes import classes_of
from samelaw.comparison.pairs.tests import Changes, dependence_changes
from samelaw.comparison.view_tests import ColumnTests, calm_scores
from samelaw.core.tolerances import rounding
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.units import Units


def correlated(rng, rows, rho):
    x = rng.normal(size=rows)
    return x, rho * x + np.sqrt(1 - rho**2) * rng.normal(size=rows)


def mixed(rng, rows):
    """Numbers, strongly tied numbers, words and flags that all depend on each other."""
    x, y = correlated(rng, rows, 0.7)
    return {
        "x": x,
        "y": y,
        "count": rng.poisson(np.exp(0.4 * x)),
        "word": np.array(["low", "mid", "high"])[np.digitize(y + rng.normal(size=rows), [-1, 1])],
        "flag": x + rng.normal(size=rows) > 0.5,
        "holes": np.where(rng.random(rows) < 0.15, np.nan, rng.normal(size=rows)),
    }


def views_of(a, b):
    pair = pair_tables(read_table(a), read_table(b))
    views = [ColumnView(column) for column in pair.columns]
    views += [ColumnView(column, True) for column in pair.columns if column.missing.any()]
    return [classes_of(view, pair.sizes) for view in views], pair.sizes


def members_of(units, rng, count=99):
    return np.concatenate([units.labels.observed[None], units.labels.draw(rng, count)])


def every_pair(views):
    pairs = [(i, j) for i in range(len(views)) for j in range(i)]
    return [(i, j) for i, j in pairs if views[i].view.column is not views[j].view.column]


def pvalue(a, b, seed=0, permutations=199):
    """Of the pairs of two tables together, not adjusted for anything else."""
    pair = pair_tables(read_table(a), read_table(b))
    units = Units.of_rows(pair.sizes)
    members = members_of(units, np.random.default_rng(seed), permutations)
    largest = ColumnTests(pair.columns, units, members, pair.sizes).of_pairs().max(axis=0)
    return float(np.mean(largest >= largest[0]))


def test_swapping_the_tables_changes_nothing():
    rng = np.random.default_rng(0)
    a, b = mixed(rng, 90), mixed(rng, 60)
    views, sizes = views_of(a, b)
    members = members_of(Units.of_rows(sizes), rng)
    there = dependence_changes(views, every_pair(views), Units.of_rows(sizes), members)
    views, sizes = views_of(b, a)
    swapped = np.concatenate([~members[:, 90:], ~members[:, :90]], axis=1)
    back = dependence_changes(views, every_pair(views), Units.of_rows(sizes), swapped)
    assert there.std() > 0.5
    np.testing.assert_allclose(there, back, atol=1e-3)
    ranks = [np.mean(v >= v[:, :1] - 1e-3, axis=1) for v in (there.max(1), back.max(1))]
    np.testing.assert_array_equal(*ranks)


@pytest.mark.parametrize("change", [np.exp, lambda v: v**3, lambda v: 5 + 3 * v])
def test_increasing_functions_of_a_whole_column_change_nothing(change):
    rng = np.random.default_rng(1)
    a, b = mixed(rng, 80), mixed(rng, 80)
    before, sizes = views_of(a, b)
    after, _ = views_of(a | {"x": change(a["x"])}, b | {"x": change(b["x"])})
    members = members_of(Units.of_rows(sizes), rng)
    first, second = (
        dependence_changes(views, every_pair(views), Units.of_rows(sizes), members)
        for views in (before, after)
    )
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_changes_of_a_correlation_are_in_standard_errors(rho):
    rng = np.random.default_rng(2)
    x, y = correlated(rng, 800, rho)
    views, sizes = views_of({"x": x[:400], "y": y[:400]}, {"x": x[400:], "y": y[400:]})
    units = Units.of_rows(sizes)
    changes = dependence_changes(views, [(0, 1)], units, members_of(units, rng, 999))[0, 0]
    assert np.sqrt(np.mean(changes**2)) == pytest.approx(1.0, abs=0.12)


@dataclass(frozen=True, eq=False)
class Weighted(Units):
    """Rows that count differently, as groups of unequal size may."""

    row_weights: np.ndarray = None

    def shares(self, members):
        first, second = (side * self.row_weights for side in (members, ~members))
        return first / first.sum(1, keepdims=True), second / second.sum(1, keepdims=True)


def test_weights_count_as_repeated_rows_but_teach_no_more():
    rng = np.random.default_rng(3)
    table = mixed(rng, 70)
    times = np.where(np.arange(70) < 30, 3, 1)
    repeated = np.repeat(np.arange(70), times)
    half = {k: (v[:40], v[40:]) for k, v in table.items()}
    views, sizes = views_of(*({k: v[i] for k, v in half.items()} for i in (0, 1)))
    units = Weighted(Units.of_rows(sizes).labels, np.arange(70), row_weights=times.astype(float))
    one, other = views[0], views[1]
    shares, rows = Cells(units, units.labels.observed[None]).shares(one, other)
    for side, chosen in enumerate((repeated[repeated < 40], repeated[repeated >= 40])):
        expected = np.zeros(shares.shape[:2])
        np.add.at(expected, (one.codes[chosen], other.codes[chosen]), 1 / len(chosen))
        np.testing.assert_allclose(shares[..., side], expected, atol=1e-6)
    np.testing.assert_allclose(rows, [100**2 / (30 * 9 + 10), 30], rtol=1e-5)


def test_rows_in_units_are_counted_like_single_rows():
    rng = np.random.default_rng(4)
    views, sizes = views_of(mixed(rng, 90), mixed(rng, 60))
    blocks = Units.of_blocks(Labels.of_sizes((9, 6)), np.arange(150), 10, 150)
    member = blocks.labels.draw(rng, 3)
    singly = member[:, blocks.unit]
    for i, j in every_pair(views):
        found = Cells(blocks, member).shares(views[i], views[j])
        expected = Cells(Units.of_rows(sizes), singly).shares(views[i], views[j])
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)


def test_few_weights_at_a_time_give_the_same():
    rng = np.random.default_rng(5)
    views, sizes = views_of(mixed(rng, 50), mixed(rng, 50))
    units = Units.of_rows(sizes)
    members, seen = members_of(units, rng, 20), []
    whole = dependence_changes(views, every_pair(views), units, members)
    largest = max(view.count for view in views)
    parts = dependence_changes(
        views,
        every_pair(views),
        units,
        members,
        lambda *p: seen.append(p),
        held=8 * (8.0 * 100 + 64.0 * largest**2),
    )
    np.testing.assert_allclose(whole, parts, atol=1e-3)
    assert seen[-1][0] == seen[-1][1] == 3 * len(every_pair(views))


def test_what_one_table_lacks_is_undefined_there_and_no_change():
    rng = np.random.default_rng(6)
    a, b = mixed(rng, 120), mixed(rng, 120)
    b["x"], b["flag"] = np.full(120, np.nan), np.ones(120, dtype=bool)
    views, sizes = views_of(a, b)
    units = Units.of_rows(sizes)
    found = dependence_changes(views, every_pair(views), units, members_of(units, rng))
    lacking = ("x", "flag")
    for (i, j), values in zip(every_pair(views), found, strict=True):
        missing = views[i].view.column.name in lacking or views[j].view.column.name in lacking
        assert (values[:, 0] == 0).all() == missing
        assert np.isfinite(values).all()


def test_a_column_that_determines_another_leaves_no_rounding_to_be_found():
    rng = np.random.default_rng(7)
    x = rng.normal(size=300)
    a, b = ({"x": v, "y": 2 * v + 1, "z": v**3} for v in (x[:170], x[170:]))
    views, sizes = views_of(a, b)
    units = Units.of_rows(sizes)
    found = dependence_changes(views, every_pair(views), units, members_of(units, rng))
    assert not found[:, 0].any()  # a correlation of 1 is 1 under every permutation
    assert not calm_scores(found[0, 0], rounding(np.float32)).any()


def rising(rng, rows, rho):
    x, y = correlated(rng, rows, rho)
    return {"x": x, "y": y}


def bent(rng, rows, share):
    x = rng.normal(size=rows)
    return {"x": x, "y": share * x**2 + rng.normal(size=rows)}


def by_category(rng, rows, shift):
    code = rng.choice(3, rows, p=[0.5, 0.3, 0.2])
    return {"x": np.array(["a", "b", "c"])[code], "y": rng.normal(size=rows) + shift * (code == 1)}


def two_categories(rng, rows, tie):
    code, free = rng.choice(3, (2, rows), p=[0.5, 0.3, 0.2])
    other = np.where(rng.random(rows) < tie, code, free)
    return {"x": np.array(["a", "b", "c"])[code], "y": np.array(["d", "e", "f"])[other]}


CHANGES = [
    (rising, 0.0, 0.35),
    (rising, 0.9, 0.75),
    (rising, 0.3, -0.1),
    (bent, 0.0, 0.5),
    (by_category, 0.0, 0.8),
    (by_category, 2.0, 1.0),
    (two_categories, 0.0, 0.4),
    (two_categories, 1.0, 0.8),
]


@pytest.mark.parametrize(("make", "before", "after"), CHANGES)
def test_changes_of_dependence_are_found_though_margins_move_too(make, before, after):
    rng = np.random.default_rng(8)
    found = 0
    for seed in range(5):
        a, b = make(rng, 400, before), make(rng, 350, after)
        if a["y"].dtype.kind == "f":
            b["y"] = np.exp(b["y"] + 0.5)
        found += pvalue(a, b, seed) <= 0.05
    assert found >= 4


@pytest.mark.parametrize("noise", [0.1, 0.03, 0.01])
def test_the_strongest_dependence_that_is_lost_is_found(noise):
    """Correlations of .995 and more had an error as large as any change."""
    rng = np.random.default_rng(9)
    x, u = rng.normal(size=(2, 300))
    y, v = x + noise * rng.normal(size=300), u + noise * rng.normal(size=300)
    assert pvalue({"x": x, "y": y}, {"x": u, "y": rng.permutation(v)}, permutations=99) == 0.01


class Drawn:
    """Cells of so many pairs of tables at once, whose numbers fall into equally likely classes."""

    def __init__(self, rng, rows, shares, draws=4_000):
        sides = []
        for count, law in zip(rows, shares, strict=True):
            cells = np.outer(np.full(12, 1 / 12), law).ravel()
            sides.append(rng.multinomial(count, cells, draws).T.reshape(12, len(law), draws))
        self.counts = np.concatenate(sides, axis=2).astype(np.float32)

    def shares(self, one, other):
        rows = self.counts.sum(axis=(0, 1))
        return self.counts / rows, rows


class View:
    """Classes, of which only these are asked."""

    whole = False

    def __init__(self, ordered):
        self.ordered = ordered


RARE = [
    (200, ((0.6, 0.35, 0.05), (0.05, 0.35, 0.6))),
    (200, ((0.9, 0.1), (0.1, 0.9))),
    (100, ((0.9, 0.1), (0.1, 0.9))),
]


@pytest.mark.parametrize(("rows", "shares"), RARE)
def test_a_category_rare_in_one_table_is_no_further_off_than_a_common_one(rows, shares):
    """Pairs of independent columns, of which only the shares moved, were named in 15 % of runs."""
    rng = np.random.default_rng(10)
    even = np.mean(shares, axis=0)
    moved, alike = (
        Changes(Drawn(rng, (rows, rows), laws)).of(View(True), View(False))[1]
        for laws in (shares, (even, even))
    )
    ends = np.quantile(alike, [0.95, 0.99])
    assert np.mean(moved > ends[0]) < 0.09  # .11 to .18 before
    assert np.mean(moved > ends[1]) < 0.03  # .04 to .10 before


def test_clipped_values_do_not_bend_a_strong_dependence():
    """A tenth at the lower end made a correlation of .95 look bent, in 20 of 25 pairs of tables."""
    found = 0
    for seed in range(3):
        rng = np.random.default_rng([seed, 11])
        a, b = rising(rng, 1_500, 0.95), rising(rng, 1_500, 0.95)
        b["x"] = np.maximum(b["x"], np.quantile(b["x"], 0.12))
        found += pvalue(a, b, seed, permutations=39) <= 0.05
    assert found == 0
