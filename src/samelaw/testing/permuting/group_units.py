"""Rows of groups as units: permuted within their group, swapped side by side, or as wholes.

- rows of groups that occur in both samples: a row is a unit and a group is a stratum. Rows are
  weighted so that both samples have the same mix of groups, n_g m_g/(n_g + m_g) of each;
- the same with whole sides swapped: all rows of a group in one sample are a unit;
- groups of one sample only: the whole group is a unit, and all of them are one stratum.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from samelaw.core.arrays import to_numpy
from samelaw.core.checks import is_null, shown
from samelaw.core.types import Matrix
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.units import Units

_FEWEST = 20  # permutations, below which no usual level can be reached


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows that belong together (a customer, a day, a hospital), and how they are permuted.

    Rows of a group that occurs in both samples change places within the group: exact for "every
    group kept its law" if rows are exchangeable given their group, whatever the sizes; a changed
    mix of groups does not count as a difference. Groups of one sample only change places as
    wholes: exact if all have one size or if sizes are as exchangeable as rows, else approximate. If
    those of one sample are many times as large and their rows nearly one, alarms come too often:
    thin them.

    Parameters
    ----------
    labels : array (n + m,), pair of arrays (n,) and (m,), or in `compare` the name of a column
        A row without one (NaN, None, NA) is a group of its own.
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
        pair = given if isinstance(given, tuple | list) and len(given) == 2 else (given,)
        try:
            if any(isinstance(part, np.ma.MaskedArray) for part in pair):
                raise TypeError("some are masked")
            labels = _one_list([to_numpy(part).ravel() for part in pair])
            codes = _codes(labels)
        except (TypeError, ValueError) as error:
            raise TypeError(f"groups must be labels, one per row of x and y: {error}.") from error
        if len(labels) != sum(sizes):
            raise ValueError(f"groups has {len(labels)} labels for {sum(sizes)} pooled rows.")
        return np.asarray(codes)


def _one_list(pair: list[Matrix]) -> Matrix:
    """All labels; whole numbers of two types stay whole, which numpy would make floats."""
    if len({part.dtype for part in pair}) > 1 and all(part.dtype.kind in "iu" for part in pair):
        pair = [part.astype(object) for part in pair]
    return np.concatenate(pair)


def _codes(labels: Matrix) -> Matrix:
    """Numbers of the groups from 0; a row without a label is a group of its own."""
    if labels.dtype.kind in "fcmM":
        without = np.asarray(labels != labels)
    else:
        without = np.array([is_null(label) for label in labels], dtype=bool)
    codes = np.zeros(len(labels), dtype=np.int64)
    codes[~without] = np.unique(labels[~without], return_inverse=True)[1]
    codes[without] = codes.max(initial=-1) + 1 + np.arange(int(without.sum()))
    return codes


def units_of_groups(groups: Groups, sizes: tuple[int, int], rng: np.random.Generator) -> Units:
    """Rows or sides of the groups in both samples, and the whole groups of one."""
    return _Dealing(groups, sizes, rng).units()


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
