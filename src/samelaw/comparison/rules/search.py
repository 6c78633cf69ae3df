"""Where the change sits, in words: "age > 60 and region = 'north' (5 % of A, 11 % of B)".

A rule of at most three conditions is found on two thirds of the rows and tested on the other third,
where it is one fixed set of rows: Fisher's exact test then holds whatever the search did, so that a
rule that says nothing is told with a chance of at most the level. Each third is held out once. The
shares that are told are those of all rows. The search makes them lie too far apart; how far apart
they are among new rows is estimated by what the three rules keep of their gap on held-out rows.

The search looks at every range of every column and at every product of coarse ranges of two, then
moves the ends of the best ones and tries a further condition. A set is as good as the likelihood
ratio of "its rows are of B more, or less, often than others".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from samelaw.comparison.constants import (
    LEAST_RULE_SHARE,
    RULE_BINS_OF_PAIRS,
    RULE_COLUMNS,
    RULE_CONDITIONS,
    RULE_COST,
    RULE_FOLDS,
    RULE_ROWS,
)
from samelaw.comparison.findings import Rule
from samelaw.comparison.rules.conditions import Part, part_of
from samelaw.core.types import Matrix
from samelaw.tables.columns.views import ColumnView

_STARTS = 8  # sets that are refined
_ROUNDS = 6
_FAR = 20  # standard deviations of a count, at least
_FEWEST = 12  # rows of a third of a table, below which there is nothing to search in

Choices = Mapping[int, int]
"""Of some parts, by their number, the number of the choice."""


def find_rule(
    views: Sequence[ColumnView], sizes: tuple[int, int], rng: np.random.Generator
) -> Rule | None:
    """The rule found on some of the rows, with its p-value on the others and shares of all.

    Each third of the rows is held out once, and the rule that they speak for most clearly is
    taken; its p-value is three times that of Fisher's test, so that it holds.

    Parameters
    ----------
    views : sequence of ColumnView
        Of the pooled rows, those of A first.
    sizes : (int, int)
    rng : Generator
        Deals the rows to the thirds.

    Notes
    -----
    At most RULE_ROWS rows of each table are searched in, at most RULE_COLUMNS columns in products.
    """
    n, m = sizes
    if min(sizes) < RULE_FOLDS * _FEWEST:
        return None
    dealt = (rng.permutation(n), n + rng.permutation(m))
    parts = [np.array_split(order, RULE_FOLDS) for order in dealt]
    found = []
    for k in range(RULE_FOLDS):
        held = [part[k] for part in parts]
        seen = [np.concatenate(part[:k] + part[k + 1 :]) for part in parts]
        found.append(_found(views, seen, held))
    tried = [one for one in found if one is not None]
    if not tried:
        return None
    rule = min((one.rule for one in tried), key=lambda rule: rule.pvalue)
    return replace(rule, expected_gap=rule.gap * _kept(tried))


class _Tried(NamedTuple):
    """A rule, and the gap of its shares in the direction found: where it was, and elsewhere."""

    rule: Rule
    seen: float
    held: float


def _kept(tried: Sequence[_Tried]) -> float:
    """What rules keep of their gap on rows that were not searched, between 0 and 1."""
    seen = sum(one.seen for one in tried)
    return min(max(sum(one.held for one in tried) / seen, 0.0), 1.0) if seen > 0.0 else 0.0


def _found(
    views: Sequence[ColumnView], seen: Sequence[Matrix], held: Sequence[Matrix]
) -> _Tried | None:
    """The rule of the rows of A and of B that are seen, tested on those that are held."""
    some = [rows[:RULE_ROWS] for rows in seen]
    search = _Search.of(views, np.concatenate(some), len(some[0]))
    chosen = search.best() if search.parts else {}
    if not chosen:
        return None
    parts, named = search.parts, {k: chosen[k] for k in sorted(chosen)}
    counts = [int(inside(parts, named, rows).sum()) for rows in held]
    more, less = (1, 0) if search.more_in_b(chosen) else (0, 1)
    pvalue = fisher(counts[more], len(held[more]), counts[less], len(held[less]))
    texts = tuple(parts[k].words(parts[k].choices[choice]) for k, choice in named.items())
    every = [np.concatenate(both) for both in zip(seen, held, strict=True)]
    shares = [[_share(parts, named, rows) for rows in some] for some in (seen, held, every)]
    rule = Rule(
        text=" and ".join(texts),
        conditions=texts,
        columns=tuple(dict.fromkeys(parts[k].view.column.name for k in named)),
        share_a=shares[2][0],
        share_b=shares[2][1],
        pvalue=min(RULE_FOLDS * pvalue, 1.0),
        expected_gap=shares[2][1] - shares[2][0],
    )
    return _Tried(rule, *(some[more] - some[less] for some in shares[:2]))


def _share(parts: Sequence[Part], chosen: Choices, rows: Matrix) -> float:
    return float(inside(parts, chosen, rows).mean())


def inside(parts: Sequence[Part], chosen: Choices, rows: Matrix) -> Matrix:
    """Whether each of these rows meets all conditions."""
    found = np.full(len(rows), True)
    for k, choice in chosen.items():
        found &= np.append(parts[k].choices[choice], 0.0)[parts[k].codes(rows)] > 0
    return found


def fisher(inside: int, rows: int, inside_other: int, rows_other: int) -> float:
    """Fisher's one-sided p-value: so many of a set in the first sample, or more.

    Examples
    --------
    >>> round(fisher(3, 4, 1, 4), 4)  # the lady tasting tea: 17/70
    0.2429
    """
    from scipy.special import gammaln, logsumexp

    def ways(of: float, take: Any) -> Any:
        """The logarithm of the number of ways to take some of so many."""
        return gammaln(of + 1.0) - gammaln(take + 1.0) - gammaln(of - take + 1.0)

    total, marked = rows + rows_other, inside + inside_other
    expected = rows * marked / total
    far = int(max(inside, expected) + _FAR * (1.0 + np.sqrt(expected)))  # counts beyond add nothing
    counts = np.arange(inside, min(marked, rows, far) + 1, dtype=np.float64)
    chances = ways(marked, counts) + ways(total - marked, rows - counts)
    found = float(np.exp(logsumexp(chances) - ways(total, rows)))
    return min(max(found, float(np.finfo(np.float64).tiny)), 1.0)  # no p-value is 0


def likelihood_ratio(a: Matrix, b: Matrix, n: int, m: int) -> Matrix:
    """Twice the log likelihood ratio of sets with a of n and b of m rows; 0 for sets too small."""
    from scipy.special import xlogy

    both, rows = a + b, float(n + m)

    def side(x: Matrix, y: Matrix, total: Matrix) -> Matrix:
        size = np.maximum(total, 1.0)
        return np.asarray(xlogy(x, x / size * rows / n) + xlogy(y, y / size * rows / m))

    found = side(a, b, both) + side(n - a, m - b, rows - both)
    least = max(LEAST_RULE_SHARE * rows, 2.0)
    return np.asarray(np.where((both >= least) & (both <= rows - least), 2.0 * found, 0.0))


@dataclass(frozen=True, eq=False)
class _Search:
    """Parts of the columns and the rows that are searched in, the first n of A."""

    parts: Sequence[Part]
    codes: Sequence[Matrix]
    n: int
    m: int

    @classmethod
    def of(cls, views: Sequence[ColumnView], rows: Matrix, n: int) -> "_Search":
        parts = [part for part in (part_of(view, rows) for view in views) if part is not None]
        return cls(parts, [part.codes(rows) for part in parts], n, len(rows) - n)

    def best(self) -> Choices:
        """The set with the largest likelihood ratio less what its conditions cost."""
        passed: set[tuple[tuple[int, int], ...]] = set()
        ends = (self._refined(start, passed) for start in self._starts())
        return max(filter(None, ends), default=(0.0, {}), key=itemgetter(0))[1]

    def value(self, chosen: Choices) -> float:
        a, b = self._counts(self._rows(chosen))
        costs = sum(float(self.parts[k].costs[choice]) for k, choice in chosen.items())
        return float(likelihood_ratio(a, b, self.n, self.m)) - costs - self._dear * len(chosen)

    def more_in_b(self, chosen: Choices) -> bool:
        a, b = self._counts(self._rows(chosen))
        return bool(b / self.m > a / self.n)

    def _column(self, k: int) -> str:
        """The column a part is about: a rule has one condition on each."""
        return self.parts[k].view.column.name

    @property
    def _dear(self) -> float:
        """What a further condition costs, whatever it says."""
        return RULE_COST + 2.0 * float(np.log(len(self.parts)))

    def _counts(self, rows: Matrix) -> tuple[Matrix, Matrix]:
        return np.asarray(rows[: self.n].sum() * 1.0), np.asarray(rows[self.n :].sum() * 1.0)

    def _rows(self, chosen: Choices) -> Matrix:
        found = np.full(self.n + self.m, True)
        for k, choice in chosen.items():
            found &= np.append(self.parts[k].choices[choice], 0.0)[self.codes[k]] > 0
        return found

    def _starts(self) -> Iterator[Choices]:
        """The best single conditions, and the best products of two coarse ones."""
        everything = np.full(self.n + self.m, True)
        single = [self._condition(k, everything) for k in range(len(self.parts))]
        order = np.argsort([-value for value, _ in single], kind="stable")
        yield from ({int(k): single[k][1]} for k in order[:_STARTS])
        products = [self._product(int(i), int(j)) for i, j in combinations(order[:RULE_COLUMNS], 2)]
        products.sort(key=lambda item: -item[0])
        yield from (chosen for _, chosen in products[:_STARTS] if chosen)

    def _condition(self, k: int, rows: Matrix) -> tuple[float, int]:
        """The value of the best condition on a part among these rows, and its number."""
        part, codes = self.parts[k], self.codes[k]
        counts = [
            np.bincount(codes[side][rows[side]], minlength=part.count + 1)[: part.count]
            for side in (slice(None, self.n), slice(self.n, None))
        ]
        a, b = (part.choices @ count for count in counts)
        values = likelihood_ratio(a, b, self.n, self.m) - part.costs
        best = int(np.argmax(values))
        return float(values[best]), best

    def _product(self, i: int, j: int) -> tuple[float, Choices]:
        """The best product of coarse conditions on two parts, widened to their own bins."""
        if self._column(i) == self._column(j):
            return -np.inf, {}
        (one, first), (other, second) = (self._coarse(k) for k in (i, j))
        shape = (one.count + 1, other.count + 1)
        cells = first * shape[1] + second
        tables = [
            np.bincount(cells[side], minlength=shape[0] * shape[1]).reshape(shape)[:-1, :-1]
            for side in (slice(None, self.n), slice(self.n, None))
        ]
        a, b = (one.choices @ table @ other.choices.T for table in tables)
        values = likelihood_ratio(a, b, self.n, self.m) - one.costs[:, None] - other.costs
        best, beside = np.unravel_index(int(np.argmax(values)), values.shape)
        chosen = {
            i: _widened(self.parts[i], one, int(best)),
            j: _widened(self.parts[j], other, int(beside)),
        }
        return float(values[best, beside]), chosen

    def _coarse(self, k: int) -> tuple[Part, Matrix]:
        """A part in few bins, and the bin of each row among them."""
        part = self.parts[k]
        few = part.coarse(RULE_BINS_OF_PAIRS)
        if few is part:
            return part, self.codes[k]
        return few, np.append(_places(part, few), few.count)[self.codes[k]]

    def _refined(
        self, chosen: Choices, passed: set[tuple[tuple[int, int], ...]]
    ) -> tuple[float, Choices] | None:
        """Move the ends, add a condition, drop one, as long as it is worth it.

        None where an earlier start has ``passed``: from there the way is the same.
        """
        value = self.value(chosen)
        for _ in range(_ROUNDS):
            if (here := tuple(chosen.items())) in passed:
                return None
            passed.add(here)
            tried = (self._moved(chosen), self._longer(chosen), self._shorter(chosen))
            reached = ((self.value(other), other) for other in tried if other != chosen)
            better = max(reached, default=(value, chosen), key=itemgetter(0))
            if better[0] <= value + 1e-9:
                break
            value, chosen = better
        return value, chosen

    def _moved(self, chosen: Choices) -> Choices:
        """Each condition in turn the best that goes with the others."""
        for k in chosen:
            rows = self._rows({i: choice for i, choice in chosen.items() if i != k})
            chosen = {**chosen, k: self._condition(k, rows)[1]}
        return chosen

    def _longer(self, chosen: Choices) -> Choices:
        if len(chosen) >= RULE_CONDITIONS:
            return chosen
        rows = self._rows(chosen)
        used = {self._column(k) for k in chosen}
        free = [k for k in range(len(self.parts)) if self._column(k) not in used]
        found = [(*self._condition(k, rows), k) for k in free]
        if not found:
            return chosen
        _, choice, k = max(found, key=lambda item: item[0])
        return {**chosen, k: choice}

    def _shorter(self, chosen: Choices) -> Choices:
        if len(chosen) < 2:
            return chosen
        less = [{i: choice for i, choice in chosen.items() if i != k} for k in chosen]
        return max(less, key=self.value)


def _places(part: Part, few: Part) -> Matrix:
    """The coarse bin of each bin."""
    ends = np.append(part.edges, np.inf)
    return np.minimum(np.searchsorted(few.edges, ends, side="left"), few.count - 1)


def _widened(part: Part, few: Part, choice: int) -> int:
    """The choice of a part that a choice of its coarse picture stands for."""
    if few is part:
        return choice
    bins = few.choices[choice][_places(part, few)]
    return int(np.flatnonzero((part.choices == bins).all(axis=1))[0])
