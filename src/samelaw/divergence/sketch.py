"""Sketches: the covariances of many blocks of rows, whatever the number of rows.

A sketch holds no rows, is additive, and is all a second-order test needs: permuting the labels of
blocks takes the place of permuting rows. Order 1 needs less, the means of features of κ², and so
can have many more features.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from samelaw.core import threads
from samelaw.core.checks import as_count
from samelaw.core.tolerances import rounding
from samelaw.core.types import Array, Matrix, Seed
from samelaw.divergence.summary import as_rows, pieces
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.entropies import Entropy, Renyi, divided_differences
from samelaw.kernels.features import FeatureMap, FourierFeatures, NystromFeatures, draw_frequencies
from samelaw.kernels.fingerprint import fingerprint, same_map
from samelaw.kernels.formulas import from_distances, has_distance
from samelaw.kernels.operators import Covariance
from samelaw.kernels.spectra import is_quadratic

_PIECE_ENTRIES = 1 << 20
_COMPRESSED = 1e-3
_NEGLIGIBLE = 1e-5  # eigenvalues below this share of the largest are left out


@dataclass(frozen=True, eq=False)
class Sketch:
    """Block covariances of a sample in an explicit feature space.

    Parameters
    ----------
    feature_map : FeatureMap
    pieces : tuple of arrays (g, D, D)
        Σ φφᵀ over the rows of each block, as they were collected.
    block : int
        Rows per block: the same for all, which is what makes blocks exchangeable.
    open : Covariance, optional
        Of the rows after the last full block, which the next ones may fill.
    lost : int
        Rows in no block for good.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels import FourierFeatures
    >>> x = np.random.default_rng(0).normal(size=(105, 1))
    >>> sketch = Sketch.of(FourierFeatures(np.ones((1, 4))), x, block=10)
    >>> sketch.totals.shape, sketch.left_over
    ((10, 8, 8), 5)
    """

    feature_map: FeatureMap
    pieces: tuple[Matrix, ...]
    block: int
    open: Covariance | None = None
    lost: int = 0

    @property
    def totals(self) -> Matrix:
        """Σ φφᵀ of every block, (G, D, D)."""
        size = self.feature_map.size
        return np.concatenate(self.pieces) if self.pieces else np.empty((0, size, size))

    @property
    def left_over(self) -> int:
        """Rows that are in no full block."""
        return self.lost + self._opened

    @property
    def _opened(self) -> int:
        return 0 if self.open is None else int(self.open.weight)

    @classmethod
    def of(cls, feature_map: FeatureMap, x: Array, *, block: int) -> "Sketch":
        """Consecutive rows form a block; deal rows at random before if their order says anything.

        Rows beyond the last full block wait for those of the next `update`.
        """
        return cls.of_chunks([feature_map], [x], block=block)[0]

    @classmethod
    @threads.single
    def of_chunks(
        cls, feature_maps: Sequence[FeatureMap], chunks: Iterable[Array], *, block: int
    ) -> "list[Sketch]":
        """One sketch per feature map, in one pass over chunks of rows of any length."""
        as_count("block", block)
        collected: list[list[Matrix]] = [[] for _ in feature_maps]
        rest: Matrix | None = None
        for chunk in chunks:
            rows = as_rows(chunk)
            if rest is not None and rest.shape[1] != rows.shape[1]:
                raise ValueError(f"x has {rows.shape[1]} columns after {rest.shape[1]} before.")
            ready = rows if rest is None else np.concatenate([rest, rows])
            full = len(ready) // block * block
            rest = ready[full:]
            for piece in pieces(ready[:full], max(map(_width, feature_maps)), block):
                for totals, features in zip(collected, evaluate(feature_maps, piece), strict=True):
                    blocks = features.reshape(-1, block, features.shape[1])
                    totals.append(np.matmul(blocks.transpose(0, 2, 1), blocks))
        waiting = [_opened(rest, feature_map) for feature_map in feature_maps]
        found = zip(feature_maps, collected, waiting, strict=True)
        return [cls(one, tuple(totals), block, rest) for one, totals, rest in found]

    def update(self, x: Array) -> "Sketch":
        """The sketch of these rows too, which first fill the block that is open.

        A row with NaN is an error, and this sketch stays as it is.
        """
        rows = as_rows(x)
        missing = min(self.block - self._opened if self.open is not None else 0, len(rows))
        rest = self.open
        if rest is not None and (more := _opened(rows[:missing], self.feature_map)) is not None:
            rest = rest + more
        collected = self.pieces
        if rest is not None and rest.weight == self.block:
            collected, rest = (*collected, rest.total[None]), None
        if missing == len(rows):
            return replace(self, pieces=collected, open=rest)
        new = Sketch.of(self.feature_map, rows[missing:], block=self.block)
        return replace(self, pieces=collected + new.pieces, open=new.open)

    def __add__(self, other: "Sketch") -> "Sketch":
        """The sketch of both samples together; open blocks are closed, their rows left over."""
        if self.block != other.block or not same_map(self.feature_map, other.feature_map):
            raise ValueError(
                "sketches merge only with the same feature map and block size, got blocks of "
                f"{self.block} and {other.block} rows; coarsen() brings one size to a multiple."
            )
        lost = self.left_over + other.left_over
        return Sketch(self.feature_map, self.pieces + other.pieces, self.block, lost=lost)

    def coarsen(self, factor: int) -> "Sketch":
        """Blocks of ``factor`` times as many rows: fewer numbers, and less to permute.

        Blocks that are left after the last full one are left over.
        """
        as_count("factor", factor)
        totals = self.totals
        whole = len(totals) // factor * factor
        wide = totals[:whole].reshape(-1, factor, *totals.shape[1:]).sum(axis=1)
        lost = self.left_over + self.block * (len(totals) - whole)
        return Sketch(self.feature_map, (wide,), self.block * factor, lost=lost)

    @property
    def fingerprint(self) -> str:
        """What the feature map consists of: sketches with equal ones and equal blocks merge."""
        return fingerprint(self.feature_map)

    @property
    def covariance(self) -> Covariance:
        """The covariance of all rows in full blocks."""
        total = sum(piece.sum(axis=0, dtype=np.float64) for piece in self.pieces)
        return Covariance(total, self.block * sum(len(piece) for piece in self.pieces))


def _opened(rows: Matrix | None, feature_map: FeatureMap) -> Covariance | None:
    if rows is None or not len(rows):
        return None
    features = np.asarray(feature_map.features(rows))
    return Covariance(features.T @ features, float(len(rows)))


@dataclass(frozen=True, eq=False)
class CompressedFeatures(FeatureMap):
    """Nyström features in the directions that carry the variance of a pool, for smaller blocks.

    Rows have norm at most 1, and nearly 1 on points like those of the pool.
    """

    full: NystromFeatures
    basis: Matrix

    @classmethod
    def of(cls, full: NystromFeatures, pool: Matrix) -> "CompressedFeatures":
        """Keep the eigenvectors of the pool's covariance above 0.1 % of the largest."""
        features = np.asarray(full(pool))
        values, vectors = np.linalg.eigh(features.T @ features)
        return cls(full, vectors[:, values > _COMPRESSED * values[-1]])

    @property
    def size(self) -> int:
        return int(self.basis.shape[1])

    def __call__(self, x: Matrix) -> Matrix:
        return self.rotate(self.full(x))

    def rotate(self, features: Matrix) -> Matrix:
        return np.asarray(features @ self.basis.astype(features.dtype))


def _width(feature_map: FeatureMap) -> int:
    """Numbers per row while its features are made."""
    full = feature_map.full if isinstance(feature_map, CompressedFeatures) else feature_map
    return full.size


def evaluate(feature_maps: Sequence[FeatureMap], rows: Matrix) -> Iterator[Matrix]:
    """The features of rows under each map; maps with common landmarks share the distances."""
    shared: dict[tuple[int, str], Matrix] = {}
    for feature_map in feature_maps:
        full = feature_map.full if isinstance(feature_map, CompressedFeatures) else feature_map
        if not isinstance(full, NystromFeatures) or not has_distance(full.kernel):
            yield np.asarray(feature_map.features(rows))
            continue
        key = (id(full.landmarks), full.kernel.metric)
        if key not in shared:
            shared[key] = full.distances(rows)
        features = np.asarray(full.project(from_distances(full.kernel, shared[key])))
        yield features if full is feature_map else feature_map.rotate(features)  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
class PooledSketch:
    """The blocks of two samples in the eigenbasis of their common covariance."""

    sketch: Sketch

    @cached_property
    def spectrum(self) -> tuple[Matrix, Matrix]:
        """Eigenvalues and eigenvectors of the pooled covariance, without the negligible ones."""
        values, vectors = np.linalg.eigh(self.sketch.covariance.density)
        kept = values > _NEGLIGIBLE * values[-1]
        kept[-1] = True  # rows so far from all landmarks that every feature is 0 have one too
        return values[kept], vectors[:, kept]

    @property
    def largest(self) -> float:
        """The largest eigenvalue of the pooled covariance; 1 if all are 0."""
        return float(self.spectrum[0][-1]) or 1.0

    @cached_property
    def _upper(self) -> tuple[Matrix, Matrix]:
        return np.triu_indices(len(self.spectrum[0]))

    @cached_property
    def entries(self) -> Matrix:
        """The upper triangle of each block's covariance in the eigenbasis, less the mean of all.

        (G, D(D+1)/2). Blocks of many rows are nearly alike: products of what they have in common
        would leave no digits for what they have not. Along one direction all rows are alike.
        """
        collected, (first, second) = self.sketch.pieces, self._upper
        shape = sum(map(len, collected)), len(first)
        entries: Matrix = np.empty(shape, dtype=collected[0].dtype)
        done, step = 0, max(1, _PIECE_ENTRIES // self.spectrum[1].size)
        for piece in collected:
            rotation = self.spectrum[1].astype(piece.dtype)
            for start in range(0, len(piece), step):
                some = piece[start : start + step]
                turned = np.matmul(rotation.T, some @ rotation) / self.sketch.block
                entries[done : done + len(some)] = turned[:, first, second]
                done += len(some)
        entries = centred(entries)
        return entries if len(self.spectrum[0]) > 1 else np.zeros_like(entries)

    def quadratic_form(self, entropy: Entropy, *, scale: float = 1.0) -> Matrix:
        """The matrix Q (G, G) over blocks with RJSD ≈ π(1−π) vᵀQv.

        In the eigenbasis of the pooled covariance the second-order form is a weighted sum of
        squares of the entries of C_X − C_Y; the weights are divided differences of φ′.
        """
        values, _ = self.spectrum
        if isinstance(entropy, Renyi) and entropy.alpha != 1:
            return self._through_logarithm(entropy)
        return self._sum_of_squares(
            -0.5 * scale**2 * divided_differences(entropy, scale * values)[self._upper]
        )

    def _through_logarithm(self, entropy: Renyi) -> Matrix:
        """The chain rule through log(Tr C^α)/(1−α), whose mean is taken inside the logarithm.

        Scaling C only adds a constant.
        """
        values, _ = self.spectrum
        slope = 1.0 / ((1.0 - entropy.alpha) * float(np.sum(values**entropy.alpha)))
        return self._sum_of_squares(
            -0.5 * slope * divided_differences(entropy, values)[self._upper]
        )

    def _sum_of_squares(self, curvature: Matrix) -> Matrix:
        curvature = np.where(self._upper[0] == self._upper[1], 1.0, 2.0) * curvature
        weights = np.sqrt(np.clip(curvature, 0.0, None)).astype(self.entries.dtype)
        weighted = self.entries * weights
        return np.asarray(weighted @ weighted.T)


def means_suffice(entropy: Entropy) -> bool:
    """Whether RJSD is a multiple of ‖C_X − C_Y‖², which is MMD² with κ² (theorem 11)."""
    return is_quadratic(entropy) and type(entropy).link is Entropy.link


def features_of_square(kernel: Kernel, dimension: int, count: int, *, rng: Seed) -> FourierFeatures:
    """Fourier features of κ²: its frequencies are sums of two of κ, drawn independently."""
    first, second = (draw_frequencies(kernel, dimension, count, rng=rng) for _ in range(2))
    return FourierFeatures((first + second).astype(np.float32))


@dataclass(frozen=True, eq=False)
class MeanSketch:
    """The means over blocks of rows (G, D) of features of κ².

    Landmarks see little of a narrow kernel, for few rows are near one; frequencies see all rows,
    and a mean of many features costs less than a covariance of few.
    """

    means: Matrix

    @classmethod
    def of(cls, features: FeatureMap, x: Matrix, *, block: int) -> "MeanSketch":
        """Consecutive rows form a block; rows beyond the last full block are left out."""
        whole = x[: len(x) // block * block]
        means: Matrix = np.empty((len(whole) // block, features.size), dtype=np.float32)
        done = 0
        for piece in pieces(whole, features.size, block):
            found = np.asarray(features.features(piece))
            blocks = found.reshape(-1, block, found.shape[1])
            means[done : done + len(blocks)] = blocks.mean(axis=1)
            done += len(blocks)
        return cls(means)

    def __add__(self, other: "MeanSketch") -> "MeanSketch":
        return MeanSketch(np.concatenate([self.means, other.means]))

    def quadratic_form(self, entropy: Entropy, *, scale: float = 1.0) -> Matrix:
        """The matrix Q (G, G) over blocks with RJSD = π(1−π) vᵀQv, for v that sums to 0."""
        coefficients = entropy.coefficients() or ()
        means = centred(self.means)
        return np.asarray(-coefficients[1] * scale**2 * (means @ means.T))


def centred(blocks: Matrix) -> Matrix:
    """Numbers of blocks (G, k) less their means; zero if only rounding errors are left."""
    rest = blocks - blocks.mean(axis=0, dtype=np.float64).astype(blocks.dtype)
    noise = rounding(blocks.dtype) * _largest(blocks)
    return rest if _largest(rest) > noise else np.zeros_like(rest)


def _largest(blocks: Matrix) -> float:
    return max(float(blocks.max()), -float(blocks.min()))
