"""Permutations of the labels of a pooled sample and the p-values that follow from them.

A permutation test is exact for any statistic that is one fixed function of (pooled rows, labels):
the observed labels are put first in the batch and go through the same function as the others.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

import numpy as np

from samelaw.core import tolerances
from samelaw.core.checks import as_count
from samelaw.core.memory import PIECE, pieces
from samelaw.core.types import Matrix, Progress

BATCH = 128
"""Permutations between two looks at the rule of `Sequential`."""
_PLENTY = 1e15


@dataclass(frozen=True)
class Sequential:
    """Stop early when the answer is clear, with a p-value that stays exact (Besag & Clifford).

    Permutations are drawn until ``exceedances`` of them reach the observed value, or ``most`` have
    been drawn. Cheap when the samples are alike.

    Examples
    --------
    >>> Sequential(exceedances=20, most=9_999)
    Sequential(exceedances=20, most=9999)
    """

    exceedances: int = 20
    most: int = 9_999

    def __post_init__(self) -> None:
        as_count("exceedances", self.exceedances)
        as_count("most", self.most)
        if self.most < self.exceedances:
            raise ValueError(f"need 1 ≤ exceedances ≤ most, got {self!r}.")


Permutations: TypeAlias = int | Sequential | None
"""What ``permutations=`` takes: a number, a rule that stops early, or None for 999 or more."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Which units of a pool belong to the first sample, and which may change places.

    Parameters
    ----------
    observed : array (U,) of bool
        Units of the first sample.
    strata : array (U,) of int, optional
        Units change places within their stratum only; all with all by default.
    """

    observed: Matrix
    strata: Matrix | None = None

    @classmethod
    def of_sizes(cls, sizes: tuple[int, ...]) -> "Labels":
        """First the units of the first sample, then those of the second, in one stratum."""
        return cls(np.arange(sum(sizes)) < sizes[0])

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        first = int(self.observed.sum())
        return first, len(self.observed) - first

    @property
    def uniform(self) -> bool:
        """Whether all splits of these sizes are equally likely."""
        return self.strata is None

    @property
    def balance(self) -> float:
        """π(1 − π), the factor of the second-order form."""
        n, m = self.sizes
        return n * m / (n + m) ** 2

    def taking(self, units: Matrix | slice) -> "Labels":
        """Those of some units, or of all in another order."""
        return Labels(self.observed[units], None if self.strata is None else self.strata[units])

    @cached_property
    def counts(self) -> tuple[Matrix, Matrix]:
        """Units of the first sample and of both in each stratum (G,)."""
        if self.strata is None:
            return np.array([self.sizes[0]]), np.array([len(self.observed)])
        return np.bincount(self.strata, self.observed).astype(np.int64), np.bincount(self.strata)

    @cached_property
    def count(self) -> float:
        """How many different memberships there are."""
        total = 1.0
        for first, both in zip(*self.counts, strict=True):
            total *= _choose(int(both), int(first))
            if total > _PLENTY:
                return math.inf
        return total

    @cached_property
    def different(self) -> float:
        """How many of them there are for a statistic to which the samples have no order.

        Samples of one size exchanged are another membership, with the same value.
        """
        first, both = self.counts
        return self.count / 2 if bool(np.all(2 * first == both)) else self.count

    def draw(self, rng: np.random.Generator, count: int) -> Matrix:
        """Random memberships (count, U)."""
        memberships = np.zeros((count, len(self.observed)), dtype=bool)
        if self.strata is None:
            for some in pieces(*memberships.shape):
                keys = rng.random(memberships[some].shape, dtype=np.float32)
                chosen = np.argpartition(keys, self.sizes[0] - 1, axis=1)[:, : self.sizes[0]]
                np.put_along_axis(memberships[some], chosen, True, axis=1)
            return memberships
        first, both = self.counts
        place = np.concatenate([np.arange(size) for size in both])
        inside = place < np.repeat(first, both)  # the first n_g places of every stratum
        for some in pieces(*memberships.shape):
            part = memberships[some]
            order = np.argsort(self.strata + rng.random(part.shape), axis=1)
            np.put_along_axis(part, order[:, inside], True, axis=1)
        return memberships

    def every(self) -> Matrix:
        """All memberships, the observed one first (one stratum only)."""
        total, n = len(self.observed), self.sizes[0]
        memberships = np.zeros((math.comb(total, n), total), dtype=bool)
        order = np.argsort(~self.observed, kind="stable")  # the first combination is the observed
        for row, chosen in enumerate(combinations(range(total), n)):
            memberships[row, order[list(chosen)]] = True
        return memberships


@dataclass(frozen=True, eq=False)
class ManyLabels(Labels):
    """Which of K samples each unit belongs to: numbers from 0 in the place of memberships."""

    @classmethod
    def of_sizes(cls, sizes: tuple[int, ...]) -> "ManyLabels":
        return cls(np.repeat(np.arange(len(sizes)), sizes))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(np.bincount(self.observed).tolist())

    @property
    def uniform(self) -> bool:
        """Not two samples, whose splits could be enumerated."""
        return False

    @property
    def balance(self) -> float:
        """Shares are in the form itself."""
        return 1.0

    @cached_property
    def count(self) -> float:
        """How many different ways to deal the units there are."""
        total, left = 1.0, len(self.observed)
        for size in self.sizes:
            total *= _choose(left, size)
            left -= size
        return total

    @cached_property
    def different(self) -> float:
        """Samples of one size may change places, as two of them may."""
        if math.isinf(self.count):
            return math.inf
        alike = np.unique(self.sizes, return_counts=True)[1]
        return self.count / math.prod(math.factorial(int(number)) for number in alike)

    def draw(self, rng: np.random.Generator, count: int) -> Matrix:
        """Random numbers of samples (count, U)."""
        return rng.permuted(np.tile(self.observed, (count, 1)), axis=1)

    def taking(self, units: Matrix | slice) -> "ManyLabels":
        return ManyLabels(self.observed[units])


def _choose(n: int, k: int) -> float:
    """The binomial coefficient, or infinity where it no longer matters."""
    return float(math.comb(n, k)) if n <= 1_000 else math.inf if 0 < k < n else 1.0


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Values (B,) of a statistic, and what each of its components says of the first of them."""

    values: Matrix
    components: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, eq=False)
class Null:
    """Values over permutations, the observed one first, and the p-value they give."""

    values: Matrix
    pvalue: float
    kind: str
    components: tuple[tuple[str, float], ...] = ()
    """What each component says of the observed labels."""

    @property
    def observed(self) -> float:
        return float(self.values[0])


def default_permutations(level: float) -> int:
    """999, or enough that the level is met exactly by a whole number of permutations."""
    return max(999, math.ceil(50 / level) - 1)


def as_permutations(permutations: Permutations, level: float) -> int | Sequential:
    """Check the number of permutations against the level."""
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
    evaluate: Callable[[Matrix], Evaluation],
    labels: Labels,
    permutations: int | Sequential,
    rng: np.random.Generator,
    *,
    noise: float = 0.0,
    step: int | None = None,
    progress: Progress | None = None,
) -> Null:
    """Evaluate a statistic on the observed and on permuted memberships.

    Parameters
    ----------
    evaluate : callable
        Memberships (B, U) → values; the observed memberships come first, and first of all.
    labels : Labels
    permutations : int or Sequential
        All are enumerated when there are no more of them than were asked for.
    rng : Generator
    noise : float
        The size of the rounding errors of the values.
    step : int, optional
        If the value of one membership depends on no other: so many are drawn and evaluated at a
        time.
    progress : callable, optional
        Called after every step.
    """
    most = permutations.most if isinstance(permutations, Sequential) else permutations
    if labels.uniform and labels.count <= most + 1:
        every = labels.every()
        found = _in_steps(evaluate, lambda start, stop: every[start:stop], len(every), step)
        return _null(found, noise, "all permutations")
    if isinstance(permutations, Sequential):
        return _sequential(evaluate, labels, permutations, rng, noise)

    def draw(start: int, stop: int) -> Matrix:
        if start:
            return labels.draw(rng, stop - start)
        return np.concatenate([labels.observed[None], labels.draw(rng, stop - 1)])

    if step is not None:
        step = max(2, min(step, PIECE // len(labels.observed)))
    found = _in_steps(evaluate, draw, permutations + 1, step, progress)
    return _null(found, noise, f"{permutations} random permutations")


def _null(found: Evaluation, noise: float, kind: str) -> Null:
    values = found.values
    pvalue = float(np.mean(reached(values, values[0], noise)))
    return Null(values, pvalue, kind, found.components)


def _in_steps(
    evaluate: Callable[[Matrix], Evaluation],
    memberships: Callable[[int, int], Matrix],
    count: int,
    step: int | None,
    progress: Progress | None = None,
) -> Evaluation:
    step = step or count
    found = []
    for start in range(0, count, step):
        stop = min(start + step, count)
        found.append(evaluate(memberships(start, stop)))
        if progress is not None:
            progress(stop, count)
    return Evaluation(np.concatenate([one.values for one in found]), found[0].components)


def _sequential(
    evaluate: Callable[[Matrix], Evaluation],
    labels: Labels,
    rule: Sequential,
    rng: np.random.Generator,
    noise: float,
) -> Null:
    observed = evaluate(labels.observed[None])
    values = observed.values
    while True:
        hits = np.flatnonzero(reached(values[1:], values[0], noise))
        drawn = len(values) - 1
        if len(hits) >= rule.exceedances:
            drawn = int(hits[rule.exceedances - 1]) + 1
            pvalue = rule.exceedances / drawn
            break
        if drawn >= rule.most:
            pvalue = (1 + len(hits)) / (1 + drawn)
            break
        batch = min(BATCH, rule.most - drawn)
        values = np.concatenate([values, evaluate(labels.draw(rng, batch)).values])
    kind = f"{drawn} random permutations, stopped by rule"
    return Null(values[: drawn + 1], pvalue, kind, observed.components)


def reached(values: Matrix, observed: float, noise: float = 0.0) -> Matrix:
    """Which values are at least the observed one, counting rounding errors as ties.

    They are small against the spread of the values; what has no spread at all lies within
    ``noise``, the rounding errors of the terms that were added up.
    """
    return np.asarray(values >= observed - tolerances.tie(values, noise))
