"""Kernels with κ(x,x) = 1: the formula and nothing else.

How a Gram matrix is built lives in `samelaw.kernels.grams`, how kernels combine in
`samelaw.kernels.algebra`. A kernel is called with two samples and returns the (n, m) matrix of
their similarities. Kernels of a shift-invariant kind also know the law of their Fourier
frequencies, as a deterministic map from standard draws (core holds no randomness).
"""

import math
import sys
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeGuard

import numpy as np

from samelaw.core import linalg
from samelaw.core.arrays import like, most, namespace, to_numpy
from samelaw.core.checks import shown
from samelaw.core.registry import register
from samelaw.core.types import Array, Sample
from samelaw.kernels.algebra import Kernel as Kernel
from samelaw.kernels.kernel_parameters import (
    Parameter,
    as_column,
    beside_rows,
    check_bandwidth,
    check_number,
    over_bandwidth,
)


class ShiftInvariant(Kernel):
    """A kernel of x − y: it has Fourier features, and a profile over a distance.

    Kernels that differ only in their bandwidth share one matrix of distances (`metric`).
    """

    bandwidth: Parameter
    metric: ClassVar[str]

    @abstractmethod
    def profile(self, apart: Array) -> Array:
        """κ from squared Euclidean ("sqeuclidean") or L1 ("cityblock") distances over σ."""

    @abstractmethod
    def frequencies(self, normal: Array, uniform: Array) -> Array:
        """Frequencies (d, D) from standard normal and uniform draws of that shape.

        Columns of ``normal`` may be orthogonal to each other as long as each is standard normal.
        """


class Radial(ShiftInvariant):
    """A kernel of the Euclidean distance ‖B⁻¹(x − y)‖."""

    metric: ClassVar[str] = "sqeuclidean"

    def similarities(self, x: Sample, y: Sample) -> Array:
        return self.profile(linalg.squared_distances(*self._scale(x, y)))

    def _scale(self, x: Sample, y: Sample) -> tuple[Array, Array]:
        scaled = over_bandwidth(x, self.bandwidth)
        return scaled, scaled if y is x else over_bandwidth(y, self.bandwidth)


@register("kernel")
@dataclass(frozen=True, eq=False)
class Gaussian(Radial):
    """Gaussian kernel exp(−‖B⁻¹(x − y)‖² / 2).

    Parameters
    ----------
    bandwidth : float, array (d,) or array (d, d)
        B = σI for a number σ, diag(b) for a vector, the matrix itself otherwise.

    Notes
    -----
    The default kernel of the paper (section 5.1); the matrix form is the one RJSD-Split learns.
    Cost: one (n, d) × (d, m) product and one exponential per pair.

    Examples
    --------
    >>> import numpy as np
    >>> Gaussian(1.0)(np.array([[0.0]]), np.array([[0.0], [1.0]])).round(4)
    array([[1.    , 0.6065]])
    """

    bandwidth: Parameter = 1.0

    def __post_init__(self) -> None:
        check_bandwidth(self.bandwidth, most_dimensions=2)

    def similarities(self, x: Sample, y: Sample) -> Array:
        return linalg.exp_of_fresh(linalg.gaussian_exponents(*self._scale(x, y)))

    def profile(self, apart: Array) -> Array:
        return linalg.exp_of_fresh(-0.5 * apart)

    def frequencies(self, normal: Array, uniform: Array) -> Array:
        if np.ndim(self.bandwidth) == 2:
            xp = namespace(normal)
            return xp.linalg.solve(as_column(self.bandwidth, normal).T, normal)
        return normal / as_column(self.bandwidth, normal)


@register("kernel")
@dataclass(frozen=True, eq=False)
class Laplace(ShiftInvariant):
    """Laplace kernel exp(−‖x − y‖₁ / σ), the L1 kernel of RJSD-Fuse.

    Parameters
    ----------
    bandwidth : float or array (d,)
        σ, or one value per feature.

    Examples
    --------
    >>> import numpy as np
    >>> Laplace(2.0)(np.array([[0.0, 0.0]]), np.array([[1.0, 1.0]])).round(4)
    array([[0.3679]])
    """

    bandwidth: Parameter = 1.0

    metric: ClassVar[str] = "cityblock"

    def __post_init__(self) -> None:
        check_bandwidth(self.bandwidth)

    def similarities(self, x: Sample, y: Sample) -> Array:
        scaled = (over_bandwidth(z, self.bandwidth) for z in (x, y))
        return self.profile(linalg.city_block_distances(*scaled))

    def profile(self, apart: Array) -> Array:
        return linalg.exp_of_fresh(-apart)

    def frequencies(self, normal: Array, uniform: Array) -> Array:
        # A Cauchy variable is a normal divided by the size of an independent normal; dividing
        # entry by entry keeps the law of each column when the columns of `normal` are orthogonal.
        from scipy.special import ndtri

        size = np.abs(ndtri(0.5 + 0.5 * to_numpy(uniform)))
        return normal / like(size, normal) / as_column(self.bandwidth, normal)


@register("kernel")
@dataclass(frozen=True, eq=False)
class Matern(Radial):
    """Matérn kernel of smoothness ½, 3/2 or 5/2 in the Euclidean distance.

    Parameters
    ----------
    bandwidth : float, array (d,)
        Length scale.
    smoothness : {0.5, 1.5, 2.5}
        ½ is exp(−r), 3/2 is (1 + √3 r) exp(−√3 r), 5/2 is (1 + √5 r + 5r²/3) exp(−√5 r).

    Examples
    --------
    >>> import numpy as np
    >>> Matern(1.0, 0.5)(np.array([[0.0]]), np.array([[1.0]])).round(4)
    array([[0.3679]])
    """

    bandwidth: Parameter = 1.0
    smoothness: float = 1.5

    def __post_init__(self) -> None:
        check_bandwidth(self.bandwidth)
        if self.smoothness not in (0.5, 1.5, 2.5):
            raise ValueError(f"smoothness must be 0.5, 1.5 or 2.5, got {shown(self.smoothness)}.")

    def profile(self, apart: Array) -> Array:
        xp = namespace(apart)
        reach = math.sqrt(2 * self.smoothness) * linalg.safe_root(apart)
        if self.smoothness == 0.5:
            return xp.exp(-reach)
        if self.smoothness == 1.5:
            return (1.0 + reach) * xp.exp(-reach)
        return (1.0 + reach + reach * reach / 3.0) * xp.exp(-reach)

    def frequencies(self, normal: Array, uniform: Array) -> Array:
        # The spectral law is a multivariate t with 2ν degrees of freedom.
        from scipy.special import gammaincinv

        chi2 = 2.0 * gammaincinv(self.smoothness, to_numpy(uniform)[:1, :])
        shrink = np.sqrt(2.0 * self.smoothness / chi2)
        return normal * like(shrink, normal) / as_column(self.bandwidth, normal)


@register("kernel")
@dataclass(frozen=True, eq=False)
class RationalQuadratic(Radial):
    """Rational quadratic kernel (1 + ‖x − y‖² / (2aσ²))^−a: a mixture of Gaussians of all widths.

    Parameters
    ----------
    bandwidth : float, array (d,)
        σ.
    shape : float
        a; small values give heavy tails, a → ∞ is the Gaussian kernel.

    Examples
    --------
    >>> import numpy as np
    >>> RationalQuadratic(1.0, shape=1.0)(np.array([[0.0]]), np.array([[1.0]])).round(4)
    array([[0.6667]])
    """

    bandwidth: Parameter = 1.0
    shape: float = 1.0

    def __post_init__(self) -> None:
        check_bandwidth(self.bandwidth)
        check_number("shape", self.shape)

    def profile(self, apart: Array) -> Array:
        shape = beside_rows("shape", self.shape, apart)
        return (1.0 + apart / (2.0 * shape)) ** (-shape)

    def frequencies(self, normal: Array, uniform: Array) -> Array:
        from scipy.special import gammaincinv

        precision = gammaincinv(self.shape, to_numpy(uniform)[:1, :]) / self.shape
        return normal * like(np.sqrt(precision), normal) / as_column(self.bandwidth, normal)


DISTANCES: dict[str, Callable[[Array, Array], Array]] = {
    "sqeuclidean": linalg.squared_distances,
    "cityblock": linalg.city_block_distances,
}


def has_distance(kernel: object) -> TypeGuard[ShiftInvariant]:
    """Whether a kernel is a profile of one distance over one bandwidth."""
    return isinstance(kernel, ShiftInvariant) and np.ndim(kernel.bandwidth) == 0


def from_distances(kernel: ShiftInvariant, apart: Array, unit: float = 1.0) -> Array:
    """κ from the distances of its metric, measured in ``unit``: shared by all bandwidths.

    Rows too far apart for their precision are as far apart as it tells, never NaN.
    """
    length = min(unit / float(kernel.bandwidth), sys.float_info.max)
    lengths = [length] * (2 if kernel.metric == "sqeuclidean" else 1)
    scale, limit = math.prod(lengths), most(apart) / 64.0  # profiles multiply by a few
    if max(scale, scale * float(apart.max(initial=0.0))) <= limit:
        return kernel.profile(apart * scale)
    far = apart.astype(np.float64)
    with np.errstate(over="ignore"):
        for one in lengths:  # not by the square, which may be infinite: 0 times infinity is NaN
            far *= one
    return kernel.profile(np.minimum(far, limit).astype(apart.dtype))


@register("kernel")
@dataclass(frozen=True, eq=False)
class Polynomial(Kernel):
    """Polynomial kernel ((⟨x, y⟩ + c) / √((‖x‖² + c)(‖y‖² + c)))^k, normalised to κ(x,x) = 1.

    Not characteristic: it sees moments up to order 2k only.

    Examples
    --------
    >>> import numpy as np
    >>> Polynomial(2)(np.array([[1.0]]), np.array([[-1.0]])).round(4)
    array([[0.]])
    """

    degree: int = 2
    offset: float = 1.0

    def __post_init__(self) -> None:
        if not (isinstance(self.degree, int) and self.degree >= 1):
            raise ValueError(
                f"degree must be a whole number of at least 1, got {shown(self.degree)}."
            )
        check_number("offset", self.offset)

    def similarities(self, x: Sample, y: Sample) -> Array:
        xp = namespace(x, y)
        offset = beside_rows("offset", self.offset, x)
        left, right = (xp.sqrt(xp.sum(z * z, axis=1) + offset) for z in (x, y))
        return ((x @ y.T + offset) / (left[:, None] * right[None, :])) ** self.degree


@register("kernel")
@dataclass(frozen=True, eq=False)
class Cosine(Kernel):
    """Cosine similarity ⟨x, y⟩ / (‖x‖ ‖y‖): the usual choice for embeddings.

    Its covariance operator is the second moment of the directions; it sees nothing else, so it is
    a divergence of directions, not of laws. A row of zeros has no direction: it is like other rows
    of zeros, 1, and unlike all others, 0.

    Examples
    --------
    >>> import numpy as np
    >>> Cosine()(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]])).round(4)
    array([[0.7071]])
    """

    def similarities(self, x: Sample, y: Sample) -> Array:
        (left, nowhere), (right, none) = (_directions(z) for z in (x, y))
        return left @ right.T + nowhere[:, None] * none[None, :]


def _directions(x: Array) -> tuple[Array, Array]:
    """Rows over their norms (n, d), zeros where there is none, and 1 there (n,), as if a column."""
    xp = namespace(x)
    squares = xp.sum(x * x, axis=1)
    nothing = squares == 0
    norms = xp.sqrt(xp.where(nothing, 1.0, squares))  # inside, or the gradient of the root is NaN
    return x / norms[:, None], xp.astype(nothing, x.dtype)


@register("kernel")
@dataclass(frozen=True, eq=False)
class Hamming(Kernel):
    """exp(−(number of columns that differ) / σ), for codes of categories.

    Examples
    --------
    >>> import numpy as np
    >>> Hamming(1.0)(np.array([[0.0, 1.0]]), np.array([[0.0, 2.0]])).round(4)
    array([[0.3679]])
    """

    bandwidth: float = 1.0

    def __post_init__(self) -> None:
        check_bandwidth(self.bandwidth, most_dimensions=0)

    def similarities(self, x: Sample, y: Sample) -> Array:
        apart = linalg.mismatches(x, y)
        return namespace(apart).exp(-apart / beside_rows("bandwidth", self.bandwidth, apart))


@register("kernel")
@dataclass(frozen=True, eq=False)
class Categorical(Kernel):
    """1 where two rows agree in every column, else 0: orthonormal features, one per value.

    RJSD under this kernel is the classical Jensen–Shannon divergence of discrete laws.

    Examples
    --------
    >>> import numpy as np
    >>> Categorical()(np.array([[0.0], [1.0]]), np.array([[1.0]]))
    array([[0.],
           [1.]])
    """

    def similarities(self, x: Sample, y: Sample) -> Array:
        apart = linalg.mismatches(x, y)
        return namespace(apart).astype(apart == 0, apart.dtype)
