"""Divergences between many groups from their covariances alone, and the bias of few rows."""

from dataclasses import dataclass

import numpy as np

from samelaw.core.types import Matrix
from samelaw.extras.groups.recipe import GroupPlan
from samelaw.kernels.entropies import Entropy, VonNeumann
from samelaw.kernels.operators import density_divergence
from samelaw.testing.row_features import curvature, products_of

_VON_NEUMANN = VonNeumann()
_BIAS_DRAWS = 8
_NOTHING = 1e-300  # whose logarithm is finite


@dataclass(frozen=True, eq=False)
class SecondOrderForm:
    """Divergences around the covariance of all groups: squared distances of weighted entries."""

    vectors: Matrix
    weights: Matrix
    lengths: float  # mean ‖ψ‖² of the rows of the pool

    @classmethod
    def around(cls, density: Matrix, plan: GroupPlan, entropy: Entropy) -> "SecondOrderForm":
        """Around the mean covariance (D, D) of all groups."""
        values, vectors = np.linalg.eigh(density)
        kept = values > 1e-7 * values[-1]
        values, vectors = values[kept], vectors[:, kept]
        weights = curvature(values, entropy, 1.0)
        features = np.asarray(plan.feature_map.features(plan.pool)) @ vectors
        squares = (products_of(features) * weights) ** 2
        return cls(vectors, weights, float(squares.sum(axis=1).mean()))

    def means(self, totals: Matrix, counts: Matrix) -> tuple[Matrix, Matrix]:
        """Mean features (G, P) of groups less those of all, and the bias of their lengths (G,)."""
        size, upper = len(self.vectors), np.triu_indices(self.vectors.shape[1])
        found = np.empty((len(totals), len(upper[0])))
        for g, (total, count) in enumerate(zip(totals, counts, strict=True)):
            turned = self.vectors.T @ symmetric(total / count, size) @ self.vectors
            found[g] = turned[upper] * self.weights
        inside = np.maximum(self.lengths - np.einsum("gp,gp->g", found, found), 0.0)
        bias = inside / np.maximum(counts - 1.0, 1.0)
        found -= found.mean(axis=0)
        return found.astype(np.float32), bias


def divergence_of(one: Matrix, other: Matrix) -> float:
    """Balanced von Neumann RJSD of two densities, in nats."""
    return float(density_divergence([one, other], _VON_NEUMANN, (0.5, 0.5)))


def bias_by_size(plan: GroupPlan, sizes: Matrix) -> Matrix:
    """How far samples of these sizes (G,) are from their own law, by samples of the pool.

    Far from proportional to 1/n where there are fewer rows than features.
    """
    features = np.asarray(plan.feature_map.features(plan.pool)).astype(np.float64)
    law, count = features.T @ features / len(features), len(features)
    rng = np.random.default_rng([plan.seed, 4])
    largest = max(4, count // 8)  # larger samples would hold too many rows twice
    tried = np.unique(np.geomspace(2, largest, 10).round().astype(np.int64))
    found = []
    for size in tried:
        drawn = (features[rng.integers(count, size=size)] for _ in range(_BIAS_DRAWS))
        found.append(np.mean([divergence_of(some.T @ some / size, law) for some in drawn]))
    inside = np.interp(
        np.log(np.minimum(sizes, largest)), np.log(tried), np.log(np.maximum(found, _NOTHING))
    )
    return np.asarray(np.exp(inside) * np.minimum(1.0, largest / sizes))


def symmetric(upper: Matrix, size: int) -> Matrix:
    """The symmetric matrix of which these are the entries on and above the diagonal."""
    found: Matrix = np.empty((size, size))
    first, second = np.triu_indices(size)
    found[first, second] = found[second, first] = upper
    return found
