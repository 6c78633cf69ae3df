"""Parameters of kernels: numbers, or arrays that may be learnt, checked and put beside the rows."""

from typing import TypeAlias

import numpy as np

from samelaw.core.arrays import is_numpy, is_traced, like, namespace, to_numpy
from samelaw.core.checks import as_numbers, check_positive
from samelaw.core.samples import check_libraries
from samelaw.core.types import Array, Matrix

Parameter: TypeAlias = float | Array
"""A parameter of a kernel: a number, or an array of the library of the rows (it may be learnt)."""


def over_bandwidth(x: Array, bandwidth: Parameter) -> Array:
    """B⁻¹x for a scalar, per-feature (d,) or full (d, d) bandwidth B."""
    if isinstance(bandwidth, int | float):
        return x / float(bandwidth)
    own = beside_rows("bandwidth", bandwidth, x)
    if own.ndim > 0 and own.shape[0] != x.shape[1]:
        raise ValueError(
            f"the bandwidth is for {own.shape[0]} columns, the sample has {x.shape[1]}."
        )
    return x / own if own.ndim < 2 else namespace(x).linalg.solve(own, x.T).T


def beside_rows(name: str, parameter: Parameter, x: Array) -> Array:
    """A parameter beside the rows it is used with: a number, or floats of their library.

    A negative whole number would be a large one where the type has no sign.
    """
    if isinstance(parameter, int | float):
        return parameter
    own = like(parameter, x)
    check_libraries({name: own, "x": x})
    xp = namespace(x)
    return own if xp.isdtype(own.dtype, "real floating") else xp.astype(own, x.dtype)


def check_bandwidth(bandwidth: Parameter, most_dimensions: int = 1) -> None:
    """Refuse what is no positive number, vector or invertible matrix."""
    shape = _shape(bandwidth)
    if len(shape) == 2 and most_dimensions == 2:
        if shape[0] != shape[1] or shape[0] == 0:
            raise ValueError(f"a bandwidth matrix must be square, got {shape}.")
        if not is_traced(bandwidth) and not _invertible(as_numbers("bandwidth", bandwidth)):
            raise ValueError("a bandwidth matrix must be finite and invertible.")
        return
    if len(shape) > most_dimensions:
        raise ValueError(f"bandwidth has {len(shape)} dimensions, at most {most_dimensions}.")
    check_positive("bandwidth", bandwidth)


def _shape(bandwidth: Parameter) -> tuple[int, ...]:
    try:
        return tuple(np.shape(bandwidth))
    except ValueError as error:  # lists of unequal lengths
        raise TypeError(f"bandwidth must be numbers: {error}.") from error


def check_number(name: str, value: Parameter) -> None:
    """Refuse what is not one positive number."""
    check_positive(name, value)
    if np.ndim(value):
        raise ValueError(f"{name} must be one number, got shape {np.shape(value)}.")


def _invertible(matrix: Matrix) -> bool:
    return bool(np.linalg.matrix_rank(matrix) == len(matrix))


def as_column(bandwidth: Parameter, reference: Array) -> Array:
    """A bandwidth to divide frequencies (d, D) by; one per feature as a column."""
    if isinstance(bandwidth, int | float):
        return bandwidth
    own = like(to_numpy(bandwidth) if is_numpy(reference) else bandwidth, reference)
    return own[:, None] if own.ndim == 1 else own
