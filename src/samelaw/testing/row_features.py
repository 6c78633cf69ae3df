"""Rows as vectors: explicit features in which a divergence is a squared distance of two means.

To second order a divergence is a quadratic form vᵀQv with Q = ΨΨᵀ, Ψ one row of features for every
row of the pool. Learnt once, from rows drawn without regard to their labels, the features serve any
number of samples: a sample is the sum of its vectors, and to permute rows is to add up others.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from samelaw.core.tolerances import rounding
from samelaw.core.types import Matrix
from samelaw.divergence.sketch import CompressedFeatures, evaluate
from samelaw.kernels.entropies import Entropy, divided_differences
from samelaw.kernels.features import FeatureMap
from samelaw.testing.row_scores import RowScore, Surroundings, squared_distances

WIDTH = 96
"""Directions of a component that are kept: those in which rows vary most."""
DIRECTIONS = 32
"""Of the features whose covariances are compared."""
_SAME = 1e-9  # of the typical squared distance: rows that are equal in single precision
_PIECE = 4_096  # rows at a time: their features stay in the cache


class Columns(ABC):
    """Several sets of numbers of rows that are computed together."""

    @abstractmethod
    def __call__(self, rows: Matrix) -> Iterator[Matrix]:
        """Numbers (n, P₀) of rows (n, d), set after set."""

    def noise(self, place: int, numbers: Matrix) -> float:
        """What rounding alone may make of the numbers of a set, beside single precision."""
        return 0.0


@dataclass(frozen=True, eq=False)
class CovarianceColumns(Columns):
    """The entries of φφᵀ on and above the diagonal, one set for every feature map."""

    maps: Sequence[CompressedFeatures]

    def __call__(self, rows: Matrix) -> Iterator[Matrix]:
        for features in evaluate(self.maps, rows):
            yield products_of(features)


@dataclass(frozen=True, eq=False)
class MeanColumns(Columns):
    """Features of κ², whose means suffice for order 1, one set for every kernel."""

    maps: Sequence[FeatureMap]

    def __call__(self, rows: Matrix) -> Iterator[Matrix]:
        return (np.asarray(one.features(rows)) for one in self.maps)


@dataclass(frozen=True, eq=False)
class MomentColumns(Columns):
    """The columns themselves, or their products: of all, or of a few random mixtures of many."""

    degree: int
    mixture: Matrix | None = None

    def __call__(self, rows: Matrix) -> Iterator[Matrix]:
        columns = rows if self.mixture is None else rows @ self.mixture.astype(rows.dtype)
        yield columns if self.degree == 1 else products_of(columns, math.sqrt(2.0))


@dataclass(frozen=True, eq=False)
class ScoreColumns(Columns):
    """Row scores against reference rows (R, d), each a set of one number.

    ``share`` is the part of the pool that the reference holds.
    """

    scores: Sequence[RowScore]
    others: Matrix
    share: float

    @cached_property
    def _inside(self) -> Matrix:
        return squared_distances(self.others, self.others)

    @cached_property
    def _typical(self) -> float:
        return Surroundings(self._inside, self._inside).median ** 2

    def __call__(self, rows: Matrix) -> Iterator[Matrix]:
        apart = squared_distances(rows.astype(np.float64), self.others)
        # A row that is one of the reference is not its own neighbour, as it is of no other row.
        first, second = np.nonzero(apart <= _SAME * self._typical)
        apart[first, second] = self._typical
        around = Surroundings(apart, self._inside, self.share)
        return (np.asarray(score(around))[:, None] for score in self.scores)

    def noise(self, place: int, numbers: Matrix) -> float:
        return self.scores[place].noise(numbers)


def products_of(columns: Matrix, off_diagonal: float = 1.0) -> Matrix:
    """All products of two columns (n, k(k+1)/2), those of two different ones times a factor."""
    count, width = columns.shape
    found: Matrix = np.empty((count, width * (width + 1) // 2), dtype=columns.dtype)
    scaled, place = columns * columns.dtype.type(off_diagonal), 0
    for first in range(width):  # far faster than indices of all pairs
        stop = place + width - first
        np.multiply(scaled[:, first, None], columns[:, first:], out=found[:, place:stop])
        found[:, place] = columns[:, first] ** 2
        place = stop
    return found


def curvature(values: Matrix, entropy: Entropy, scale: float) -> Matrix:
    """Weights of `products_of` in the eigenbasis, such that squared distances are divergences.

    In the eigenbasis of the pooled covariance, of which these are the eigenvalues, the second-order
    form is a weighted sum of squares of the entries of C_X − C_Y.
    """
    upper = np.triu_indices(len(values))
    weights = -0.5 * scale**2 * divided_differences(entropy, scale * values)[upper]
    weights *= np.where(upper[0] == upper[1], 1.0, 2.0)
    return np.asarray(np.sqrt(np.clip(weights, 0.0, None)))


_LONGEST = 1e6
"""Of a feature, where those of a pool are about 1: of a row farther out than any of its rows the
eighth powers, which moments are made of, would overflow, and its mean with others round them."""

_AMPLIFIED = 16.0
"""Features go through the inverse root of a Gram matrix, which makes more of rounding."""


@dataclass(frozen=True, eq=False)
class Leading:
    """Numbers of rows, weighted, less their mean, in the directions in which a pool varies most.

    Parameters
    ----------
    basis : array (P₀, P)
    centre : array (P,)
    floor : float
        What rounding alone may make of the squared length of a feature vector.
    """

    basis: Matrix
    centre: Matrix
    floor: float

    @classmethod
    def of(cls, pool: Matrix, weights: Matrix | None = None, noise: float = 0.0) -> "Leading":
        """For numbers of the rows of a pool (N, P₀) that are known up to noise."""
        scaled = pool.astype(np.float64) * (1.0 if weights is None else weights)
        mean = scaled.mean(axis=0)
        values, vectors = np.linalg.eigh((scaled - mean).T @ (scaled - mean))
        kept = np.flatnonzero(values > 1e-6 * max(values[-1], 0.0))[-WIDTH:]
        kept = kept if len(kept) else np.array([len(values) - 1])
        longest = float(np.sqrt(np.einsum("np,np->n", scaled, scaled).max()))
        error = max(_AMPLIFIED * rounding(np.float32) * longest, noise)
        floor = len(kept) * error**2
        basis = vectors[:, kept]
        turned = basis if weights is None else weights[:, None] * basis
        return cls(turned.astype(np.float32), mean @ basis, floor)

    @property
    def size(self) -> int:
        return int(self.basis.shape[1])

    def __call__(self, numbers: Matrix) -> Matrix:
        if len(self.basis) == 1:  # one score: single precision would lose its digits
            found = np.asarray(numbers * float(self.basis[0, 0]) - self.centre, dtype=np.float32)
        else:
            found = numbers.astype(np.float32) @ self.basis
            found -= self.centre.astype(np.float32)
        return np.clip(found, -_LONGEST, _LONGEST, out=found)


@dataclass(frozen=True, eq=False)
class RowPart:
    """Components of one view that are computed together.

    Parameters
    ----------
    view : callable
        Rows in the units the columns are computed from.
    columns : Columns
    leading : sequence of sequences of Leading
        For every set of numbers those that look at it.
    """

    view: Callable[[Matrix], Matrix]
    columns: Columns
    leading: Sequence[Sequence[Leading]]

    def __call__(self, seen: Matrix) -> Iterator[Matrix]:
        """Features of rows in these units, component after component."""
        for numbers, looks in zip(self.columns(seen), self.leading, strict=True):
            for look in looks:
                yield look(numbers)


@dataclass(frozen=True, eq=False)
class RowFeatures:
    """The features of all components, beside each other.

    Parameters
    ----------
    parts : sequence of RowPart

    Notes
    -----
    Frozen: a row has the same features whatever rows come with it, up to rounding.
    """

    parts: Sequence[RowPart]

    @cached_property
    def looks(self) -> tuple[Leading, ...]:
        """Of every component, in order."""
        return tuple(look for part in self.parts for looks in part.leading for look in looks)

    @cached_property
    def starts(self) -> Matrix:
        """Where the features of each component begin (K,)."""
        sizes = [look.size for look in self.looks]
        return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)

    @property
    def size(self) -> int:
        return sum(look.size for look in self.looks)

    @property
    def slices(self) -> list[slice]:
        """The features of each component."""
        return [
            slice(int(start), int(start) + look.size)
            for start, look in zip(self.starts, self.looks, strict=True)
        ]

    def __call__(self, rows: Matrix) -> Matrix:
        """Features (n, P) of rows (n, d) in single precision."""
        found: Matrix = np.empty((len(rows), self.size), dtype=np.float32)
        for begin in range(0, len(rows), _PIECE):
            some = slice(begin, begin + _PIECE)
            for place, features in zip(self.slices, self._features(rows[some]), strict=True):
                found[some, place] = features
        return found

    def _features(self, rows: Matrix) -> Iterator[Matrix]:
        seen: dict[object, Matrix] = {}  # parts share views
        for part in self.parts:
            if part.view not in seen:
                seen[part.view] = part.view(rows).astype(np.float32)
            yield from part(seen[part.view])
