"""Compress Then Test and its aggregated version, of goodpoints: they return 0 or 1."""

import io
from contextlib import redirect_stdout
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

Array = Any
COMPRESSION = 4


def compress_then_test(x: Array, y: Array, seed: int) -> float:
    """CTT at the median distance; 39 permutations, as its authors."""
    from goodpoints.ctt import ctt

    width = float(np.median(pdist(np.concatenate([x, y]))))
    found = ctt(x, y, COMPRESSION, lam=width, null_seed=seed, statistic_seed=seed + 1)
    return 0.0 if found.rejects else 1.0


def aggregated(x: Array, y: Array, seed: int) -> float:
    """ACTT over ten equal steps from half the 5 % to twice the 95 % quantile of the distances."""
    from goodpoints.ctt import actt

    low, high = np.quantile(pdist(np.concatenate([x, y])), [0.05, 0.95])
    widths = np.linspace(low / 2, 2 * high, 10)
    seeds = {"null_seed": seed, "statistic_seed": seed + 1}
    with redirect_stdout(io.StringIO()):  # it prints its bisection
        found = actt(x, y, COMPRESSION, lam=widths, weights=np.full(10, 0.1), **seeds)
    return 0.0 if found.rejects else 1.0


METHODS = {"goodpoints CTT": compress_then_test, "goodpoints ACTT": aggregated}
