"""Sketches: the covariances of many blocks of rows, whatever the number of rows.

A sketch holds no rows, is additive, and is all a second-order test needs: permuting the labels of
blocks takes the place of permuting rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core.density import Covariance
from samelaw.core.entropies import Entropy, divided_differences
from samelaw.core.features import FeatureMap

Matrix = np.ndarray[Any, Any]

_NEGLIGIBLE = 1e-5  # eigenvalues below this share of the largest are left out


@dataclass(frozen=True, eq=False)
class Sketch:
    """Block covariances of a sample in an explicit feature space.

    Parameters
    ----------
    feature_map : FeatureMap
    totals : array (G, D, D)
        Σ φφᵀ over the rows of each block.
    block : int
        Rows per block: the same for all, which is what makes blocks exchangeable.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import FourierFeatures
    >>> x = np.random.default_rng(0).normal(size=(100, 1))
    >>> sketch = Sketch.of(FourierFeatures(np.ones((1, 4))), x, block=10)
    >>> sketch.totals.shape
    (10, 8, 8)
    """

    feature_map: FeatureMap
    totals: Matrix
    block: int

    @classmethod
    def of(cls, feature_map: FeatureMap, x: Matrix, *, block: int) -> "Sketch":
        """Consecutive rows form a block; rows beyond the last full block are left out."""
        return cls.of_chunks([feature_map], [x], block=block)[0]

    @classmethod
    def of_chunks(
        cls, feature_maps: Sequence[FeatureMap], chunks: Iterable[Matrix], *, block: int
    ) -> "list[Sketch]":
        """One sketch per feature map, in one pass over chunks of rows of any length."""
        totals: list[list[Matrix]] = [[] for _ in feature_maps]
        rest: Matrix | None = None
        for chunk in chunks:
            ready = chunk if rest is None else np.concatenate([rest, chunk])
            full = len(ready) // block * block
            rest = ready[full:]
            for collected, feature_map in zip(totals, feature_maps, strict=True):
                collected.extend(_block_totals(feature_map, ready[:full], block))
        return [
            cls(m, np.concatenate(t) if t else np.empty((0, m.size, m.size)), block)
            for m, t in zip(feature_maps, totals, strict=True)
        ]

    def __add__(self, other: "Sketch") -> "Sketch":
        """The sketch of both samples together."""
        if self.block != other.block or self.feature_map is not other.feature_map:
            raise ValueError("sketches merge only with the same feature map and block size.")
        return Sketch(self.feature_map, np.concatenate([self.totals, other.totals]), self.block)

    @property
    def covariance(self) -> Covariance:
        """The covariance of all rows."""
        return Covariance(self.totals.sum(axis=0, dtype=np.float64), len(self.totals) * self.block)


def _block_totals(feature_map: FeatureMap, rows: Matrix, block: int) -> Iterable[Matrix]:
    """Σ φφᵀ of consecutive blocks, some of them at a time."""
    at_once = max(1, 2**20 // (feature_map.size * block))
    for start in range(0, len(rows) // block, at_once):
        piece = rows[start * block : (start + at_once) * block]
        features = np.asarray(feature_map(piece)).reshape(-1, block, feature_map.size)
        yield np.matmul(features.transpose(0, 2, 1), features)


@dataclass(frozen=True, eq=False)
class PooledSketch:
    """The blocks of two samples in the eigenbasis of their common covariance."""

    sketch: Sketch

    @cached_property
    def spectrum(self) -> tuple[Matrix, Matrix]:
        """Eigenvalues and eigenvectors of the pooled covariance, without the negligible ones."""
        values, vectors = np.linalg.eigh(self.sketch.covariance.density)
        kept = values > _NEGLIGIBLE * values[-1]
        return values[kept], vectors[:, kept]

    @property
    def largest(self) -> float:
        """The largest eigenvalue of the pooled covariance."""
        return float(self.spectrum[0].max())

    @cached_property
    def _upper(self) -> tuple[Matrix, Matrix]:
        return np.triu_indices(len(self.spectrum[0]))

    @cached_property
    def entries(self) -> Matrix:
        """The upper triangle of each block's covariance in the eigenbasis, (G, D(D+1)/2)."""
        rotation = self.spectrum[1].astype(self.sketch.totals.dtype)
        turned = np.matmul(rotation.T, self.sketch.totals @ rotation) / self.sketch.block
        return np.asarray(turned[:, self._upper[0], self._upper[1]])

    def quadratic_form(self, entropy: Entropy, *, scale: float = 1.0) -> Matrix:
        """The matrix Q (G, G) over blocks with RJSD ≈ π(1−π) vᵀQv.

        In the eigenbasis of the pooled covariance the second-order form is a weighted sum of
        squares of the entries of C_X − C_Y; the weights are divided differences of φ′.
        """
        values, _ = self.spectrum
        curvature = -0.5 * scale**2 * divided_differences(entropy, scale * values)[self._upper]
        curvature = np.where(self._upper[0] == self._upper[1], 1.0, 2.0) * curvature
        weights = np.sqrt(np.clip(curvature, 0.0, None)).astype(self.entries.dtype)
        weighted = self.entries * weights
        return np.asarray(weighted @ weighted.T)
