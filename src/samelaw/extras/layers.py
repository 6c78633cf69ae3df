"""What representations of the same items know of each other: information, HSIC and CKA.

All from the Gram matrices of the representations, so that one pass over the rows gives them all.
One column of words, of flags, or of at most 20 different whole numbers (each twice on average, or
more often) is classes; floats, images and several columns are measures.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from samelaw.core.arrays import is_array, to_numpy
from samelaw.core.checks import as_count, as_rng, shown
from samelaw.core.types import Array, Matrix, Seed
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel, as_variable
from samelaw.kernels.entropies import Entropy, EntropyLike, PowerSeries, as_entropy
from samelaw.kernels.operators import gram_entropy
from samelaw.results.plots import draw_matrix
from samelaw.results.result import TableResult, plain

__all__ = ["LayerInformation", "cka", "hsic", "layer_information", "shared_information"]

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Measure: TypeAlias = Literal["information", "cka", "hsic"]

_TENTH = PowerSeries(10)
_SHUFFLES = 4
_LEAST = 4  # rows for which unbiased HSIC is defined


def shared_information(
    x: Array,
    y: Array,
    *,
    kernels: Sequence[Kernel | None] = (None, None),
    entropy: EntropyLike = _TENTH,
    shuffles: int = _SHUFFLES,
    rng: Seed = 0,
) -> float:
    """How much two representations of the same rows tell of each other, in nats, 0 for unrelated.

    The entropy of shuffled pairs less that of the pairs (the difference of entropies of Skean et
    al. 2023). S(X) + S(Y) − S(X, Y) (`samelaw.mutual_information`) grows with any spread of the
    points, so that unrelated variables seem to share much; shuffled pairs have the same spread.

    Parameters
    ----------
    x, y : arrays (n, d) and (n, e)
        Rows belong together.
    kernels : pair of Kernel or None
        Gaussian at the median distance by default, `Categorical` for classes.
    entropy : Entropy or order
    shuffles : int
        Over how many of them the entropy of shuffled pairs is averaged.
    rng : int or Generator
        Seed of the shuffles.

    Notes
    -----
    Cost O(n² (d + e) + shuffles · n³). The value depends on n: compare those of equally many rows.

    Examples
    --------
    >>> import numpy as np
    >>> x, other = np.random.default_rng(0).normal(size=(2, 200, 2))
    >>> shared_information(x, x + 0.1 * other) > 0.3 > 0.05 > abs(shared_information(x, other))
    True
    """
    first, second = _grams({"x": x, "y": y}, dict(zip("xy", kernels, strict=True))).values()
    orders = _orders(len(first), as_count("shuffles", shuffles), as_rng(rng))
    return _information(first, second, as_entropy(entropy), orders)


def hsic(x: Array, y: Array, *, kernels: Sequence[Kernel | None] = (None, None)) -> float:
    """Hilbert–Schmidt independence criterion, unbiased: 0 on average for unrelated variables.

    Song et al. (2012): from the Gram matrices without their diagonals.

    Parameters
    ----------
    x, y : arrays (n, d) and (n, e), four rows or more
    kernels : pair of Kernel or None
        Gaussian at the median distance by default, `Categorical` for classes.

    Examples
    --------
    >>> import numpy as np
    >>> x, other = np.random.default_rng(0).normal(size=(2, 200, 2))
    >>> hsic(x, x) > 0.03 > 0.003 > abs(hsic(x, other))
    True
    """
    return _hsic(*_grams({"x": x, "y": y}, dict(zip("xy", kernels, strict=True))).values())


def cka(x: Array, y: Array, *, kernels: Sequence[Kernel | None] = (None, None)) -> float:
    """Centred kernel alignment: HSIC(x, y) / √(HSIC(x, x) HSIC(y, y)), 1 for equal geometry.

    Kornblith et al. (2019) with unbiased HSIC, so that unrelated variables have 0 on average
    however many columns they have.

    Parameters
    ----------
    x, y : arrays (n, d) and (n, e), four rows or more
    kernels : pair of Kernel or None
        As for `hsic`: κ(x,x) = 1, so not the linear kernel.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(50, 3))
    >>> round(cka(x, 7.0 * x + 1.0), 6)
    1.0
    """
    first, second = _grams({"x": x, "y": y}, dict(zip("xy", kernels, strict=True))).values()
    return _alignment(_hsic(first, second), _hsic(first, first), _hsic(second, second))


@dataclass(frozen=True, eq=False)
class LayerInformation(TableResult):
    """What layers know of each other: a row for each pair.

    Attributes
    ----------
    names : (tuple of str, tuple of str)
        Of the rows and of the columns.
    information, information_error : array (L, M)
        Nats, and the standard error over the batches (NaN for one batch).
    hsic, cka : array (L, M)
    rows, batch : int
        Rows in all, and in each batch.
    """

    kind: ClassVar[str] = "layer_information"

    names: tuple[tuple[str, ...], tuple[str, ...]]
    information: Matrix = field(repr=False)
    information_error: Matrix = field(repr=False)
    hsic: Matrix = field(repr=False)
    cka: Matrix = field(repr=False)
    rows: int
    batch: int

    def records(self) -> list[dict[str, Any]]:
        """One row for each pair."""
        return [
            {
                "first": first,
                "second": second,
                "information": float(self.information[i, j]),
                "information_error": float(self.information_error[i, j]),
                "hsic": float(self.hsic[i, j]),
                "cka": float(self.cka[i, j]),
            }
            for i, first in enumerate(self.names[0])
            for j, second in enumerate(self.names[1])
        ]

    def _content(self) -> dict[str, Any]:
        return {"rows": self.rows, "batch": self.batch, "pairs": plain(self.records())}

    def draw(self, ax: "Axes", measure: Measure = "information") -> None:
        """One measure as a matrix of colours with its numbers."""
        if measure not in ("information", "cka", "hsic"):
            raise ValueError(f"measure must be information, cka or hsic, got {shown(measure)}.")
        draw_matrix(ax, getattr(self, measure), *self.names)
        ax.set_xlabel({"information": "information (nats)"}.get(measure, measure.upper()))


def layer_information(
    first: Mapping[str, Array],
    second: Mapping[str, Array] | None = None,
    *,
    kernels: Mapping[str, Kernel] | None = None,
    entropy: EntropyLike = _TENTH,
    batch: int = 256,
    shuffles: int = _SHUFFLES,
    rng: Seed = 0,
) -> LayerInformation:
    """Shared information, HSIC and CKA of every pair of representations, in minibatches.

    Parameters
    ----------
    first : mapping of str to array (n, d)
        Representations of the same n items by name, such as `samelaw.learn.hooks` gives.
    second : mapping of str to array (n, e), optional
        What to hold them against; by default each other.
    kernels : mapping of str to Kernel, optional
        Of some of them; by default `Categorical` for classes, and for measures Gaussian at the
        median distance of the first batch.
    entropy : Entropy or order
    batch : int
        Rows of a batch: values are means over batches (of CKA the quotient of means, Nguyen et
        al. 2021), so that memory does not grow with the rows. Information depends on it.
    shuffles : int
        As for `shared_information`, in every batch.
    rng : int or Generator
        Seed of the batches and shuffles.

    Returns
    -------
    LayerInformation

    Notes
    -----
    Cost per batch of b rows: a Gram matrix for each representation and shuffles + 1 spectra of
    b × b for each pair.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> inputs = rng.normal(size=(200, 4))
    >>> found = layer_information({"inputs": inputs, "first": np.tanh(inputs[:, :2])}, batch=100)
    >>> found.information.shape, bool(found.cka[0, 0] > found.cka[0, 1] > 0.2)
    ((2, 2), True)
    """
    other = first if second is None else second
    both = {("a", name): v for name, v in first.items()}
    both |= {("b", name): v for name, v in other.items()} if second is not None else {}
    side = "a" if second is None else "b"
    given = kernels or {}
    known = {key: _as_rows(key[1], v, given.get(key[1])) for key, v in both.items()}
    arrays = {key: rows for key, (rows, _) in known.items()}
    count = _same_rows({key[1]: rows for key, rows in arrays.items()})
    generator, chosen = as_rng(rng), as_entropy(entropy)
    seen: dict[tuple[str, str], Kernel] = {}  # one for all batches, chosen on the first
    sums: list[Matrix] = []
    for index in _batches(count, as_count("batch", batch), generator):
        part = {key: rows[index] for key, rows in arrays.items()}
        if not seen:
            seen = {key: as_kernel(known[key][1], rows) for key, rows in part.items()}
        found = {key: grams.gram(seen[key], rows) for key, rows in part.items()}
        orders = _orders(len(index), as_count("shuffles", shuffles), generator)
        pairs = [_pair(found["a", a], found[side, b], chosen, orders) for a in first for b in other]
        sums.append(np.array(pairs).reshape(len(first), len(other), 4))
    return _assembled((tuple(first), tuple(other)), np.stack(sums), count, batch)


def _assembled(
    names: tuple[tuple[str, ...], tuple[str, ...]], each: Matrix, rows: int, batch: int
) -> LayerInformation:
    means = each.mean(axis=0)
    error = np.full(means.shape[:2], math.nan)
    if len(each) > 1:
        error = each[..., 0].std(axis=0, ddof=1) / math.sqrt(len(each))
    alignment = np.vectorize(_alignment)(means[..., 1], means[..., 2], means[..., 3])
    return LayerInformation(
        names, means[..., 0], error, means[..., 1], alignment, rows, min(rows, batch)
    )


def _pair(first: Matrix, second: Matrix, entropy: Entropy, orders: Matrix) -> tuple[float, ...]:
    own = _hsic(first, first), _hsic(second, second)
    return _information(first, second, entropy, orders), _hsic(first, second), *own


def _information(first: Matrix, second: Matrix, entropy: Entropy, orders: Matrix) -> float:
    shuffled = [gram_entropy(first * second[np.ix_(o, o)], entropy) for o in orders]
    return float(np.mean(shuffled)) - float(gram_entropy(first * second, entropy))


def _hsic(first: Matrix, second: Matrix) -> float:
    n = len(first)
    if n < _LEAST:
        raise ValueError(f"HSIC without bias needs at least {_LEAST} rows, got {n}.")
    k, other = (m - np.diag(np.diagonal(m)) for m in (first, second))
    down, across = k.sum(axis=0), other.sum(axis=0)
    total = np.sum(k * other) + down.sum() * across.sum() / ((n - 1) * (n - 2))
    return float((total - 2.0 * (down @ across) / (n - 2)) / (n * (n - 3)))


def _alignment(cross: float, first: float, second: float) -> float:
    """NaN where a representation is constant: it has no geometry."""
    scale = first * second
    return cross / math.sqrt(scale) if first > 0 and second > 0 else math.nan


def _grams(named: Mapping[str, Array], kernels: Mapping[str, Kernel | None]) -> dict[str, Matrix]:
    known = {name: _as_rows(name, value, kernels[name]) for name, value in named.items()}
    _same_rows({name: rows for name, (rows, _) in known.items()})
    return {
        name: np.asarray(grams.gram(as_kernel(kernel, rows), rows))
        for name, (rows, kernel) in known.items()
    }


def _as_rows(name: str, value: Array, kernel: Kernel | None) -> tuple[Matrix, Kernel | None]:
    """Rows (n, d) on the host, of images too, and the kernel that is known for them."""
    array = to_numpy(value) if is_array(value) else np.asarray(value)
    if array.ndim > 2:
        array = array.reshape(len(array), -1)
    rows, seen = as_variable(name, array, kernel)
    return rows.astype(np.float64, copy=False), seen


def _same_rows(arrays: Mapping[str, Matrix]) -> int:
    sizes = {name: len(rows) for name, rows in arrays.items()}
    if not sizes:
        raise ValueError("expected at least one representation.")
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(f"{found} rows; representations of the same items have equally many.")
    return next(iter(sizes.values()))


def _orders(count: int, shuffles: int, rng: np.random.Generator) -> Matrix:
    return np.stack([rng.permutation(count) for _ in range(shuffles)])


def _batches(count: int, batch: int, rng: np.random.Generator) -> Iterator[Matrix]:
    """Row numbers of whole batches, dealt at random; all rows if they are fewer than one."""
    order = rng.permutation(count)
    size = min(batch, count)
    for start in range(0, count - size + 1, size):
        yield order[start : start + size]
