"""Array namespaces and what the standard lacks: the only file that names array libraries."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import ParamSpec, TypeVar

import array_api_compat
import numpy as np

from samelaw.core.types import Array, Matrix, Sample

_P = ParamSpec("_P")
_R = TypeVar("_R")
_NUMPY = (np.ndarray, np.generic)
_TORCH_AND_NUMPY = ("torch.float16", "torch.float32", "torch.float64")  # not bfloat16, not float8
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
    if is_traced(value):
        raise TypeError(
            "an array without values came in (on torch's meta device, or inside jax.jit), and its "
            "values are needed here: call this outside, with arrays that hold numbers."
        )
    if is_torch(value):
        value = value.detach().cpu()
        narrow = value.is_floating_point() and str(value.dtype) not in _TORCH_AND_NUMPY
        return np.asarray(value.float() if narrow else value)
    found = np.asarray(value)
    if found.dtype.kind == "V" and np.can_cast(found.dtype, np.float32):  # bfloat16 of ml_dtypes
        return found.astype(np.float32)
    return found


def seen(value: Array) -> Matrix | None:
    """The numbers as a numpy array; None where no step may depend on them.

    That is inside jax.jit, on torch's meta device, and while torch compiles, exports or maps.
    """
    if is_torch(value) and sys.modules["torch"].compiler.is_compiling():
        return None
    if is_traced(value):
        return None
    try:
        return to_numpy(value)
    except RuntimeError:  # of torch.func, torch.vmap and fake tensors
        return None


@contextmanager
def full_precision(*values: object) -> Iterator[None]:
    """Switch torch's autocast off for tensors: distances and spectra in bfloat16 would be noise."""
    device = _device(values)
    if device is None or not sys.modules["torch"].amp.is_autocast_available(device):
        yield
        return
    with sys.modules["torch"].autocast(device, enabled=False):
        yield


def in_full_precision(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function of samples that autocast does not reach."""

    @wraps(function)
    def precise(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with full_precision(*args, *kwargs.values()):
            return function(*args, **kwargs)

    return precise


def _device(values: Iterable[object]) -> str | None:
    """The kind of device that the first tensor among values and samples in them is on."""
    for value in values:
        if is_torch(value):
            return str(value.device.type)  # type: ignore[attr-defined]
        inner = list(value.values()) if isinstance(value, Mapping) else value
        if isinstance(inner, list | tuple) and (found := _device(inner[:1])):
            return found
    return None


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


def most(array: Array) -> float:
    return float(namespace(array).finfo(array.dtype).max)


def squarable(array: Array) -> float:
    """The largest size of entries of rows (n, d) whose squared distances do not overflow."""
    return math.sqrt(most(array) / array.shape[1]) / 4.0


def whole(xp: ModuleType) -> object:
    """The type of whole numbers: of 32 bits in JAX, unless it was told otherwise."""
    return xp.asarray(0).dtype


def way_to_dense(value: Array) -> str:
    """The method that makes a sparse matrix or tensor dense; of others none."""
    if type(value).__module__.startswith("scipy.sparse"):
        return "toarray"
    if is_torch(value) and value.layout != sys.modules["torch"].strided:
        return "to_dense"
    return ""
