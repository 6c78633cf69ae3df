"""What is permuted together: single rows, blocks of rows, or the groups that rows belong to.

A unit is a set of rows that keep one label; units change places within their stratum. Independent
rows are units of one stratum, each by itself or dealt to blocks at random; how rows of groups
become units is said in `samelaw.testing.permuting.group_units`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from samelaw.core.types import Matrix
from samelaw.testing.permuting.permutations import Labels, ManyLabels


@dataclass(frozen=True, eq=False)
class Units:
    """Rows of a pool dealt to units, and how units change places.

    Parameters
    ----------
    labels : Labels
        Of the units; strata are numbered, and the last of them holds the whole groups, if any.
    unit : array (N,)
        Unit of each row, −1 for rows that take no part.
    whole : int
        How many of the last units are whole groups of one sample.
    ways : str
        How rows of groups are permuted and what is exact then; nothing to say of single rows.
    weights : array (N,), optional
        Of rows that are units each and count more or less than one row; the units are "whole".
    rows_each : int, optional
        Rows of every unit, where the rows themselves were not kept: ``unit`` is then one entry
        per unit.
    """

    labels: Labels
    unit: Matrix
    whole: int = 0
    ways: str = ""
    weights: Matrix | None = None
    rows_each: int | None = None

    @classmethod
    def of_sums(cls, labels: Labels, block: int) -> "Units":
        """Blocks of equal size whose rows are gone; only sums over them are left."""
        return cls(labels, np.arange(len(labels.observed)), rows_each=block)

    @classmethod
    def of_rows(cls, sizes: tuple[int, ...]) -> "Units":
        """Every row by itself, those of the first sample first."""
        return cls(Labels.of_sizes(sizes), np.arange(sum(sizes)))

    @classmethod
    def of_samples(cls, sizes: tuple[int, ...]) -> "Units":
        """Every row by itself, of two samples or more."""
        return cls(ManyLabels.of_sizes(sizes), np.arange(sum(sizes)))

    @classmethod
    def of_weights(cls, sizes: tuple[int, int], weights: Matrix, ways: str) -> "Units":
        """Every row by itself with a weight that moves with it; those of weight 0 take no part."""
        counting = weights > 0.0
        count = int(counting.sum())
        unit = np.where(counting, np.cumsum(counting) - 1, -1)
        labels = Labels.of_sizes(sizes).taking(counting)
        return cls(labels, unit, count, ways, weights)

    @classmethod
    def of_blocks(cls, labels: Labels, rows: Matrix, block: int, size: int) -> "Units":
        """Blocks of equal size; ``rows`` lists their rows block after block, of ``size`` in all."""
        unit = np.full(size, -1)
        unit[rows] = np.repeat(np.arange(len(labels.observed)), block)
        return cls(labels, unit)

    def some(self, count: int, rng: np.random.Generator) -> tuple["Units", Matrix]:
        """At most ``count`` units, chosen at random, and their numbers."""
        if self.count <= count:
            return self, np.arange(self.count)
        chosen = np.sort(rng.permutation(self.count)[:count])
        fewer, kept = self.of_some_rows(np.flatnonzero(np.isin(self.unit, chosen)))
        idle = int((fewer.unit < 0).sum()) - int((self.unit < 0).sum())
        return replace(fewer, ways=f"{self.ways}; {idle} more left out at random"), kept

    def of_some_rows(self, rows: Matrix) -> tuple["Units", Matrix]:
        """The units of these rows only, and which those are; units without a row are left out."""
        unit = np.full(len(self.unit), -1)
        unit[rows] = self.unit[rows]
        kept = np.unique(unit[unit >= 0])
        number = np.full(self.count + 1, -1)
        number[kept] = np.arange(len(kept))
        labels = self.labels.taking(kept)
        if labels.strata is not None:
            labels = replace(labels, strata=np.unique(labels.strata, return_inverse=True)[1])
        whole = int((kept >= self.count - self.whole).sum())
        return Units(labels, number[unit], whole, self.ways, self.weights), kept

    @property
    def exactness(self) -> str:
        """What to call the p-value."""
        return f"p-value ({self.ways})" if self.ways else "exact p-value"

    @property
    def count(self) -> int:
        return len(self.labels.observed)

    @cached_property
    def sizes(self) -> Matrix:
        """Rows of each unit (U,), or what they count."""
        if self.weights is not None:
            return np.asarray(self.weights[self.rows])
        if self.rows_each is not None:
            return np.full(self.count, float(self.rows_each))
        return np.bincount(self.unit[self.unit >= 0], minlength=self.count).astype(np.float64)

    @property
    def uneven(self) -> bool:
        """Whether groups of different sizes are permuted as wholes."""
        last = self.sizes[self.count - self.whole :]
        return self.weights is None and len(last) > 0 and bool(last.min() < last.max())

    @property
    def plain(self) -> bool:
        """Whether every row is a unit and all may change places."""
        return self.labels.uniform and self._in_order and self.weights is None

    @cached_property
    def rows(self) -> Matrix:
        """The rows that take part, unit after unit."""
        return np.argsort(self.unit, kind="stable")[int((self.unit < 0).sum()) :]

    @cached_property
    def _in_order(self) -> bool:
        """Whether every row is a unit, in the order of the units."""
        return self.count == len(self.unit) and bool(np.all(self.unit == np.arange(self.count)))

    @cached_property
    def _starts(self) -> Matrix:
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    def arrange(self, values: Matrix) -> Matrix:
        """Row values (N, r) in the order of the units."""
        return values if self._in_order else values[self.rows]

    def arranged_sums(self, values: Matrix) -> Matrix:
        """Sums (U, r) over each unit of values in the order of the units."""
        if self.count == len(values):
            return values
        return np.asarray(np.add.reduceat(values, self._starts, axis=0))

    def sums(self, values: Matrix) -> Matrix:
        """Sums (U, r) of row values (N, r) over each unit, without a second copy of them all."""
        if self.count == len(self.rows):
            return self.arrange(values)
        columns = [self.arranged_sums(self.arrange(column)) for column in values.T]
        return np.stack(columns, axis=1)

    def shares(self, memberships: Matrix) -> tuple[Matrix, Matrix]:
        """Weights (B, U): ``first @ sums`` is the mean over A and ``second @ sums`` over B.

        Every stratum counts n_g m_g/(n_g + m_g) in both, so that a mix of groups that differs
        between the samples makes no difference.
        """
        inside = memberships * self.sizes
        if self.labels.strata is None:
            rows = inside.sum(axis=1, keepdims=True)
            return memberships / rows, ~memberships / (self.sizes.sum() - rows)
        both = np.bincount(self.labels.strata, self.sizes)
        starts = np.searchsorted(self.labels.strata, np.arange(len(both)))
        first = np.add.reduceat(inside, starts, axis=1)  # rows of A in every stratum
        weight = (first * (both - first) / both).sum(axis=1, keepdims=True)
        of_a = ((both - first) / both / weight)[:, self.labels.strata]
        of_b = (first / both / weight)[:, self.labels.strata]
        return memberships * of_a, ~memberships * of_b

    def parts(self) -> Iterator["Part"]:
        """The units whose strata hold both samples, then the whole groups; rows unit after unit."""
        split, weighted = self.count - self.whole, self.weights is not None
        rows = int(self.sizes[:split].sum())
        if split:
            labels = self.labels.taking(slice(0, split))
            yield Part(slice(0, split), slice(0, rows), labels, self.sizes[:split], False)
        if self.whole:
            labels, sizes = Labels(self.labels.observed[split:]), self.sizes[split:]
            last = slice(rows, len(self.rows))
            yield Part(slice(split, self.count), last, labels, sizes, True, weighted)

    def shuffled(self, rng: np.random.Generator) -> tuple["Units", Matrix]:
        """The same units numbered in random order within their strata, and their old numbers."""
        shuffled = rng.permutation(self.count)
        strata = self.labels.strata
        if strata is not None:
            shuffled = shuffled[np.argsort(strata[shuffled], kind="stable")]
        place = np.full(self.count + 1, -1)  # the last is for rows that take no part
        place[shuffled] = np.arange(self.count)
        labels = self.labels.taking(shuffled)
        return Units(labels, place[self.unit], self.whole, self.ways, self.weights), shuffled


@dataclass(frozen=True, eq=False)
class Part:
    """Units of one kind beside each other: whole groups, or units of strata with both samples.

    Parameters
    ----------
    units, rows : slice
        Their place among all units, and that of their rows among all rows.
    labels : Labels
    sizes : array (U,)
        Rows of each unit.
    whole : bool
    weighted : bool
        Whether a unit is one row that counts as much as its size says.
    """

    units: slice
    rows: slice
    labels: Labels
    sizes: Matrix
    whole: bool
    weighted: bool = False

    def over_units(self, matrix: Matrix) -> Matrix:
        """A matrix over the rows of the pool, summed over the rows of every two units.

        Sides of a shared group enter with the weight that makes their difference
        n_g m_g/(n_g + m_g) times that of their means.
        """
        square = matrix[self.rows, self.rows]
        if self.weighted:
            return np.asarray(square * np.outer(self.sizes, self.sizes), dtype=matrix.dtype)
        if bool(np.all(self.sizes == 1.0)):
            return square
        starts = (np.cumsum(self.sizes) - self.sizes).astype(np.int64)
        summed = np.add.reduceat(square, starts, axis=0, dtype=np.float64)
        summed = np.add.reduceat(summed, starts, axis=1)
        if self.labels.strata is not None:
            weight = self._side_weights
            summed *= weight[:, None] * weight[None, :]
        return summed.astype(matrix.dtype)

    def sums_over_units(self, scores: Matrix) -> Matrix:
        """Scores (N, …) of the rows, summed over each unit, weighted as matrices are."""
        own = scores[self.rows].astype(np.float64)
        if bool(np.all(self.sizes == 1.0)):
            return own
        starts = (np.cumsum(self.sizes) - self.sizes).astype(np.int64)
        summed = np.add.reduceat(own, starts)
        if self.labels.strata is not None:
            summed = (summed.T * self._side_weights).T
        return np.asarray(summed)

    @property
    def _side_weights(self) -> Matrix:
        assert self.labels.strata is not None  # sides belong to a group
        rows = np.bincount(self.labels.strata, self.sizes)[self.labels.strata]
        return np.asarray(2.0 * (1.0 - self.sizes / rows))
