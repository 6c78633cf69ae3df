"""Threads of the BLAS: one for small matrices, whose further threads mostly wait for each other.

On a busy machine they wait for long (`benchmarks/threads.py`). What is large, and what other
libraries multiply (PyTorch, JAX), keeps all of them.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from samelaw.core.arrays import full_precision

SMALL = 4_000
"""Rows, of all samples together, up to which one thread is used."""

_ALL = sys.maxsize  # rows for which all threads are used, whatever else there is
_P = ParamSpec("_P")
_R = TypeVar("_R")


@contextmanager
def fitting(rows: int) -> Iterator[None]:
    """One thread of the BLAS for so few rows; all of them, as they were, for more."""
    if rows > SMALL:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield


def fitting_samples(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function of samples, with as many threads as fit the rows it is given, without autocast."""

    @wraps(function)
    def fitted(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with fitting(_rows(args)), full_precision(*args, *kwargs.values()):
            return function(*args, **kwargs)

    return fitted


def single(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that takes rows a few at a time, with one thread however many, as above."""

    @wraps(function)
    def alone(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        threads = _ALL if _rows(args) == _ALL else 0
        with fitting(threads), full_precision(*args, *kwargs.values()):
            return function(*args, **kwargs)

    return alone


def _rows(samples: Sequence[Any]) -> int:
    """Rows of all arrays of numpy; `_ALL` if there is one of another library."""
    count = 0
    for sample in samples:
        if isinstance(sample, np.ndarray):
            count += sample.shape[0] if sample.ndim else 1
        elif isinstance(sample, list | tuple):
            count += _rows(sample)
        elif hasattr(sample, "__dlpack__"):
            return _ALL
    return min(count, _ALL)


@cache
def _controller() -> Any:
    """What numpy and scipy multiply with, found once: looking for it takes milliseconds."""
    import scipy.linalg.blas  # noqa: F401 - brings a BLAS of its own
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
