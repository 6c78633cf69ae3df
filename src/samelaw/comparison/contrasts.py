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
from samelaw.twosample.budget import pieces
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
        Those of ``among`` that are looked at.
    among : Units
    members : array (B + 1, U)
    """

    units: slice
    among: Units
    members: Matrix

    def _weights(self, some: slice) -> Matrix:
        """Weights (b, U) such that ``weights @ sums`` is the difference."""
        first, second = self.among.shares(self.members[some])
        return np.asarray(first[:, self.units] - second[:, self.units])

    @cached_property
    def _only(self) -> Matrix | None:
        """All weights, where they are few enough to be kept for the next functions."""
        first, *others = pieces(*self.members.shape)
        return None if others else self._weights(first)

    def _pieces(self) -> Iterator[tuple[slice, Matrix]]:
        for some in pieces(*self.members.shape):
            yield some, self._weights(some) if self._only is None else self._only

    @cached_property
    def _typical(self) -> Matrix:
        total = sum(np.abs(weights).sum(axis=0) for _, weights in self._pieces())
        return np.asarray(total / len(self.members))

    def squares(self, sums: Matrix) -> Squares:
        own = sums[self.units].astype(np.float64)
        found = np.empty((len(self.members), own.shape[1]))
        for some, weights in self._pieces():
            found[some] = weights @ own
        error = tolerances.rounding(np.float64) * (self._typical @ np.abs(own))
        return Squares(found**2, (2.0 * np.abs(found).max(axis=0) + error) * error)


@dataclass(frozen=True, eq=False)
class GroupDifference(Contrast):
    """The same for whole groups of any size, by the statistic of `group_form`."""

    units: slice
    members: Matrix
    sizes: Matrix

    def squares(self, sums: Matrix) -> Squares:
        own = sums[self.units].astype(np.float64)
        own -= np.outer(self.sizes, own.sum(axis=0) / self.sizes.sum())
        parts = [self._some(own, some) for some in pieces(*self.members.shape)]
        values, largest, smallest, spread = zip(*parts, strict=True)
        terms = np.max(largest, axis=0) + (own**2).sum(axis=0)  # before they cancel
        error = tolerances.rounding(np.float64) * 4.0 * terms / min(smallest) ** 2
        return Squares(np.concatenate(values), error / np.min(spread, axis=0))

    def _some(self, own: Matrix, some: slice) -> tuple[Matrix, Matrix, float, Matrix]:
        """Values (b, r) of some labellings; their largest sums, least rows and least spread."""
        sides = Sides(self.members[some, self.units] * 1.0, self.sizes)
        inside = sides.members @ own
        alone = sides.members @ own**2
        total = (own**2).sum(axis=0)
        (first, second), pairs = sides.rows(), sides.pairs()
        values = mean_over(inside**2 - alone, pairs[0])
        values = values + mean_over(inside**2 - (total - alone), pairs[1])
        values += 2.0 * inside**2 / (first * second)[:, None]
        spread = sides.spread(_likeness(own, self.sizes))
        smallest = min(float(first.min()), float(second.min()))
        return values / spread, (inside**2).max(axis=0), smallest, spread.min(axis=0)


def _likeness(sums: Matrix, sizes: Matrix) -> Matrix:
    """ρ of each function of unit variance, from the sums over groups: how alike rows of one are."""
    rows, pairs = sizes.sum(), float(sizes @ (sizes - 1.0))
    if pairs == 0.0:
        return np.zeros(sums.shape[1])
    alike = ((sums**2).sum(axis=0) - rows) / pairs
    return np.asarray(np.clip(alike, 0.0, 1.0))


def contrasts_of(units: Units, members: Matrix) -> Iterator[Contrast]:
    """One contrast per part of the units."""
    for part in units.parts():
        if part.whole:
            yield GroupDifference(part.units, members, part.sizes)
        else:
            yield Difference(part.units, units, members)
