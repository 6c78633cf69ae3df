"""Precision: numbers in at least single precision."""

import torch
from torch import Tensor


def widened(values: Tensor) -> Tensor:
    """Half precision becomes single; the rest stays."""
    return values.float() if values.dtype in (torch.bfloat16, torch.float16) else values
