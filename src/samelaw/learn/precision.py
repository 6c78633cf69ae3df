"""Precision: numbers in at least single precision, and processors that do not crawl."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from samelaw.core.array import parts
from samelaw.core.types import Sample

_SMALLEST, _HALF = 2.2250738585072014e-308, 0.5  # the smallest normal number, and what halves it


@contextmanager
def full_precision(sample: Sample) -> Iterator[None]:
    """Switch autocast off: distances and spectra in bfloat16 would be noise."""
    device = parts(sample)[0].device.type
    if not torch.amp.is_autocast_available(device):
        yield
        return
    with torch.autocast(device, enabled=False):
        yield


@contextmanager
def denormals_flushed() -> Iterator[None]:
    """Let numbers below the normal range become 0 on this thread, then as it was before.

    A narrow kernel has many of them, and each costs a processor a hundred operations: in single
    precision an eigenvalue problem takes up to eight times as long.
    """
    before = _SMALLEST * _HALF == 0.0
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def widened(values: Tensor) -> Tensor:
    """Half precision becomes single; the rest stays."""
    return values.float() if values.dtype in (torch.bfloat16, torch.float16) else values
