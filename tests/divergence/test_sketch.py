"""Sketches: additive, blind to chunking, and the second-order form of the Gram matrix."""

import numpy as np
import pytest

from samelaw import Fuse, Gaussian, Laplace, PowerSeries, Renyi, VonNeumann, two_sample_test
from samelaw.divergence.quadratic_form import PooledGram, quadratic_form
from samelaw.divergence.sketch import (
    MeanSketch,
    PooledSketch,
    Sketch,
    evaluate,
    features_of_square,
    means_suffice,
)
from samelaw.kernels import FourierFeatures, Matern, NystromFeatures, Tsallis
from samelaw.kernels.features import FeatureMap
from samelaw.testing import KernelGroup

RNG = np.random.default_rng(0)
MAPS = [
    FourierFeatures(RNG.standard_normal((2, 5))),
    NystromFeatures(Gaussian(1.0), RNG.standard_normal((7, 2))),
]
maps = pytest.mark.parametrize("feature_map", MAPS, ids=lambda m: type(m).__name__)


def rows_of(n, seed=1):
    return np.random.default_rng(seed).standard_normal((n, 2))


@maps
def test_blocks_hold_the_covariances_of_their_rows(feature_map):
    rows = rows_of(23)
    sketch = Sketch.of(feature_map, rows, block=5)
    assert len(sketch.totals) == 4  # three rows do not fill a block
    for index, total in enumerate(sketch.totals):
        features = feature_map(rows[5 * index : 5 * index + 5])
        np.testing.assert_allclose(total, features.T @ features, atol=1e-12)
    features = feature_map(rows[:20])
    np.testing.assert_allclose(sketch.covariance.density, features.T @ features / 20, atol=1e-12)


@maps
def test_merged_sketches_are_the_sketch_of_all_rows(feature_map):
    rows = rows_of(30)
    merged = Sketch.of(feature_map, rows[:12], block=3) + Sketch.of(feature_map, rows[12:], block=3)
    whole = Sketch.of(feature_map, rows, block=3)
    np.testing.assert_allclose(merged.totals, whole.totals, atol=1e-14)


@pytest.mark.parametrize("cuts", [[7], [1, 2, 29], [4, 8, 12], list(range(1, 31))])
def test_chunks_do_not_matter(cuts):
    rows = rows_of(31)
    whole = [Sketch.of(feature_map, rows, block=4) for feature_map in MAPS]
    pieces = Sketch.of_chunks(MAPS, np.split(rows, cuts), block=4)
    for piece, reference in zip(pieces, whole, strict=True):
        np.testing.assert_allclose(piece.totals, reference.totals, atol=1e-14)


def test_fewer_rows_than_a_block_are_an_empty_sketch():
    assert Sketch.of(MAPS[0], rows_of(3), block=4).totals.shape == (0, 10, 10)


@maps
@pytest.mark.parametrize("cuts", [[7], [1, 2, 29], [4, 8, 12], list(range(1, 31))])
def test_updates_go_on_where_the_last_ones_ended(feature_map, cuts):
    rows = rows_of(31)
    first, *others = np.split(rows, cuts)
    grown = Sketch.of(feature_map, first, block=4)
    for part in others:
        grown = grown.update(part)
    whole = Sketch.of(feature_map, rows, block=4)
    np.testing.assert_allclose(grown.totals, whole.totals, atol=1e-14)
    assert grown.left_over == whole.left_over == 3


def test_a_row_with_nan_leaves_no_trace_in_a_sketch():
    rows = rows_of(12)
    before = Sketch.of(MAPS[0], rows[:6], block=4)
    with pytest.raises(ValueError, match="NaN"):
        before.update(np.full((3, 2), np.nan))
    after = before.update(rows[6:]).totals
    np.testing.assert_allclose(after, Sketch.of(MAPS[0], rows, block=4).totals, atol=1e-14)


def test_rows_left_over_are_counted_and_merging_knows_no_order():
    parts = [Sketch.of(MAPS[0], rows_of(n, seed=n), block=4) for n in (9, 6, 15)]
    one, other = (parts[0] + parts[1]) + parts[2], parts[0] + (parts[1] + parts[2])
    assert one.left_over == other.left_over == 1 + 2 + 3
    np.testing.assert_array_equal(one.totals, other.totals)
    turned = (parts[2] + parts[0] + parts[1]).covariance.density
    np.testing.assert_allclose(turned, one.covariance.density, atol=1e-14)


def test_equal_maps_of_other_objects_merge():
    frequencies = np.random.default_rng(0).standard_normal((2, 5))
    one, twin = FourierFeatures(frequencies), FourierFeatures(frequencies.copy())
    rows = rows_of(8)
    merged = Sketch.of(one, rows[:4], block=4) + Sketch.of(twin, rows[4:], block=4)
    np.testing.assert_array_equal(merged.totals, Sketch.of(one, rows, block=4).totals)
    assert merged.fingerprint == Sketch.of(twin, rows, block=4).fingerprint


def test_coarser_blocks_are_sums_of_finer_ones():
    rows = rows_of(30)
    coarse = Sketch.of(MAPS[0], rows, block=4).coarsen(3)
    np.testing.assert_allclose(coarse.totals, Sketch.of(MAPS[0], rows, block=12).totals, atol=1e-14)
    assert (coarse.block, coarse.left_over) == (12, 6)
    fine = Sketch.of(MAPS[0], rows, block=12)
    np.testing.assert_allclose((coarse + fine).covariance.density, fine.covariance.density)


def test_sketches_of_other_features_or_blocks_do_not_merge():
    one = Sketch.of(MAPS[0], rows_of(8), block=4)
    for other in (Sketch.of(MAPS[0], rows_of(8), block=2), Sketch.of(MAPS[1], rows_of(8), block=4)):
        with pytest.raises(ValueError, match="same feature map and block size"):
            one + other


@pytest.mark.parametrize(
    "entropy",
    [PowerSeries(1), PowerSeries(4), PowerSeries(10), VonNeumann(), Tsallis(3), Renyi(2), Renyi(3)],
    ids=repr,
)
@pytest.mark.parametrize("scale", [1.0, 1.6])
@maps
def test_single_rows_give_the_form_of_the_gram_matrix(feature_map, entropy, scale):
    """With explicit features the kernel is φ(x)·φ(y), so both routes must agree."""
    rows = rows_of(24)
    features = feature_map(rows)
    gram = PooledGram(features @ features.T, np.ones((24, 1)))
    direct = quadratic_form(gram, entropy, scale=scale)
    sketched = PooledSketch(Sketch.of(feature_map, rows, block=1)).quadratic_form(
        entropy, scale=scale
    )
    balanced = np.tile(np.r_[np.ones(12), -np.ones(12)], (40, 1))
    signs = np.random.default_rng(2).permuted(balanced, axis=1)
    ours, theirs = (np.einsum("bi,ij,bj->b", signs, q, signs) for q in (sketched, direct))
    tolerance = 0.02 if isinstance(entropy, VonNeumann) else 1e-3
    np.testing.assert_allclose(ours, theirs, atol=tolerance * theirs.std())


def test_blocks_give_the_form_of_block_means():
    """A permutation of whole blocks has the value of the rows in them."""
    rows, feature_map = rows_of(40), MAPS[0]
    features = feature_map(rows)
    gram = PooledGram(features @ features.T, np.ones((40, 1)))
    direct = quadratic_form(gram, PowerSeries(10))
    sketched = PooledSketch(Sketch.of(feature_map, rows, block=5)).quadratic_form(PowerSeries(10))
    by_block = np.array([1, -1, 1, 1, -1, -1, 1, -1]) / 4
    by_row = np.repeat(by_block, 5) / 5
    assert by_block @ sketched @ by_block == pytest.approx(by_row @ direct @ by_row, rel=1e-3)


@pytest.mark.parametrize("kernel", [Gaussian(1.5), Laplace(2.0), Matern(1.0)], ids=repr)
def test_frequencies_of_the_square(kernel):
    """κ² from sums of two independent frequencies of κ: right to 1/√D."""
    rows = rows_of(30)
    features = features_of_square(kernel, rows.shape[1], 5_000, rng=np.random.default_rng(0))
    found = features(rows) @ features(rows).T
    np.testing.assert_allclose(found, kernel(rows, rows) ** 2, atol=0.06)


@pytest.mark.parametrize("entropy", [PowerSeries(1), Tsallis(2)], ids=repr)
def test_means_give_the_form_of_order_1(entropy):
    """Block means of features of κ² stand for the covariances: ⟨φ², φ²⟩ = κ²."""
    rows, covariances = rows_of(40), MAPS[0]
    features = covariances(rows)
    squares = _Squares(covariances)
    means = MeanSketch.of(squares, rows[:20], block=5) + MeanSketch.of(squares, rows[20:], block=5)
    direct = quadratic_form(PooledGram(features @ features.T, np.ones((40, 1))), entropy)
    by_block = np.array([1, -1, 1, 1, -1, -1, 1, -1]) / 4
    by_row = np.repeat(by_block, 5) / 5
    found = by_block @ means.quadratic_form(entropy) @ by_block
    assert found == pytest.approx(by_row @ direct @ by_row, rel=1e-4)


class _Squares(FeatureMap):
    """φ ⊗ φ, whose inner products are squares."""

    def __init__(self, inner):
        self.inner = inner

    @property
    def size(self):
        return self.inner.size**2

    def __call__(self, x):
        found = self.inner(x)
        return np.einsum("ia,ib->iab", found, found).reshape(len(found), -1)


def test_where_means_suffice():
    assert means_suffice(PowerSeries(1))
    assert means_suffice(Tsallis(2))
    assert not means_suffice(Renyi(2))
    assert not means_suffice(PowerSeries(2))
    assert not means_suffice(VonNeumann())


def test_narrow_kernels_lose_nothing_in_sketches():
    """Order 1 hears as much of a wider law through block means as through all pairs."""
    heard = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(500, 10)), 1.12 * rng.normal(size=(500, 10))
        plans = [
            Fuse([KernelGroup([Gaussian(2.0)], (1,))], sketches=route) for route in (True, False)
        ]
        results = [two_sample_test(x, y, strategy=p, permutations=19, rng=0) for p in plans]
        heard.append([result.components[0]["value"] for result in results])
    sketched, full = np.mean(heard, axis=0)
    assert full > 2
    assert sketched > 0.9 * full


@pytest.mark.parametrize("value", [1e20, -1e30, 1e60])
def test_values_beyond_single_precision_are_a_clear_error(value):
    x, y = rows_of(1_100), rows_of(1_100, 2)
    x[3, 0] = value
    with pytest.raises(ValueError, match="rescale the rows, or look for broken values"):
        two_sample_test(x, y, permutations=19, rng=0)


def test_a_small_budget_leads_to_sketches_and_the_result_says_so():
    x, y = rows_of(900), rows_of(900, 2) + 1
    strategy = Fuse([KernelGroup([Gaussian(1.0)], (1, 4))])
    result = two_sample_test(x, y, strategy=strategy, permutations=99, rng=0, memory=2**27)
    assert "sketches of 300 v 300 blocks of 3 rows" in result.method
    assert result.sizes == (900, 900)
    assert result.pvalue == 0.01
    plain = two_sample_test(x, y, strategy=strategy, permutations=99, rng=0)
    assert "all pairs of rows" in plain.method


def test_many_rows_lead_to_sketches_by_default():
    x, y = rows_of(1_100), rows_of(1_000, 2)
    strategy = Fuse([KernelGroup([Gaussian(1.0)], (1,))])
    result = two_sample_test(x, y, strategy=strategy, permutations=99, rng=0)
    assert "blocks of 2 rows" in result.method
    again = two_sample_test(x, y, strategy=strategy, permutations=99, rng=0)
    assert again.statistic == result.statistic


def test_renyi_keeps_its_power_on_sketches():
    x, y = rows_of(100), rows_of(100, 2) + 1
    strategy = Fuse([KernelGroup([Gaussian(1.0)], (Renyi(2),))], sketches=True)
    assert two_sample_test(x, y, strategy=strategy, permutations=99, rng=0).reject


def test_constant_rows_are_alike_on_sketches_too():
    rows = np.full((120, 2), 0.3)
    strategy = Fuse(sketches=True)
    assert two_sample_test(rows, rows, strategy=strategy, permutations=39, rng=0).pvalue == 1.0


def test_rows_far_from_every_landmark_have_a_form_of_zeros():
    feature_map = NystromFeatures(Gaussian(1.0), rows_of(7))
    pooled = PooledSketch(Sketch.of(feature_map, rows_of(20) + 1e3, block=5))
    assert pooled.largest == 1.0
    np.testing.assert_array_equal(pooled.quadratic_form(PowerSeries(10)), 0.0)


def test_a_row_far_out_does_not_round_those_it_comes_with():
    """Features of one row must not depend on the batch: tests compare rows of different ones."""
    rows = rows_of(40).astype(np.float32)
    landmarks = np.r_[rows_of(9, seed=2), [[1e5, 1e5]]]
    alone = next(evaluate([NystromFeatures(Gaussian(1.0), landmarks)], rows))
    beside = np.r_[rows, np.full((1, 2), 1e5, dtype=np.float32)]
    found = next(evaluate([NystromFeatures(Gaussian(1.0), landmarks)], beside))
    np.testing.assert_allclose(found[:-1], alone, atol=1e-4)
