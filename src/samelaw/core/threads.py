"""Threads of the BLAS: one for small matrices, whose further threads mostly wait for each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

SMALL = 4_000
"""Rows up to which one thread is used; several mostly wait for each other, on a busy machine for
long."""


@contextmanager
def fitting(rows: int) -> Iterator[None]:
    """One thread of the BLAS for so few rows; all of them, as they were, for more."""
    if rows > SMALL:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    """What numpy and scipy multiply with, found once: looking for it takes milliseconds."""
    import scipy.linalg.blas  # noqa: F401 - brings a BLAS of its own
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
