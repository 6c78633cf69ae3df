"""Differences of the means of row functions between two tables, under all permutations.

A value that is missing counts as nothing: its functions are 0, their mean. How many values each
table knows then changes with the permutation, and the spread of a difference with it. Where the
share of missing values moved, permuted tables know other numbers of values than the observed ones;
unless each difference is measured in the spread of its own numbers, another share of missing values
would be taken for other values.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from samelaw.core import tolerances
from samelaw.core.memory import pieces
from samelaw.core.types import Matrix
from samelaw.testing.permuting.group_form import Sides, mean_over, weights_of
from samelaw.testing.permuting.linear_form import within
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.row_form import ManyMoments, weighted_moments
from samelaw.testing.permuting.units import Part, Units


@dataclass(frozen=True, eq=False)
class Squares:
    """Squared differences (B + 1, r) of the means of r functions, and the rounding in each (r,)."""

    values: Matrix
    noise: Matrix


class Contrast(ABC):
    """The units of one part and their memberships."""

    @abstractmethod
    def squares(self, sums: Matrix, known: Matrix | None = None) -> Squares:
        """Squared differences of means from sums (U, r) over the units of the pool.

        ``known`` (U,) says how many rows of each unit have a value, if not all of them; squares are
        then those over the variance to be expected at the numbers of each permutation.
        """

    def moments(
        self, sums: Matrix, forms: Matrix, known: Matrix | None = None
    ) -> ManyMoments | None:
        """Of sums of such squares with weights (f, r), over all permutations; None if not known."""
        return None


@dataclass(frozen=True, eq=False)
class Difference(Contrast):
    """Mean over A less mean over B; sizes never change, or change for all functions alike.

    Parameters
    ----------
    part : Part
        The units that are looked at.
    among : Units
    memberships : array (B + 1, U)
    """

    part: Part
    among: Units
    memberships: Matrix

    def _weights(self, some: slice) -> Matrix:
        """Weights (b, U) such that ``weights @ sums`` is the difference."""
        first, second = self.among.shares(self.memberships[some])
        return np.asarray(first[:, self.part.units] - second[:, self.part.units])

    @cached_property
    def _only(self) -> Matrix | None:
        """All weights, where they are few enough to be kept for the next functions."""
        first, *others = pieces(*self.memberships.shape)
        return None if others else self._weights(first)

    def _pieces(self) -> Iterator[tuple[slice, Matrix]]:
        for some in pieces(*self.memberships.shape):
            yield some, self._weights(some) if self._only is None else self._only

    @cached_property
    def _typical(self) -> Matrix:
        total = sum(np.abs(weights).sum(axis=0) for _, weights in self._pieces())
        return np.asarray(total / len(self.memberships))

    def squares(self, sums: Matrix, known: Matrix | None = None) -> Squares:
        own = sums[self.part.units].astype(np.float64)
        if known is not None:
            return self._of_known(own, known[self.part.units].astype(np.float64))
        found = np.empty((len(self.memberships), own.shape[1]))
        for some, weights in self._pieces():
            found[some] = weights @ own
        error = tolerances.rounding(np.float64) * (self._typical @ np.abs(own))
        return Squares(found**2, (2.0 * np.abs(found).max(axis=0) + error) * error)

    def _of_known(self, own: Matrix, known: Matrix) -> Squares:
        """Squared sums over A, less what their strata have per value, over Σ_g k_A k_B/(k_A + k_B).

        That is the variance of such a sum if every value has variance 1.
        """
        centred = _centred(own, known, self.part)
        found = np.zeros((len(self.memberships), own.shape[1]))
        for some in pieces(*self.memberships.shape):
            members = self.memberships[some, self.part.units].astype(np.float64)
            spread = _spread_of(members, known, self.part)
            root = np.sqrt(np.where(spread > 0.0, spread, np.inf))
            found[some] = (members @ centred) / root[:, None]
        error = tolerances.rounding(np.float64) * np.abs(own).max(axis=0) * np.sqrt(known.sum())
        return Squares(found**2, (2.0 * np.abs(found).max(axis=0) + error) * error)

    def moments(
        self, sums: Matrix, forms: Matrix, known: Matrix | None = None
    ) -> ManyMoments | None:
        labels, sizes = self.part.labels, self.part.sizes
        if not labels.uniform or float(sizes.min()) < float(sizes.max()):
            return None
        own, (n, m) = sums[self.part.units].astype(np.float64), labels.sizes
        if known is None:
            own = own / float(sizes[0])
            return weighted_moments(own, forms, n, m) if min(n, m) > 1 else None
        some = np.flatnonzero(known[self.part.units])
        share = len(some) / (n + m)  # of a sum over A as many, on average, have a value
        if share * min(n, m) < _FEWEST:
            return None
        known = known[self.part.units].astype(np.float64)[some]
        first, second = share * n, share * m
        spread = float(known.mean()) * first * second / (first + second)
        scale = first * second / (first + second) / np.sqrt(spread)
        centred = own[some] - np.outer(known, own.sum(axis=0) / known.sum())
        return weighted_moments(scale * centred, forms, first, second)


def keeping_known(
    memberships: Matrix, known: Matrix, labels: Labels, rng: np.random.Generator
) -> Matrix:
    """Memberships (B + 1, U) that have as many known rows of every stratum in A as the first.

    As few rows as need be change sides, drawn at random: among rows with a value every choice of so
    many is then as likely as any other, whatever became of the others. Units must be rows.
    """
    some = np.flatnonzero(known)
    strata = np.zeros(len(some)) if labels.strata is None else labels.strata[some]
    order = np.argsort(strata, kind="stable")
    some, strata = some[order], np.unique(strata[order], return_inverse=True)[1]
    wanted = np.bincount(strata, memberships[0, some]).astype(np.int64)
    starts = np.searchsorted(strata, np.arange(len(wanted)))
    found = memberships.copy()
    for part in pieces(len(memberships) - 1, len(some)):
        inside = memberships[1:][part][:, some]
        keys = rng.random(inside.shape) + ~inside + 2.0 * strata  # those of A come first
        places = np.argsort(keys, axis=1)  # stratum after stratum
        first = np.arange(len(some)) - starts[strata] < wanted[strata]
        chosen = np.empty_like(inside)
        np.put_along_axis(chosen, places, np.broadcast_to(first, inside.shape), axis=1)
        found[1:][part][:, some] = chosen
    return found


_FEWEST = 4.0  # units with a value in either table; the moments of fewer are far from typical


def _centred(sums: Matrix, known: Matrix, part: Part) -> Matrix:
    """Sums (U, r) less what their stratum has for as many values."""
    means = within(sums, part.labels) / np.maximum(within(known[:, None], part.labels), 1.0)
    strata = part.labels.strata
    return np.asarray(sums - known[:, None] * (means if strata is None else means[strata]))


def _spread_of(members: Matrix, known: Matrix, part: Part) -> Matrix:
    """Σ_g k_A k_B/(k_A + k_B) (b,) over the strata, with k values known."""
    inside, strata = members * known, part.labels.strata
    if strata is None:
        first, both = inside.sum(axis=1, keepdims=True), np.array([known.sum()])
    else:
        both = np.bincount(strata, known)
        starts = np.searchsorted(strata, np.arange(len(both)))
        first = np.add.reduceat(inside, starts, axis=1)
    return np.asarray((first * (both - first) / np.maximum(both, 1.0)).sum(axis=1))


@dataclass(frozen=True, eq=False)
class GroupDifference(Contrast):
    """The same for whole groups of any size, by the statistic of `group_form`."""

    units: slice
    memberships: Matrix
    sizes: Matrix

    def squares(self, sums: Matrix, known: Matrix | None = None) -> Squares:
        own = sums[self.units].astype(np.float64)
        sizes = self.sizes if known is None else known[self.units].astype(np.float64)
        if not sizes.any():  # no row has a value
            return Squares(np.zeros((len(self.memberships), own.shape[1])), np.zeros(own.shape[1]))
        own -= np.outer(sizes, own.sum(axis=0) / sizes.sum())
        weights = weights_of(sizes, _likeness(own, sizes))  # (G, r)
        own *= weights / np.maximum(sizes, 1.0)[:, None]
        own -= weights * (own.sum(axis=0) / weights.sum(axis=0))
        parts = [self._some(own, weights, some) for some in pieces(*self.memberships.shape)]
        values, largest, smallest, spread = zip(*parts, strict=True)
        terms = np.max(largest, axis=0) + (own**2).sum(axis=0)  # before they cancel
        error = tolerances.rounding(np.float64) * 4.0 * terms / min(smallest) ** 2
        return Squares(np.concatenate(values), error / np.min(spread, axis=0))

    def _some(
        self, own: Matrix, weights: Matrix, some: slice
    ) -> tuple[Matrix, Matrix, float, Matrix]:
        """Values (b, r) of some permutations; their largest sums, least weight and least spread.

        A table without a value in any group says nothing: its values are 0.
        """
        sides = Sides(self.memberships[some, self.units] * 1.0, weights)
        inside = sides.memberships @ own
        alone = sides.memberships @ own**2
        total = (own**2).sum(axis=0)
        (first, second), pairs = sides.totals, sides.pairs()
        values = mean_over(inside**2 - alone, pairs[0])
        values = values + mean_over(inside**2 - (total - alone), pairs[1])
        values += mean_over(2.0 * inside**2, first * second)
        values[np.minimum(first, second) == 0.0] = 0.0
        spread = sides.spread()
        smallest = min(float(np.where(one > 0.0, one, 1.0).min()) for one in (first, second))
        return values / spread, (inside**2).max(axis=0), smallest, spread.min(axis=0)


def _likeness(sums: Matrix, sizes: Matrix) -> Matrix:
    """ρ of each function of unit variance, from the sums over groups: how alike rows of one are."""
    rows, pairs = sizes.sum(), float(sizes @ (sizes - 1.0))
    if pairs == 0.0:
        return np.zeros(sums.shape[1])
    alike = ((sums**2).sum(axis=0) - rows) / pairs
    return np.asarray(np.clip(alike, 0.0, 1.0))


def contrasts_of(units: Units, memberships: Matrix) -> Iterator[Contrast]:
    """One contrast per part of the units."""
    for part in units.parts():
        if part.whole:
            yield GroupDifference(part.units, memberships, part.sizes)
        else:
            yield Difference(part, units, memberships)
