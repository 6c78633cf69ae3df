"""All columns together, from sums over blocks alone.

The components of the default test (`twosample.fuse.DEFAULT`), with fewer widths of kernels and in
Fourier features: order 30 of two wide Gaussian kernels and of normal scores, order 1 of near
neighbours and of normal scores, means of ranks, second moments, and five row scores.
"""

from collections.abc import Iterator

import numpy as np

from samelaw.comparison.effects.operators import effect_features
from samelaw.comparison.sums.block_sums import BlockSums, FeatureSums, Waves
from samelaw.comparison.sums.frozen_scores import PENALTIES, REFERENCE, FrozenScores
from samelaw.comparison.sums.scheme import Scheme
from samelaw.core.tolerances import rounding
from samelaw.core.types import Matrix
from samelaw.divergence.quadratic_form import SUBSPACE
from samelaw.divergence.sketch import MeanSketch, PooledSketch, Sketch, centred, features_of_square
from samelaw.kernels.bandwidths import quantile_bandwidths
from samelaw.kernels.entropies import as_entropy
from samelaw.kernels.features import FourierFeatures, draw_frequencies
from samelaw.kernels.formulas import Gaussian
from samelaw.testing.permuting.components import Component, components_of, contrasts_of
from samelaw.testing.permuting.units import Units
from samelaw.testing.scales import View
from samelaw.testing.standardize import NormalScores
from samelaw.testing.statistics import SecondOrder

MEANS = 64
"""Frequencies of the kernels at order 1."""

COVARIANCES = 40
"""Frequencies of the kernels at order 30: products of all their waves are summed."""

_WIDE, _NORMAL_WIDE = (0.75, 1.3), 0.7  # median distances
_ORDER = 30
_NARROW_PENALTY, _MOMENT_PENALTY = 0.35, 0.25  # as in `fuse.DEFAULT`
_MOST_COLUMNS = 64  # coordinates whose products are all summed
_BANDWIDTH_ROWS = 2_000


def draw_features(scheme: Scheme, rng: np.random.Generator) -> FeatureSums:
    """Frequencies for the coordinates of a scheme; the last covariances are those of effects."""
    count = len(scheme.drawn[0])
    some = rng.permutation(count)[:_BANDWIDTH_ROWS]
    codes = [own[some] for own in scheme.drawn]
    few = {view: scheme.points(codes, view) for view in FrozenScores.views}
    narrow, middle = _bandwidths(few[View.ROWS], 0.05, 0.5)
    (normal,) = _bandwidths(few[View.NORMAL], 0.5)
    width = few[View.ROWS].shape[1]
    means = [
        (features_of_square(Gaussian(bandwidth), width, MEANS, rng=rng).frequencies, view)
        for bandwidth, view in ((narrow, View.ROWS), (normal, View.NORMAL))
    ]
    wide = [
        (draw_frequencies(Gaussian(bandwidth), width, COVARIANCES, rng=rng), view)
        for bandwidth, view in (
            *((factor * middle, View.ROWS) for factor in _WIDE),
            (_NORMAL_WIDE * normal, View.NORMAL),
        )
    ]
    points = scheme.points(scheme.drawn)
    wide.append((effect_features(points, rng).frequencies, View.ROWS))
    mixtures = None
    if width > _MOST_COLUMNS:
        scale = np.maximum(points.std(axis=0), 1e-6)
        mixtures = (rng.standard_normal((width, _MOST_COLUMNS)) / scale[:, None]).astype(np.float32)
    scores = FrozenScores({view: rows[:REFERENCE] for view, rows in few.items()})
    return FeatureSums(_waves(means), _waves(wide), mixtures, scores)


def _bandwidths(points: Matrix, *quantiles: float) -> list[float]:
    found = quantile_bandwidths(points.astype(np.float64), quantiles)
    return [max(float(bandwidth), 1e-6) for bandwidth in found]


def _waves(found: list[tuple[Matrix, View]]) -> list[Waves]:
    return [Waves(np.asarray(w, dtype=np.float32), view) for w, view in found]


def joint_values(
    sums: BlockSums, units: Units, memberships: Matrix, rng: np.random.Generator
) -> Matrix:
    """The statistic (B + 1,) of all columns together: the largest of its components."""
    total: Matrix | None = None
    for values in component_values(sums, units, memberships, rng).values():
        total = values if total is None else np.maximum(total, values)
    assert total is not None
    return total


def component_values(
    sums: BlockSums, units: Units, memberships: Matrix, rng: np.random.Generator
) -> dict[str, Matrix]:
    """Comparable values (B + 1,) of every component, by its name."""
    scaling, single = NormalScores(), memberships.astype(np.float32)
    return {
        component.name: scaling.fit(component)(component.evaluate(single)) - penalty
        for component, penalty in _components(sums, units, rng)
    }


def _components(
    sums: BlockSums, units: Units, rng: np.random.Generator
) -> Iterator[tuple[Component, float]]:
    block, labels = int(units.sizes[0]), units.labels
    blocks = Units(labels, np.arange(units.count))
    start = rng.standard_normal((units.count, SUBSPACE))

    def of(name: str, matrix: Matrix, penalty: float) -> Iterator[tuple[Component, float]]:
        for component in components_of(name, matrix, blocks, start):
            yield component, penalty

    waves = sums.features.means
    for totals, own, penalty in zip(sums.means, waves, (_NARROW_PENALTY, 0.0), strict=True):
        means = MeanSketch((totals / (block * np.sqrt(totals.shape[1] / 2))).astype(np.float32))
        matrix = means.quadratic_form(as_entropy(1)) * labels.balance
        yield from of(f"order 1{own.view.of}", matrix.astype(np.float32), penalty)
    entropy, scaling = as_entropy(_ORDER), NormalScores()
    wide = zip(sums.covariances[:-1], sums.features.covariances, strict=False)
    for place, (totals, own) in enumerate(wide):
        scaled = (totals / (totals.shape[1] / 2)).astype(np.float32)
        operator = PooledSketch(Sketch(FourierFeatures(own.frequencies), (scaled,), block))
        factor = scaling.kernel_factor(operator, (entropy,), labels.sizes, SecondOrder())
        matrix = operator.quadratic_form(entropy, scale=factor) * labels.balance
        yield from of(f"order {_ORDER}, kernel {place + 1}{own.view.of}", matrix, 0.0)
    for name, features, penalty in _moments(sums, block):
        yield from of(name, features @ features.T, penalty)
    for name, totals, penalty in zip(sums.features.scores.names, sums.scores.T, PENALTIES,
                                     strict=True):  # fmt: skip
        noise = rounding(np.float32) * float(np.abs(totals).max())
        for component in contrasts_of(name, totals, blocks, noise):
            yield component, penalty


def _moments(sums: BlockSums, block: int) -> Iterator[tuple[str, Matrix, float]]:
    """Means of ranks, and second moments of the coordinates in their deviations over the pool."""
    ranks = np.concatenate(
        [own @ table for own, table in zip(sums.bins, sums.scheme.tables(View.RANKS), strict=True)],
        axis=1,
    )
    yield "means of ranks", centred((ranks / block).astype(np.float32)), 0.0
    rows = block * len(sums.first)
    centre = sums.first.sum(axis=0) / rows
    spread = np.sqrt(np.maximum(np.einsum("ukk->k", sums.second) / rows - centre**2, 0.0))
    scale = 1.0 / np.where(spread > 1e-6, spread, np.inf)
    means = sums.first / block - centre
    products = sums.second / block
    products -= means[:, :, None] * centre + centre[:, None] * means[:, None, :]
    products = products - centre[:, None] * centre
    first, second = np.triu_indices(len(centre))
    weight = np.where(first == second, 1.0, np.sqrt(2.0)) * scale[first] * scale[second]
    squares = (products[:, first, second] * weight).astype(np.float32)
    yield "second moments of columns", centred(squares), _MOMENT_PENALTY
