"""Kolmogorov–Smirnov and Anderson–Darling in one column, permuted (ties are no trouble then)."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from experiments.suite.problem import Array
from samelaw.testing.permuting.permutations import Evaluation, null_distribution
from samelaw.testing.problem import Problem, Strategy
from samelaw.testing.result import TestResult


@dataclass(frozen=True)
class _Ranked(Strategy):
    """A statistic of the two distribution functions at the distinct pooled values."""

    def decide(self, problem: Problem) -> TestResult:
        points = problem.pool.points
        if points.shape[1] != 1:
            raise ValueError(f"ranks need one column, got {points.shape[1]}.")
        order = np.argsort(points[:, 0], kind="stable")
        last = np.append(np.diff(points[order, 0]) > 0, True)  # of rows with one value

        def statistic(memberships: Array) -> Evaluation:
            return Evaluation(self.values(memberships[:, order], last))

        null = null_distribution(
            statistic, problem.labels, problem.permutations, problem.rng, noise=1e-12
        )
        return problem.result(null, type(self).__name__)

    @abstractmethod
    def values(self, ordered: Array, last: Array) -> Array:
        """Of memberships in the order of the values; ``last`` marks the last row of each value."""


@dataclass(frozen=True)
class KolmogorovSmirnov(_Ranked):
    """max |F − G|."""

    def values(self, ordered: Array, last: Array) -> Array:
        n = ordered.sum(1, keepdims=True)
        first = np.cumsum(ordered, axis=1)[:, last]
        seen = np.arange(1, ordered.shape[1] + 1)[last]
        gaps = first / n - (seen - first) / (ordered.shape[1] - n)
        return np.asarray(np.abs(gaps).max(axis=1))


@dataclass(frozen=True)
class AndersonDarling(_Ranked):
    """∫ (F − G)² / H(1 − H) dH times nm/N, H the pooled function (Scholz & Stephens 1987)."""

    def values(self, ordered: Array, last: Array) -> Array:
        total = ordered.shape[1]
        n = ordered.sum(1, keepdims=True)
        seen = np.arange(1, total + 1)[last]
        ties = np.diff(seen, prepend=0)[:-1]
        seen, first = seen[:-1], np.cumsum(ordered, axis=1)[:, last][:, :-1]
        squares = (total * first - n * seen) ** 2 / (seen * (total - seen))
        return np.asarray((squares * ties).sum(1) / (n[:, 0] * (total - n[:, 0])))
