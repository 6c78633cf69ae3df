"""Permutations of many groups with one control that share their work.

To permute the rows of a group of n and a control of m rows is to draw n of the n + m: some of the
group's own, as many as a hypergeometric law says, and the others from the control. Random orders of
the control serve several groups: what is drawn from it is the beginning of such an order, so sums
over beginnings of every length are made once. For each group by itself the permutations are
independent and uniform. Groups that share them err together, so not too many do.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from samelaw.core.memory import PASSING
from samelaw.core.types import Matrix
from samelaw.extras.groups.control_sums import ControlSums

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
