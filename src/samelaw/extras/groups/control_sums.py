"""What all tests against one control share: its rows as vectors, and sums over them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from samelaw.core.memory import PASSING
from samelaw.core.types import Matrix
from samelaw.testing.permuting.row_form import row_moments
from samelaw.testing.row_features import RowFeatures


@dataclass(frozen=True, eq=False)
class ControlSums:
    """The control in explicit features.

    Parameters
    ----------
    maps : RowFeatures
    centre : array (P,)
        The mean feature of the control, taken off all rows: sums of many stay small.
    rows : array (m, P)
        Features of the control less their mean.
    """

    maps: RowFeatures
    centre: Matrix
    rows: Matrix

    @classmethod
    def of(cls, maps: RowFeatures, rows: Matrix) -> "ControlSums":
        """For the rows of the control (m, d)."""
        features = maps(rows)
        centre = features.mean(axis=0, dtype=np.float64)
        features -= centre.astype(np.float32)
        return cls(maps, centre, features)

    @property
    def size(self) -> int:
        return len(self.rows)

    def features(self, rows: Matrix) -> Matrix:
        """Features (n, P) of other rows, less the mean of the control."""
        found = self.maps(rows)
        found -= self.centre.astype(np.float32)
        return found

    def per_component(self, squares: Matrix) -> Matrix:
        """Sums (n, K) over the features of each component of numbers (n, P)."""
        return np.asarray(squares.astype(np.float32, copy=False) @ self._belongs, dtype=np.float64)

    @cached_property
    def _belongs(self) -> Matrix:
        """Which features are of which component (P, K): a product is faster than sums of parts."""
        found: Matrix = np.zeros((self.maps.size, len(self.maps.looks)), dtype=np.float32)
        for k, place in enumerate(self.maps.slices):
            found[place, k] = 1.0
        return found

    @cached_property
    def _covariances(self) -> list[Matrix]:
        """Σψψᵀ of the control, component by component."""
        blocks = (self.rows[:, place] for place in self.maps.slices)
        return [np.asarray(block.T @ block) for block in blocks]

    @cached_property
    def _lengths(self) -> Matrix:
        """‖ψ‖² of every row and component (m, K)."""
        return self.per_component(self.rows * self.rows)

    @cached_property
    def _cubes(self) -> Matrix:
        """Σ‖ψ‖²ψ, (P,)."""
        found = [
            self._lengths[:, k] @ self.rows[:, place].astype(np.float64)
            for k, place in enumerate(self.maps.slices)
        ]
        return np.concatenate(found)

    def _through(self, features: Matrix) -> Matrix:
        """⟨ψ, Cψ⟩ with the covariance C of the control, for every row and component (n, K)."""
        found = []
        for place, covariance in zip(self.maps.slices, self._covariances, strict=True):
            own = features[:, place]
            found.append(np.einsum("np,np->n", own @ covariance, own, dtype=np.float64))
        return np.stack(found, axis=1)

    def moments(self, features: Matrix, sizes: Matrix) -> tuple[Matrix, Matrix]:
        """Mean and standard deviation (G, K) over all permutations of each group and the control.

        Parameters
        ----------
        features : array (n, P)
            Of the rows of G groups, one group after the other.
        sizes : array (G,)
            Rows of each group.
        """
        starts = np.cumsum(sizes) - sizes
        n, m = sizes[:, None].astype(np.float64), float(self.size)
        count = n + m
        lengths = self.per_component(features * features)
        shift = _sums(features, starts) / count  # of the mean of both, (G, P)
        along = self.per_component(features * np.repeat(shift, sizes, axis=0))  # ⟨ψ, shift⟩
        away = self.per_component(shift * shift)
        spread = self._through(shift) + _sums(along**2, starts)  # ⟨shift, Cshift⟩
        trace = self._lengths.sum(axis=0) + _sums(lengths, starts)
        own = (self._lengths**2).sum(axis=0) + _sums(lengths**2, starts) + 4.0 * spread
        own -= 4.0 * (self.per_component(shift * self._cubes) + _sums(lengths * along, starts))
        own += 2.0 * away * trace - 3.0 * count * away**2
        trace = trace - count * away
        squares = np.array([float(np.vdot(c, c)) for c in self._covariances])
        squares = squares + 2.0 * _sums(self._through(features), starts)
        squares += self._inner(features, lengths, sizes, starts)
        squares += count**2 * away**2 - 2.0 * count * spread
        mean, variance = row_moments(trace, own, squares, n, m)
        floor = np.array([look.floor for look in self.maps.looks]) * count / (n * m)
        deviation = np.sqrt(np.maximum(variance, 0.0))
        return np.asarray(mean), np.where(deviation > floor, deviation, 0.0)

    def _inner(self, features: Matrix, lengths: Matrix, sizes: Matrix, starts: Matrix) -> Matrix:
        """‖Σψψᵀ‖² of every group by itself (G, K)."""
        found = np.empty((len(sizes), lengths.shape[1]))
        for k, place in enumerate(self.maps.slices):
            if place.stop - place.start == 1:
                found[:, k] = _sums(lengths[:, [k]], starts)[:, 0] ** 2
                continue
            for g, (start, size) in enumerate(zip(starts, sizes, strict=True)):
                own = features[start : start + size, place]
                product = own @ own.T if size < own.shape[1] else own.T @ own
                found[g, k] = np.vdot(product, product)
        return found


def _sums(values: Matrix, starts: Matrix) -> Matrix:
    """Sums over the rows of each group."""
    return np.asarray(np.add.reduceat(values, starts, axis=0, dtype=np.float64))


def groups_at_once(sizes: Sequence[int] | Matrix, most: int) -> list[slice]:
    """Consecutive groups that have at most so many rows together, or one group alone."""
    found, start, rows = [], 0, 0
    for place, size in enumerate(sizes):
        if rows + size > most and place > start:
            found.append(slice(start, place))
            start, rows = place, 0
        rows += int(size)
    return [*found, slice(start, len(sizes))]


_MOST = 256  # orders at a time


@dataclass(eq=False)
class ControlDraws:
    """Random orders of the control, some at a time.

    Parameters
    ----------
    control : ControlSums
    rng : Generator
    """

    control: ControlSums
    rng: np.random.Generator
    _orders: Matrix = field(init=False, repr=False)
    _sums: Matrix = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._orders = np.empty((self.control.size, 0), dtype=np.int32)
        self._sums = np.empty(0, dtype=np.float32)

    def at_once(self, longest: int) -> int:
        """Orders whose sums over beginnings of up to so many rows fit into what passes."""
        each = 4.0 * (longest + 1) * self.control.rows.shape[1]
        return int(np.clip(PASSING / each, 1, _MOST))

    def sums(self, count: int, shortest: int, longest: int) -> Matrix:
        """Sums over the first ``shortest`` … ``longest`` rows of orders (lengths, count, P).

        Overwritten by the next ones.
        """
        order, width = self._begun(count, longest), self.control.rows.shape[1]
        need = (longest - shortest + 1, count, width)
        if self._sums.size < math.prod(need):
            self._sums = np.empty(math.prod(need), dtype=np.float32)
        found = self._sums[: math.prod(need)].reshape(need)
        running: Matrix = np.zeros((count, width), dtype=np.float32)
        for place in range(shortest):
            running += self.control.rows[order[place]]
        found[0] = running
        for place in range(shortest, longest):
            now = place - shortest
            np.add(found[now], self.control.rows[order[place]], out=found[now + 1])
        return found

    def _begun(self, count: int, longest: int) -> Matrix:
        """The first rows of random orders (longest, count), by exchanging places (Fisher–Yates).

        Whatever order they begin with, the result is uniform: the last ones serve again.
        """
        size = self.control.size
        if self._orders.shape[1] < count:
            first: Matrix = np.arange(size, dtype=np.int32)
            self._orders = np.repeat(first[:, None], count, axis=1)
        order, column = self._orders, np.arange(count)
        for place in range(min(longest, size - 1)):
            other = self.rng.integers(place, size, size=count)
            picked = order[other, column]
            order[other, column] = order[place, :count]
            order[place, :count] = picked
        return order[:longest, :count]


@dataclass(frozen=True, eq=False)
class GroupRows:
    """One group in the features of its control: rows (n, P) and their sum (P,)."""

    rows: Matrix
    total: Matrix

    @classmethod
    def of(cls, rows: Matrix) -> "GroupRows":
        return cls(rows, rows.sum(axis=0, dtype=np.float64).astype(np.float32))

    def observed(self, control: ControlSums) -> Matrix:
        """‖mean of the group − mean of the control‖² of every component (1, K)."""
        return self._values(self.total[None], control)

    def own(self, control: ControlSums, rng: np.random.Generator, count: int) -> Matrix:
        """How many of its own rows the group gets back in random permutations (B,)."""
        n = len(self.rows)
        return rng.hypergeometric(n, control.size, n, size=count)

    def permuted(
        self, control: ControlSums, own: Matrix, drawn: Matrix, rng: np.random.Generator
    ) -> Matrix:
        """The same for permutations (B, K) that give so many own rows (B,) back.

        ``drawn`` are sums over the rows of the control (B, P), and are overwritten.
        """
        places = np.flatnonzero(own)
        if len(places):
            drawn[places] += _members(rng, own[places], len(self.rows)) @ self.rows
        return self._values(drawn, control)

    def _values(self, drawn: Matrix, control: ControlSums) -> Matrix:
        n, m = len(self.rows), control.size
        shift = np.float32(1.0 / n + 1.0 / m) * drawn - self.total / np.float32(m)
        return control.per_component(shift * shift)


def _members(rng: np.random.Generator, sizes: Matrix, count: int) -> Matrix:
    """Random subsets of these sizes (B,) of so many rows, as ones and zeros (B, count)."""
    keys = rng.random((len(sizes), count))
    last = np.sort(keys, axis=1)[np.arange(len(sizes)), sizes - 1]
    return np.asarray(keys <= last[:, None], dtype=np.float32)
