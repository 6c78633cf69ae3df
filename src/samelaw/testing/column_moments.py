"""Functions of columns whose means are compared: values, products, ranks and their spread."""

import math

import numpy as np

from samelaw.core.types import Matrix

_MOST_PAIRED = 50  # columns whose pairs are all looked at: 1,225


def rank_changes(ranks: Matrix, degree: int) -> Matrix:
    """Functions (N, k) of rows, two for each column or one for each pair of columns.

    Ranks (N, d) lie about 0. There are no functions for pairs of very many columns.
    """
    if degree == 1:
        return np.concatenate([ranks, np.abs(ranks)], axis=1)
    if ranks.shape[1] > _MOST_PAIRED:
        return ranks[:, :0]
    first, second = np.triu_indices(ranks.shape[1], 1)
    return np.asarray(ranks[:, first] * ranks[:, second])


def in_one_unit(columns: Matrix) -> Matrix:
    """Columns over one power of two, so that their squares have digits in single precision."""
    largest = float(np.abs(columns).max(initial=0.0))
    return np.asarray(np.ldexp(columns, -math.frexp(largest)[1]))


def moment_matrix(columns: Matrix, degree: int) -> Matrix:
    """Inner products (N, N) of the columns of rows, or their squares."""
    products = columns @ columns.T
    return np.asarray(products if degree == 1 else products * products)
