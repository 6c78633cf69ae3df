"""The door for data: samples and their weights are checked here, and brought to one form."""

import math
import re
from decimal import Decimal
from numbers import Real
from types import ModuleType
from typing import Any

import numpy as np

from samelaw.core.arrays import (
    detach,
    is_array,
    is_numpy,
    is_torch,
    is_traced,
    library,
    like,
    most,
    namespace,
    parts,
    squarable,
    to_numpy,
    way_to_dense,
    whole,
)
from samelaw.core.checks import is_null
from samelaw.core.digits import MOST_EXACT, as_floats, check_told_apart
from samelaw.core.types import Array, Matrix, Sample

_COMPLEX = "{} is complex; pass real and imaginary parts as columns."
_ENCODE = "{} holds {} values; expected numbers. Encode text and categories as numbers first."

_PRECISIONS = (np.dtype(np.float64), np.dtype(np.float32))


def as_samples(**named: Sample) -> list[Sample]:
    """Check samples and bring them to one library, one real dtype and shape (n, d).

    The keyword is the name under which the caller knows the argument; errors repeat it.
    Vectors become one column, integers and booleans become floats, half precision becomes
    single and more than double becomes double, sequences become numpy arrays. Tuples of arrays
    stay tuples. Columns of frames are matched by their names.
    """
    order = _matched_columns(named)
    checked = {name: _as_sample(name, value) for name, value in named.items()}
    checked |= {name: checked[name][:, places] for name, places in order.items()}
    check_libraries(checked)
    _check_widths(checked)
    _check_pool({name: _large(named[name], checked[name]) for name in named}, order)
    return _promote(list(checked.values()))


def _matched_columns(named: dict[str, Sample]) -> dict[str, list[int]]:
    """Of frames whose columns stand in another order than those of the first, that order.

    Columns of two samples are compared by their places, which would be others.
    """
    names = {name: _column_names(value) for name, value in named.items()}
    (first, wanted), *others = [item for item in names.items() if item[1]] or [("", [])]
    moved = {}
    for name, own in others:
        if sorted(own) != sorted(wanted) or (len(set(own)) < len(own) and own != wanted):
            raise ValueError(
                f"{first} has the columns {', '.join(wanted)} and {name} has {', '.join(own)}: "
                "give both the same columns, or use samelaw.compare, which says what is missing."
            )
        if own != wanted:
            moved[name] = [own.index(column) for column in wanted]
    return moved


def _column_names(value: object) -> list[str]:
    """Of a frame of pandas, polars or Arrow, unless they are mere numbers; of anything else none.

    A lazy frame would have to be read for them.
    """
    if is_array(value) or not hasattr(value, "__array__"):
        return []
    names = list(getattr(value, "column_names", getattr(value, "columns", ())))
    return names if all(isinstance(name, str) for name in names) else []


def _as_sample(name: str, value: Sample) -> Sample:
    if isinstance(value, tuple) and value and all(is_array(v) for v in value):
        layers = tuple(as_matrix(f"{name}[{i}]", v) for i, v in enumerate(value))
        sizes = [int(layer.shape[0]) for layer in layers]
        if len(set(sizes)) > 1:
            raise ValueError(f"the layers of {name} have {sizes} rows; they must be equal.")
        return layers
    return as_matrix(name, value)


def check_dense(name: str, value: Array) -> None:
    """Raise for sparse matrices, whose operators are not those of arrays."""
    if way := way_to_dense(value):
        raise TypeError(
            f"{name} is a sparse {type(value).__name__}, which is not supported: use .{way}()."
        )


def as_matrix(name: str, value: Array, *, squared: bool = True) -> Array:
    """Check one array (n, d); ``squared`` also that squares of its entries do not overflow."""
    check_dense(name, value)
    if not is_array(value) or is_numpy(value):
        value = plain_numbers(name, value)
    xp = namespace(value)
    if value.ndim == 1:
        value = xp.reshape(value, (-1, 1))
    if value.ndim != 2:
        raise ValueError(
            f"{name} has shape {tuple(value.shape)}; expected (rows, columns). "
            f"For images or sequences pass {_reshaped(name)}."
        )
    if 0 in value.shape:
        raise ValueError(f"{name} is empty: its shape is {tuple(value.shape)}.")
    _check_digits(xp, name, value)
    value = _native(value) if is_numpy(value) else _as_real(xp, name, value)
    _check_range(xp, name, value, squared)
    return value


def _reshaped(name: str) -> str:
    """How to flatten an array, with the caller's own word for it where that is code."""
    if re.fullmatch(r"\w+(\[\d+\])?", name):
        return f"{name}.reshape(len({name}), -1)"
    return "array.reshape(len(array), -1) of each"


def plain_numbers(name: str, value: object) -> Matrix:
    """A frame, a list or an array of numpy as a plain array of real numbers."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: drop or fill what is masked first.")
    if not hasattr(value, "__array__") and callable(getattr(value, "collect", None)):
        raise TypeError(
            f"{name} is a {type(value).__name__}, which has no rows yet: pass {name}.collect()."
        )
    try:
        found = _numbers(value)
    except ValueError as error:
        raise ValueError(f"{name} is not a rectangular array of numbers: {error}.") from error
    if found.dtype.kind == "O" and found.ndim:
        return _from_objects(name, found, _column_names(value))
    if found.dtype.kind == "c":
        raise TypeError(_COMPLEX.format(name))
    if found.dtype.kind not in "biuf":
        kind = type(value).__name__ if found.dtype.kind == "O" else found.dtype
        raise TypeError(_ENCODE.format(name, kind))
    return found


def _numbers(value: Any) -> Matrix:
    """Values as numpy has them, plain also of subclasses, which may have operators of their own.

    Columns of a frame keep their digits if others make all of them floats.
    """
    found = to_numpy(value)
    if is_array(value) or found.dtype.kind != "f" or not _any_large(found):
        return found
    columns = [to_numpy(column) for column in _columns(value)]
    if all(column.dtype.kind == "f" for column in columns):
        return found
    return np.column_stack([column.astype(object) for column in columns])


def _any_large(numbers: Matrix) -> bool:
    return bool(np.any(np.abs(numbers) >= np.float64(MOST_EXACT)))  # half precision has no 2⁵³


def _columns(value: Any) -> list[Any]:
    """The columns of a frame of pandas, polars or Arrow; of anything else none."""
    if hasattr(value, "iloc"):
        return [value.iloc[:, i] for i in range(value.shape[1])] if value.ndim > 1 else []
    if hasattr(value, "get_columns"):
        return list(value.get_columns())
    return list(value.columns) if hasattr(value, "column_names") else []


def _from_objects(name: str, objects: Matrix, names: list[str]) -> Matrix:
    """Decimals, flags beside floats, whole numbers of any length: what a frame holds as objects."""
    if not objects.size:
        return objects.astype(float)
    columns = objects.reshape(len(objects), -1).T
    words = [f"column {column} of {name}" for column in names] or [name] * len(columns)
    floats = np.empty(columns.shape)
    for place, (word, column) in enumerate(zip(words, columns, strict=True)):
        for row, entry in enumerate(column):
            floats[place, row] = _as_float(word, entry)
        check_told_apart(word, column, floats[place])
    return floats.T.reshape(objects.shape)


def _as_float(name: str, entry: object) -> float:
    if is_null(entry):
        return math.nan
    if not isinstance(entry, Real | Decimal | np.bool_):
        if isinstance(entry, complex):
            raise TypeError(_COMPLEX.format(name))
        raise TypeError(_ENCODE.format(name, type(entry).__name__))
    try:
        return float(entry)
    except OverflowError as error:
        raise ValueError(f"{name} holds whole numbers beyond 1e308: rescale them.") from error


def _check_digits(xp: ModuleType, name: str, value: Array) -> None:
    """Raise for whole numbers that would become equal as floats (abstract values pass)."""
    if is_numpy(value) and value.dtype in _PRECISIONS:  # most of the time
        return
    if is_traced(value) or not xp.isdtype(value.dtype, "integral"):
        return
    numbers = to_numpy(value)
    if numbers.dtype.itemsize < 8:
        return
    for column, floats in zip(numbers.T, numbers.T.astype(np.float64), strict=True):
        check_told_apart(name, column, floats)


def _large(value: Sample, checked: Sample) -> Matrix | None:
    """All digits (n, d) of a sample of whole numbers that may lose some as floats; else None."""
    if isinstance(value, tuple) or is_traced(checked) or not _may_be_whole(value):
        return None
    floats = to_numpy(checked)
    if np.abs(floats).max() < MOST_EXACT:
        return None
    exact = _numbers(value).reshape(floats.shape)
    return exact if exact.dtype.kind in "iuO" else None


def _may_be_whole(value: Array) -> bool:
    if is_numpy(value):
        return value.dtype.kind in "iuO"
    return not is_array(value) or bool(namespace(value).isdtype(value.dtype, "integral"))


def _check_pool(samples: dict[str, Matrix | None], order: dict[str, list[int]]) -> None:
    """Raise for whole numbers that would become equal to those of another sample."""
    exact = {
        name: (own[:, order[name]] if name in order else own).astype(object)
        for name, own in samples.items()
        if own is not None
    }
    if len(exact) > 1:
        for column in np.concatenate(list(exact.values())).T:
            check_told_apart(f"the pool of {' and '.join(exact)}", column, as_floats(column))


def _native(value: Matrix) -> Matrix:
    """Numbers in single or double precision and in the byte order of the machine."""
    if value.dtype in _PRECISIONS:
        return value
    half_or_single = value.dtype.kind == "f" and value.dtype.itemsize <= 4
    with np.errstate(over="ignore"):  # beyond double precision; found to be infinite below
        return value.astype(np.float32 if half_or_single else np.float64, copy=False)


def _check_range(xp: ModuleType, name: str, value: Array, squared: bool) -> None:
    """Raise for NaN, infinities and numbers whose squares would overflow (abstract values pass)."""
    if is_numpy(value):  # methods take a third of the time of functions on small arrays
        largest = np.maximum(value.max(), -value.min())  # NaN if there is one
    else:
        largest = xp.maximum(xp.max(value), -xp.min(value))
    limit = squarable(value) if squared else most(value)
    if is_traced(largest) or bool(largest <= limit):
        return
    count = int(xp.sum(xp.astype(~xp.isfinite(value), whole(xp))))
    if count:
        raise ValueError(
            f"{name} holds {count} value(s) that are NaN or infinite. "
            "Drop or fill them first (samelaw never drops rows silently)."
        )
    raise ValueError(
        f"{name} holds values up to {float(detach(largest)):.3g}, "
        "whose squares overflow: rescale them."
    )


def _as_real(xp: ModuleType, name: str, value: Array) -> Array:
    if xp.isdtype(value.dtype, "complex floating"):
        raise TypeError(_COMPLEX.format(name))
    if not xp.isdtype(value.dtype, "real floating"):
        return xp.astype(value, xp.float64 if is_torch(value) else _widest(xp))
    if xp.finfo(value.dtype).bits < 32:
        return xp.astype(value, xp.float32)
    return value


def _widest(xp: ModuleType) -> object:
    return xp.asarray(0.0).dtype


def check_libraries(named: dict[str, Sample]) -> None:
    """Raise unless all samples, and the layers within them, belong to one library."""
    names = {
        f"{name}[{i}]" if isinstance(sample, tuple) else name: library(layer)
        for name, sample in named.items()
        for i, layer in enumerate(parts(sample))
    }
    if len(set(names.values())) > 1:
        found = ", ".join(f"{name} is a {lib} array" for name, lib in names.items())
        raise TypeError(f"{found}: convert them to one library.")


def _check_widths(checked: dict[str, Sample]) -> None:
    widths = {n: tuple(int(p.shape[1]) for p in parts(s)) for n, s in checked.items()}
    if len(set(widths.values())) > 1:
        found = ", ".join(
            f"{name} has {' + '.join(map(str, width))} columns" for name, width in widths.items()
        )
        raise ValueError(f"{found}: samples to be compared need the same columns.")


def _promote(samples: list[Sample]) -> list[Sample]:
    layers = [layer for sample in samples for layer in parts(sample)]
    xp = namespace(*layers)
    dtype = xp.result_type(*layers)

    def cast(sample: Sample) -> Sample:
        if isinstance(sample, tuple):
            return tuple(cast(layer) for layer in sample)
        return sample if sample.dtype == dtype else xp.astype(sample, dtype)

    return [cast(sample) for sample in samples]


def as_weights(name: str, values: Array, sample: Sample) -> Array:
    """Check non-negative weights of the rows of ``sample`` and scale them to sum 1."""
    reference = parts(sample)[0]
    xp = namespace(reference)
    if is_array(values) and not is_numpy(values):
        check_libraries({name: values, "the sample": reference})
    try:
        numbers = values if is_array(values) else np.asarray(values)
        if isinstance(numbers, np.ma.MaskedArray):
            raise TypeError("some are masked")
        if _is_complex(numbers):
            raise TypeError("complex ones have no order")
        weights = xp.astype(like(numbers, reference), reference.dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers, one per row: {error}.") from error
    if weights.shape != (reference.shape[0],):
        raise ValueError(
            f"{name} has shape {tuple(weights.shape)}; expected ({reference.shape[0]},), "
            "one weight per row."
        )
    if not is_traced(weights):
        numbers = to_numpy(weights)
        if not np.all(np.isfinite(numbers)) or np.any(numbers < 0) or numbers.max() <= 0:
            raise ValueError(f"{name} must be finite, non-negative and not all zero.")
    weights = weights / xp.max(weights)  # first, or the sum of huge ones would overflow
    return weights / xp.sum(weights)


def _is_complex(values: Array) -> bool:
    return bool(namespace(values).isdtype(values.dtype, "complex floating"))
