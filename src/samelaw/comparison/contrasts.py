"""Differences of means between two tables under every relabelling of their units.

Whatever is compared column by column is a handful of functions of a row; their sums over units
are enough. In double precision throughout: what is the same for every relabelling then differs by
errors far below any spread that means something.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from samelaw.core import tolerances
from samelaw.core.types import Matrix
from samelaw.twosample.group_form import Sides, mean_over
from samelaw.twosample.units import Units


@dataclass(frozen=True, eq=False)
class Squares:
    """Squared differences (B + 1, r) of the means of r functions, and the rounding in each (r,)."""

    values: Matrix
    noise: Matrix


class Contrast(ABC):
    """The units of one part and their memberships."""

    @abstractmethod
    def squares(self, sums: Matrix) -> Squares:
        """Squared differences of means from sums (U, r) over the units of the pool."""


@dataclass(frozen=True, eq=False)
class Difference(Contrast):
    """Mean over A less mean over B; sizes never change, or change for all functions alike.

    Parameters
    ----------
    units : slice
    weights : array (B + 1, U)
        Such that ``weights @ sums`` is the difference.
    """

    units: slice
    weights: Matrix

    @cached_property
    def _typical(self) -> Matrix:
        return np.asarray(np.abs(self.weights).mean(axis=0))

    def squares(self, sums: Matrix) -> Squares:
        own = sums[self.units].astype(np.float64)
        found = self.weights @ own
        error = tolerances.rounding(np.float64) * (self._typical @ np.abs(own))
        return Squares(found**2, (2.0 * np.abs(found).max(axis=0) + error) * error)


@dataclass(frozen=True, eq=False)
class GroupDifference(Contrast):
    """The same for whole groups of any size, by the statistic of `group_form`."""

    units: slice
    sides: Sides

    def squares(self, sums: Matrix) -> Squares:
        sizes = self.sides.sizes
        own = sums[self.units].astype(np.float64)
        own -= np.outer(sizes, own.sum(axis=0) / sizes.sum())
        inside = self.sides.members @ own
        alone = self.sides.members @ own**2
        total = (own**2).sum(axis=0)
        (first, second), pairs = self.sides.rows(), self.sides.pairs()
        values = mean_over(inside**2 - alone, pairs[0])
        values = values + mean_over(inside**2 - (total - alone), pairs[1])
        values += 2.0 * inside**2 / (first * second)[:, None]
        spread = self.sides.spread(_likeness(own, sizes))
        terms = (inside**2).max(axis=0) + total  # before they cancel
        smallest = min(float(first.min()), float(second.min()))
        error = tolerances.rounding(np.float64) * 4.0 * terms / smallest**2 / spread.min(axis=0)
        return Squares(values / spread, error)


def _likeness(sums: Matrix, sizes: Matrix) -> Matrix:
    """ρ of each function of unit variance, from the sums over groups: how alike rows of one are."""
    rows, pairs = sizes.sum(), float(sizes @ (sizes - 1.0))
    if pairs == 0.0:
        return np.zeros(sums.shape[1])
    alike = ((sums**2).sum(axis=0) - rows) / pairs
    return np.asarray(np.clip(alike, 0.0, 1.0))


def contrasts_of(units: Units, members: Matrix) -> Iterator[Contrast]:
    """One contrast per part of the units."""
    first, second = units.shares(members)
    for part in units.parts():
        if part.whole:
            yield GroupDifference(part.units, Sides(members[:, part.units] * 1.0, part.sizes))
        else:
            yield Difference(part.units, first[:, part.units] - second[:, part.units])
