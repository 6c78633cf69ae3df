"""What every public name promises of any input: finite numbers, or our own error that names it.

One row per way of handing an array to a public name; a new name must be given a row, or a reason
why it takes no array. Tables (`compare`, `write_report`) have batteries of their own.
"""

import math
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import samelaw
from awkward import HAS, LAYOUTS, REAL, WHOLE, cast, numbers, things
from samelaw import (
    Aggregate,
    Exact,
    FourierEstimator,
    Fuse,
    Gaussian,
    GramEstimator,
    Groups,
    Laplace,
    LogDet,
    NumericalError,
    NystromEstimator,
    Permutation,
    PowerSeries,
    Renyi,
    SecondOrder,
    Sketch,
    Split,
    Summary,
    VonNeumann,
    two_sample_test,
)
from samelaw.core.arrays import is_array
from samelaw.core.arrays import to_numpy as as_numpy
from samelaw.core.errors import TooFewRows
from samelaw.kernels import (
    Categorical,
    Columns,
    Covariance,
    FourierFeatures,
    GeometricGrid,
    Hamming,
    KernelCollection,
    LinearGrid,
    Matern,
    Mixture,
    NystromFeatures,
    Precomputed,
    Product,
    QuantileGrid,
    RationalQuadratic,
    Tsallis,
    centred_covariance,
    mean_embedding,
)
from samelaw.testing import (
    EntropyScore,
    InDegree,
    KernelGroup,
    KernelPurity,
    LargestGroup,
    Leverage,
    MaximizePower,
    MaximizeRJSD,
    Maximum,
    MeanDiscrepancy,
    MeanDistance,
    MomentGroup,
    NeighbourDistance,
    NormalScores,
    ScoreGroup,
    Sequential,
    SoftMaximum,
    Unscaled,
    View,
)

HOME = Path(samelaw.__file__).parent
OURS = (ValueError, TypeError, MemoryError, NumericalError, TooFewRows)
PLAIN = np.random.default_rng(5).standard_normal((12, 2))
MAP = FourierFeatures(np.array([[1.0, -0.5, 2.0], [0.3, 0.7, 0.1]]))
QUICK = {"permutations": 19, "rng": 3}
SEED = np.random.default_rng
SAMPLES = r"x|y|\d+ (v \d+|matched) rows"
"""How errors of a test name its two samples."""


@dataclass(frozen=True)
class Row:
    """One way in: how to call it, and the words by which errors may name what came in."""

    call: Callable[..., Any]
    names: str = "x|y"
    twice: bool = True
    looks: bool = True
    """Whether it looks at the values; losses do not wait for a device: NaN in, NaN out."""


def one(call, names="x", **options):
    return Row(call, names, twice=False, **options)


def decided_by(strategy, **options):
    def call(x, y):
        return two_sample_test(x, y, strategy=strategy, **{**QUICK, **options})

    return Row(call, rf"{SAMPLES}|memory|kernel")


def drawing(function, **options):
    """A function of power by simulation, whose sampler hands out the two arrays."""

    def call(x, y):
        return function(lambda rng, value: (x, y), repetitions=2, permutations=19, rng=0, **options)

    return Row(call, rf"{SAMPLES}|power")


def bandwidth(family, *options):
    return one(lambda b: family(b, *options)(PLAIN, PLAIN), "bandwidth")


def spectrum(entropy):
    return one(lambda values: entropy(values), "eigenvalues", looks=False)


ROWS: dict[str, Row] = {
    # numbers from two samples
    "rjsd": Row(samelaw.rjsd),
    "rjsd, balanced": Row(lambda x, y: samelaw.rjsd(x, y, weights="balanced")),
    "rjsd, order 1": Row(lambda x, y: samelaw.rjsd(x, y, entropy=PowerSeries(1))),
    "rjsd, sample_weights": one(
        lambda w: samelaw.rjsd(PLAIN, PLAIN, sample_weights=(w, None)), "sample_weights"
    ),
    "rjsd, pair of weights": one(
        lambda w: samelaw.rjsd(PLAIN, PLAIN, sample_weights=w), "sample_weights"
    ),
    "rjsd, weights": one(lambda w: samelaw.rjsd(PLAIN, PLAIN, weights=w), "weights"),
    "mmd": Row(samelaw.mmd),
    "mmd, unbiased": Row(lambda x, y: samelaw.mmd(x, y, unbiased=True)),
    "kernel_kl": Row(samelaw.kernel_kl),
    "kernel_kl, regularization": one(
        lambda r: samelaw.kernel_kl(PLAIN, PLAIN, regularization=r), "regularization"
    ),
    "rjsd, corrected": Row(lambda x, y: samelaw.rjsd(x, y, corrected=True)),
    "rjsd, unbiased": Row(lambda x, y: samelaw.rjsd(x, y, entropy=3, corrected="unbiased")),
    "contributions": Row(samelaw.divergence.contributions),
    "standard_error": Row(samelaw.standard_error),
    "generalized_divergence": Row(lambda x, y: samelaw.generalized_divergence([x, y]), "samples"),
    "generalized_divergence, samples": one(samelaw.generalized_divergence, "samples"),
    "pairwise_divergence": Row(lambda x, y: samelaw.pairwise_divergence([x, y]), "samples"),
    "pairwise_divergence, samples": one(samelaw.pairwise_divergence, "samples"),
    "estimate_from_features": Row(samelaw.divergence.estimate_from_features, "first|second"),
    # numbers from variables observed together
    "entropy": one(samelaw.entropy),
    "entropy, sample_weights": one(
        lambda w: samelaw.entropy(PLAIN, sample_weights=w), "sample_weights"
    ),
    "joint_entropy": Row(samelaw.joint_entropy, "variables?"),
    "conditional_entropy": Row(samelaw.conditional_entropy, "variables?"),
    "mutual_information": Row(samelaw.mutual_information, "variables?"),
    "total_correlation": Row(samelaw.total_correlation, "variables?"),
    # kernels
    "Gaussian": Row(Gaussian(1.0)),
    "Gaussian, bandwidth": bandwidth(Gaussian),
    "Gaussian, per column": Row(Gaussian(np.array([1.0, 2.0])), "x|y|bandwidth"),
    "Laplace": Row(Laplace(1.0)),
    "Laplace, bandwidth": bandwidth(Laplace),
    "Matern": Row(Matern(1.0)),
    "Matern, bandwidth": bandwidth(Matern),
    "RationalQuadratic": Row(RationalQuadratic(1.0)),
    "RationalQuadratic, bandwidth": bandwidth(RationalQuadratic),
    "RationalQuadratic, shape": one(lambda a: RationalQuadratic(1.0, a)(PLAIN, PLAIN), "shape"),
    "Polynomial": Row(samelaw.kernels.Polynomial(2)),
    "Polynomial, offset": one(lambda c: samelaw.kernels.Polynomial(2, c)(PLAIN, PLAIN), "offset"),
    "Cosine": Row(samelaw.kernels.Cosine()),
    "Hamming": Row(Hamming(1.0)),
    "Hamming, bandwidth": bandwidth(Hamming),
    "Categorical": Row(Categorical()),
    "Columns": Row(Columns(Gaussian(1.0), [0])),
    "Columns, columns": one(lambda c: Columns(Gaussian(1.0), c)(PLAIN, PLAIN), "columns"),
    "Product": Row(Product((Gaussian(1.0), Laplace(1.0)))),
    "Mixture": Row(Mixture([Gaussian(1.0), Gaussian(2.0)])),
    "Mixture, weights": one(
        lambda w: Mixture([Gaussian(1.0), Gaussian(2.0)], w)(PLAIN, PLAIN), "weights"
    ),
    "Precomputed": Row(Precomputed(Gaussian(1.0)(PLAIN, PLAIN))),
    "Precomputed, matrix": one(
        lambda k: Precomputed(k)(np.array([[0]]), np.array([[0]])), "matrix"
    ),
    # features, sketches, landmarks, bandwidths
    "FourierFeatures": one(MAP),
    "FourierFeatures, frequencies": one(lambda w: FourierFeatures(w)(PLAIN), "frequencies"),
    "NystromFeatures": one(NystromFeatures(Gaussian(4.0), PLAIN[:3])),
    "NystromFeatures, landmarks": one(
        lambda z: NystromFeatures(Gaussian(1.0), z)(PLAIN), "landmarks"
    ),
    "Covariance": one(lambda f: Covariance.of(f).density, "features", looks=False),
    "mean_embedding": one(mean_embedding, "features", looks=False),
    "centred_covariance": one(centred_covariance, "features", looks=False),
    "mean_embedding, weights": one(lambda w: mean_embedding(PLAIN, w), "weights"),
    "centred_covariance, weights": one(lambda w: centred_covariance(PLAIN, w), "weights"),
    "Covariance, weights": one(lambda w: Covariance.of(PLAIN, w).density, "weights"),
    "Sketch": one(lambda x: Sketch.of(MAP, x, block=2).totals),
    "Summary": one(lambda x: Summary.of(MAP, x).covariance.density),
    "Sketch, chunks": one(lambda x: Sketch.of_chunks([MAP], [x, PLAIN], block=2)[0].totals),
    "uniform_landmarks": one(
        lambda z: samelaw.kernels.uniform_landmarks(Gaussian(1.0), z, 2, SEED(0)), "pool"
    ),
    "spread_landmarks": one(
        lambda z: samelaw.kernels.spread_landmarks(Gaussian(1.0), z, 2, SEED(0)), "pool"
    ),
    "leverage_landmarks": one(
        lambda z: samelaw.kernels.leverage_landmarks(Gaussian(1.0), z, 2, SEED(0)), "pool"
    ),
    "median_bandwidth": one(samelaw.kernels.median_bandwidth, "pool"),
    "median_bandwidth, cityblock": one(
        lambda z: samelaw.kernels.median_bandwidth(z, metric="cityblock"), "pool"
    ),
    "mean_bandwidth": one(samelaw.kernels.mean_bandwidth, "pool"),
    "quantile_bandwidths": one(samelaw.kernels.quantile_bandwidths, "pool"),
    "quantile_bandwidths, quantiles": one(
        lambda q: samelaw.kernels.quantile_bandwidths(PLAIN, q), "quantiles"
    ),
    "GeometricGrid": one(GeometricGrid(), "apart"),
    "LinearGrid": one(LinearGrid(), "apart"),
    "QuantileGrid": one(QuantileGrid(), "apart"),
    "QuantileGrid, quantiles": one(lambda q: QuantileGrid(q)(np.ones(3)), "quantiles"),
    "KernelCollection": one(lambda z: [k.bandwidth for k in KernelCollection()(z)], "pool"),  # type: ignore[attr-defined]
    "draw_frequencies, bandwidth": one(
        lambda b: samelaw.kernels.draw_frequencies(Gaussian(b), 2, 3, rng=0), "bandwidth"
    ),
    "draw_frequencies, dimension": one(
        lambda d: samelaw.kernels.draw_frequencies(Gaussian(1.0), d, 3, rng=0), "dimension"
    ),
    "draw_frequencies, count": one(
        lambda k: samelaw.kernels.draw_frequencies(Gaussian(1.0), 2, k, rng=0), "count"
    ),
    # entropies of a spectrum
    "VonNeumann": spectrum(VonNeumann()),
    "PowerSeries": spectrum(PowerSeries(10)),
    "Renyi": spectrum(Renyi(2.0)),
    "Renyi, inf": spectrum(Renyi(math.inf)),
    "Tsallis": spectrum(Tsallis(1.5)),
    "LogDet": spectrum(LogDet(0.01)),
    # estimators
    "GramEstimator": Row(GramEstimator()),
    "GramEstimator, pool": one(lambda z: GramEstimator().prepare(z).gram, "pool"),
    "GramEstimator, memberships": one(
        lambda s: GramEstimator().evaluate(GramEstimator().prepare(PLAIN), s), "memberships?"
    ),
    "FourierEstimator": Row(FourierEstimator(frequencies=3)),
    "FourierEstimator, frequencies": one(
        lambda w: FourierEstimator(frequencies=w)(PLAIN, PLAIN), "frequencies"
    ),
    "FourierEstimator, pool": one(
        lambda z: FourierEstimator(frequencies=3).prepare(z).features, "pool"
    ),
    "NystromEstimator": Row(NystromEstimator(landmarks=3)),
    "NystromEstimator, landmarks": one(
        lambda z: NystromEstimator(landmarks=z)(PLAIN, PLAIN), "landmarks"
    ),
    "NystromEstimator, pool": one(
        lambda z: NystromEstimator(landmarks=3).prepare(z).features, "pool"
    ),
    # tests
    "two_sample_test": decided_by(Fuse()),
    "two_sample_test, sketches": decided_by(Fuse(sketches=True)),
    "two_sample_test, groups": one(
        lambda b: two_sample_test(PLAIN, PLAIN, groups=b, **QUICK), "groups"
    ),
    "Groups, swap": Row(
        lambda a, b: two_sample_test(PLAIN, PLAIN, groups=Groups((a, b), swap=True), **QUICK),
        "groups",
    ),
    "Groups, thin": one(
        lambda t: two_sample_test(PLAIN, PLAIN, groups=Groups(np.arange(24) // 2, thin=t), **QUICK),
        "thin|groups",
    ),
    "two_sample_test, pair of groups": Row(
        lambda a, b: two_sample_test(PLAIN, PLAIN, groups=(a, b), **QUICK), "groups"
    ),
    "Fuse, KernelGroup": decided_by(Fuse([KernelGroup([Gaussian(1.0)], (1, 4), penalty=0.2)])),
    "Fuse, weights": one(
        lambda w: two_sample_test(
            PLAIN,
            PLAIN,
            strategy=Fuse([KernelGroup([Gaussian(1.0), Gaussian(2.0)], (1, 30))], weights=w),
            **QUICK,
        ),
        "weights",
    ),
    "Fuse.rjsd, SoftMaximum": decided_by(
        Fuse([KernelGroup(entropies=(4,))], combine=SoftMaximum(2.0))
    ),
    "Fuse.mmd, MeanDiscrepancy": decided_by(Fuse.mmd()),
    "Fuse, Exact, Maximum": decided_by(
        Fuse([KernelGroup([Gaussian(1.0)], (4,))], statistic=Exact(), combine=Maximum())
    ),
    "Fuse, NormalScores": decided_by(Fuse(scaling=NormalScores())),
    "Fuse, Unscaled": decided_by(Fuse([KernelGroup([Gaussian(1.0)], (1,))], scaling=Unscaled())),
    "Fuse, DivideKernel": decided_by(Fuse.rjsd()),
    "Fuse, DivideKernel of MMD": decided_by(Fuse.mmd()),
    "Fuse, SecondOrder": decided_by(
        Fuse([KernelGroup([Laplace(1.0)], (4,))], statistic=SecondOrder(unbiased=True))
    ),
    "Fuse, MomentGroup": decided_by(Fuse([MomentGroup(1), MomentGroup(2)])),
    "Fuse, LargestGroup": decided_by(Fuse([LargestGroup(1), LargestGroup(2)])),
    "Fuse, ScoreGroup, MeanDistance, NeighbourDistance, InDegree": decided_by(
        Fuse([ScoreGroup([MeanDistance(), NeighbourDistance(3), InDegree(3)])])
    ),
    "Fuse, ScoreGroup, KernelPurity, Leverage, EntropyScore, View": decided_by(
        Fuse([ScoreGroup([KernelPurity(), Leverage(view=View.RANKS), EntropyScore(4)])])
    ),
    "Fuse, Sequential": decided_by(Fuse(), permutations=Sequential(5, 29)),
    "Aggregate": decided_by(Aggregate(statistic=MeanDiscrepancy(), entropies=(1,))),
    "Aggregate, pairs": decided_by(Aggregate(pairs=4)),
    "Split, MaximizeRJSD": decided_by(Split(dimensions=1, objective=MaximizeRJSD(), iterations=3)),
    "Split, MaximizePower": decided_by(
        Split(entropy=1, dimensions=2, objective=MaximizePower(), iterations=3)
    ),
    "Permutation": decided_by(Permutation(GramEstimator(entropy=PowerSeries(1)))),
    "Permutation, FourierEstimator": decided_by(Permutation(FourierEstimator(frequencies=3))),
    "two_sample_test, sample_weights": one(
        lambda w: two_sample_test(PLAIN, PLAIN, sample_weights=(w, None), **QUICK), "sample_weights"
    ),
    "k_sample_test": Row(lambda x, y: samelaw.k_sample_test([x, y], **QUICK), "samples?"),
    "group_tests": Row(lambda x, y: samelaw.group_tests([x, y], **QUICK), "groups?"),
    "group_tests, groups": one(lambda g: samelaw.group_tests(g, **QUICK), "groups?|permutations"),
    "power_curve": drawing(samelaw.power_curve, values=[0]),
    "sample_size": drawing(samelaw.sample_size, smallest=9, largest=10, power=0.001),
    "detectable_change": drawing(
        samelaw.detectable_change, largest=1.0, precision=0.9, power=0.001
    ),
}

if HAS["torch"]:
    from samelaw import learn

    def added(make, **options):
        def call(rows):
            metric = make(MAP)
            metric.update(rows, **options)
            return as_numpy(metric.sample_total if not options else metric.real_total)

        return Row(call, "batch|x", twice=False, looks=False)

    def loss(*arguments, **options):
        return Row(learn.RJSDLoss(*arguments, **options), "x|y", looks=False)

    ROWS |= {
        "learn.RJSDLoss": loss(Gaussian(1.0)),
        "learn.RJSDLoss, order 10": loss(Gaussian(1.0), PowerSeries(10)),
        "learn.RJSDLoss, corrected": loss(Gaussian(1.0), corrected=True),
        "learn.RJSDLoss, features": loss(MAP),
        "learn.RepresentationEntropy": added(learn.RepresentationEntropy),
        "learn.RepresentationJSD": added(learn.RepresentationJSD, real=True),
    }

NO_ARRAYS = {
    "Comparison": "a result",
    "ComponentGroup": "a contract",
    "Deal": "a recipe: tests/divergence/test_random_blocks.py",
    "DealtSketch": "rows that come with a deal: tests/divergence/test_dealt_sketch.py",
    "DriftMonitor": "tables: tests/monitor/test_monitor.py",
    "DriftReading": "a result",
    "Entropy": "a contract",
    "Estimator": "a contract",
    "Ever": "a promise: a number",
    "FeatureMap": "a contract",
    "GroupTests": "a result",
    "Kernel": "a contract",
    "NumericalError": "an exception",
    "PowerCurve": "a result",
    "Estimate": "a result",
    "sketch_test": "sketches: tests/testing/test_sketch_test.py",
    "Reference": "tables: tests/comparison/references/test_reference.py",
    "RowScore": "a contract",
    "RunLength": "a promise: a number",
    "Statistic": "a contract",
    "Strategy": "a contract",
    "TestResult": "a result",
    "compare": "tables: tests/end_to_end/test_bad_input.py",
    "write_report": "takes a Comparison",
}


ROOMS = (samelaw, samelaw.kernels, samelaw.testing, samelaw.divergence)


def words(row):
    return set(re.findall(r"\w+", row))


def test_every_public_name_has_a_row_or_a_reason():
    fed = {word for row in ROWS for word in words(row)}
    public = {
        name
        for room in ROOMS
        for name in room.__all__  # type: ignore[attr-defined]
        if name != "__version__" and not isinstance(getattr(room, name), ModuleType)
    }
    assert public <= fed | set(NO_ARRAYS)
    assert not fed & set(NO_ARRAYS)
    assert set(NO_ARRAYS) <= public


def leaves(found):
    """The numbers in a result of any kind."""
    if found is None or isinstance(found, str):
        return
    if isinstance(found, list | tuple):
        for part in found:
            yield from leaves(part)
    elif hasattr(found, "results"):
        yield from leaves([*found.results, found.adjusted])
    elif hasattr(found, "pvalue"):
        yield from leaves([found.statistic, found.pvalue, found.null_distribution])
    elif hasattr(found, "power"):
        yield from leaves([found.power, found.intervals])
    elif hasattr(found, "standard_error"):
        yield from leaves([found.value, found.corrected, found.standard_error])
    else:
        assert is_array(found) or isinstance(found, float | int), type(found)
        yield as_numpy(found)


def where(error):
    """The file that raised."""
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    return Path(last.tb_frame.f_code.co_filename)


def outcome(row, *given):
    """Call; hold the result or the error to the promise. The numbers, or None for an error."""
    try:
        found = list(leaves(row.call(*given)))
    except OURS as caught:
        error = caught
    else:
        assert found
        if row.looks or all(map(seen, given)):
            assert all(np.all(np.isfinite(part)) for part in found), found
        return found
    assert type(error) in OURS, repr(error)
    assert HOME in where(error).parents, f"{where(error)}: {error!r}"
    assert re.search(rf"\b({row.names})\b", str(error)), repr(error)
    return None


def seen(value):
    """Whether values are looked at, or need not be: only tensors are taken as they are."""
    tensor = is_array(value) and not isinstance(value, np.ndarray)
    return not tensor or bool(np.all(np.abs(as_numpy(value)) < 1e3))


def feed(row, data):
    """One argument anything, the other anything or plain."""
    if not row.twice:
        outcome(row, data.draw(things()))
        return
    plain = st.just(PLAIN)
    pair = (st.tuples(things(), plain), st.tuples(plain, things()), st.tuples(things(), things()))
    same = numbers().map(lambda z: (z, z))
    outcome(row, *data.draw(st.one_of(*pair, same)))


SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@pytest.mark.parametrize("name", ROWS)
@settings(max_examples=2, suppress_health_check=SLOW)
@given(data=st.data())
def test_anything_gives_finite_numbers_or_our_error(name, data):
    feed(ROWS[name], data)


@pytest.mark.long
@pytest.mark.parametrize("name", ROWS)
@settings(max_examples=6, suppress_health_check=SLOW)
@given(data=st.data())
def test_more_of_anything_gives_finite_numbers_or_our_error(name, data):
    feed(ROWS[name], data)


@pytest.mark.heavy
@pytest.mark.parametrize("name", ROWS)
@settings(max_examples=300, suppress_health_check=SLOW)
@given(data=st.data())
def test_anything_at_length(name, data):
    feed(ROWS[name], data)


def alike(found, expected, tolerance):
    for here, there in zip(found, expected, strict=True):
        np.testing.assert_allclose(here, there, rtol=tolerance, atol=tolerance)


ACCEPTING = [
    name
    for name, row in ROWS.items()
    if row.names.startswith(("x", "pool", "first", "variable")) and row.looks
]


STORED: list[Callable[[np.ndarray], Any]] = [
    *LAYOUTS.values(),
    *(lambda z, t=t: cast(z, t) for t in (*REAL, *WHOLE) if t[0] not in "bu"),
    np.ndarray.tolist,
]


@pytest.mark.parametrize(
    "share",
    [12, pytest.param(6, marks=pytest.mark.long), pytest.param(1, marks=pytest.mark.heavy)],
)
@pytest.mark.parametrize("name", ACCEPTING)
def test_how_numbers_are_stored_does_not_matter(name, share):
    """Strides, byte order, wider types, whole numbers and lists give what plain numbers give.

    Every name takes a few of the ways, which ones depends on the name; all of them are heavy.
    """
    row = ROWS[name]
    plain = SEED(0).integers(1, 9, (40, 2)).astype(float)
    if name == "Precomputed":
        plain = np.arange(12.0)[:, None]
    given = (plain, plain[::-1] if name == "Precomputed" else plain + 3)[: 1 + row.twice]
    expected = outcome(row, *given)
    assert expected is not None
    for change in STORED[zlib.crc32(name.encode()) % share :: share]:
        changed = [change(z) for z in given]
        single = np.result_type(*(np.asarray(z) for z in changed)).itemsize < 8
        found = outcome(row, *changed)
        assert found is not None
        alike(found, expected, 1e-3 if single else 1e-5)
