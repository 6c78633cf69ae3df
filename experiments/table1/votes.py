"""The stand-in for the images: votes of a few classifiers. Needs numpy only."""

from typing import Any

import numpy as np
from experiments import problems

VOTES, EQUAL = "votes of five", "votes of five, equal laws"
ROWS = (75, 150, 300)
CLASSIFIERS = 5
"""Votes of so few make the laws hard to tell apart: those of 30 are at their ceiling."""
REPETITIONS = 100
SEED = 101


def draw_votes(rng: np.random.Generator, n: int, problem: str = VOTES) -> tuple[Any, Any]:
    """n rows of CIFAR-10 and of CIFAR-10.1, or twice of CIFAR-10."""
    return problems.cifar_few_votes(rng, CLASSIFIERS, n, n, same=problem == EQUAL)
