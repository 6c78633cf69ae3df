"""The door for data: samples and their weights are checked here, and brought to one form."""

from types import ModuleType

import numpy as np

from samelaw.core.array import (
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
from samelaw.core.types import Array, Matrix, Sample

MOST_EXACT = 2.0**53  # whole numbers below have all their digits as floats
_DIGITS = 2.0**20  # steps of the values that floats must be able to tell apart
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
    """Of a frame of pandas or polars, unless they are mere numbers; of anything else none."""
    names = [] if is_array(value) else list(getattr(value, "columns", ()))
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
    if not is_array(value):
        try:
            value = np.asarray(value)
        except ValueError as error:
            raise ValueError(f"{name} is not a rectangular array of numbers: {error}.") from error
        if value.dtype.kind not in "biuf":
            raise TypeError(
                f"{name} holds {value.dtype} values; expected numbers. "
                "Encode text and categories as numbers first."
            )
    elif is_numpy(value):
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError(f"{name} is a masked array: drop or fill what is masked first.")
        if value.dtype.kind not in "biuf":
            raise TypeError(f"{name} has dtype {value.dtype}; expected real numbers.")
        value = np.asarray(value)  # subclasses may have operators of their own
    xp = namespace(value)
    if value.ndim == 1:
        value = xp.reshape(value, (-1, 1))
    if value.ndim != 2:
        raise ValueError(
            f"{name} has shape {tuple(value.shape)}; expected (rows, columns). "
            f"For images or sequences pass {name}.reshape(len({name}), -1)."
        )
    if 0 in value.shape:
        raise ValueError(f"{name} is empty: its shape is {tuple(value.shape)}.")
    _check_digits(xp, name, value)
    value = _native(value) if is_numpy(value) else _as_real(xp, name, value)
    _check_range(xp, name, value, squared)
    return value


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
        if digits_matter(floats) and np.any(floats.astype(object) != column):
            raise ValueError(
                f"{name} holds whole numbers up to {numbers.max()} that lie closer to each other "
                "than floats can tell: subtract what they have in common first."
            )


def digits_matter(values: Matrix) -> bool:
    """Whether whole numbers, given as floats, lie closer than floats of their size tell apart.

    Nanoseconds since 1970 lose their last digits and hardly anything with them; keys that differ
    in those digits alone become one.

    Examples
    --------
    >>> import numpy as np
    >>> digits_matter(2.0**60 + np.arange(50)), digits_matter(np.arange(50.0))
    (True, False)
    """
    largest = float(np.abs(values).max())
    if largest < MOST_EXACT:
        return False
    return float(values.max() - values.min()) < _DIGITS * float(np.spacing(largest))


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
        raise TypeError(f"{name} is complex; pass real and imaginary parts as columns.")
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
