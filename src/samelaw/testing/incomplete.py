"""MMD and order 1 in linear time: matched rows, each compared with a few others."""

from collections.abc import Iterator, Sequence

import numpy as np

from samelaw.core.memory import pieces
from samelaw.core.types import Matrix, Progress
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.formulas import ShiftInvariant, from_distances


def flips_of(count: int, size: int, rng: np.random.Generator, most: int) -> Iterator[Matrix]:
    """Signs (b, size) of the matched rows, ``most`` at a time: all 1, then ``count`` drawn."""
    for start in range(0, count + 1, most):
        flips: Matrix = np.ones((min(most, count + 1 - start), size), dtype=np.float32)
        drawn = flips[1:] if start == 0 else flips
        for some in pieces(*drawn.shape):
            drawn[some] -= 2 * rng.integers(2, size=drawn[some].shape)
        yield flips


def incomplete_values(
    x: Matrix,
    y: Matrix,
    kernels: Sequence[Kernel],
    flips: Matrix,
    pairs: int,
    squared: bool,
    progress: Progress | None = None,
) -> Matrix:
    """Σ ε_i ε_j h_ij over rows i and j = i + 1 … i + pairs, per kernel and sign vector (K, B).

    h = κ(x_i,x_j) + κ(y_i,y_j) − κ(x_i,y_j) − κ(y_i,x_j); ``squared`` takes κ², which makes it
    RJSD of order 1. Swapping the rows of a matched pair flips its sign.
    """
    shapes = [_of_a_distance(kernel) for kernel in kernels]
    unit = max(float(np.abs(x).max()), float(np.abs(y).max())) or 1.0
    x, y = x / unit, y / unit  # squares of rows of any size stay in range
    values = np.zeros((len(shapes), len(flips)))
    steps = min(pairs, len(x) - 1)
    for step in range(1, steps + 1):
        signs = flips[:, :-step] * flips[:, step:]
        couples = [(x, x, 1.0), (y, y, 1.0), (x, y, -1.0), (y, x, -1.0)]
        apart = {
            metric: [(_row_distances(a[:-step], b[step:], metric), c) for a, b, c in couples]
            for metric in {kernel.metric for kernel in shapes}
        }
        for row, kernel in enumerate(shapes):
            similar = [(from_distances(kernel, d, unit), c) for d, c in apart[kernel.metric]]
            h = sum(c * (k * k if squared else k) for k, c in similar)
            values[row] += signs @ np.asarray(h, dtype=np.float32)
        if progress is not None:
            progress(step, steps)
    return values


def _row_distances(a: Matrix, b: Matrix, metric: str) -> Matrix:
    gap = a - b
    return np.asarray(np.abs(gap).sum(axis=1) if metric == "cityblock" else (gap * gap).sum(axis=1))


def _of_a_distance(kernel: Kernel) -> ShiftInvariant:
    if not isinstance(kernel, ShiftInvariant) or np.ndim(kernel.bandwidth) != 0:
        raise TypeError(f"the linear-time test needs kernels of a distance, got {kernel!r}.")
    return kernel
