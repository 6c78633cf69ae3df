"""Energy distance, MMD, smooth characteristic functions and mean embeddings of hyppo."""

from typing import Any

import numpy as np

Array = Any
PERMUTATIONS = 199


def energy(x: Array, y: Array, seed: int) -> float:
    """Energy distance, permuted."""
    from hyppo.ksample import Energy

    return Energy().test(x, y, reps=PERMUTATIONS, auto=False, random_state=seed)[1]


def mmd(x: Array, y: Array, seed: int) -> float:
    """MMD with hyppo's own Gaussian kernel, permuted."""
    from hyppo.ksample import MMD

    return MMD().test(x, y, reps=PERMUTATIONS, auto=False, random_state=seed)[1]


def smooth_characteristic_function(x: Array, y: Array, seed: int) -> float:
    """SCF at five random frequencies, χ² p-value."""
    from hyppo.ksample import SmoothCFTest

    return _or_one(SmoothCFTest(), x, y, seed)


def mean_embedding(x: Array, y: Array, seed: int) -> float:
    """ME at five random locations, χ² p-value."""
    from hyppo.ksample import MeanEmbeddingTest

    return _or_one(MeanEmbeddingTest(), x, y, seed)


def _or_one(test: Any, x: Array, y: Array, seed: int) -> float:
    """Its p-value; a singular matrix, which it does not catch, counts as no rejection."""
    try:
        return test.test(x, y, random_state=seed)[1]
    except np.linalg.LinAlgError:
        return 1.0


METHODS = {
    "hyppo energy": energy,
    "hyppo MMD": mmd,
    "hyppo SCF": smooth_characteristic_function,
    "hyppo ME": mean_embedding,
}
