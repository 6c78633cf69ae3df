"""How the comparable values of many kernels and orders become one statistic."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samelaw.core.as_typed import as_typed
from samelaw.core.checks import as_vector
from samelaw.core.types import Matrix


class Combine(ABC):
    """How the comparable values of all kernels and orders become one."""

    sums: ClassVar[bool] = False
    """Whether weights of kernels are shares of a sum; relative to the largest weight if not."""

    @abstractmethod
    def fuse(self, total: Matrix | None, values: Matrix, weight: float, n: int) -> Matrix:
        """Add the values (B,) of one kernel and order; ``n`` is the smaller sample size."""

    def finish(self, total: Matrix, n: int) -> Matrix:
        """The fused values."""
        return total


@as_typed
@dataclass(frozen=True)
class Maximum(Combine):
    """The largest value; a kernel of half the weight must be twice as large."""

    def fuse(self, total: Matrix | None, values: Matrix, weight: float, n: int) -> Matrix:
        weighted = weight * values
        return weighted if total is None else np.maximum(total, weighted)


@as_typed
@dataclass(frozen=True)
class SoftMaximum(Combine):
    """(1/λ) log Σ ρ_k exp(λ T_k), the fused statistic of the paper.

    Parameters
    ----------
    sharpness : float or None
        λ; None is n(n−1), n the smaller size: the value MMD-Fuse's code effectively uses.
    """

    sums: ClassVar[bool] = True
    sharpness: float | None = None

    def fuse(self, total: Matrix | None, values: Matrix, weight: float, n: int) -> Matrix:
        weighted = self._lambda(n) * values + math.log(weight)
        return weighted if total is None else np.logaddexp(total, weighted)

    def finish(self, total: Matrix, n: int) -> Matrix:
        return total / self._lambda(n)

    def _lambda(self, n: int) -> float:
        return float(n * (n - 1)) if self.sharpness is None else self.sharpness


def kernel_weights(
    given: Sequence[float] | None, count: int, *, sum_to_one: bool = False
) -> list[float]:
    """Weights of the kernels: relative to the largest for a maximum, else summing to one."""
    weights = [1.0] * count if given is None else as_vector("weights", given).tolist()
    if len(weights) != count or not all(w >= 0 for w in weights) or max(weights) <= 0:
        raise ValueError(f"expected {count} non-negative weights, one per kernel, got {weights}.")
    unit = sum(weights) if sum_to_one else max(weights)
    return [max(weight / unit, 1e-300) for weight in weights]
