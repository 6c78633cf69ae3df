"""Gram matrices and kernel means: how a kernel is evaluated on rows, whole or in tiles."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from samelaw.core.arrays import is_numpy, namespace, parts, rows, seen, stack_rows, take_rows
from samelaw.core.checks import no_overflow
from samelaw.core.types import Array, Sample

Similarity: TypeAlias = Callable[[Sample, Sample], Array]
"""A kernel, or any function of two samples that returns their similarities (n, m)."""

_TILE = 256  # rows and columns of one piece of a Gram matrix: its temporaries stay in the cache
_UNIT = 0.01  # how far κ(x,x) may lie from 1: far beyond rounding, in single precision too
ONE_CALL = 512  # rows of a pool up to which one kernel call beats one per pair of groups


def similarities(kernel: Similarity, x: Sample, y: Sample) -> Array:
    """κ of rows that are checked already (n, m): the formula of a kernel, past its own check.

    What overflows (a bandwidth far too small for the values) is an error on numpy, never NaN.
    """
    formula = getattr(kernel, "similarities", kernel)
    if not is_numpy(parts(x)[0]):
        return formula(x, y)
    with no_overflow("the bandwidth of the kernel is far too small for the scale of x and y"):
        return formula(x, y)


@dataclass(frozen=True, eq=False)
class Trusted:
    """A kernel whose κ(x,x) is not looked at again: that would wait for the device."""

    kernel: Similarity

    def __call__(self, x: Sample, y: Sample) -> Array:
        return similarities(self.kernel, x, y)


def gram(kernel: Similarity, x: Sample) -> Array:
    """The Gram matrix (n, n) of a kernel with κ(x,x)=1.

    On numpy the upper triangle is filled in cache-sized tiles and mirrored: half the kernel
    values, exactly symmetric, ones on the diagonal. Elsewhere it is one expression, so that
    gradients flow.
    """
    if not is_numpy(parts(x)[0]) or getattr(kernel, "ready", False):
        return _of_one(kernel, x)
    out = np.empty((rows(x), rows(x)), dtype=np.result_type(*parts(x)))
    for down, left, across, right in _tiles(x, x, upper=True):
        tile = similarities(kernel, left, right)
        if right is left:
            _check_unit(tile, kernel)
            tile = np.triu(tile) + np.triu(tile, 1).T
        out[down, across] = tile
        out[across, down] = tile.T
    np.fill_diagonal(out, 1.0)
    return out


def _of_one(kernel: Similarity, x: Sample) -> Array:
    """The Gram matrix of one sample as the kernel gives it, with its diagonal checked."""
    found = similarities(kernel, x, x)
    _check_unit(found, kernel)
    return found


def check_unit(kernel: Similarity, x: Sample) -> bool:
    """Raise if κ(x,x) is another number than 1 for some row; tell whether that could be seen."""
    if seen(parts(x)[0][:1, ...]) is None:
        return False
    _of_one(kernel, x)
    return True


def _check_unit(square: Array, kernel: Similarity) -> None:
    """Raise if κ(x,x) is another number than 1, by more than rounding."""
    if isinstance(kernel, Trusted):
        return
    diagonal = seen(namespace(square).linalg.diagonal(square))
    if diagonal is None or not np.any(np.abs(diagonal - 1.0) > _UNIT):
        return
    worst = diagonal[int(np.argmax(np.abs(diagonal - 1.0)))]
    raise ValueError(
        f"a kernel must have κ(x, x) = 1, and {kernel!r} has {worst:.3g} for some row: "
        "divide it by √(κ(x, x) κ(y, y))."
    )


def grams(kernel: Similarity, groups: Sequence[Sample]) -> tuple[Array, list[Array]]:
    """The Gram matrix of all groups under each other (N, N), and that of each group.

    On numpy the latter are views. Elsewhere large pools are put together from blocks: the
    gradient of a slice would be a whole matrix, most of it zeros. For small ones that is cheaper
    than to call the kernel for every pair of groups.
    """
    if is_numpy(parts(groups[0])[0]) or sum(map(rows, groups)) <= ONE_CALL:
        pooled = gram(kernel, stack_rows(groups))
        return pooled, [pooled[span, span] for span in spans([rows(group) for group in groups])]
    xp = namespace(*parts(groups[0]))
    block = {(a, a): _of_one(kernel, group) for a, group in enumerate(groups)}
    block |= {
        (a, b): similarities(kernel, groups[a], groups[b])
        for b in range(len(groups))
        for a in range(b)
    }
    full = [
        xp.concat([block[a, b] if a <= b else block[b, a].T for b in range(len(groups))], axis=1)
        for a in range(len(groups))
    ]
    return xp.concat(full, axis=0), [block[a, a] for a in range(len(groups))]


def spans(sizes: Sequence[int]) -> list[slice]:
    """The rows of each of several samples of these sizes under each other."""
    return [slice(end - size, end) for end, size in zip(accumulate(sizes), sizes, strict=True)]


def kernel_mean(
    kernel: Similarity,
    x: Sample,
    y: Sample,
    weights: Sequence[Array | None] = (None, None),
    *,
    squared: bool = False,
    unit: bool = True,
) -> Array:
    """Σ_ij a_i b_j κ(x_i, y_j), or of κ² (= Tr C_X C_Y), without holding the (n, m) matrix.

    ``weights`` are (a, b), each summing to one; None means equal weights. Within one sample
    under one weighting every pair is looked at once. ``unit``: that κ(x,x) is 1 is relied on.
    """
    xp = namespace(*parts(x))
    # Layer by layer: compilers do not know whether two tuples are one.
    one = all(a is b for a, b in zip(parts(x), parts(y), strict=True))
    symmetric = one and weights[0] is weights[1]
    total: Array = 0.0
    for down, left, across, right in _tiles(x, y, upper=symmetric):
        tile = similarities(kernel, left, right)
        diagonal = symmetric and down.start == across.start
        if diagonal and unit:
            _check_unit(tile, kernel)
        if weights[1] is not None:
            by_row = (tile * tile if squared else tile) @ weights[1][across]
        else:
            by_row = (xp.vecdot(tile, tile) if squared else xp.sum(tile, axis=1)) / rows(y)
        share = xp.sum(by_row) / rows(x) if weights[0] is None else weights[0][down] @ by_row
        total = total + (2.0 * share if symmetric and not diagonal else share)  # pairs off it
    return total


def _tiles(x: Sample, y: Sample, *, upper: bool) -> Iterator[tuple[slice, Sample, slice, Sample]]:
    """Square pieces of the matrix of pairs, as (rows of x, that part, rows of y, that part).

    Square, because a kernel also works on the rows themselves: a long thin piece would centre
    and scale the long side again and again. With ``upper`` (y is x) only the upper triangle
    comes, and the two parts of a piece on the diagonal are the same object.
    """
    firsts = _pieces(x)
    seconds = firsts if upper else _pieces(y)
    for a, (down, left) in enumerate(firsts):
        for across, right in seconds[a if upper else 0 :]:
            yield down, left, across, right


def _pieces(x: Sample) -> list[tuple[slice, Sample]]:
    starts = range(0, rows(x), _TILE)
    tiles = [slice(start, min(start + _TILE, rows(x))) for start in starts]
    return [(tile, take_rows(x, tile)) for tile in tiles]
