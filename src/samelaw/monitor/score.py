"""Scores of rows: what the past stream suggests about a change, as functions of a row.

Everything here is fitted to training rows and then to the stream before the row that is scored;
reference rows that pair are never seen.

Features of a row, in three families that share their columns:

- moments: levels, spreads and products of columns, categories, missing and new values, of which
  some change (`sparse_witness`);
- products: those and He₃, He₄ and products of He₁, He₂ of two columns, of which one or two change;
- waves: Fourier features in the eigenbasis of their training covariance (`whitened_witness`), which
  see what no list of features foresees.

A score is one family, one window of past rows over which its features are averaged, and one stake
that it is multiplied by. All of them are averaged, each with its own wealth.

Among the products as many single columns as pairs of them are expected to change, however many
there are: what is looked at twice as often is believed half as soon.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from samelaw.core.types import Matrix
from samelaw.divergence.witness import TRUST, believed, change_factors, hermite, whitened_witness
from samelaw.kernels.bandwidths import median_bandwidth
from samelaw.kernels.features import draw_frequencies
from samelaw.kernels.formulas import Gaussian
from samelaw.monitor.martingale import BLOCK
from samelaw.tables.frozen import Coordinate

WINDOWS = (30, 60, 120, 240, 480)
STAKES = (0.5, 1.0, 2.0)
FAMILIES = ("moments", "products", "waves")
EXPERTS = len(FAMILIES) * len(WINDOWS) * len(STAKES)

EXPECTED = 0.4
"""Features that are expected to change of each sort: single ones or pairs, of low or high order."""

FEW = 15  # a sort of fewer features expects no larger share of them to change
DENSE = 0.03
"""Share of the family of moments: for many small changes, where products look for a few."""

SUSPICIOUS = 5.0
"""Odds that some feature has changed, from which on a stream looks suspicious."""

UNUSUAL = 4.0  # standard deviations by which waves as a whole do
FREQUENCIES, EIGENVECTORS = 96, 48
NARROWER = 0.6  # the bandwidth is the median distance divided by it
MOST_PAIRS = 5_000  # products of two columns: those of 100 columns; of more, the closest
MOST_TERMS = 400  # with products of higher order, which are left out where there are more
STEADY = 1e-3
"""Standard deviations of rows by which means over stretches vary at least, or else count as such.

The hour of the day has the same mean every day: how its last digits are rounded says nothing.
"""

RARE = 8
"""Training rows of its usual size that a product counts as seen in at least.

The spread of a product that is 0 but in two or three of them is a matter of chance, and one more
row of the stream would be a change of a hundred of them.
"""

_FLAT = 1e-9  # spread of a feature below which it never varied
_SLICE = 256  # features that are fitted at a time


class Weights(NamedTuple):
    """What past rows suggest for every block: θ of the three families, and whether to worry."""

    moments: Matrix  # (blocks, windows, low)
    products: Matrix  # (blocks, windows, p)
    waves: Matrix  # (blocks, windows, e)
    suspicious: Matrix  # (blocks,), bool

    def take(self, blocks: Matrix) -> "Weights":
        return Weights(*(one[blocks] for one in self))


class Term(NamedTuple):
    """A product of powers of one or two coordinates, by place in the table of powers."""

    first: int
    second: int  # 0, the row of ones, for a single power


class Features(NamedTuple):
    """What rows look like to the scores: one row per feature, one column per row of data.

    In single precision, at half the cost: any function of a row is a score, also a rounded one.
    """

    moments: Matrix  # (p, n)
    waves: Matrix  # (e, n)

    def first(self, rows: int) -> "Features":
        return Features(*(one[:, :rows] for one in self))


@dataclass(frozen=True, eq=False)
class Score:
    """Features fitted to training rows, and the weights that past rows give them.

    Parameters
    ----------
    curved : array (q,)
        Coordinates with powers.
    first, second : arrays (p,)
        Rows of the table of powers whose product is a feature; those of low order come first.
    low : int
        Features of the family of moments.
    centre, scale : arrays (p,)
        Of the moments on training rows, or of their means over stretches of rows.
    spread : array (p,)
        Of the moments of single rows: the unit in which changes are told.
    shares : array (p,)
        Prior probability of each moment that it changes.
    trained : int
        Training rows, or stretches of them.
    frequencies : array (k, D)
    wave_centre : array (2D,)
    basis : array (2D, e)
    eigenvalues : array (e,)
    """

    curved: Matrix
    first: Matrix
    second: Matrix
    low: int
    centre: Matrix
    scale: Matrix
    spread: Matrix
    shares: Matrix
    trained: int
    frequencies: Matrix
    wave_centre: Matrix
    basis: Matrix
    eigenvalues: Matrix

    @property
    def size(self) -> int:
        return len(self.centre) + len(self.eigenvalues)

    def features(self, points: Matrix, new: Matrix) -> Features:
        """Raw moments and raw waves of rows (n, k) with their new values (n, columns)."""
        table = powers(points, new, self.curved)
        return Features(table[self.first] * table[self.second], waves(points, self.frequencies))

    def standard(self, raw: Matrix, wave: Matrix, rows: Matrix) -> Matrix:
        """Sums of raw features over some rows as sums (size, …) of centred and scaled ones."""
        moments = (raw - self.centre[:, None] * rows) / self.scale[:, None]
        return np.concatenate([moments, self.basis.T @ (wave - self.wave_centre[:, None] * rows)])

    def weights(self, means: Matrix, rows: Matrix) -> Weights:
        """θ of the three families, and where the stream looks suspicious.

        Parameters
        ----------
        means : array (B, windows, size)
            Of centred and scaled features over the last rows.
        rows : array (B, windows, 1)
            How many rows that were.
        """
        split, low = len(self.centre), self.low
        moved = means[..., :split].astype(np.float32)
        # The means of the reference are known as well as its training rows tell them.
        told = (rows / (1.0 + rows / self.trained)).astype(np.float32)
        factors = change_factors(moved, told)
        prior = (self.shares / (1.0 - self.shares)).astype(np.float32)
        few = believed(moved[..., :low], told, factors[..., :low] * (DENSE / (1.0 - DENSE)))
        factors *= prior
        doubtful = (factors[..., :low].sum(axis=-1) >= SUSPICIOUS).any(axis=-1)
        waved = means[..., split:]
        smooth = whitened_witness(waved, self.eigenvalues, rows)
        doubtful |= (self._unusual(waved, smooth, rows) >= UNUSUAL).any(axis=-1)
        return Weights(few, believed(moved, told, factors), smooth, doubtful)

    def _unusual(self, means: Matrix, smooth: Matrix, rows: Matrix) -> Matrix:
        """By how many standard deviations (B, windows) n Δ·θ is more than it is by chance."""
        trusted = TRUST * rows * self.eigenvalues
        kept = trusted / (1.0 + trusted)
        found = (smooth * means).sum(axis=-1) * rows[..., 0] - kept.sum(axis=-1)
        return np.asarray(found / np.sqrt(2.0 * (kept * kept).sum(axis=-1) + _FLAT))

    def contrasts(self, weights: Weights, raw: Matrix, wave: Matrix) -> Matrix:
        """θ·f (B, families × windows, rows) of differences of raw features (features, B, rows)."""
        few, many, smooth, _ = weights
        waved = self.basis.T.astype(np.float32) @ wave.reshape(len(wave), -1)
        scale = self.scale.astype(np.float32)
        pairs = (
            (few / scale[: self.low], raw[: self.low]),
            (many / scale, raw),
            (smooth, waved.reshape(-1, *wave.shape[1:])),
        )
        parts = [theta.astype(np.float32) @ f.transpose(1, 0, 2) for theta, f in pairs]
        return np.concatenate(parts, axis=1).astype(np.float64)

    def state(self) -> tuple[dict[str, Any], dict[str, Matrix]]:
        """All of it as plain values and arrays; `from_state` is the way back."""
        arrays = {f"score.{name}": value for name, value in vars(self).items()}
        return {name: arrays.pop(f"score.{name}") for name in _PLAIN}, arrays

    @classmethod
    def from_state(cls, plain: Mapping[str, Any], arrays: Mapping[str, Matrix]) -> "Score":
        names = [name for name in cls.__dataclass_fields__ if name not in _PLAIN]
        kept: dict[str, Any] = {name: arrays[f"score.{name}"] for name in names}
        return cls(**kept, **{name: plain[name] for name in _PLAIN})


_PLAIN = ("low", "trained")


def stretched(features: Features, stretch: int) -> Features:
    """Means of features over stretches of consecutive rows.

    Examples
    --------
    >>> stretched(Features(np.array([[1.0, 3.0, 5.0, 5.0]]), np.zeros((1, 4))), 2).moments
    array([[2., 5.]])
    """
    if stretch == 1:
        return features
    return Features(*(one.reshape(len(one), -1, stretch).mean(axis=2) for one in features))


def powers(points: Matrix, new: Matrix, curved: Matrix) -> Matrix:
    """The table of powers: ones, every coordinate, new values, then He₂, He₃, He₄ of the curved."""
    z = np.ascontiguousarray(points.T, dtype=np.float32)
    ones = np.ones((1, len(points)), dtype=np.float32)
    return np.concatenate([ones, z, new.T.astype(np.float32), *hermite(z[curved])])


def waves(points: Matrix, frequencies: Matrix) -> Matrix:
    """Fourier features (2D, n): cosines, then sines, of norm 1 together."""
    angles = frequencies.T.astype(np.float32) @ points.T.astype(np.float32)
    found = np.concatenate([np.cos(angles), np.sin(angles)])
    found *= np.float32(frequencies.shape[1] ** -0.5)
    return found


def fit_score(
    points: Matrix,
    new: Matrix,
    coordinates: Sequence[Coordinate],
    rng: np.random.Generator,
    stretch: int = 1,
) -> Score:
    """Choose the features and their scales on training rows.

    Parameters
    ----------
    points : array (n, k)
    new : array (n, columns), bool
    coordinates : sequence of Coordinate
    rng : Generator
        Draws the frequencies.
    stretch : int
        Consecutive rows whose features are averaged.

    Notes
    -----
    O(n (p + D)) for the features and O(D³) for the eigenvectors.
    """
    curved = np.array([i for i, c in enumerate(coordinates) if c.curved], dtype=np.int64)
    table = powers(points, new, curved)
    terms = list(_terms(coordinates, new.shape[1], curved, points))
    first, second = (np.array([t[i] for _, t in terms], dtype=np.int64) for i in (0, 1))
    spread, centre, scale = _scales(table, first, second, stretch)
    if stretch == 1:
        # A new value among n training rows would have been seen once in n at most.
        known = len(coordinates)
        is_new = (second == 0) & (first > known) & (first <= known + new.shape[1])
        spread = np.where(is_new, np.maximum(spread, len(points) ** -0.5), spread)
        scale = spread
    kept = spread > _FLAT
    least = (second > 0) * _usual_size(table, first, second) * (RARE / len(points)) ** 0.5
    spread, scale = np.maximum(spread, least), np.maximum(scale, least * stretch**-0.5)
    low = int(kept[: sum(low for low, _ in terms)].sum())
    kernel = Gaussian(median_bandwidth(points) / NARROWER)
    frequencies = draw_frequencies(kernel, points.shape[1], FREQUENCIES, rng=rng)
    wave = waves(points, frequencies).astype(np.float64)
    wave = wave.reshape(len(wave), -1, stretch).mean(axis=2)
    values, vectors = np.linalg.eigh(np.cov(wave, bias=True))
    return Score(
        curved,
        first[kept],
        second[kept],
        low,
        centre[kept],
        np.maximum(scale, STEADY * spread)[kept],
        spread[kept],
        prior_shares(second[kept] == 0, low),
        wave.shape[1],
        frequencies,
        wave.mean(axis=1),
        np.ascontiguousarray(vectors[:, ::-1][:, :EIGENVECTORS]),
        np.maximum(values[::-1][:EIGENVECTORS], 0.0),
    )


def _scales(table: Matrix, first: Matrix, second: Matrix, stretch: int) -> tuple[Matrix, ...]:
    """Spread of products of rows of a table, then mean and spread of their means over stretches.

    Some at a time: all products of many columns would not fit into the memory.
    """
    found: Matrix = np.empty((3, len(first)))
    for start in range(0, len(first), _SLICE):
        some = slice(start, start + _SLICE)
        raw = (table[first[some]] * table[second[some]]).astype(np.float64)
        joined = raw.reshape(len(raw), -1, stretch).mean(axis=2)
        found[:, some] = raw.std(axis=1), joined.mean(axis=1), joined.std(axis=1)
    return tuple(found)


def _usual_size(table: Matrix, first: Matrix, second: Matrix) -> Matrix:
    """How large products (p,) are where they are not 0, were their factors independent."""
    squares = (table * table).mean(axis=1, dtype=np.float64)
    size = np.sqrt(squares / np.maximum((table != 0.0).mean(axis=1), _FLAT))
    return np.asarray(size[first] * size[second])


def prior_shares(single: Matrix, low: int) -> Matrix:
    """Prior probability (p,) of each feature that it changes: alike in each sort, EXPECTED in all.

    Examples
    --------
    >>> prior_shares(np.arange(60) < 20, low=60)[[0, 20]]
    array([0.02, 0.01])
    """
    early = np.arange(len(single)) < low
    found: Matrix = np.empty(len(single))
    for sort in (single & early, ~single & early, single & ~early, ~single & ~early):
        found[sort] = EXPECTED / max(int(sort.sum()), FEW)
    return found


def _terms(
    coordinates: Sequence[Coordinate], columns: int, curved: Matrix, points: Matrix
) -> Iterator[tuple[bool, Term]]:
    """Features, those of low order (True) first; pairs that go together most come first."""
    singles = range(1, len(coordinates) + columns + 1)
    start = len(coordinates) + columns + 1
    order = [{int(c): start + k * len(curved) + i for i, c in enumerate(curved)} for k in range(3)]
    low = [Term(i, 0) for i in singles] + [Term(i, 0) for i in order[0].values()]
    high = [Term(i, 0) for power in order[1:] for i in power.values()]
    plain, bent = [], []
    for i, j in _pairs(coordinates, points):
        plain.append(Term(i + 1, j + 1))
        bent += [Term(i + 1, order[0][j])] if j in order[0] else []
        bent += [Term(order[0][i], j + 1)] if i in order[0] else []
    both = [Term(order[0][i], order[0][j]) for i, j in combinations(map(int, curved), 2)]
    room = max(0, MOST_TERMS - len(low) - len(high) - len(plain))
    yield from ((True, term) for term in low + plain)
    yield from ((False, term) for term in high + (bent + both)[:room])


def _pairs(coordinates: Sequence[Coordinate], points: Matrix) -> list[tuple[int, int]]:
    """Pairs of coordinates of different columns, the most correlated first if not all fit."""
    pairs = [
        (i, j)
        for i, j in combinations(range(len(coordinates)), 2)
        if coordinates[i].column != coordinates[j].column
    ]
    if len(pairs) <= MOST_PAIRS:
        return pairs
    z = points - points.mean(axis=0)
    z = z / np.maximum(np.sqrt((z * z).mean(axis=0)), _FLAT)
    together = np.abs(z.T @ z)
    return sorted(pairs, key=lambda pair: -float(together[pair]))[:MOST_PAIRS]


def window_means(sums: Matrix, closed: int, blocks: int) -> tuple[Matrix, Matrix]:
    """Means of features over the windows before each of the last blocks.

    Parameters
    ----------
    sums : array (closed + blocks, size)
        Sums over blocks of rows, the oldest first; only those before a block are used for it.
    closed : int
        How many of them come before the first of the ``blocks``.

    Returns
    -------
    means : array (blocks, windows, size)
    rows : array (blocks, windows, 1)
    """
    total = np.concatenate([np.zeros((1, sums.shape[1])), np.cumsum(sums[:-1], axis=0)])
    end = closed + np.arange(blocks)
    start = np.maximum(end[:, None] - np.array(WINDOWS) // BLOCK, 0)
    rows = ((end[:, None] - start) * BLOCK)[..., None].astype(np.float64)
    return (total[end][:, None] - total[start]) / np.maximum(rows, 1.0), rows
