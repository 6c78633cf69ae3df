"""False alarms of every strategy: inside the exact 99.9 % interval of the level asked for.

Here as many runs as it takes to see a level twice, three or four times as high, shared among the
laws; all strategies but the first are `long`, a thousand runs for every strategy and law `heavy`.
"""

import math

import numpy as np
import pytest
from scipy import stats

import levels
from samelaw import (
    Aggregate,
    Exact,
    Fuse,
    Gaussian,
    GramEstimator,
    Laplace,
    Permutation,
    PowerSeries,
    Split,
    two_sample_test,
)
from samelaw.kernels import GeometricGrid, KernelCollection, LinearGrid, QuantileGrid
from samelaw.testing import KernelGroup, MaximizePower, MeanDiscrepancy, Sequential, SoftMaximum
from samelaw.testing.standardize import DivideKernel

LEVEL = 0.1
PERMUTATIONS = 39
FEW = KernelCollection(families=(Gaussian, Laplace), grid=GeometricGrid(2))
TWO = KernelCollection(families=(Gaussian,), grid=QuantileGrid((0.25, 0.75)))


def mixture(rng, n):
    return rng.choice([-4.0, 4.0], (n, 2)) + rng.standard_normal((n, 2))


def wide(rng, n):
    return rng.standard_normal((n, 50))


def heavy_tails_with_duplicates(rng, n):
    return np.round(rng.standard_t(1.2, (n, 2)), 1)


def discrete(rng, n):
    return rng.integers(0, 3, (n, 2)).astype(float)


LAWS = {
    "mixture": (mixture, 20, 20),
    "50-D": (wide, 20, 20),
    "heavy tails": (heavy_tails_with_duplicates, 20, 20),
    "discrete": (discrete, 20, 20),
    "20 v 200": (mixture, 20, 200),
}
QUICK = {name: law for name, law in LAWS.items() if name != "20 v 200"}
QUICK |= {"10 v 100": (mixture, 10, 100)}
STRATEGIES = {
    "fuse": Fuse([KernelGroup(FEW, (1, 10))]),
    "exact": Fuse([KernelGroup([Gaussian(2.0)], (4,))], statistic=Exact()),
    "rjsd": Fuse([KernelGroup(TWO, (10,))], scaling=DivideKernel(), combine=SoftMaximum()),
    "mmd": Fuse(
        [KernelGroup(KernelCollection(families=(Gaussian, Laplace), grid=LinearGrid(2)), (1,))],
        statistic=MeanDiscrepancy(),
        scaling=DivideKernel(1.0),
        combine=SoftMaximum(),
    ),
    "aggregate": Aggregate(FEW, entropies=(1, 4)),
    "aggregate mmd": Aggregate(TWO, entropies=(1,), statistic=MeanDiscrepancy()),
    "aggregate in linear time": Aggregate(FEW, pairs=5),
    "split": Split(entropy=4, iterations=3),
    "split mmd": Split(entropy=1, dimensions=1, objective=MaximizePower(), iterations=3),
    "permutation": Permutation(GramEstimator(Gaussian(2.0), PowerSeries(1))),
}
COARSE = {"aggregate", "aggregate mmd", "aggregate in linear time"}  # ties between p-values


def pvalues(draw, n, m, strategy, runs, seed=0, **options):
    rng = np.random.default_rng(seed)
    settings = {"level": LEVEL, "permutations": PERMUTATIONS, **options}
    tests = (
        two_sample_test(draw(rng, n), draw(rng, m), strategy=strategy, rng=rng, **settings)
        for _ in range(runs)
    )
    return np.array([test.pvalue for test in tests])


def check(found, level=LEVEL, *, conservative=False):
    alarms = int(np.sum(found <= level + 1e-9))
    levels.check(alarms, len(found), level, exact=not conservative)


DOUBLED = levels.runs_to_see(2 * LEVEL, LEVEL)
TREBLED = levels.runs_to_see(3 * LEVEL, LEVEL)
FOURFOLD = levels.runs_to_see(4 * LEVEL, LEVEL)
RUNS = {"mmd": DOUBLED, "split": FOURFOLD, "split mmd": FOURFOLD, "aggregate mmd": FOURFOLD}


def check_all_laws(strategy, runs, *, coarse=False, least=0, **options):
    """All laws together keep the level, and none is far above it alone."""
    each = math.ceil(runs / len(QUICK))
    found = {
        law: pvalues(draw, max(n, least), max(m, least), strategy, each, **options)
        for law, (draw, n, m) in QUICK.items()
    }
    check(np.concatenate(list(found.values())), conservative=True)
    exact = [one for law, one in found.items() if law != "discrete"]
    check(np.concatenate(exact), conservative=coarse)
    for one in found.values():
        check(one, conservative=True)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] * (name != "fuse")) for name in STRATEGIES],
)
def test_false_alarms_are_as_rare_as_promised(name):
    check_all_laws(STRATEGIES[name], RUNS.get(name, TREBLED), coarse=name in COARSE)


@pytest.mark.long
def test_sketches_keep_the_level():
    check_all_laws(Fuse([KernelGroup(TWO, (1, 10))], sketches=True), FOURFOLD, least=36)


@pytest.mark.long
def test_sequential_stopping_keeps_the_level():
    found = pvalues(mixture, 20, 20, STRATEGIES["fuse"], TREBLED, permutations=Sequential(4, 39))
    check(found)


def days(rng, count, rows=4):
    """Rows of one day have a mean of their own: dependent."""
    own = 2 * rng.standard_normal((count, 1, 2))
    return (own + rng.standard_normal((count, rows, 2))).reshape(-1, 2)


def days_pvalues(runs, groups):
    return pvalues(
        lambda rng, n: days(rng, n // 4), 48, 48, STRATEGIES["fuse"], runs, groups=groups
    )


def test_groups_keep_the_level_for_dependent_rows():
    check(days_pvalues(FOURFOLD, np.arange(96) // 4))


def test_without_groups_dependent_rows_raise_false_alarms():
    assert np.mean(days_pvalues(20, None) <= LEVEL) > 0.5


@pytest.mark.long
def test_pairs_that_belong_together_keep_the_level():
    """Before and after on the same patient: swapped within pairs, the level holds."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(FOURFOLD):
        patient = 3 * rng.standard_normal((16, 1))
        x, y = (patient + rng.standard_normal((16, 1)) for _ in range(2))
        groups = (np.arange(16), np.arange(16))
        result = two_sample_test(
            x, y, strategy=STRATEGIES["fuse"], level=LEVEL, permutations=39, rng=rng, groups=groups
        )
        found.append(result.pvalue)
    check(np.array(found))


@pytest.mark.heavy
@pytest.mark.parametrize("law", LAWS)
def test_pvalues_of_the_default_are_uniform(law):
    draw, n, m = LAWS[law]
    found = pvalues(draw, n, m, Fuse(), 1_000, permutations=199)
    for level in (0.01, 0.05, 0.1, 0.5):
        check(found, level, conservative=law == "discrete")
    smeared = found - np.random.default_rng(0).random(1_000) / 200
    if law != "discrete":
        assert stats.kstest(smeared, "uniform").pvalue > 1e-3


@pytest.mark.heavy
@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("law", LAWS)
def test_false_alarms_over_a_thousand_runs(name, law):
    draw, n, m = LAWS[law]
    found = pvalues(draw, n, m, STRATEGIES[name], 1_000, seed=1)
    check(found, conservative=law == "discrete" or name in COARSE)


@pytest.mark.heavy
@pytest.mark.parametrize("law", LAWS)
def test_sketches_keep_the_level_in_a_long_run(law):
    draw, n, m = LAWS[law]
    strategy = Fuse([KernelGroup(TWO, (1, 10))], sketches=True)
    found = pvalues(draw, max(n, 36), max(m, 36), strategy, 400, seed=1)
    check(found, conservative=law == "discrete")


@pytest.mark.heavy
def test_groups_keep_the_level_in_a_long_run():
    check(days_pvalues(1_000, np.arange(96) // 4))


@pytest.mark.heavy
def test_sketches_of_larger_blocks_keep_the_level():
    strategy = Fuse([KernelGroup([Gaussian(1.0)], (1, 4))], sketches=True)
    check(pvalues(mixture, 420, 420, strategy, 300))
