"""All columns together against the sums of a reference that keeps no rows.

Under the hypothesis φφᵀ of a new row has the mean that the reference shows, so that what is left of
it may as well have the other sign. Sums with random signs (a wild bootstrap) give the law of the
distance between the two covariances, also of a few rows: these need not stand for the law, as they
would if both tables were drawn from them again. A row that is rare is no evidence by itself.
"""

import math
from dataclasses import dataclass

import numpy as np

from samelaw.comparison.effects.effect import divergences
from samelaw.comparison.effects.intervals import Effect
from samelaw.comparison.references.reference import Reference
from samelaw.core.types import Matrix
from samelaw.divergence.sketch import Sketch
from samelaw.kernels.entropies import VonNeumann, divided_differences

_BLOCKS = 400
_AGAIN = 200  # draws behind the error of an effect
_NEGLIGIBLE = 1e-4  # eigenvalues below this share of the largest are left out
_RIDGE = 1e-3  # and the others are no less than this share, or directions of few rows would decide
_EIGHTH = 0.125 / math.log(2.0)  # of the second derivative: the divergence near 0, over log 2
_TIE = 1.0 - 1e-9


@dataclass(frozen=True, eq=False)
class Joint:
    """How far apart all columns together are.

    Parameters
    ----------
    effect : Effect
    statistic : float
    null : array (B,)
        The statistic when nothing changed.
    """

    effect: Effect
    statistic: float
    null: Matrix

    @property
    def pvalue(self) -> float:
        """At least 1 / (B + 1)."""
        return float(1 + np.count_nonzero(self.null >= self.statistic * _TIE)) * self.least

    @property
    def least(self) -> float:
        """The least p-value that so many draws can give."""
        return 1.0 / (len(self.null) + 1.0)


def joint_test(reference: Reference, points: Matrix, draws: int, rng: np.random.Generator) -> Joint:
    """The rows ``points`` (n, k), in random order, against a reference."""
    block = max(1, len(points) // _BLOCKS)
    sketch = Sketch.of(reference.summary.feature_map, points.astype(np.float64), block=block)
    old = np.asarray(reference.summary.covariance.density)
    rest = _weighted_rest(old, sketch)
    count = len(rest)
    own, others = (rng.choice([-1.0, 1.0], (draws, count)) for _ in range(2))
    others -= others.mean(axis=1, keepdims=True)  # a change is no error of the reference
    scale = math.sqrt(count**2 / (count - 1.0) * sketch.block / reference.rows)
    signs = np.vstack([np.ones(count), own + scale * others]) / count
    values = _EIGHTH * np.einsum("bi,bi->b", signs @ (rest @ rest.T), signs)
    statistic, null = float(values[0]), values[1:]
    turned, blocks = _turned(old, sketch, _basis(0.5 * (old + sketch.covariance.density)))
    return Joint(_effect(turned, blocks, null, rng), statistic, null)


def _weighted_rest(old: Matrix, sketch: Sketch) -> Matrix:
    """φφᵀ of each block less that of the reference (blocks, entries).

    The sum of squares of their mean is, times an eighth, the divergence of laws that are close:
    entries are weighed by divided differences at the eigenvalues of the reference.
    """
    basis = _basis(old)
    turned, blocks = _turned(old, sketch, basis)
    values = np.diag(turned)
    first, second = np.triu_indices(len(values))
    slopes = -divided_differences(VonNeumann(), values + _RIDGE * values.max())[first, second]
    weights = np.sqrt(np.where(first == second, 1.0, 2.0) * slopes)
    return np.asarray((blocks - turned)[:, first, second] * weights)


def _effect(old: Matrix, blocks: Matrix, null: Matrix, rng: np.random.Generator) -> Effect:
    """The divergence without the bias that it has when nothing changed."""
    again = _drawn(blocks, len(blocks), _AGAIN, rng)
    variance = float(divergences(np.broadcast_to(old, again.shape), again).var())
    bias, spread = float(null.mean()), float(null.std())
    value = min(max(_divergence(old, blocks) - bias, 0.0), 1.0)
    growth = max(variance - spread**2, 0.0) / max(value + spread, 1e-12)
    skewness = min(2.0 * spread / max(bias, 1e-12), 3.0)
    return Effect(value, spread, skewness, growth, value / len(blocks))


def _divergence(old: Matrix, blocks: Matrix) -> float:
    return float(divergences(old[None], blocks.mean(axis=0)[None])[0])


def _drawn(blocks: Matrix, size: int, draws: int, rng: np.random.Generator) -> Matrix:
    """Densities (B, r, r) of so many blocks, drawn with replacement."""
    count = len(blocks)
    counts = rng.multinomial(size, np.full(count, 1.0 / count), draws)
    return (counts / size @ blocks.reshape(count, -1)).reshape(-1, *blocks.shape[1:])


def _turned(old: Matrix, sketch: Sketch, basis: Matrix) -> tuple[Matrix, Matrix]:
    """The density of the reference (r, r) and those of the blocks (g, r, r) in a basis."""
    return basis.T @ old @ basis, basis.T @ (sketch.totals / sketch.block) @ basis


def _basis(density: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(density)
    return np.asarray(vectors[:, values > _NEGLIGIBLE * values[-1]])
