"""Whatever a test chooses on the pool must not change when rows change sides.

With few rows all permutations are enumerated. Kernels, bandwidths, frequencies, ranks, categories,
scales and moments are then chosen on the pool alone exactly if the values over all permutations
are the same set whichever of them is called the observed one.
"""

from itertools import combinations

import numpy as np
import pytest

import samelaw
from samelaw import (
    Aggregate,
    Exact,
    FourierEstimator,
    Fuse,
    Gaussian,
    GramEstimator,
    Laplace,
    Permutation,
    PowerSeries,
    SecondOrder,
    Split,
    compare,
    two_sample_test,
)
from samelaw.comparison.columns.functions import functions_of
from samelaw.comparison.constants import MOST_CATEGORIES
from samelaw.comparison.effects.operators import class_operators, coarse_codes
from samelaw.comparison.pairs.classes import classes_of
from samelaw.core.registry import members
from samelaw.kernels import KernelCollection, Product
from samelaw.tables.categories import MOST_CODES
from samelaw.tables.columns.views import compared_views
from samelaw.tables.pairing.encode import prepare
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table
from samelaw.testing import KernelGroup, MeanDiscrepancy
from samelaw.testing.permuting.units import Units

for _name in ("Aggregate", "Fuse", "Permutation", "Split"):
    getattr(samelaw, _name)  # loading the modules fills the registry

FORMS = {
    "Fuse, entropies": lambda: Fuse([KernelGroup(entropies=(1, 4, 30))]),
    "Fuse, kernels": lambda: Fuse(
        [KernelGroup([Gaussian(0.5), Laplace(2.0)], (1, 10))], weights=(1.0, 0.5)
    ),
    "Fuse, groups of kernels": lambda: Fuse(
        [
            KernelGroup(KernelCollection((Laplace,)), (1,), penalty=0.2),
            KernelGroup([Gaussian(1.0)], (np.inf,)),
        ]
    ),
    "Fuse, exact": lambda: Fuse(
        [KernelGroup(KernelCollection((Gaussian,)), (4,))], statistic=Exact()
    ),
    "Fuse, unbiased": lambda: Fuse(
        [KernelGroup(entropies=(4,))], statistic=SecondOrder(unbiased=True)
    ),
    "Fuse, mean discrepancy": lambda: Fuse(
        [KernelGroup(entropies=(1,))], statistic=MeanDiscrepancy()
    ),
    "Fuse.rjsd": Fuse.rjsd,
    "Fuse.mmd": Fuse.mmd,
    "Aggregate.mmd": Aggregate.mmd,
    "Permutation, order 1": lambda: Permutation(GramEstimator(entropy=PowerSeries(1))),
    "Permutation, features": lambda: Permutation(FourierEstimator(frequencies=8)),
}
ON_LABELS = {"Split"}  # learns on labelled rows and tests on the others: see below
PERMUTED = {**members("strategy"), **FORMS}


def pool(seed=0, n=4, m=3):
    """Two groups that differ in place, scale and spread: choices on one of them would show."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.standard_normal((n, 2)), 3 + 5 * rng.standard_normal((m, 2))])


def dealt(rows, first):
    """The rows of ``first`` and the others, in the order of the pool."""
    chosen = np.isin(np.arange(len(rows)), first)
    return rows[chosen], rows[~chosen]


def all_values(strategy, x, y):
    found = two_sample_test(x, y, strategy=strategy, permutations=99, level=0.1, rng=0)
    assert "all permutations" in found.calibration
    return found.statistic, np.array([found.statistic, *found.null_distribution])


@pytest.mark.parametrize("name", sorted(set(PERMUTED) - ON_LABELS))
def test_the_values_over_all_permutations_do_not_depend_on_the_observed_one(name):
    rows, strategy = pool(), PERMUTED[name]()
    _, expected = all_values(strategy, rows[:4], rows[4:])
    assert len(expected) == 35
    for first in list(combinations(range(7), 4))[::12]:
        observed, values = all_values(strategy, *dealt(rows, first))
        np.testing.assert_allclose(np.sort(values), np.sort(expected), rtol=1e-4, atol=1e-5)
        assert np.abs(expected - observed).min() < 1e-4 * max(1.0, abs(observed))


def test_layers_too():
    rows, other = pool(), pool(seed=1)
    kernel = Product((Gaussian(1.0), Laplace(3.0)))
    strategy = Fuse([KernelGroup([kernel], (1, 10))])
    _, expected = all_values(strategy, (rows[:4], other[:4]), (rows[4:], other[4:]))
    for first in list(combinations(range(7), 4))[::5]:
        (x, y), (u, v) = dealt(rows, first), dealt(other, first)
        _, values = all_values(strategy, (x, u), (y, v))
        np.testing.assert_allclose(np.sort(values), np.sort(expected), rtol=1e-4, atol=1e-5)


def test_the_default_kernel_of_many_rows_does_not_depend_on_their_order():
    """Beyond 2,000 rows only some are looked at: not those that happen to come first."""
    rows = np.concatenate([pool(n=2_100, m=1)[:-1], 1 + 9 * pool(seed=1, n=2_100, m=1)[:-1]])
    order = np.random.default_rng(0).permutation(len(rows))
    here, there = (FourierEstimator(frequencies=2).feature_map(z) for z in (rows, rows[order]))
    np.testing.assert_allclose(here.frequencies, there.frequencies, rtol=1e-9)


@pytest.mark.parametrize(
    "strategy",
    [
        Split(iterations=5),
        *(
            pytest.param(one, marks=pytest.mark.long)
            for one in (Split(dimensions=1, iterations=5), Split.mmd())
        ),
    ],
    ids=["any", "one dimension", "mmd"],
)
def test_rows_held_out_have_no_say_in_what_is_learnt(strategy):
    """Which rows are held out shows in what moves the bandwidth; those may then be permuted."""
    rows = pool(n=10, m=10)

    def learnt(rows):
        found = two_sample_test(rows[:10], rows[10:], strategy=strategy, permutations=19, rng=4)
        return np.asarray(found.settings["inverse_bandwidth"]), found.statistic

    expected, statistic = learnt(rows)
    held = []
    for row in range(20):
        moved = rows.copy()
        moved[row] += [7.0, -9.0]
        held += [row] if np.array_equal(learnt(moved)[0], expected) else []
    assert len(held) == 10
    again = rows.copy()
    again[held] = rows[np.roll(held, 3)]
    found, other = learnt(again)
    np.testing.assert_array_equal(found, expected)
    assert other != statistic


def table(rng, rows):
    """Every kind of column; more categories than are looked at one by one, many of them tied."""
    number = rng.normal(size=rows)
    word = [f"w{i}" for i in rng.permutation(np.arange(rows) * 44 // rows)]
    day = 1.7e9 + rng.integers(0, 40 * 86_400, rows)
    return {
        "number": np.where(rng.random(rows) < 0.2, np.nan, number),
        "outlying": np.exp(3 * number),
        "count": rng.poisson(2, rows),
        "word": np.array(word, dtype=object),
        "colour": rng.choice(np.array(list("abcde"), dtype=object), rows),
        "flag": rng.random(rows) < 0.3,
        "when": day.astype("datetime64[s]"),
        "price": np.array([strayed(v, i) for i, v in enumerate(number)], dtype=object),
        "note": np.array([noted(v, i) for i, v in enumerate(number)], dtype=object),
        "key": np.array([keyed(v, i) for i, v in enumerate(number)], dtype=object),
    }


def strayed(value, place):
    """A number, some with a sign, some words, some nothing."""
    return {0: "oops", 1: "-", 2: f"${value:.2f}", 3: ""}.get(place % 12, f"{value:.2f}")


def noted(value, place):
    """A sentence of its own that says whether a value is high."""
    return f"row {place} is rather {'high' if value > 0.5 else 'low'} or so"


def keyed(value, place):
    """An identifier of one of two makings."""
    return f"k-{place:04d}" if value > 0.5 else f"K{place:05d}/X"


def halves(whole, first):
    chosen = np.isin(np.arange(len(whole["count"])), first)
    return {k: v[chosen] for k, v in whole.items()}, {k: v[~chosen] for k, v in whole.items()}


@pytest.mark.parametrize("seed", range(3))
def test_columns_are_prepared_without_a_look_at_the_labels(seed):
    rng = np.random.default_rng(seed)
    whole = table(rng, 120)
    assert len(set(whole["word"])) > max(MOST_CATEGORIES, MOST_CODES)
    parts = {f"note ({part})" for part in ("words", "length", "characters", "trigrams")}
    parts |= {"price (missing)", "price (as written)", "key (pattern)", "key (characters)"}
    reference = None
    for cut in (100, 60, 20):
        first = rng.permutation(120)[:cut]
        pair = pair_tables(*(read_table(half) for half in halves(whole, first)))
        back = np.argsort(np.concatenate([np.sort(first), np.setdiff1d(np.arange(120), first)]))
        assert parts <= {view.name for view in compared_views(pair.columns)}
        found = seen(pair, back)
        reference = reference or found
        assert found.keys() == reference.keys()
        for name, values in found.items():
            np.testing.assert_allclose(values, reference[name], atol=1e-5, err_msg=name)


def seen(pair, back):
    """All that is computed of each row before labels play a part, in the order of the pool."""
    prepared = prepare(pair)
    found = {"coordinates": prepared.coordinates()[back]}
    units = Units.of_rows(pair.sizes)
    for view in compared_views(pair.columns):
        functions = functions_of(view)
        found[view.name, "functions"] = functions.values[back]
        found[view.name, "forms"] = functions.forms
        found[view.name, "classes of pairs"] = classes_of(view, (60, 60)).codes[back]
        found[view.name, "classes of effects"] = class_operators(view, units)[back]
        found[view.name, "classes of effects of pairs"] = coarse_codes(view)[back]
    return found


def test_a_comparison_is_the_same_set_of_values_whoever_is_observed():
    """48 v 2 rows: all 1,225 permutations, and more categories than are looked at one by one."""
    rng = np.random.default_rng(0)
    whole = table(rng, 50)
    expected = None
    for first in ([*range(48)], [*range(2, 50)], rng.permutation(50)[:48]):
        found = compare(*halves(whole, first), permutations=1_300, rng=0)
        values = np.sort([found.statistic, *found.null_distribution])
        assert len(values) == 1_225
        expected = values if expected is None else expected
        # the skewness of the statistic of all columns is estimated with random vectors over rows
        np.testing.assert_allclose(values, expected, rtol=0.05, atol=0.05)
