"""Split: learn the bandwidth on one half of the rows, test on the other (RJSD- and MMD-Split)."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from samelaw.core import linalg
from samelaw.core.as_typed import as_typed
from samelaw.core.checks import as_share
from samelaw.core.registry import register
from samelaw.core.types import Matrix
from samelaw.divergence.objectives import gain_and_slope, power_and_slope
from samelaw.kernels.bandwidths import GeometricGrid
from samelaw.kernels.entropies import Entropy, PowerSeries, as_entropy
from samelaw.kernels.formulas import Gaussian
from samelaw.kernels.grids import Pool
from samelaw.testing.held_out import Learnt, held_out_test
from samelaw.testing.problem import Problem, Strategy
from samelaw.testing.result import TestResult

_LONGEST_STEP = 1e12  # the optimiser may try a bandwidth so small that distances would overflow
_FARTHEST = 1e50  # bandwidths from 0: no kernel tells what is farther, and slopes stay finite


class Objective(ABC):
    """What the bandwidth maximises: a function of the Gram matrix with its gradient."""

    mmd: ClassVar[bool] = False
    """Whether the test is of MMD², not of the divergence of its entropy."""

    @abstractmethod
    def __call__(self, gram: Matrix, sizes: tuple[int, int]) -> tuple[float, Matrix]:
        """Value and derivative with respect to the entries of the pooled Gram matrix (N, N)."""


@dataclass(frozen=True)
class MaximizeRJSD(Objective):
    """The power-series RJSD, less its mean over a few random permutations of the same rows.

    The plain divergence, which the paper maximises (``permutations=0``), is mostly bias at small
    bandwidths and pulls the bandwidth down; the difference is free of it, and the entropy of the
    pool cancels. The derivative of an entropy of a Gram matrix is f′(K/n)/n.
    """

    entropy: Entropy = field(default_factory=PowerSeries)
    permutations: int = 4

    def __call__(self, gram: Matrix, sizes: tuple[int, int]) -> tuple[float, Matrix]:
        rng = np.random.default_rng(0)
        orders = [rng.permutation(sum(sizes)) for _ in range(self.permutations)]
        return gain_and_slope(gram, sizes, self.entropy, orders)


@dataclass(frozen=True)
class MaximizePower(Objective):
    """MMD² over its standard deviation under the alternative: the criterion of MMD-Split.

    With h_ij = κ(x_i,x_j) + κ(y_i,y_j) − κ(x_i,y_j) − κ(x_j,y_i) over paired rows, the variance is
    estimated by 4 (Σ_i h̄_i²/n − h̄²).
    """

    mmd: ClassVar[bool] = True

    ridge: float = 1e-8

    def __call__(self, gram: Matrix, sizes: tuple[int, int]) -> tuple[float, Matrix]:
        return power_and_slope(gram, sizes, self.ridge)


@register("strategy")
@as_typed
@dataclass(frozen=True, eq=False)
class Split(Strategy):
    """Choose the bandwidth of a Gaussian kernel on one part of the rows, test on the other.

    Parameters
    ----------
    entropy : int, inf or Entropy
        An order of the power series, for learning and testing.
    dimensions : {0, 1, 2}
        The bandwidth is a number, one number per feature, or a full matrix.
    objective : Objective, optional
        ``MaximizeRJSD`` of the entropy by default; ``MaximizePower()`` for MMD (`Split.mmd`).
    share : float
        Share of the rows used for learning.
    iterations : int
        Of the optimiser (L-BFGS with analytic gradients).

    Notes
    -----
    For data where one direction or scale matters and many rows are at hand; `Fuse` uses all rows
    for testing and is usually stronger. `Split.published` is the paper's: the plain divergence,
    mostly bias at small bandwidths, and a full matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(100, 2)), rng.normal(size=(100, 2)) * [1, 3]
    >>> two_sample_test(x, y, strategy=Split(dimensions=1), rng=0).reject
    True
    """

    entropy: Entropy | float = 10
    dimensions: int = 0
    objective: Objective | None = None
    share: float = 0.5
    iterations: int = 50

    def __post_init__(self) -> None:
        as_share("share", self.share)
        as_entropy(self.entropy)
        if self.dimensions not in (0, 1, 2):
            raise ValueError(f"dimensions must be 0, 1 or 2, got {self.dimensions!r}.")

    @classmethod
    def mmd(cls, dimensions: int = 0) -> "Split":
        """MMD-Split: the kernel with the best estimated power, tested by unbiased MMD²."""
        return cls(entropy=1, dimensions=dimensions, objective=MaximizePower())

    @classmethod
    def published(cls, entropy: int = 10) -> "Split":
        """RJSD-Split as in the paper: the plain divergence of this order, a full matrix.

        It is made large by L-BFGS from the best of a few widths, not by 200 steps of Adam from 1.
        """
        plain = MaximizeRJSD(PowerSeries(entropy), permutations=0)
        return cls(entropy=entropy, dimensions=2, objective=plain)

    def decide(self, problem: Problem) -> TestResult:
        return held_out_test(
            problem,
            self._learnt,
            share=self.share,
            entropy=self.entropy,
            mmd=self.objective is not None and self.objective.mmd,
            name="Split: bandwidth",
            strategy=repr(self),
        )

    def _learnt(self, x: Matrix, y: Matrix) -> Learnt:
        factor = self.learn(x, y)
        said = {"inverse_bandwidth": factor.tolist()}
        return Learnt(Gaussian(1.0), lambda rows: _bounded(np.matmul, rows, factor), said)

    def learn(self, x: Matrix, y: Matrix) -> Matrix:
        """The inverse bandwidth L (d, d) of exp(−‖(x − y)L‖²/2) that maximises the objective."""
        from scipy.optimize import minimize

        objective = self.objective or MaximizeRJSD(as_entropy(self.entropy))
        pool = Pool(np.concatenate([x, y]))
        points, sizes = pool.points, (len(x), len(y))
        grid = GeometricGrid(7)(pool.flat("sqeuclidean"))
        curve = [_value(_bounded(np.divide, points, b), sizes, objective)[0] for b in grid]
        unit = float(grid[int(np.argmax(curve))])
        scaled = _bounded(np.divide, points, unit)

        def loss(theta: Matrix) -> tuple[float, Matrix]:
            factor = _factor(theta, scaled.shape[1], self.dimensions)
            value, by_factor = _value(scaled @ factor, sizes, objective)
            slope = 2.0 * (scaled.T @ by_factor)  # dD/dL for z = xL
            return -value, -_pull_back(slope, factor, self.dimensions)

        start = _start(scaled.shape[1], self.dimensions)
        found = minimize(
            loss, start, jac=True, method="L-BFGS-B", options={"maxiter": self.iterations}
        )
        return _factor(found.x, scaled.shape[1], self.dimensions) / unit


@np.errstate(over="ignore")
def _bounded(combine: np.ufunc, rows: Matrix, by: Matrix | float) -> Matrix:
    """Rows in bandwidths, those far out brought nearer."""
    return np.asarray(np.clip(combine(rows, by), -_FARTHEST, _FARTHEST))


def _value(points: Matrix, sizes: tuple[int, int], objective: Objective) -> tuple[float, Matrix]:
    """The objective at scaled points z, and half its derivative with respect to them."""
    gram = np.exp(-0.5 * linalg.squared_distances(points, points))
    value, slope = objective(gram, sizes)
    flow = slope * gram  # dD/dz_i = −2 Σ_j flow_ij (z_i − z_j) for symmetric flow
    return value, flow @ points - flow.sum(axis=1)[:, None] * points


def _start(width: int, dimensions: int) -> Matrix:
    return np.eye(width).ravel() if dimensions == 2 else np.zeros(1 if dimensions == 0 else width)


def _factor(theta: Matrix, width: int, dimensions: int) -> Matrix:
    """L with z = xL: the inverse bandwidth, in log space unless it is a matrix."""
    if dimensions == 2:
        return np.clip(theta, -_LONGEST_STEP, _LONGEST_STEP).reshape(width, width)
    most = np.log(_LONGEST_STEP)
    return np.diag(np.exp(-np.clip(theta, -most, most)) * np.ones(width))


def _pull_back(slope: Matrix, factor: Matrix, dimensions: int) -> Matrix:
    if dimensions == 2:
        return np.asarray(slope.ravel())
    by_feature = -np.diagonal(slope) * np.diagonal(factor)
    return np.asarray(by_feature if dimensions == 1 else by_feature.sum(keepdims=True))
