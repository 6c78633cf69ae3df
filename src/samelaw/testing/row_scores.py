"""Row scores: one number per row of a pool, computed without the labels.

The mean of a score over X less its mean over Y is the first-order term of a contrast of entropies,
S(C_X) − S(C_Y) ≈ Tr f′(C)(C_X − C_Y): with f that of log det the score is the leverage of a row,
with order 1 the row sum of squared centred kernels. Scores see changes of spread, density and
dependence in many dimensions, where the divergence itself, second order in C_X − C_Y, is blind.

Scores are taken against reference rows, all rows of the pool or some of them: ``apart`` are squared
distances (N, R) to those, ``inside`` (R, R) those between them. If the rows are the reference, a
row is not its own neighbour.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from samelaw.core.as_typed import as_typed
from samelaw.core.tolerances import rounding
from samelaw.core.types import Matrix
from samelaw.kernels.entropies import EntropyLike, as_additive
from samelaw.testing.scales import View

_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Squared distances of the rows of a pool to reference rows.

    Parameters
    ----------
    apart : array (N, R)
    inside : array (R, R)
        Between reference rows; the same object as ``apart`` if the rows are the reference.
    share : float
        Of the pool that the reference holds: a neighbour among so many is as far as a k-th one.
    """

    apart: Matrix
    inside: Matrix
    share: float = 1.0

    @property
    def own(self) -> bool:
        """Whether the rows are the reference."""
        return self.apart is self.inside

    @cached_property
    def median(self) -> float:
        """The median distance between reference rows, never 0."""
        values = self.inside[np.tri(len(self.inside), k=-1, dtype=bool)]
        positive = values[values > 0]
        found = float(np.median(values)) if len(values) else 0.0
        if found <= 0.0:
            found = float(np.median(positive)) if len(positive) else 1.0
        return math.sqrt(found)

    @cached_property
    def _reaches(self) -> dict[int, Matrix]:
        return {}

    def reach(self, place: int) -> Matrix:
        """Squared distances (R,) between reference rows and their neighbours of a place."""
        if place not in self._reaches:
            self._reaches[place] = np.partition(self.inside, place, axis=1)[:, place]
        return self._reaches[place]

    def neighbour(self, k: int) -> int:
        """The place of the k-th neighbour among the reference rows, from 1."""
        return int(np.clip(round(k * self.share), 1, len(self.inside) - 1))


class RowScore(ABC):
    """A number for every row of a pool."""

    view: View = View.ROWS
    what: ClassVar[str] = ""
    """In a few words; the name of the class if there are none."""
    local: ClassVar[bool] = True
    """Whether the nearest rows decide: rows of large groups score otherwise by that alone."""

    @property
    def name(self) -> str:
        """What is scored, and in which units."""
        return (self.what or type(self).__name__) + self.view.of

    @abstractmethod
    def __call__(self, around: Surroundings) -> Matrix:
        """Scores (N,)."""

    def noise(self, scores: Matrix) -> float:
        """What rounding alone may make of them: scores that differ by less are the same."""
        return rounding(np.float64) * float(np.abs(scores).max())


@as_typed
@dataclass(frozen=True)
class MeanDistance(RowScore):
    """The mean distance to the others: how far out a row lies."""

    view: View = View.NORMAL
    what: ClassVar[str] = "mean distance"
    local: ClassVar[bool] = False

    def __call__(self, around: Surroundings) -> Matrix:
        return np.asarray(np.sqrt(around.apart).mean(axis=1))


@as_typed
@dataclass(frozen=True)
class NeighbourDistance(RowScore):
    """The log of the distance to the k-th neighbour: how thin the law is there."""

    k: int = 20
    view: View = View.ROWS

    @property
    def name(self) -> str:
        return f"distance to neighbour {self.k}{self.view.of}"

    def __call__(self, around: Surroundings) -> Matrix:
        place = around.neighbour(self.k)
        if around.own:
            found = around.reach(place)
        else:
            found = np.partition(around.apart, place - 1, axis=1)[:, place - 1]
        floor = max(1e-24 * around.median**2, _TINY)  # equal rows: near, but not infinitely so
        return np.asarray(0.5 * np.log(np.maximum(found, floor)))

    def noise(self, scores: Matrix) -> float:
        return rounding(np.float64) * (1.0 + float(np.abs(scores).max()))


@as_typed
@dataclass(frozen=True)
class InDegree(RowScore):
    """Of how many rows a row is one of the k nearest: hubs of many dimensions."""

    k: int = 20
    view: View = View.ROWS

    @property
    def name(self) -> str:
        return f"in-degree among {self.k} neighbours{self.view.of}"

    def __call__(self, around: Surroundings) -> Matrix:
        reach = around.reach(around.neighbour(self.k))
        reach = reach * (1.0 + 1e-9) + 1e-12 * around.median**2  # equal distances stay so
        near = (around.apart <= reach).sum(axis=1) - around.own
        return np.asarray(near, dtype=np.float64)


@as_typed
@dataclass(frozen=True)
class KernelPurity(RowScore):
    """The mean of squared centred kernels with the others: the contrast of order 1.

    Parameters
    ----------
    width : float
        Bandwidth of the Gaussian kernel, in median distances.
    """

    width: float = 1.0
    view: View = View.ROWS
    what: ClassVar[str] = "kernel purity"

    def __call__(self, around: Surroundings) -> Matrix:
        scale = 2.0 * (self.width * around.median) ** 2
        inside = np.exp(-around.inside / scale)
        gram = inside if around.own else np.exp(-around.apart / scale)
        means = inside.mean(axis=1)
        centred = gram - gram.mean(axis=1)[:, None] - means[None, :] + means.mean()
        squares = np.einsum("ij,ij->i", centred, centred)
        if around.own:
            squares = squares - np.diagonal(centred) ** 2
        return np.asarray(squares / (len(means) - around.own))

    def noise(self, scores: Matrix) -> float:
        """Kernels are of size 1 before they are centred."""
        error = rounding(np.float64)
        return error * (math.sqrt(float(np.abs(scores).max())) + error)


@as_typed
@dataclass(frozen=True)
class Leverage(RowScore):
    """The log of what the others do not tell of a row: the contrast of log det(C + γ).

    log of the residual of κ(x, ·) on the other rows, by leaving the row out of (K/R + γ)⁻¹.

    Parameters
    ----------
    width : float
        Bandwidth of the Gaussian kernel, in median distances.
    ridge : float
        γ.
    """

    width: float = 10**0.5
    ridge: float = 1e-6
    view: View = View.ROWS
    what: ClassVar[str] = "leverage"

    def __call__(self, around: Surroundings) -> Matrix:
        from scipy.linalg import solve_triangular

        count, scale = len(around.inside), 2.0 * (self.width * around.median) ** 2
        root = _root(np.exp(-around.inside / scale) / count, self.ridge)
        if around.own:
            diagonal = np.einsum("ij,ij->j", *[_inverse(root)] * 2)  # of (L⁻¹)ᵀL⁻¹
            return np.asarray(-np.log(np.maximum(diagonal, _TINY)))
        gram = np.exp(-around.apart / scale) / count
        seen = solve_triangular(root, gram.T, lower=True, check_finite=False)
        left = 1.0 / count + self.ridge - np.einsum("ji,ji->i", seen, seen)
        return np.asarray(np.log(np.maximum(left, 1e-3 * self.ridge)))

    def noise(self, scores: Matrix) -> float:
        """The condition of K/R + γ is up to 1/γ."""
        return rounding(np.float64) * (1.0 + 1.0 / self.ridge)


def _root(matrix: Matrix, ridge: float) -> Matrix:
    """The Cholesky factor of A + γ, of A without what rounding made negative if need be."""
    from scipy.linalg import LinAlgError, cholesky

    regular = matrix + ridge * np.eye(len(matrix))
    try:
        return np.asarray(cholesky(regular, lower=True, check_finite=False))
    except LinAlgError:  # rows far from all others have rounded the distances of the rest
        values, vectors = np.linalg.eigh(matrix)
        clean = (vectors * (np.maximum(values, 0.0) + ridge)) @ vectors.T
        return np.asarray(cholesky(clean, lower=True, check_finite=False))


def _inverse(root: Matrix) -> Matrix:
    from scipy.linalg import lapack

    return np.tril(lapack.dtrtri(root, lower=True)[0])


@as_typed
@dataclass(frozen=True)
class EntropyScore(RowScore):
    """What a row adds to the entropy of the pool: ⟨φ, f′(C)φ⟩ for S = Tr f(C).

    Its contrast is S(C_X) − S(C_Y) to first order, for any entropy that is a sum over eigenvalues.

    Parameters
    ----------
    entropy : Entropy or order
    width : float
        Bandwidth of the Gaussian kernel, in median distances.

    Notes
    -----
    A row is its own neighbour here, which hides what many dimensions have to say: `Leverage` is
    log det with the row left out, `KernelPurity` order 1 centred and with it left out.
    """

    entropy: EntropyLike = 1
    width: float = 1.0
    view: View = View.ROWS

    def __post_init__(self) -> None:
        as_additive(self.entropy)

    @property
    def name(self) -> str:
        return f"entropy of rows ({as_additive(self.entropy)!r}){self.view.of}"

    def __call__(self, around: Surroundings) -> Matrix:
        scale, count = 2.0 * (self.width * around.median) ** 2, len(around.inside)
        values, vectors = np.linalg.eigh(np.exp(-around.inside / scale) / count)
        values = np.clip(values, count * np.finfo(np.float64).eps, None)
        gram = around.inside if around.own else around.apart
        loads = (np.exp(-gram / scale) @ vectors) ** 2 / (count * values)  # ⟨φ, e_k⟩²
        slopes = as_additive(self.entropy).derivative(np.append(values, 0.0))
        return np.asarray(loads @ (slopes[:-1] - slopes[-1]))

    def noise(self, scores: Matrix) -> float:
        """Small eigenvalues are divided by."""
        return math.sqrt(rounding(np.float64)) * (1.0 + float(np.abs(scores).max()))


def squared_distances(rows: Matrix, others: Matrix) -> Matrix:
    """Squared distances (N, R) in double precision, exactly 0 for equal rows.

    Centred at the median first: one row far out must not round the distances of the others.
    """
    from samelaw.core import linalg

    centre = np.median(others, axis=0)
    moved = others - centre
    seen = moved if rows is others else rows - centre
    apart = np.asarray(linalg.squared_distances(seen, moved, centre=np.zeros_like(centre)))
    _drop_rounding(apart, *(np.square(one).sum(axis=1) for one in (seen, moved)))
    return apart


def _drop_rounding(apart: Matrix, down: Matrix, across: Matrix) -> None:
    """Set distances to 0 that the rounding of rows with these squared lengths alone can make.

    Equal rows come out a few last digits apart, in another way on every processor, and the log of
    that is anything.
    """
    error = rounding(np.float64)
    first, second = np.nonzero(apart <= error * (down.max() + across.max()))
    small = apart[first, second] <= error * (down[first] + across[second])
    apart[first[small], second[small]] = 0.0
