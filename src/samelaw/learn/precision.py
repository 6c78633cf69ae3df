"""Precision: numbers in at least single precision, and processors that do not crawl."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from samelaw.core.array import parts
from samelaw.core.types import Sample


@contextmanager
def full_precision(sample: Sample) -> Iterator[None]:
    """Switch autocast off: distances and spectra in bfloat16 would be noise."""
    device = parts(sample)[0].device.type
    if not torch.amp.is_autocast_available(device):
        yield
        return
    with torch.autocast(device, enabled=False):
        yield


def widened(values: Tensor) -> Tensor:
    """Half precision becomes single; the rest stays."""
    return values.float() if values.dtype in (torch.bfloat16, torch.float16) else values
