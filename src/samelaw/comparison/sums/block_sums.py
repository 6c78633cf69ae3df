"""The second look at tables that are read piece by piece: sums over random blocks of their rows.

Every row is dealt to a block at random, and all blocks have as many rows, so blocks are
exchangeable when the tables follow one law. Of each block are kept the counts of the bins of every
view and of the cells of every pair, and sums of features of all columns together; then the row is
gone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from samelaw.comparison.sums.frozen_scores import FrozenScores
from samelaw.comparison.sums.scheme import Scheme
from samelaw.core.types import Matrix
from samelaw.tables.bins import Reading, WordBins
from samelaw.testing.scales import View

_CHUNK = 8_192  # rows whose features are held at a time: they stay in the cache
_MOST_UNKNOWN = 1_000  # words without a bin that are counted by name


class Waves(NamedTuple):
    """Waves of the coordinates of a row: cosines and sines of their products with frequencies."""

    frequencies: Matrix
    """(k, D)"""
    view: View = View.ROWS
    """What the coordinates are measured in."""

    def __call__(self, points: Matrix) -> Matrix:
        """(2D, n), as `linalg.waves` without the scale, which is the same for all rows."""
        angles = self.frequencies.T @ points.T
        waves = np.empty((2 * len(angles), len(points)), dtype=angles.dtype)
        np.cos(angles, out=waves[: len(angles)])
        np.sin(angles, out=waves[len(angles) :])
        return waves

    @property
    def width(self) -> int:
        return 2 * int(self.frequencies.shape[1])


@dataclass(frozen=True, eq=False)
class FeatureSums:
    """Which features of all columns together are summed.

    Parameters
    ----------
    means : sequence of Waves
        Averaged over each block.
    covariances : sequence of Waves
        Multiplied with each other first.
    mixtures : array (k, r), optional
        Mixtures of very many coordinates, whose products are summed in their place.
    scores : FrozenScores
        One number per row each, averaged over each block.
    """

    means: Sequence[Waves]
    covariances: Sequence[Waves]
    mixtures: Matrix | None
    scores: FrozenScores

    @property
    def width(self) -> int:
        """Coordinates, or mixtures of them, whose products are summed."""
        if self.mixtures is None:
            return len(self.means[0].frequencies)
        return int(self.mixtures.shape[1])

    def mixed(self, points: Matrix) -> Matrix:
        """Them (r, n)."""
        rows = points.T
        return np.asarray(rows if self.mixtures is None else self.mixtures.T @ rows)

    @property
    def views(self) -> set[View]:
        """The units that coordinates are needed in."""
        return {View.ROWS, *(waves.view for waves in (*self.means, *self.covariances)),
                *self.scores.views}  # fmt: skip


@dataclass(eq=False)
class BlockSums:
    """What is known of the blocks.

    Parameters
    ----------
    scheme : Scheme
    features : FeatureSums
    blocks : int
        Of both tables.
    fine : sequence of arrays (bins + 1,)
        Of every view, the class of each bin in pairs.
    pairs : sequence of (int, int)
        Views that are counted together.

    Attributes
    ----------
    bins : list of arrays (U, bins + 1)
    cells : list of arrays (U, K, L)
    all_bins : list of arrays (2, bins + 1)
        The same of all rows of A and of B, those left over included.
    first, second : arrays (U, k), (U, k, k)
        Sums of the coordinates, or mixtures of them, and of their products.
    means, covariances : lists of arrays (U, 2D), (U, 2D, 2D)
    scores : array (U, s)
    unknown : list of (dict, dict)
        How often words without a bin occur in A and in B, of each view; some of them.
    """

    scheme: Scheme
    features: FeatureSums
    blocks: int
    fine: Sequence[Matrix]
    pairs: Sequence[tuple[int, int]]
    bins: list[Matrix] = field(init=False, repr=False)
    cells: list[Matrix] = field(init=False, repr=False)
    all_bins: list[Matrix] = field(init=False, repr=False)
    first: Matrix = field(init=False, repr=False)
    second: Matrix = field(init=False, repr=False)
    means: list[Matrix] = field(init=False, repr=False)
    covariances: list[Matrix] = field(init=False, repr=False)
    scores: Matrix = field(init=False, repr=False)
    unknown: list[tuple[dict[str, int], dict[str, int]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        widths = [look.bins.count + 1 for look in self.scheme.looks]
        self.bins = [np.zeros((self.blocks, width), dtype=np.int32) for width in widths]
        self.all_bins = [np.zeros((2, width), dtype=np.int64) for width in widths]
        sizes = [int(codes.max(initial=0)) + 1 for codes in self.fine]
        self.cells = [
            np.zeros((self.blocks, sizes[i], sizes[j]), dtype=np.int32) for i, j in self.pairs
        ]
        width = self.features.width
        self.first = np.zeros((self.blocks, width))
        self.second = np.zeros((self.blocks, width, width))
        self.means = [np.zeros((self.blocks, w.width)) for w in self.features.means]
        self.covariances = [
            np.zeros((self.blocks, w.width, w.width)) for w in self.features.covariances
        ]
        self.scores = np.zeros((self.blocks, len(self.features.scores.names)))
        self.unknown = [({}, {}) for _ in self.scheme.looks]

    def add(self, readings: Sequence[Reading], side: int, unit: Matrix) -> None:
        """The next rows of a table, and their blocks.

        Parameters
        ----------
        readings : sequence of Reading
            Of every view, the column it is of.
        side : int
            0 for A, 1 for B.
        unit : array (n,)
            The block of each row, −1 for rows left over.
        """
        order = np.argsort(unit.astype(np.int16), kind="stable")  # sorted by radix
        order = order[int((unit < 0).sum()) :]
        codes = []
        for place, (look, reading) in enumerate(zip(self.scheme.looks, readings, strict=True)):
            own = look.bins.codes(reading)
            self.all_bins[place][side] += np.bincount(own, minlength=look.bins.count + 1)
            self._note_unknown(place, side, reading, own)
            codes.append(own[order])
        units = unit[order]
        if len(units):
            present, starts = np.unique(units, return_index=True)
            local = np.repeat(np.arange(len(present)), np.diff(np.append(starts, len(units))))
            self._count(codes, present, local)
            self._multiply(codes, present, np.append(starts, len(units)))

    def _note_unknown(self, place: int, side: int, reading: Reading, codes: Matrix) -> None:
        bins, known = self.scheme.looks[place].bins, self.unknown[place][side]
        if not isinstance(bins, WordBins) or len(known) >= _MOST_UNKNOWN:
            return
        if bool((codes == bins.count - 1).any()):
            for word, count in bins.unknown(reading).items():
                if word in known or len(known) < _MOST_UNKNOWN:
                    known[word] = known.get(word, 0) + count

    def _count(self, codes: Sequence[Matrix], present: Matrix, local: Matrix) -> None:
        """Bins and cells of rows whose blocks are those present, by their place among them."""
        for total, own in zip(self.bins, codes, strict=True):
            counts = _tally(local * total.shape[1] + own, len(present), total.shape[1:])
            total[present] += counts.astype(np.int32)
        fine: dict[int, Matrix] = {}
        for (i, j), cells in zip(self.pairs, self.cells, strict=True):
            for view in (i, j):
                if view not in fine:
                    fine[view] = self.fine[view].astype(np.int64)[codes[view]]
            size = cells.shape[1] * cells.shape[2]
            place = fine[i] * cells.shape[2] + fine[j]
            place += local * size
            cells[present] += _tally(place, len(present), cells.shape[1:]).astype(np.int32)

    def _multiply(self, codes: Sequence[Matrix], present: Matrix, ends: Matrix) -> None:
        """Sums of features over each block, some blocks at a time."""
        for first, last in _some_blocks(ends):
            rows = slice(int(ends[first]), int(ends[last]))
            own = [code[rows] for code in codes]
            points = {view: self.scheme.points(own, view) for view in self.features.views}
            within = ends[first : last + 1] - ends[first]
            here = present[first:last]
            mixed = self.features.mixed(points[View.ROWS])
            _add_sums(self.first, here, mixed, within)
            _add_products(self.second, here, mixed, within)
            for total, waves in zip(self.means, self.features.means, strict=True):
                _add_sums(total, here, waves(points[waves.view]), within)
            for total, waves in zip(self.covariances, self.features.covariances, strict=True):
                _add_products(total, here, waves(points[waves.view]), within)
            _add_sums(self.scores, here, self.features.scores(points).T, within)


def block_bytes(scheme: Scheme, features: FeatureSums) -> float:
    """Bytes of a block: its counts and sums, and what tests make of them one after the other."""
    bins = sum(look.bins.count + 1 for look in scheme.looks)
    squares = [waves.width**2 for waves in features.covariances]
    squares.append(features.width**2)
    means = sum(waves.width for waves in features.means)
    return float(4 * bins + 8 * (sum(squares) + means) + 24 * max(squares))


def _tally(places: Matrix, units: int, shape: tuple[int, ...]) -> Matrix:
    size = int(np.prod(shape))
    return np.bincount(places, minlength=units * size).reshape(units, *shape)


def _some_blocks(ends: Matrix) -> Iterator[tuple[int, int]]:
    """Neighbouring blocks with about `_CHUNK` rows together; a large one alone."""
    first = 0
    while first < len(ends) - 1:
        last = int(np.searchsorted(ends, ends[first] + _CHUNK, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def _add_sums(total: Matrix, here: Matrix, features: Matrix, ends: Matrix) -> None:
    """Add the sums of the features (w, n) of each block; a product is faster than ``reduceat``."""
    ones = np.ones(features.shape[1], dtype=features.dtype)
    for block, low, high in zip(here, ends[:-1], ends[1:], strict=True):
        total[block] += features[:, low:high] @ ones[low:high]


def _add_products(total: Matrix, here: Matrix, features: Matrix, ends: Matrix) -> None:
    """Add ΦΦᵀ of the features (w, n) of each block."""
    for block, low, high in zip(here, ends[:-1], ends[1:], strict=True):
        own = features[:, low:high]
        total[block] += own @ own.T
