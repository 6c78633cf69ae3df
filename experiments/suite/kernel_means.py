"""The generalised kernel test GPK (Song & Chen, Biometrika 2024).

Means of the kernel within X (α) and within Y (β) are compared with what permutations expect of
both, by their covariance: in many dimensions one of them may rise while the other falls, and the
sum of them, which MMD sees, stays as it was.
"""

from dataclasses import dataclass

import numpy as np

from experiments.suite.problem import Array
from samelaw import Gaussian
from samelaw.testing.permuting.permutations import Evaluation, null_distribution
from samelaw.testing.problem import Problem, Strategy
from samelaw.testing.result import TestResult


@dataclass(frozen=True)
class KernelMeans(Strategy):
    """(α − Eα, β − Eβ) Σ⁻¹ (α − Eα, β − Eβ)ᵀ, a Gaussian kernel at the median distance."""

    def decide(self, problem: Problem) -> TestResult:
        width = float(np.median(problem.pool.flat("sqeuclidean"))) or 1.0
        gram = without_diagonal(problem.pool.gram(Gaussian(width)))
        n, m = problem.labels.sizes
        mean, covariance = permutation_moments(gram, n, m)
        inverse = np.linalg.pinv(covariance, rcond=1e-9, hermitian=True)

        def statistic(memberships: Array) -> Evaluation:
            moved = within_means(gram, memberships) - mean
            return Evaluation(np.einsum("bi,ij,bj->b", moved, inverse, moved))

        null = null_distribution(statistic, problem.labels, problem.permutations, problem.rng)
        return problem.result(null, "generalised kernel test (GPK)")


def without_diagonal(gram: Array) -> Array:
    """A copy in double precision with zeros on the diagonal."""
    bare = np.array(gram, dtype=np.float64)
    np.fill_diagonal(bare, 0.0)
    return bare


def within_means(gram: Array, memberships: Array) -> Array:
    """α and β (B, 2): means of the kernel over pairs of different rows of X and of Y."""
    inside = memberships.astype(np.float64)
    n = inside.sum(1)
    m = inside.shape[1] - n
    product = inside @ gram
    first = np.einsum("bi,bi->b", product, inside)
    second = gram.sum() - 2.0 * product.sum(1) + first
    return np.stack([first / (n * (n - 1)), second / (m * (m - 1))], axis=1)


def permutation_moments(gram: Array, n: int, m: int) -> tuple[Array, Array]:
    """Mean (2,) and covariance (2, 2) of α and β over all permutations."""
    total = n + m
    pairs = float((gram**2).sum())  # ordered pairs with themselves
    chains = float((gram.sum(1) ** 2).sum()) - pairs  # two pairs that share one row
    apart = float(gram.sum()) ** 2 - 2 * pairs - 4 * chains
    mean = float(gram.sum()) / (total * (total - 1))

    def falling(size: int, count: int) -> float:
        return float(np.prod([size - i for i in range(count)], dtype=np.float64))

    def square(size: int) -> float:
        chance = [falling(size, k) / falling(total, k) for k in (2, 3, 4)]
        inside = 2 * pairs * chance[0] + 4 * chains * chance[1] + apart * chance[2]
        return inside / falling(size, 2) ** 2 - mean**2

    both = apart / falling(total, 4) - mean**2  # no row is in both samples
    return np.array([mean, mean]), np.array([[square(n), both], [both, square(m)]])
