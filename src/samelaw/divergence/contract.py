"""The contract of an estimator: prepare a pool once, evaluate many memberships of it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from samelaw.core.by_value import ByValue
from samelaw.core.checks import as_numbers, as_share, as_vector, shown
from samelaw.core.types import Array, Matrix, Sample

Weights: TypeAlias = Literal["proportional", "balanced"] | float | Sequence[float]
"""How samples are weighted in the mixture: "proportional", "balanced", a share, or shares."""


class Estimator(ByValue, ABC):
    """An estimate of a divergence between two samples.

    ``estimator(x, y)`` gives one number. A permutation test calls ``prepare`` once on the pooled
    rows and ``evaluate`` for many memberships of them, each estimator by its best route.
    """

    @abstractmethod
    def prepare(self, pool: Sample) -> Any:
        """Compute what all memberships of a pool (N rows) share."""

    @abstractmethod
    def evaluate(self, state: Any, memberships: Matrix) -> Array:
        """Estimates (B,) for memberships (B, N): True where a row belongs to the first sample."""

    def held(self, count: int) -> float:
        """Bytes that `prepare` and `evaluate` take for so many rows, beside the rows."""
        return 0.0

    @abstractmethod
    def __call__(self, x: Sample, y: Sample) -> Array:
        """The estimate for two samples, a scalar of their array library."""


def priors(weights: Weights, sizes: Sequence[float]) -> tuple[float, ...]:
    """Shares π_k of the samples in the mixture.

    The paper's definition is balanced, its estimator proportional (n/(n+m)); the two have
    different population values when the sizes differ (erratum 4).
    """
    count = len(sizes)
    if isinstance(weights, str):
        if weights == "balanced":
            return (1.0 / count,) * count
        if weights == "proportional":
            return tuple(float(size) / float(sum(sizes)) for size in sizes)
        raise ValueError(
            f'weights must be "proportional", "balanced" or numbers, got {shown(weights)}.'
        )
    if isinstance(weights, Real):
        if count != 2:
            raise ValueError(f"one number as weights needs two samples, got {count}.")
        first = as_share("weights", float(weights))
        return (first, 1.0 - first)
    shares = as_vector("weights", weights)
    if len(shares) != count or min(shares) <= 0:
        raise ValueError(f"expected {count} positive weights, got {shown(weights)}.")
    return tuple((shares / max(shares) / sum(shares / max(shares))).tolist())


def as_memberships(memberships: Matrix, count: int) -> Matrix:
    """Check memberships: a boolean (B, N) array, both sides non-empty."""
    checked = np.atleast_2d(as_numbers("memberships", memberships).astype(bool))
    if checked.ndim != 2:
        raise ValueError(f"memberships have shape {checked.shape}; expected (B, {count}).")
    if checked.shape[1] != count:
        raise ValueError(f"memberships have {checked.shape[1]} columns, the pool has {count} rows.")
    sizes = checked.sum(axis=1)
    if np.any(sizes == 0) or np.any(sizes == count):
        raise ValueError("every membership needs at least one row on each side.")
    return checked
