"""Array namespaces and input checks: the only file that names array libraries."""

import math
import sys
from collections.abc import Iterable
from numbers import Integral, Real
from types import ModuleType

import array_api_compat
import numpy as np

from samelaw.core.types import Array, Matrix, Sample, Seed

_NUMPY = (np.ndarray, np.generic)
_PRECISIONS = (np.dtype(np.float64), np.dtype(np.float32))
MOST_EXACT = 2.0**53  # whole numbers below have all their digits as floats
_DIGITS = 2.0**20  # steps of the values that floats must be able to tell apart
# Asked for so often that small matrices would wait for it.
_namespaces: dict[frozenset[type], ModuleType] = {}


def namespace(*arrays: object) -> ModuleType:
    """Return the Array API namespace shared by all arguments that are arrays."""
    kinds = frozenset(map(type, arrays))
    if kinds not in _namespaces:
        _namespaces[kinds] = _shared_namespace([a for a in arrays if is_array(a)])
    return _namespaces[kinds]


def _shared_namespace(arrays: list[object]) -> ModuleType:
    if arrays and all(map(is_torch, arrays)):
        from array_api_compat import torch

        return torch
    return array_api_compat.array_namespace(*arrays)


# Tensors are told by their class: torch.compile warns of the caches that array_api_compat asks.


def is_array(value: object) -> bool:
    if is_torch(value):
        return True
    if type(value) in (int, float, bool):
        return False
    return bool(array_api_compat.is_array_api_obj(value))


def is_numpy(value: object) -> bool:
    return isinstance(value, _NUMPY)


def is_torch(value: object) -> bool:
    torch = sys.modules.get("torch")  # no tensor without it
    return torch is not None and isinstance(value, torch.Tensor)


def is_traced(value: object) -> bool:
    """Tell whether values are abstract (in jax.jit, on torch's meta device): none to look at."""
    if getattr(value, "is_meta", False):
        return True
    return any(cls.__name__ == "Tracer" for cls in type(value).__mro__)


def library(value: object) -> str:
    """Name the library an array belongs to, for error messages."""
    return type(value).__module__.split(".")[0].replace("jaxlib", "jax")


def parts(sample: Sample) -> tuple[Array, ...]:
    """The layers of a sample: itself, or the members of the tuple."""
    return sample if isinstance(sample, tuple) else (sample,)


def rows(sample: Sample) -> int:
    return int(parts(sample)[0].shape[0])


def take_rows(sample: Sample, index: slice | Array) -> Sample:
    """Rows of a sample by a slice or by a numpy array of row numbers."""
    if isinstance(sample, tuple):
        return tuple(take_rows(layer, index) for layer in sample)
    if isinstance(index, slice):
        return sample[slice(*index.indices(sample.shape[0])), ...]
    return _take(sample, index, axis=0)


def take_square(matrix: Array, index: Array) -> Array:
    """The rows and columns of a square matrix by row numbers."""
    return _take(_take(matrix, index, axis=0), index, axis=1)


def _take(array: Array, index: Array, axis: int) -> Array:
    xp = namespace(array)
    return xp.take(array, like(index, array, dtype=whole(xp)), axis=axis)


def stack_rows(samples: Iterable[Sample]) -> Sample:
    """Put samples under each other: the pool Z of X and Y."""
    samples = list(samples)
    if isinstance(samples[0], tuple):
        return tuple(stack_rows(layer) for layer in zip(*samples, strict=True))
    return namespace(*samples).concat(samples, axis=0)


def detach(value: Array) -> Array:
    """The same numbers, cut off from the gradient."""
    if is_torch(value):
        return value.detach()
    if array_api_compat.is_jax_array(value):
        import jax

        return jax.lax.stop_gradient(value)
    return value


def to_numpy(value: Array) -> Matrix:
    """Copy or view the numbers as a numpy array, leaving gradients and devices behind."""
    if is_torch(value):
        value = value.detach().cpu()
        return np.asarray(value.float() if str(value.dtype) == "torch.bfloat16" else value)
    return np.asarray(value)


def like(values: Array, reference: Array, *, dtype: object = None) -> Array:
    """Bring numpy values to the library, device and (unless given) the dtype of ``reference``."""
    xp = namespace(reference)
    if is_array(values) and not is_numpy(values):
        return values
    return xp.asarray(
        np.asarray(values),
        dtype=reference.dtype if dtype is None else dtype,
        device=array_api_compat.device(reference),
    )


def epsilon(array: Array) -> float:
    return float(namespace(array).finfo(array.dtype).eps)


def shown(value: object) -> str:
    """What came in, in one short line: of arrays and frames the kind and the shape."""
    shape = tuple(getattr(value, "shape", ()))
    if shape:
        return f"{type(value).__name__} of shape {shape}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:80]}…"


def check_positive(name: str, value: Array) -> None:
    """Raise unless every entry is a positive finite number (abstract values pass)."""
    if is_traced(value):
        return
    try:
        numbers = to_numpy(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers: {error}.") from error
    real = numbers.dtype.kind in "iuf" and not isinstance(value, np.ma.MaskedArray)
    if not (real and numbers.size and np.all(np.isfinite(numbers) & (numbers > 0))):
        raise ValueError(f"{name} must be positive and finite, got {shown(value)}.")


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
    way = ""
    if type(value).__module__.startswith("scipy.sparse"):
        way = "toarray"
    elif is_torch(value) and value.layout != sys.modules["torch"].strided:
        way = "to_dense"
    if way:
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
    limit = float(xp.finfo(value.dtype).max)
    if squared:
        limit = math.sqrt(limit / value.shape[1]) / 4.0
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


def whole(xp: ModuleType) -> object:
    """The type of whole numbers: of 32 bits in JAX, unless it was told otherwise."""
    return xp.asarray(0).dtype


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


def as_rng(rng: Seed) -> np.random.Generator:
    """A seed or a Generator becomes a Generator (SPEC 7)."""
    if isinstance(rng, list | tuple):
        known = all(isinstance(one, Integral) for one in rng)
    else:
        known = isinstance(rng, Integral | np.random.Generator | np.random.SeedSequence)
    if rng is not None and not known:
        raise TypeError(
            "rng must be a whole number or some, a numpy Generator or SeedSequence, or None, got "
            f"{shown(rng)}."
        )
    return np.random.default_rng(rng)


def as_share(name: str, value: float) -> float:
    """A number strictly between 0 and 1."""
    if not (isinstance(value, Real) and math.isfinite(value) and 0 < value < 1):
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {shown(value)}.")
    return float(value)
