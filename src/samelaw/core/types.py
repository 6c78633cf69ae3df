"""Names for what goes in and out: arrays of any library, rows of a sample, numpy matrices.

The Array API standard has no static types yet, so an array of any library is ``Any`` here, and only
here.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
"""An array of numpy, torch, jax or any other library with the Array API."""

Sample: TypeAlias = Any
"""Rows (n, d) of one array, or a tuple of arrays with one row each: layers of a network."""

Matrix: TypeAlias = np.ndarray[Any, np.dtype[Any]]
"""A numpy array; its shape is said in the docstring."""

Seed: TypeAlias = (
    int | np.integer[Any] | Sequence[int] | np.random.Generator | np.random.SeedSequence | None
)
"""What ``rng=`` takes: a seed, a Generator or what one is made of, or None for a seed that is
drawn and recorded."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (steps done, steps in all) on long work."""
