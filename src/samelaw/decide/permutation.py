"""Relabellings of a pooled sample and the p-values that follow from them.

A permutation test is exact for any statistic that is one fixed function of (pooled rows, labels):
the observed labels are put first in the batch and go through the same function as the others.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from samelaw.core.array import to_numpy

Matrix: TypeAlias = np.ndarray[Any, Any]
Progress: TypeAlias = Callable[[int, int], None]
"""Called with (steps done, steps in all) on long work."""

_BATCH = 128
NOISE = 1e-12


@dataclass(frozen=True)
class Sequential:
    """Stop early when the answer is clear, with a p-value that stays exact (Besag & Clifford).

    Relabellings are drawn until ``exceedances`` of them reach the observed value, or ``most`` have
    been drawn. Cheap when the samples are alike.

    Examples
    --------
    >>> Sequential(exceedances=20, most=9_999)
    Sequential(exceedances=20, most=9999)
    """

    exceedances: int = 20
    most: int = 9_999

    def __post_init__(self) -> None:
        if self.exceedances < 1 or self.most < self.exceedances:
            raise ValueError(f"need 1 ≤ exceedances ≤ most, got {self!r}.")


@dataclass(frozen=True, eq=False)
class Labels:
    """Which rows of a pool belong to the first sample, and how they may be relabelled.

    Parameters
    ----------
    sizes : tuple of int
        n and m; the first n rows of the pool are X.
    blocks : array (n + m,) or None
        Rows of one sample with the same label move together. A label that occurs in both samples
        is a pair whose two sides may only be swapped.
    """

    sizes: tuple[int, int]
    blocks: Matrix | None = None

    @classmethod
    def of(cls, sizes: tuple[int, int], blocks: Any) -> "Labels":
        """Check ``blocks``: None, a pair of label arrays, or one array for the pooled rows."""
        if blocks is None:
            return cls(sizes)
        if isinstance(blocks, tuple) and len(blocks) == 2:
            blocks = np.concatenate([to_numpy(part).ravel() for part in blocks])
        labels = to_numpy(blocks).ravel()
        if len(labels) != sum(sizes):
            raise ValueError(f"blocks has {len(labels)} labels for {sum(sizes)} pooled rows.")
        made = cls(sizes, np.unique(labels, return_inverse=True)[1])
        if made.count < 20:
            raise ValueError(
                f"blocks leave only {made.count:g} relabellings; "
                "no test at usual levels is possible."
            )
        return made

    @property
    def uniform(self) -> bool:
        """Whether all splits of these sizes are equally likely (closed-form moments hold)."""
        return self.blocks is None

    @cached_property
    def observed(self) -> Matrix:
        return np.arange(sum(self.sizes)) < self.sizes[0]

    @cached_property
    def _units(self) -> tuple[Matrix, Matrix, Matrix]:
        """Unit of each row, sample of each unit, and the partner of each unit (−1: none)."""
        assert self.blocks is not None
        keys = 2 * self.blocks.astype(np.int64) + self.observed
        unique, unit = np.unique(keys, return_inverse=True)
        partner = np.full(len(unique), -1)
        twins = np.flatnonzero((unique[:-1] // 2) == (unique[1:] // 2))
        partner[twins], partner[twins + 1] = twins + 1, twins
        return unit, (unique % 2).astype(bool), partner

    @cached_property
    def count(self) -> float:
        """How many different relabellings there are."""
        if self.blocks is None:
            return _choose(sum(self.sizes), self.sizes[0])
        _, sample, partner = self._units
        free = sample[partner < 0]
        swaps = min(int((partner >= 0).sum()) // 2, 1_000)
        return _choose(len(free), int(free.sum())) * 2.0**swaps

    def draw(self, rng: np.random.Generator, count: int) -> Matrix:
        """Random memberships (count, N)."""
        if self.blocks is None:
            order = rng.random((count, len(self.observed)), dtype=np.float32)
            chosen = np.argpartition(order, self.sizes[0] - 1, axis=1)[:, : self.sizes[0]]
            members = np.zeros(order.shape, dtype=bool)
            np.put_along_axis(members, chosen, True, axis=1)
            return members
        unit, sample, partner = self._units
        labels = np.tile(sample, (count, 1))
        single, twin = (
            np.flatnonzero(partner < 0),
            np.flatnonzero(partner > np.arange(len(partner))),
        )
        labels[:, single] = rng.permuted(labels[:, single], axis=1)
        swapped = rng.random((count, len(twin))) < 0.5
        labels[:, twin] ^= swapped
        labels[:, partner[twin]] ^= swapped
        return np.asarray(labels[:, unit])

    def every(self) -> Matrix:
        """All memberships, the observed one first (simple labels only)."""
        total = len(self.observed)
        members = np.zeros((math.comb(total, self.sizes[0]), total), dtype=bool)
        for row, chosen in enumerate(combinations(range(total), self.sizes[0])):
            members[row, list(chosen)] = True
        return members  # combinations start with 0 … n−1, the observed labels


def _choose(n: int, k: int) -> float:
    """The binomial coefficient, or infinity where it no longer matters."""
    return float(math.comb(n, k)) if n <= 1_000 else math.inf if 0 < k < n else 1.0


@dataclass(frozen=True, eq=False)
class Null:
    """Values under relabelling, the observed one first, and the p-value they give."""

    values: Matrix
    pvalue: float
    kind: str

    @property
    def observed(self) -> float:
        return float(self.values[0])


def default_permutations(level: float) -> int:
    """999, or enough that the level is met exactly by a whole number of relabellings."""
    return max(999, math.ceil(50 / level) - 1)


def as_permutations(permutations: Any, level: float) -> int | Sequential:
    """Check the number of relabellings against the level."""
    if permutations is None:
        return default_permutations(level)
    most = permutations.most if isinstance(permutations, Sequential) else permutations
    if not isinstance(most, int | np.integer) or most < 1:
        raise ValueError(f"permutations must be a positive whole number, got {permutations!r}.")
    if 1 / (most + 1) > level:
        raise ValueError(
            f"{most} permutations cannot reach level {level}: the smallest p-value is "
            f"{1 / (most + 1):.3g}. Take at least {math.ceil(1 / level) - 1}."
        )
    return permutations if isinstance(permutations, Sequential) else int(most)


def null_distribution(
    evaluate: Callable[[Matrix], Matrix],
    labels: Labels,
    permutations: int | Sequential,
    rng: np.random.Generator,
) -> Null:
    """Evaluate a statistic on the observed and on relabelled memberships.

    All relabellings are enumerated when there are no more of them than were asked for.
    """
    most = permutations.most if isinstance(permutations, Sequential) else permutations
    if labels.uniform and labels.count <= most + 1:
        values = evaluate(labels.every())
        return Null(values, float(np.mean(reached(values, values[0]))), "all relabellings")
    if isinstance(permutations, Sequential):
        return _sequential(evaluate, labels, permutations, rng)
    members = np.concatenate([labels.observed[None], labels.draw(rng, permutations)])
    values = evaluate(members)
    pvalue = float(np.mean(reached(values, values[0])))
    return Null(values, pvalue, f"{permutations} random relabellings")


def _sequential(
    evaluate: Callable[[Matrix], Matrix],
    labels: Labels,
    rule: Sequential,
    rng: np.random.Generator,
) -> Null:
    values = evaluate(labels.observed[None])
    while True:
        hits = np.flatnonzero(reached(values[1:], values[0]))
        drawn = len(values) - 1
        if len(hits) >= rule.exceedances:
            drawn = int(hits[rule.exceedances - 1]) + 1
            pvalue = rule.exceedances / drawn
            break
        if drawn >= rule.most:
            pvalue = (1 + len(hits)) / (1 + drawn)
            break
        batch = min(_BATCH, rule.most - drawn)
        values = np.concatenate([values, evaluate(labels.draw(rng, batch))])
    return Null(values[: drawn + 1], pvalue, f"{drawn} random relabellings, stopped by rule")


def reached(values: Matrix, observed: float) -> Matrix:
    """Which values are at least the observed one, counting rounding errors as ties.

    Rounding errors are small against the spread of the values, whatever their size: those of a
    wide kernel may all lie below 1e-6. What constant data leave is noise below the floor.
    """
    spread = float(values.std()) if len(values) else 0.0
    return np.asarray(values >= observed - max(1e-5 * spread, NOISE))
