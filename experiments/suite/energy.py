"""The energy test (Székely & Rizzo 2004): Euclidean distances, permuted."""

from dataclasses import dataclass

import numpy as np

from experiments.suite.problem import Array
from samelaw.testing.permuting.permutations import Evaluation, null_distribution
from samelaw.testing.problem import Problem, Strategy
from samelaw.testing.result import TestResult


@dataclass(frozen=True)
class Energy(Strategy):
    """2 E‖X − Y‖ − E‖X − X′‖ − E‖Y − Y′‖ of the two samples."""

    def decide(self, problem: Problem) -> TestResult:
        apart, unit = problem.pool.distances("sqeuclidean")
        apart = unit * np.sqrt(apart)

        def statistic(memberships: Array) -> Evaluation:
            return Evaluation(energy_distance(apart, memberships))

        null = null_distribution(statistic, problem.labels, problem.permutations, problem.rng)
        return problem.result(null, "energy distance")


def energy_distance(apart: Array, memberships: Array) -> Array:
    """Energy distances (B,) for distances (N, N) and memberships (B, N)."""
    first = memberships.sum(1, keepdims=True)
    signs = memberships / first - ~memberships / (memberships.shape[1] - first)  # (B, N)
    signs = signs.astype(apart.dtype)
    return np.asarray(-np.einsum("bi,bi->b", signs @ apart, signs).astype(np.float64))
