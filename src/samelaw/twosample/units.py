"""What is permuted together: single rows, blocks of rows, or the groups that rows belong to.

A unit is a set of rows that keep one label; units change places within their stratum.

- independent rows: every row is a unit (or a block of rows dealt at random), all in one stratum;
- rows of groups that occur in both samples: a row is a unit and a group is a stratum. Rows are
  weighted so that both samples have the same mix of groups, n_g m_g/(n_g + m_g) of each;
- the same with whole sides swapped: all rows of a group in one sample are a unit;
- groups of one sample only: the whole group is a unit, and all of them are one stratum.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core.array import shown, to_numpy
from samelaw.core.types import Matrix
from samelaw.twosample.permutations import Labels, ManyLabels

_FEWEST = 20  # permutations, below which no usual level can be reached


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows that belong together (a customer, a day, a hospital), and how they are permuted.

    Rows of a group that occurs in both samples change places within the group: exact for "every
    group kept its law" if rows are exchangeable given their group, whatever the sizes; a changed
    mix of groups does not count as a difference. Groups of one sample only change places as
    wholes: exact if all have one size or if sizes are as exchangeable as rows, else approximate.

    Parameters
    ----------
    labels : array (n + m,), pair of arrays (n,) and (m,), or in `compare` the name of a column
    swap : bool
        Swap the two sides of a shared group as wholes instead: for rows of one group and one sample
        that share a shock (a customer in a period). Exact if the sides are exchangeable, sizes
        included.
    thin : bool or int
        Draw the same number of rows from every group of one sample only, and leave smaller groups
        out: exact if the size of a group says nothing about its rows. True takes the size that nine
        of ten groups reach.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> level = rng.normal(size=20)  # every customer has a level, the same in both samples
    >>> x_who, y_who = np.repeat(np.arange(20), 10), np.repeat(np.arange(20), 2)
    >>> x, y = (level[who][:, None] + rng.normal(size=(len(who), 1)) for who in (x_who, y_who))
    >>> two_sample_test(x, y, groups=Groups((x_who, y_who)), rng=0).reject
    False
    """

    labels: Any = field(repr=False)
    swap: bool = False
    thin: bool | int = False

    def __post_init__(self) -> None:
        if not isinstance(self.thin, int | np.integer) or self.thin < 0:
            raise ValueError(
                f"thin must be True, False or a number of rows, got {shown(self.thin)}."
            )

    def codes(self, sizes: tuple[int, int]) -> Matrix:
        """The group of every pooled row, numbered from 0."""
        given = self.labels
        pair = given if isinstance(given, tuple) and len(given) == 2 else (given,)
        try:
            if any(isinstance(part, np.ma.MaskedArray) for part in pair):
                raise TypeError("some are masked")
            labels = np.concatenate([to_numpy(part).ravel() for part in pair])
            codes = np.unique(labels, return_inverse=True)[1]
        except (TypeError, ValueError) as error:
            raise TypeError(f"groups must be labels, one per row of x and y: {error}.") from error
        if len(labels) != sum(sizes):
            raise ValueError(f"groups has {len(labels)} labels for {sum(sizes)} pooled rows.")
        return np.asarray(codes)


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
    """

    labels: Labels
    unit: Matrix
    whole: int = 0
    ways: str = ""
    weights: Matrix | None = None

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
        """Every row by itself with a weight that moves with it."""
        count = sum(sizes)
        return cls(Labels.of_sizes(sizes), np.arange(count), count, ways, weights)

    @classmethod
    def of_blocks(cls, labels: Labels, rows: Matrix, block: int, size: int) -> "Units":
        """Blocks of equal size; ``rows`` lists their rows block after block, of ``size`` in all."""
        unit = np.full(size, -1)
        unit[rows] = np.repeat(np.arange(len(labels.observed)), block)
        return cls(labels, unit)

    @classmethod
    def of_groups(cls, groups: Groups, sizes: tuple[int, int], rng: np.random.Generator) -> "Units":
        """Rows or sides of the groups in both samples, and the whole groups of one."""
        return _Dealing(groups, sizes, rng).units()

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
        return np.bincount(self.unit[self.unit >= 0], minlength=self.count).astype(np.float64)

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
        """Scores (N,) of the rows of the pool, summed over each unit, weighted as matrices are."""
        own = scores[self.rows].astype(np.float64)
        if bool(np.all(self.sizes == 1.0)):
            return own
        starts = (np.cumsum(self.sizes) - self.sizes).astype(np.int64)
        summed = np.add.reduceat(own, starts)
        if self.labels.strata is not None:
            summed *= self._side_weights
        return np.asarray(summed)

    @property
    def _side_weights(self) -> Matrix:
        assert self.labels.strata is not None  # sides belong to a group
        rows = np.bincount(self.labels.strata, self.sizes)[self.labels.strata]
        return np.asarray(2.0 * (1.0 - self.sizes / rows))


class _Dealing:
    """Deals rows to units by their groups."""

    def __init__(self, groups: Groups, sizes: tuple[int, int], rng: np.random.Generator) -> None:
        self.groups, self.rng = groups, rng
        self.code = groups.codes(sizes)
        self.first = np.arange(sum(sizes)) < sizes[0]
        count = int(self.code.max()) + 1
        in_x = np.bincount(self.code[self.first], minlength=count)
        in_y = np.bincount(self.code[~self.first], minlength=count)
        self.both = (in_x > 0) & (in_y > 0)
        self.rows = in_x + in_y

    def units(self) -> Units:
        shared = self._shared()
        single = self._single()
        keys = np.full(len(self.code), -1)
        keys[shared], keys[single] = self._key(shared), self._key(single)
        keys = self._without_the_idle(keys, shared, single)
        used = keys >= 0
        if not used.any():
            raise ValueError(
                "groups leave fewer than 20 permutations: more groups are needed, or groups that "
                "occur in both samples."
            )
        _, first_row, unit = np.unique(keys[used], return_index=True, return_inverse=True)
        rows = np.flatnonzero(used)
        lone = ~self.both[self.code[rows[first_row]]]
        stratum = np.where(lone, len(self.both), self.code[rows[first_row]])
        order = np.lexsort([np.arange(len(lone)), stratum])  # whole groups last
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        number = np.full(len(keys), -1)
        number[rows] = place[unit]
        strata = np.unique(stratum[order], return_inverse=True)[1]
        labels = Labels(self.first[rows[first_row]][order], strata)
        return Units(labels, number, int(lone.sum()), self._ways(number, labels, lone[order]))

    def _shared(self) -> Matrix:
        return np.flatnonzero(self.both[self.code])

    def _single(self) -> Matrix:
        """Rows of the groups of one sample, thinned to one size if asked for."""
        rows = np.flatnonzero(~self.both[self.code])
        if not self.groups.thin or len(rows) == 0:
            return rows
        sizes = self.rows[~self.both]
        size = self.groups.thin
        if size is True:
            size = max(1, int(np.quantile(sizes, 0.1, method="lower")))
        rows = self.rng.permutation(rows)
        rows = rows[np.argsort(self.code[rows], kind="stable")]
        code = self.code[rows]
        place = np.arange(len(rows)) - np.searchsorted(code, code)
        return np.sort(rows[(place < size) & (self.rows[code] >= size)])

    def _key(self, rows: Matrix) -> Matrix:
        """One number per unit: the group, its side, or the row by itself."""
        if len(rows) and self.both[self.code[rows[0]]] and not self.groups.swap:
            return np.asarray(rows)
        return len(self.code) + 2 * self.code[rows] + self.first[rows]

    def _without_the_idle(self, keys: Matrix, shared: Matrix, single: Matrix) -> Matrix:
        """Leave out kinds of groups with so few permutations that they could only wait."""
        for rows in (shared, single):
            if len(rows) == 0:
                continue
            _, first = np.unique(keys[rows], return_index=True)
            chosen = rows[first]
            strata = self.code[chosen] if self.both[self.code[rows[0]]] else np.zeros(len(chosen))
            codes = np.unique(strata, return_inverse=True)[1]
            if Labels(self.first[chosen], codes).count < _FEWEST:
                keys[rows] = -1
        return keys

    def _ways(self, number: Matrix, labels: Labels, lone: Matrix) -> str:
        sizes = np.bincount(number[number >= 0])
        told = []
        if not lone.all():
            rows, groups = int(sizes[~lone].sum()), len(np.unique(labels.strata[~lone]))  # type: ignore[index]
            if self.groups.swap:
                way = "the two sides swapped; exact if sides are exchangeable, sizes included"
            else:
                way = "permuted within their group; exact for every group keeping its law"
            told.append(f"{rows} rows of {groups} groups in both samples {way}")
        if lone.any():
            rows, groups = int(sizes[lone].sum()), int(lone.sum())
            equal = len(np.unique(sizes[lone])) == 1
            way = "exact for groups of one size" if equal else "approximate, as their sizes differ"
            told.append(f"{rows} rows of {groups} groups in one sample permuted as wholes; {way}")
        idle = int((number < 0).sum())
        if idle:
            told.append(f"{idle} rows took no part")
        return "; ".join(told)
