"""What is compared: the default of samelaw and its rivals."""

from collections.abc import Callable

import samelaw as sl
from experiments.suite.classifiers import Classifier, forest, logistic
from experiments.suite.energy import Energy
from experiments.suite.kernel_means import KernelMeans
from experiments.suite.likelihood_ratio import LikelihoodRatio
from experiments.suite.problem import Problem
from experiments.suite.ranks import AndersonDarling, KolmogorovSmirnov

OURS = "samelaw"
RIVALS: dict[str, Callable[[], sl.testing.Strategy]] = {
    "MMD-FUSE": sl.Fuse.mmd,
    "MMDAgg": sl.Aggregate.mmd,
    "energy": Energy,
    "kernel means": KernelMeans,
    "likelihood ratio": LikelihoodRatio,
    "logistic": lambda: Classifier(logistic, "logistic regression"),
    "forest": lambda: Classifier(forest, "random forest"),
    "KS": KolmogorovSmirnov,
    "Anderson-Darling": AndersonDarling,
}
METHODS: dict[str, Callable[[], sl.testing.Strategy]] = {OURS: sl.Fuse, **RIVALS}

ONE_COLUMN = ("KS", "Anderson-Darling")
MOST_ROWS = {"likelihood ratio": 200}
"""Rows of the smaller sample up to which a method is run: it needs B determinants of them."""


def applies(method: str, problem: Problem) -> bool:
    """Whether a method is defined for a problem and affordable."""
    if method in ONE_COLUMN and problem.columns > 1:
        return False
    return min(problem.sizes) <= MOST_ROWS.get(method, 10**9)
