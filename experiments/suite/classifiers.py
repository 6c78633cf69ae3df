"""Classifier two-sample tests (Lopez-Paz & Oquab 2017; Hediger, Michel & Näf 2022).

A classifier learns on half of each sample to tell the samples apart; on the other half the mean
score of X is compared with that of Y, and the labels of that half are permuted. The permutations
leave the training half alone, so one fit serves all of them and the level is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from experiments.suite.problem import Array
from samelaw.testing.permuting.permutations import Evaluation, Labels, null_distribution
from samelaw.testing.problem import Problem, Strategy
from samelaw.testing.result import TestResult

Fit = Callable[[Array, Array, int], Callable[[Array], Array]]
"""(rows (k, d), labels (k,), seed) → a function of rows that gives scores."""


@dataclass(frozen=True)
class Classifier(Strategy):
    """Mean score of the held-out rows of X less that of Y."""

    fit: Fit
    name: str

    def decide(self, problem: Problem) -> TestResult:
        labels, points = problem.labels.observed, problem.pool.points
        held = halves(labels, problem.rng)
        seed = int(problem.rng.integers(2**31))
        score = self.fit(points[~held], labels[~held], seed)(points[held])
        spread = np.abs(score).max() or 1.0

        def statistic(memberships: Array) -> Evaluation:
            first = memberships.sum(1)
            inside = memberships @ (score / spread)
            means = inside / first, (score.sum() / spread - inside) / (len(score) - first)
            return Evaluation(means[0] - means[1])

        null = null_distribution(
            statistic, Labels(labels[held]), problem.permutations, problem.rng, noise=1e-12
        )
        return problem.result(null, f"{self.name} on half of the rows")


def halves(labels: Array, rng: np.random.Generator) -> Array:
    """Half of each sample, drawn at random (N,)."""
    held = np.zeros(len(labels), dtype=bool)
    for side in (labels, ~labels):
        rows = rng.permutation(np.flatnonzero(side))
        held[rows[: (len(rows) + 1) // 2]] = True
    return held


def logistic(rows: Array, labels: Array, seed: int) -> Callable[[Array], Array]:
    """Ridge-penalised logistic regression on standardised columns."""
    from sklearn.linear_model import LogisticRegression

    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    model = LogisticRegression(class_weight="balanced", max_iter=500)
    model.fit((rows - centre) / scale, labels)

    def score(new: Array) -> Array:
        return np.asarray(model.decision_function((new - centre) / scale))

    return score


def forest(rows: Array, labels: Array, seed: int, trees: int = 100) -> Callable[[Array], Array]:
    """A random forest."""
    from sklearn.ensemble import RandomForestClassifier

    options: dict[str, Any] = {"min_samples_leaf": 2, "class_weight": "balanced"}
    model = RandomForestClassifier(trees, random_state=seed, n_jobs=1, **options)
    model.fit(rows, labels)

    def score(new: Array) -> Array:
        return np.asarray(model.predict_proba(new)[:, 1])

    return score
