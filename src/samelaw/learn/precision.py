"""Batches as losses and metrics need them: tensors (n, d) in at least single precision."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from samelaw.core.array import parts
from samelaw.core.types import Sample


@contextmanager
def full_precision(sample: Sample) -> Iterator[None]:
    """Switch autocast off: distances and spectra in bfloat16 would be noise."""
    with torch.autocast(parts(sample)[0].device.type, enabled=False):
        yield


def widened(values: Tensor) -> Tensor:
    """Half precision becomes single; the rest stays."""
    return values.float() if values.dtype in (torch.bfloat16, torch.float16) else values


def as_batch(name: str, value: Any) -> Sample:
    """A tensor as rows (n, d), trailing axes flattened; a tuple or list of them as layers.

    Values are not looked at (that would wait for the device): NaN in, NaN out.
    """
    if isinstance(value, tuple | list):
        layers = tuple(_as_rows(f"{name}[{i}]", layer) for i, layer in enumerate(value))
        if len({len(layer) for layer in layers}) != 1:
            sizes = [len(layer) for layer in layers]
            raise ValueError(f"the layers of {name} have {sizes} rows; they must be equal.")
        return layers
    return _as_rows(name, value)


def _as_rows(name: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a tensor, got {type(value).__name__}.")
    if not value.is_floating_point():
        raise TypeError(f"{name} has dtype {value.dtype}; expected floating point numbers.")
    if value.ndim == 0 or len(value) == 0:
        raise ValueError(f"{name} has no rows: its shape is {tuple(value.shape)}.")
    return widened(value.reshape(len(value), -1))


def as_batches(x: Any, y: Any) -> tuple[Sample, Sample]:
    """Two batches of the same columns, of any sizes."""
    first, second = as_batch("x", x), as_batch("y", y)
    widths = [[layer.shape[1] for layer in parts(batch)] for batch in (first, second)]
    if widths[0] != widths[1]:
        raise ValueError(f"x has {widths[0]} columns, y has {widths[1]}: they must be equal.")
    return first, second
