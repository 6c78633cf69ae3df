"""What a kernel is, and kernels made of others: products, mixtures, of some columns, of a matrix.

The formulas themselves are in `samelaw.kernels.formulas`.
"""

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

import numpy as np

from samelaw.core.arrays import (
    in_full_precision,
    is_array,
    is_numpy,
    is_traced,
    like,
    namespace,
    to_numpy,
    whole,
)
from samelaw.core.by_value import ByValue
from samelaw.core.checks import as_vector, shown
from samelaw.core.registry import members
from samelaw.core.samples import as_samples, check_libraries
from samelaw.core.types import Array, Matrix, Sample
from samelaw.kernels import grams
from samelaw.kernels.grams import Similarity


class Kernel(ByValue, ABC):
    """A positive definite function with κ(x,x) = 1 (assumption A1 of the paper).

    A kernel of one's own writes `similarities`, the formula for rows that are checked already;
    calling the kernel checks them first. ``k1 * k2`` is the product kernel (the Hadamard product
    of the Gram matrices).
    """

    ready: ClassVar[bool] = False
    """Whether the values are at hand, so that asking for them in pieces gains nothing."""

    @in_full_precision
    def __call__(self, x: Sample, y: Sample) -> Array:
        """Similarities (n, m) of the rows of ``x`` and ``y``."""
        if y is x:
            (x,) = (y,) = as_samples(x=x)
        else:
            x, y = as_samples(x=x, y=y)
        check_layers(self, x)
        return grams.similarities(self, x, y)

    def similarities(self, x: Sample, y: Sample) -> Array:
        """The formula, for samples as `samelaw.core.samples.as_samples` leaves them."""
        return self(x, y)  # of a class that writes __call__

    def __mul__(self, other: "Kernel") -> "Product":
        if not callable(other):  # a number of times a kernel is none with κ(x,x) = 1
            return NotImplemented
        return Product((*_factors(self), *_factors(other)))


@dataclass(frozen=True, eq=False)
class Precomputed(Kernel):
    """A Gram matrix computed elsewhere; samples are row numbers into it.

    The matrix is scaled to ones on the diagonal: K_ij / √(K_ii K_jj).

    Examples
    --------
    >>> import numpy as np
    >>> kernel = Precomputed(np.array([[4.0, 1.0], [1.0, 1.0]]))
    >>> kernel(np.array([[0]]), np.array([[1]]))
    array([[0.5]])
    """

    matrix: Array

    ready: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not is_array(self.matrix):
            raise TypeError(f"a Gram matrix is an array, got {type(self.matrix).__name__}.")
        if len(self.matrix.shape) != 2 or self.matrix.shape[0] != self.matrix.shape[1]:
            raise ValueError(f"a Gram matrix is square, got shape {tuple(self.matrix.shape)}.")
        (checked,) = as_samples(matrix=self.matrix)
        if checked is not self.matrix:
            object.__setattr__(self, "matrix", checked)
        numbers = to_numpy(checked)
        if not np.all(np.diagonal(numbers) > 0):
            raise ValueError("the diagonal of a Gram matrix must be positive.")
        if not np.allclose(numbers, numbers.T, rtol=1e-4, atol=1e-6 * np.abs(numbers).max()):
            raise ValueError("a Gram matrix must be symmetric.")
        size = np.sqrt(np.diagonal(numbers))
        if np.any(np.abs(numbers) / size[:, None] > 1.01 * size):
            raise ValueError(
                "no entry of a Gram matrix may exceed √(K_ii K_jj): it is no kernel's."
            )
        if not np.all(np.diagonal(numbers) == 1):
            xp = namespace(self.matrix)
            size = xp.sqrt(xp.linalg.diagonal(self.matrix))
            object.__setattr__(self, "matrix", self.matrix / (size[:, None] * size[None, :]))

    def similarities(self, x: Sample, y: Sample) -> Array:
        xp = namespace(self.matrix)
        left, right = (self._rows(xp, z) for z in (x, y))
        if is_numpy(self.matrix) and _consecutive(left) and _consecutive(right):
            return self.matrix[left[0] : left[-1] + 1, right[0] : right[-1] + 1]
        return xp.take(xp.take(self.matrix, left, axis=0), right, axis=1)

    def _rows(self, xp: ModuleType, sample: Array) -> Array:
        check_libraries({"x": sample, "matrix": self.matrix})
        given, count = sample[:, 0], self.matrix.shape[0]
        right = xp.all((given == xp.floor(given)) & (given >= 0) & (given < count))
        if sample.shape[1] != 1 or (not is_traced(right) and not bool(right)):
            raise ValueError(
                "samples for a precomputed Gram matrix are single columns of row numbers, "
                f"whole numbers from 0 to {count - 1}; x or y holds others."
            )
        return xp.astype(given, whole(xp))


def _consecutive(index: Matrix) -> bool:
    return bool(np.all(np.diff(index) == 1))


@dataclass(frozen=True, eq=False)
class Columns(Kernel):
    """A kernel that looks at some columns only; multiply several to build one over a table.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels.formulas import Categorical, Gaussian
    >>> kernel = Columns(Gaussian(1.0), [0]) * Columns(Categorical(), [1])
    >>> kernel(np.array([[0.0, 3.0]]), np.array([[0.0, 3.0]]))
    array([[1.]])
    """

    kernel: Kernel
    columns: Sequence[int]

    def __post_init__(self) -> None:
        numbers = as_vector("columns", self.columns)
        if np.any(numbers != np.floor(numbers)):
            raise ValueError(f"columns must be whole numbers, got {shown(self.columns)}.")

    def similarities(self, x: Sample, y: Sample) -> Array:
        xp = namespace(x, y)
        columns = list(map(int, as_vector("columns", self.columns)))  # torch compares no uint16
        if not 0 <= min(columns) <= max(columns) < x.shape[1]:
            raise ValueError(f"columns {shown(columns)} of a sample that has {x.shape[1]}.")
        index = like(columns, x, dtype=whole(xp))
        left = xp.take(x, index, axis=1)
        right = left if y is x else xp.take(y, index, axis=1)
        return grams.similarities(self.kernel, left, right)


@dataclass(frozen=True, eq=False)
class Product(Kernel):
    """The product of kernels: the Hadamard product of their Gram matrices.

    For a sample that is a tuple (layers of a network, say) the i-th kernel sees the i-th member:
    the joint covariance operator on the tensor product of the spaces. Otherwise each sees all.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels.formulas import Gaussian
    >>> kernel = Gaussian(1.0) * Gaussian(1.0)
    >>> kernel(np.array([[0.0]]), np.array([[1.0]])).round(4)
    array([[0.3679]])
    """

    kernels: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        if not self.kernels:
            raise ValueError("a product needs at least one kernel.")

    def similarities(self, x: Sample, y: Sample) -> Array:
        lefts, rights = (_spread(z, len(self.kernels)) for z in (x, y))
        result = grams.similarities(self.kernels[0], lefts[0], rights[0])
        for kernel, left, right in zip(self.kernels[1:], lefts[1:], rights[1:], strict=True):
            result = result * grams.similarities(kernel, left, right)
        return result


def check_layers(kernel: Similarity, sample: Sample) -> None:
    """Raise if a kernel of plain rows is to see a sample that is a tuple of layers."""
    if not isinstance(sample, tuple):
        return
    inner = kernel.kernels if isinstance(kernel, Mixture) else (kernel,)
    if any(type(k) in (*members("kernel").values(), Columns, Precomputed) for k in inner):
        raise TypeError(
            f"the samples have {len(sample)} layers: kernel must be a product with one factor "
            f"per layer, such as Gaussian(1.0) * Gaussian(1.0), got {kernel!r}."
        )


def _factors(kernel: Kernel) -> tuple[Kernel, ...]:
    return kernel.kernels if isinstance(kernel, Product) else (kernel,)


def _spread(sample: Sample, count: int) -> tuple[Array, ...]:
    if not isinstance(sample, tuple):
        return (sample,) * count
    if len(sample) != count:
        raise ValueError(f"the sample has {len(sample)} layers, the product {count} kernels.")
    return sample


@dataclass(frozen=True, eq=False)
class Mixture(Kernel):
    """A convex combination Σ w_k κ_k, for instance of one kernel at several bandwidths.

    Parameters
    ----------
    kernels : sequence of Kernel
    weights : sequence of float, optional
        Non-negative, scaled to sum 1; equal by default.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels.formulas import Gaussian
    >>> kernel = Mixture([Gaussian(1.0), Gaussian(2.0)])
    >>> kernel(np.array([[0.0]]), np.array([[1.0]])).round(4)
    array([[0.7445]])
    """

    kernels: Sequence[Kernel]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if not self.kernels:
            raise ValueError("a mixture needs at least one kernel.")
        if self.weights is not None:
            numbers = as_vector("weights", self.weights)
            if len(numbers) != len(self.kernels) or min(numbers) < 0 or max(numbers) <= 0:
                raise ValueError(
                    f"expected {len(self.kernels)} non-negative weights, got {shown(self.weights)}."
                )

    def similarities(self, x: Sample, y: Sample) -> Array:
        shares = np.ones(len(self.kernels)) if self.weights is None else to_numpy(self.weights)
        shares = shares / float(shares.max())  # first, or the sum of huge ones would overflow
        shares = shares / shares.sum()
        terms = (
            float(w) * grams.similarities(k, x, y)
            for w, k in zip(shares, self.kernels, strict=True)
        )
        return sum(terms)
