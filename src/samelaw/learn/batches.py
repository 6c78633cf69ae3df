"""Batches: checked for losses and metrics, dealt again and again from samples, or as they come."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from samelaw.core.arrays import is_array, parts, way_to_dense
from samelaw.core.checks import as_share
from samelaw.core.samples import as_samples, as_weights
from samelaw.core.types import Matrix
from samelaw.learn.precision import widened

Pair: TypeAlias = tuple[Tensor, Tensor]

Table: TypeAlias = Tensor | Matrix | Sequence[float] | Sequence[Sequence[float]]
"""A sample as it comes from a user: rows (n, d), or one column."""

Stream: TypeAlias = Iterable[object]
"""Batches as they come: pairs of them, or those of one sample; looked at when they arrive."""

HeldOut: TypeAlias = float | tuple[Table, Table] | list[Tensor] | None
"""Rows set aside: a share of them, or a pair of samples."""

Batch: TypeAlias = Tensor | Sequence[Tensor]
"""What comes in: a tensor (n, …), or one for each layer."""

Rows: TypeAlias = Tensor | tuple[Tensor, ...]
"""The same checked: rows (n, d), or those of each layer."""


def as_batch(name: str, value: Batch) -> Rows:
    """A tensor as rows (n, d), trailing axes flattened; a tuple or list of them as layers.

    Values are not looked at (that would wait for the device): NaN in, NaN out.
    """
    if isinstance(value, tuple | list):
        if not value:
            raise ValueError(f"{name} is an empty {type(value).__name__}; expected its layers.")
        layers = tuple(_as_rows(f"{name}[{i}]", layer) for i, layer in enumerate(value))
        if len({len(layer) for layer in layers}) != 1:
            sizes = [len(layer) for layer in layers]
            raise ValueError(f"the layers of {name} have {sizes} rows; they must be equal.")
        return layers
    return _as_rows(name, value)


def _as_rows(name: str, value: object) -> Tensor:
    tensor = as_input(name, value)
    if not tensor.is_floating_point():
        raise TypeError(f"{name} has dtype {tensor.dtype}; expected floating point numbers.")
    return tensor.reshape(len(tensor), -1)


def as_input(name: str, value: object) -> Tensor:
    """A tensor (n, …) as it comes, for a network to see: only half precision is widened."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be a tensor, got {type(value).__name__}.")
    if way_to_dense(value):
        raise TypeError(f"{name} is sparse: pass {name}.to_dense().")
    if value.ndim == 0 or len(value) == 0:
        raise ValueError(f"{name} has no rows: its shape is {tuple(value.shape)}.")
    if 0 in value.shape:
        raise ValueError(f"{name} has no columns: its shape is {tuple(value.shape)}.")
    return widened(value if value.ndim > 1 else value[:, None])


def as_inputs(x: Batch, y: Batch) -> tuple[Tensor, Tensor]:
    """Two batches whose items have one shape, of any sizes, for a network to see."""
    first, second = as_input("x", x), as_input("y", y)
    if first.shape[1:] != second.shape[1:]:
        shapes = [tuple(batch.shape[1:]) for batch in (first, second)]
        raise ValueError(f"items of x have shape {shapes[0]}, of y {shapes[1]}: one is expected.")
    return first, second


def as_batches(x: Batch, y: Batch) -> tuple[Rows, Rows]:
    """Two batches of the same columns, of any sizes."""
    first, second = as_batch("x", x), as_batch("y", y)
    widths = [[layer.shape[1] for layer in parts(batch)] for batch in (first, second)]
    if widths[0] != widths[1]:
        raise ValueError(f"x has {widths[0]} columns, y has {widths[1]}: they must be equal.")
    return first, second


def as_row_weights(name: str, value: object, batch: Rows) -> Tensor:
    """Weights (n,) of the rows of a batch, scaled to sum 1; those of tensors are not looked at."""
    if not isinstance(value, Tensor):
        checked: Tensor = as_weights(name, value, batch)
        return checked
    reference = parts(batch)[0]
    if value.shape != (len(reference),):
        raise ValueError(
            f"{name} has shape {tuple(value.shape)}; expected ({len(reference)},), "
            "one weight per row."
        )
    weights = value.to(reference)
    return weights / weights.sum()


@dataclass(frozen=True, eq=False)
class Source:
    """What there is to learn from, to stop early on, and to estimate on."""

    first: Pair  # rows from which scales are taken; never those of the estimate
    batches: Iterator[Pair]
    validation: Pair | None
    held_out: Pair | None
    fresh: bool  # every batch holds rows not seen before
    endless: bool


def from_samples(
    pair: Pair, batch: int, held_out: HeldOut, validation: HeldOut, rng: np.random.Generator
) -> Source:
    """Rows set aside for the estimate (half by default) and for early stopping (a fifth)."""
    pair, test = _set_aside(pair, 0.5 if held_out is None else held_out, "held_out", rng)
    pair, checks = _set_aside(pair, 0.2 if validation is None else validation, "validation", rng)
    return Source(pair, dealt(pair, batch, rng), checks, test, fresh=False, endless=True)


def from_stream(
    x: Stream,
    y: Stream | None,
    epochs: int,
    held_out: HeldOut,
    validation: HeldOut,
    place: Tensor,
    *,
    flat: bool = True,
) -> Source:
    """A stream, with the rows given for the estimate and for early stopping, if any."""
    if epochs > 1 and any(isinstance(side, Iterator) for side in (x, y)):
        raise ValueError(
            f"a generator is used up after one pass, epochs={epochs} asks for more: pass a "
            "DataLoader or a class whose __iter__ begins anew."
        )
    test = None if held_out is None else _given("held_out", held_out, place, flat)
    checks = None if validation is None else _given("validation", validation, place, flat)
    stream = passes(x, y, place, epochs, flat=flat)
    first = next(stream, None)
    if first is None:
        raise ValueError("the stream gave no batch.")
    batches = chain([first], stream)
    return Source(first, batches, checks, test, fresh=epochs == 1, endless=False)


def _set_aside(
    pair: Pair, rows: HeldOut, name: str, rng: np.random.Generator
) -> tuple[Pair, Pair | None]:
    if isinstance(rows, tuple | list):
        return pair, _given(name, rows, pair[0], pair[0].ndim == 2)
    return divide(pair, rows, name, rng) if rows else (pair, None)


def _given(name: str, samples: object, place: Tensor, flat: bool) -> Pair:
    if not isinstance(samples, tuple | list) or len(samples) != 2:
        raise TypeError(f"{name} must be a pair of samples (x, y), got {type(samples).__name__}.")
    return as_pair(samples[0], samples[1], place, flat=flat)


def is_stream(x: object) -> bool:
    """Whether batches come out of it, as from a DataLoader or a generator; lists are samples.

    So are arrays and frames, which have a shape.
    """
    return isinstance(x, Iterable) and not isinstance(x, list | tuple) and not hasattr(x, "shape")


def as_pair(x: object, y: object, like: Tensor, *, flat: bool = True) -> Pair:
    """Two checked samples as tensors of the type and device of ``like``: (n, d) and (m, d).

    Unless ``flat``, items keep their shape: images (n, channels, height, width), say.
    """
    found = [_items(v) for v in (x, y)]
    first, second = as_samples(x=found[0][0], y=found[1][0])
    for sample in (first, second):
        if isinstance(sample, tuple):
            raise TypeError("learning takes one array per sample, not a tuple of layers.")
    pair = _tensor(first, like), _tensor(second, like)
    if flat:
        return pair
    shaped = [z.reshape(len(z), *shape) for z, (_, shape) in zip(pair, found, strict=True)]
    return as_inputs(*shaped)


def _items(values: Any) -> tuple[Any, tuple[int, ...]]:
    """Items as rows (n, d), and the shape of each; what is no array of items as it is."""
    if not is_array(values) or values.ndim < 3:
        return values, (-1,)
    return values.reshape(len(values), -1), tuple(values.shape[1:])


def _tensor(values: object, like: Tensor) -> Tensor:
    if isinstance(values, np.ndarray):
        values = np.require(values, requirements="W")  # torch warns of those that frames lend
    return torch.as_tensor(values).to(like.device, like.dtype)


def divide(pair: Pair, share: float, name: str, rng: np.random.Generator) -> tuple[Pair, Pair]:
    """Split both samples at random: the second pair holds ``share`` of the rows."""
    share = as_share(name, share)
    parts = []
    for label, sample in zip("xy", pair, strict=True):
        count = round(share * len(sample))
        if min(count, len(sample) - count) < 2:
            raise ValueError(
                f"{name}={share} leaves too few of the {len(sample)} rows of {label}: "
                "two or more are needed on either side."
            )
        order = torch.as_tensor(rng.permutation(len(sample)), device=sample.device)
        parts.append((sample[order[count:]], sample[order[:count]]))
    return (parts[0][0], parts[1][0]), (parts[0][1], parts[1][1])


def dealt(pair: Pair, size: int, rng: np.random.Generator) -> Iterator[Pair]:
    """Minibatches without end: each sample is shuffled anew when it is used up."""
    return zip(*(_deal(sample, size, rng) for sample in pair), strict=True)


def _deal(sample: Tensor, size: int, rng: np.random.Generator) -> Iterator[Tensor]:
    if len(sample) <= size:
        yield from repeat(sample)
    while True:
        order = torch.as_tensor(rng.permutation(len(sample)), device=sample.device)
        for start in range(0, len(sample) - size + 1, size):
            yield sample[order[start : start + size]]


def passes(
    x: Stream, y: Stream | None, like: Tensor, epochs: int, *, flat: bool = True
) -> Iterator[Pair]:
    """Batches of a stream of pairs, or of two streams side by side, ``epochs`` times over."""
    for item in chain.from_iterable(_once(x, y) for _ in range(epochs)):
        if not isinstance(item, tuple | list) or len(item) != 2:
            raise TypeError(
                "a stream must give pairs (x, y) of batches; "
                "for two streams pass both: fit(first, second)."
            )
        first, second = (_unpacked(batch) for batch in item)
        pair = as_batches(first, second) if flat else as_inputs(first, second)
        yield _tensor(pair[0], like), _tensor(pair[1], like)


def _once(x: Stream, y: Stream | None) -> Stream:
    return x if y is None else zip(x, y, strict=False)


def _unpacked(batch: Any) -> Any:
    """A data set of tensors gives its columns as a list, even of one."""
    if isinstance(batch, tuple | list) and len(batch) == 1:
        batch = batch[0]
    if isinstance(batch, tuple | list):
        raise TypeError(
            f"a batch of the stream holds {len(batch)} things, inputs and labels say; learning "
            "takes the inputs: fit((batch[0] for batch in first), (batch[0] for batch in second))."
        )
    if is_array(batch) and not isinstance(batch, Tensor):
        return torch.as_tensor(np.asarray(batch))
    return batch
