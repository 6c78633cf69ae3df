"""The kernel likelihood ratio test (Santoro & Panaretos 2025).

Each sample becomes a Gaussian law in the RKHS with the mean m and the second moment S of its
features. The relative entropy to the law of the pool, with a ridge γ,

    ½ [ Tr(R − 1) − log det R + ‖(S_Z + γ)^−½ (m_X − m_Z)‖² ],  R = (S_X + γ)(S_Z + γ)⁻¹,

is the likelihood ratio of "X differs from the pool"; the same for Y. Bandwidths, ridges and sides
are taken together by the largest of their values, each standardised over all permutations with the
observed one among them (the authors use Bonferroni's inequality, which costs them power, and one
side).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from experiments.suite.problem import Array
from samelaw import Gaussian
from samelaw.testing.permuting.permutations import Evaluation, null_distribution
from samelaw.testing.problem import Problem, Strategy
from samelaw.testing.result import TestResult

_AT_ONCE = 4_000_000  # numbers of a stack of matrices


@dataclass(frozen=True)
class LikelihoodRatio(Strategy):
    """Relative entropies of the samples to their pool, as Gaussian laws in the RKHS."""

    factors: tuple[float, ...] = (1.0, 3.0)
    """Bandwidths, times the median distance."""
    ridges: tuple[float, ...] = (1e-6, 1e-3)

    def decide(self, problem: Problem) -> TestResult:
        width = float(np.median(problem.pool.flat("sqeuclidean"))) or 1.0

        def statistic(memberships: Array) -> Evaluation:
            scores = [
                (values - values.mean()) / max(float(values.std()), 1e-12)
                for factor in self.factors
                for ridge in self.ridges
                for values in relative_entropies(
                    problem.pool.gram(Gaussian(factor * width)), ridge, memberships
                )
            ]
            return Evaluation(np.max(scores, axis=0))

        null = null_distribution(statistic, problem.labels, problem.permutations, problem.rng)
        return problem.result(null, "kernel likelihood ratio")


def relative_entropies(gram: Array, ridge: float, memberships: Array) -> Iterator[Array]:
    """Of X to the pool (B,), then of Y, for a Gram matrix (N, N) and memberships (B, N)."""
    gram = np.asarray(gram, dtype=np.float64)
    total = len(gram)
    values, vectors = np.linalg.eigh(gram)
    values = np.clip(values, 0.0, None)  # N times the eigenvalues of S_Z
    whitened = (vectors * (values / (values / total + ridge))) @ vectors.T  # φᵢᵀ(S_Z + γ)⁻¹φⱼ
    pooled = float(np.log1p(values / (total * ridge)).sum())
    for side in (memberships, ~memberships):
        size = int(side[0].sum())
        inside = side.astype(np.float64) / size
        # Tr((S_X + γ)(S_Z + γ)⁻¹ − 1) = Tr((S_X − S_Z)(S_Z + γ)⁻¹)
        trace = inside @ np.diagonal(whitened) - np.diagonal(whitened).mean()
        moved = inside - 1.0 / total
        mean = np.einsum("bi,bi->b", moved @ whitened, moved)
        yield 0.5 * (trace - log_dets(gram / (size * ridge), side) + pooled + mean)


def log_dets(scaled: Array, side: Array) -> Array:
    """log det(I + A_SS) (B,) for the rows S of each membership (B, N).

    Of two complementary minors of a matrix and its inverse only the smaller one is factorised:
    log det M_SS = log det M + log det (M⁻¹)_RR, R the rows that are not in S.
    """
    matrix = scaled + np.eye(len(scaled))
    size = int(side[0].sum())
    if 2 * size <= len(matrix):
        return _minors(matrix, side, size)
    root = np.linalg.cholesky(matrix)
    half = np.linalg.solve(root, np.eye(len(root)))
    whole = 2.0 * float(np.log(np.diagonal(root)).sum())
    return whole + _minors(half.T @ half, ~side, len(matrix) - size)


def _minors(matrix: Array, side: Array, size: int) -> Array:
    rows = np.nonzero(side)[1].reshape(len(side), size)
    found = np.empty(len(side))
    step = max(1, _AT_ONCE // size**2)
    for start in range(0, len(side), step):
        some = rows[start : start + step]
        roots = np.linalg.cholesky(matrix[some[:, :, None], some[:, None, :]])
        found[start : start + step] = 2.0 * np.log(np.einsum("bii->bi", roots)).sum(1)
    return found
