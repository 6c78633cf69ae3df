"""Pairs of columns in words: numbers, categories, and one of each."""

import re

import numpy as np

from samelaw import compare
from samelaw.comparison.pairs.words import MOST_RANKED, OTHERWISE, UNCHANGED, describe_pair
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table


def column(name, values):
    return Column(name, Kind.NUMERIC, values, np.isnan(values))


def pair_of(rng, sizes, correlations):
    x = rng.normal(size=sum(sizes))
    rho = np.repeat(correlations, sizes)
    y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=len(x))
    x[rng.random(len(x)) < 0.1] = np.nan
    return ColumnView(column("x", x)), ColumnView(column("y", y))


def told(a, b):
    """The words for the two columns of two tables."""
    pair = pair_tables(read_table(a), read_table(b))
    return describe_pair(*map(ColumnView, pair.columns), pair.sizes[0])


def test_a_correlation_that_changed_is_given_for_both_tables():
    for sizes in ((900, 700), (MOST_RANKED + 500, 300), (MOST_RANKED + 1, MOST_RANKED + 30_000)):
        pair = pair_of(np.random.default_rng(0), sizes, (0.8, -0.4))
        found = re.findall(r"[+−][0-9.]+", describe_pair(*pair, sizes[0]))
        values = [float(value.replace("−", "-")) for value in found]
        np.testing.assert_allclose(values, (0.79, -0.38), atol=0.1)


def test_another_change_of_dependence_gets_no_correlation():
    rng = np.random.default_rng(1)
    pair = pair_of(rng, (20_000, 20_000), (0.3, 0.3))
    assert describe_pair(*pair, 20_000) == ""


def test_two_categories_that_meet_oftener_are_named():
    rng = np.random.default_rng(2)
    device, region = rng.choice(["ios", "web"], (2, 1_000)), rng.choice(["n", "s"], (2, 1_000))
    region[1] = np.where(device[1] == "ios", "n", "s")
    a, b = ({"device": d, "region": r} for d, r in zip(device, region, strict=True))
    said = told(a, b)
    assert re.fullmatch(
        r"device = '(ios|web)' with region = '[ns]' [01]\.\d+ → (0|1\.9\d|2|2\.\d+) "
        "times as often as if unrelated",
        said,
    )
    assert told(a, a) == ""


def test_a_category_that_moved_among_numbers_is_named():
    rng = np.random.default_rng(3)
    device, spent = rng.choice(["ios", "web", "tv"], (2, 1_500)), rng.normal(20, 5, (2, 1_500))
    spent[1] += 6.0 * (device[1] == "tv")
    a, b = ({"device": d, "spent": s} for d, s in zip(device, spent, strict=True))
    assert told(a, b).startswith("median of spent where device = 'tv' 1")
    assert "→ 2" in told(a, b)


def test_missing_values_of_one_go_with_another():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 2, 1_000))
    y[0][rng.random(1_000) < 0.3] = np.nan
    y[1][x[1] > 0.6] = np.nan
    pair = pair_tables(*(read_table({"x": u, "y": v}) for u, v in zip(x, y, strict=True)))
    views = ColumnView(pair.columns[0]), ColumnView(pair.columns[1], missing=True)
    assert "where y (missing)" in describe_pair(*views, 1_000)


def test_hardly_any_rows_get_no_number():
    few = {"device": ["ios", "web"] * 8, "spent": np.sqrt(np.arange(16.0))}
    more = {"device": ["ios", "web"] * 8, "spent": np.sqrt(np.arange(16.0)[::-1])}
    assert told(few, more) == ""


def test_a_group_whose_own_values_stayed_is_not_the_one_that_moved():
    """Where all others rise, it falls among the ranks though nothing happened to it."""
    rng = np.random.default_rng(5)
    group, spent = (
        rng.choice(["few", "most"], (2, 1_000), p=[0.1, 0.9]),
        rng.normal(size=(2, 1_000)),
    )
    spent[1] += group[1] == "most"
    a, b = ({"group": g, "spent": s} for g, s in zip(group, spent, strict=True))
    assert told(a, b).startswith("median of spent where group = 'most'")


def test_a_spread_that_grew_names_no_group_by_its_median():
    rng = np.random.default_rng(6)
    group, spent = rng.choice(["few", "most"], (2, 800)), rng.normal(size=(2, 800))
    spent[1] *= np.where(group[1] == "few", 3.0, 1.0)
    assert told(*({"group": g, "spent": s} for g, s in zip(group, spent, strict=True))) == ""


def test_two_rare_categories_are_named_by_what_became_of_them():
    """In points of all rows the common ones moved as much, from once to 1.02 times as often."""
    rng = np.random.default_rng(7)
    device, region = rng.choice(["ios", "web"], (2, 3_000), p=[0.15, 0.85]), None
    region = rng.choice(["n", "s"], (2, 3_000), p=[0.85, 0.15])
    region[1] = np.where((device[1] == "ios") & (rng.random(3_000) < 0.4), "s", region[1])
    a, b = ({"device": d, "region": r} for d, r in zip(device, region, strict=True))
    assert told(a, b).startswith("device = 'ios' with region = 's'")


def test_pairs_that_did_not_change_are_not_said_to_depend_otherwise():
    rng = np.random.default_rng(8)
    bent, plain = (
        {"x": x, "y": x**2 + 0.3 * e, "z": z} for x, e, z in rng.normal(size=(2, 3, 400))
    )
    plain["y"] = rng.permutation(plain["y"])
    found = {p.names: p for p in compare(bent, plain, permutations=39, rng=0).pairs}
    assert found["x", "y"].changed
    assert found["x", "y"].sentence == OTHERWISE
    assert [p.sentence for p in found.values() if not p.changed] == [UNCHANGED] * 2
