"""Categories as a few classes: the commonest each one of its own, the others dealt to what is left.

Were the rare ones one class, categories that are gone and new ones as frequent would leave it as it
was. Dealt in turn, in the order of how common they are in the pool, they fall into different ones.
"""

import numpy as np

from samelaw.core.types import Matrix


def few_classes(codes: Matrix, own: int, shared: int, weights: Matrix | None = None) -> Matrix:
    """Class of each row by how common its category is, -1 where there is none.

    Parameters
    ----------
    codes : array (N,)
        Of the pooled rows, -1 where missing.
    own : int
        Categories with a class of their own.
    shared : int
        Classes that the others are dealt to.
    weights : array (N,), optional
        How many rows each row stands for.

    Examples
    --------
    >>> import numpy as np
    >>> few_classes(np.array([7, 7, 7, 3, 3, 4, 5, 6, -1]), own=1, shared=2)
    array([ 0,  0,  0,  1,  1,  2,  1,  2, -1])
    """
    known = codes >= 0
    often = np.bincount(codes[known], None if weights is None else weights[known])
    place = np.empty(len(often), dtype=np.int64)
    place[np.argsort(-often, kind="stable")] = dealt(len(often), own, shared)
    return np.where(known, place[codes], -1)


def dealt(count: int, own: int, shared: int) -> Matrix:
    """Class of each of so many categories, the commonest first."""
    turn = np.arange(count)
    return np.where(turn < own, turn, own + (turn - own) % shared)


MOST_CODES = 32
