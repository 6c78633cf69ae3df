"""What every strategy promises: an exact p-value for any input, or an error that says why."""

import json
import re

import numpy as np
import pytest

import samelaw
from samelaw import Aggregate, Exact, Fuse, Gaussian, Split, two_sample_test
from samelaw.core.registry import members
from samelaw.kernels import GeometricGrid, KernelCollection
from samelaw.testing import KernelGroup

for _name in ("Aggregate", "Fuse", "Permutation", "Split"):
    getattr(samelaw, _name)  # loading the modules fills the registry

TWO = KernelCollection((Gaussian,), GeometricGrid(2))  # each takes its time
FORMS = {  # other constructors of the same classes: the paper's and its rivals' tests
    "Fuse.rjsd": Fuse.rjsd,
    "Fuse.mmd": Fuse.mmd,
    "Aggregate.mmd": Aggregate.mmd,
    "Aggregate.pairs": lambda: Aggregate(pairs=4),
    "Split.mmd": lambda: Split.mmd(dimensions=1),
    "Exact": lambda: Fuse([KernelGroup(TWO, (1, 4))], statistic=Exact()),
}
OPTIONS = {"permutations": 39, "rng": 11}


@pytest.fixture(scope="module", params=[*members("strategy"), *FORMS])
def strategy(request):
    return {**members("strategy"), **FORMS}[request.param]()


def samples(n=14, m=12, shift=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


X, Y = samples()


@pytest.fixture(scope="module")
def result(strategy):
    return two_sample_test(X, Y, strategy=strategy, **OPTIONS)


def test_every_library_gives_the_numbers_of_numpy(strategy, result, to_xp):
    there = two_sample_test(to_xp(X), to_xp(Y), strategy=strategy, **OPTIONS)
    assert there.pvalue == result.pvalue
    assert there.statistic == pytest.approx(result.statistic, rel=1e-6)


def test_the_stored_seed_repeats_the_test(strategy):
    first = two_sample_test(X, Y, strategy=strategy, permutations=39)
    again = two_sample_test(X, Y, strategy=strategy, permutations=39, rng=first.seed)
    assert tuple(again) == tuple(first)
    np.testing.assert_array_equal(again.null_distribution, first.null_distribution)


def test_a_generator_is_taken_too(strategy, result):
    other = two_sample_test(X, Y, strategy=strategy, permutations=39, rng=np.random.default_rng(11))
    assert tuple(other) == tuple(result)
    assert other.seed is None


def test_result_holds_together(result):
    statistic, pvalue = result
    assert (statistic, pvalue) == (result.statistic, result.pvalue)
    assert len(result.null_distribution) == 39
    assert np.all(np.isfinite(result.null_distribution))
    counted = 1 + np.sum(result.null_distribution >= statistic - 1e-9)
    assert pvalue == pytest.approx(counted / 40)
    assert 1 / 40 <= pvalue <= 1
    assert result.reject == (pvalue <= result.level)
    assert result.sizes == (14, 12)


def test_result_goes_through_json(result):
    read = json.loads(result.to_json(allow_nan=False))
    assert read == result.to_dict()
    assert read["pvalue"] == result.pvalue
    assert read["settings"]["seed"] == read["seed"] == 11
    assert (read["kind"], read["schema_version"]) == ("test", 2)


def test_result_reads_as_text(result, strategy):
    lines = str(result).splitlines()
    assert 2 <= len(lines) <= 4
    assert re.match(r"(differ|no difference found): p = 0\.\d+ at level 0\.05", lines[0])
    assert len(lines[0]) <= 80
    assert max(map(len, lines)) <= 250
    assert type(strategy).__name__.lower() in str(result).lower()


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.heavy)])
@pytest.mark.parametrize(
    "change",
    [lambda z: 1e-6 * z, lambda z: 1e6 * z, lambda z: z + 1e6],
    ids=["times 1e-6", "times 1e6", "plus 1e6"],
)
def test_units_do_not_matter(strategy, change, seed):
    x, y = samples(shift=0.6, seed=seed)
    here = two_sample_test(x, y, strategy=strategy, **OPTIONS)
    there = two_sample_test(change(x), change(y), strategy=strategy, **OPTIONS)
    assert there.reject == here.reject
    assert there.pvalue == pytest.approx(here.pvalue, abs=1.01 / 40)


@pytest.mark.parametrize("n", [10, pytest.param(110, marks=pytest.mark.heavy), 150])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_identical_constant_samples_are_alike(strategy, n, dtype):
    if isinstance(strategy, Fuse) and isinstance(strategy.statistic, Exact) and n > 10:
        pytest.skip("slow, and the size makes no difference to the exact route")
    rows = np.full((n, 2), 0.3, dtype=dtype)
    assert two_sample_test(rows, rows, strategy=strategy, **OPTIONS).pvalue == 1.0


def test_constants_that_differ_are_told_apart(strategy):
    x, y = np.zeros((20, 2)), np.ones((20, 2))
    assert two_sample_test(x, y, strategy=strategy, **OPTIONS).pvalue == 1 / 40


@pytest.mark.parametrize("name", "xy")
def test_one_missing_value_is_an_error_that_names_the_sample(strategy, name):
    given = {"x": X.copy(), "y": Y.copy()}
    given[name][3, 1] = np.nan
    with pytest.raises(ValueError, match=rf"^{name} holds 1 value\(s\) that are NaN"):
        two_sample_test(**given, strategy=strategy)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x": X[:1]}, "at least two rows in x, got 1"),
        ({"y": Y[:1]}, "at least two rows in y, got 1"),
        ({"x": X[:0]}, "x is empty"),
        ({"y": Y[:, :1]}, "x has 2 columns, y has 1 columns"),
        ({"level": 0.0}, "level must lie strictly between 0 and 1"),
        ({"level": 1.5}, "level must lie strictly between 0 and 1"),
        ({"level": float("nan")}, "level must lie strictly between 0 and 1"),
        ({"permutations": 10}, "cannot reach level 0.05"),
        ({"groups": np.arange(3)}, "groups has 3 labels for 26 pooled rows"),
    ],
    ids=lambda given: "-".join(given) if isinstance(given, dict) else "",
)
def test_input_that_cannot_be_tested_is_refused(strategy, given, message):
    with pytest.raises(ValueError, match=message):
        two_sample_test(**{"x": X, "y": Y, "strategy": strategy, **given})


def test_very_unequal_sizes_stay_finite(strategy):
    small = Fuse([KernelGroup([samelaw.Gaussian(1.0)], (4,))], statistic=Exact())
    if isinstance(strategy, Fuse) and isinstance(strategy.statistic, Exact):
        strategy = small  # 305 rows × 40 permutations × 20 kernels would take minutes
    x, y = samples(6, 300, shift=0.0)  # matched pairs: of five no p-value is small
    found = two_sample_test(x, y, strategy=strategy, **OPTIONS)
    assert np.isfinite(found.statistic)
    assert np.all(np.isfinite(found.null_distribution))
    assert np.std(found.null_distribution) > 0


def test_ties_everywhere_are_fine(strategy):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (16, 2)), rng.integers(0, 2, (14, 2))
    found = two_sample_test(x, y, strategy=strategy, **OPTIONS)
    assert 1 / 40 <= found.pvalue <= 1
    assert np.all(np.isfinite(found.null_distribution))


def test_progress_reaches_its_end(strategy):
    seen = []
    two_sample_test(
        X, Y, strategy=strategy, progress=lambda done, total: seen.append((done, total)), **OPTIONS
    )
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 0


def test_progress_must_be_callable(strategy):
    with pytest.raises(TypeError, match="progress must be True or a callable"):
        two_sample_test(X, Y, strategy=strategy, progress="bar")


def test_samples_of_two_libraries_are_refused(strategy, xp, to_xp):
    if not isinstance(to_xp(X), np.ndarray):
        with pytest.raises(TypeError, match="convert them to one library"):
            two_sample_test(to_xp(X), Y, strategy=strategy)
