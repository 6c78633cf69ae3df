"""Explicit feature maps with unit-norm rows: Fourier features and Nyström.

Frequencies and landmarks are passed in: drawing them belongs to `samelaw.divergence`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from samelaw.core import linalg
from samelaw.core.arrays import (
    detach,
    epsilon,
    in_full_precision,
    is_numpy,
    like,
    namespace,
    to_numpy,
)
from samelaw.core.checks import as_count, as_rng, no_overflow
from samelaw.core.registry import register
from samelaw.core.samples import as_matrix, as_samples, check_libraries
from samelaw.core.types import Array, Matrix, Seed
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.formulas import (
    DISTANCES,
    Gaussian,
    ShiftInvariant,
    from_distances,
    has_distance,
)


class FeatureMap(ABC):
    """A map x ↦ φ(x) into R^D with ‖φ(x)‖ = 1, so that covariances have unit trace.

    A map of one's own writes `features`; calling the map checks the rows first.
    """

    @in_full_precision
    def __call__(self, x: Array) -> Array:
        """Features (n, D) of the rows of ``x`` (n, d)."""
        (x,) = as_samples(x=x)
        if isinstance(x, tuple):
            raise TypeError("x is a tuple of layers; a feature map takes one array.")
        return self.features(x)

    def features(self, x: Array) -> Array:
        """The formula, for rows as `samelaw.core.samples.as_samples` leaves them."""
        return self(x)  # of a class that writes __call__

    @property
    @abstractmethod
    def size(self) -> int:
        """D, the number of features."""


def _keep(owner: FeatureMap, name: str, checked: Array) -> None:
    """Keep what defines a map as the array it was checked to be."""
    if np.ndim(getattr(owner, name)) != 2:
        raise ValueError(f"{name} must be a matrix, got shape {np.shape(getattr(owner, name))}.")
    if checked is not getattr(owner, name):
        object.__setattr__(owner, name, checked)


@register("feature map")
@dataclass(frozen=True, eq=False)
class FourierFeatures(FeatureMap):
    """[cos xW, sin xW] / √D: inner products approximate a shift-invariant kernel.

    Section 4.2 of the paper. Rows have norm exactly 1 whatever the frequencies, which may be
    learnt (a tensor that requires a gradient).

    Parameters
    ----------
    frequencies : array (d, D)
        W; one column per frequency, giving 2D features.

    Examples
    --------
    >>> import numpy as np
    >>> FourierFeatures(np.array([[1.0]]))(np.array([[0.0]]))
    array([[1., 0.]])
    """

    frequencies: Array = ((1.0, -0.5, 2.0),)

    def __post_init__(self) -> None:
        _keep(self, "frequencies", as_matrix("frequencies", self.frequencies, squared=False))

    @property
    def size(self) -> int:
        return 2 * int(self.frequencies.shape[1])

    def features(self, x: Array) -> Array:
        frequencies = like(self.frequencies, x)
        check_libraries({"x": x, "frequencies": frequencies})
        if frequencies.shape[0] != x.shape[1]:
            raise ValueError(
                f"x has {x.shape[1]} columns, the frequencies are for {frequencies.shape[0]}."
            )
        with no_overflow("x is far too large for these frequencies"):
            return linalg.waves(x @ frequencies)


@register("feature map")
@dataclass(frozen=True, eq=False)
class NystromFeatures(FeatureMap):
    """κ(x, landmarks) L⁻ᵀ with L Lᵀ = κ(landmarks, landmarks), rows scaled to norm 1.

    Adapts to the data and serves any kernel. Points far from every landmark are badly
    represented: take landmarks from the pooled sample. In single precision the features of a point
    that is more than about nine bandwidths of a Gaussian away from all of them are 0.

    Parameters
    ----------
    kernel : Kernel
    landmarks : array (D, d)
    ridge : float
        Added to the diagonal of the landmarks' Gram matrix; a few rounding errors by default.

    Examples
    --------
    >>> import numpy as np
    >>> NystromFeatures(Gaussian(1.0), np.array([[0.0]]))(np.array([[0.0]])).round(4)
    array([[1.]])
    """

    kernel: Kernel = field(default_factory=Gaussian)
    landmarks: Array = ((0.0,), (1.0,), (-1.5,))
    ridge: float = 1e-6

    def __post_init__(self) -> None:
        _keep(self, "landmarks", as_matrix("landmarks", self.landmarks))

    @property
    def size(self) -> int:
        return int(self.landmarks.shape[0])

    def features(self, x: Array) -> Array:
        landmarks = like(self.landmarks, x)
        check_libraries({"x": x, "landmarks": landmarks})
        if landmarks.shape[1] != x.shape[1]:
            raise ValueError(
                f"x has {x.shape[1]} columns, the landmarks have {landmarks.shape[1]}."
            )
        if is_numpy(x) and has_distance(self.kernel):
            with no_overflow("the bandwidth of the kernel is far too small for the scale of x"):
                return self.project(from_distances(self.kernel, self.distances(x)))
        landmarks = namespace(x).astype(landmarks, x.dtype)
        return self.project(grams.similarities(self.kernel, x, landmarks))

    def distances(self, x: Matrix) -> Matrix:
        """Of rows to the landmarks (n, D) in the metric of the kernel, on numpy.

        The same of a row whatever rows come with it, in batches of any length: taken about the
        median of the landmarks, as one row far out would round those it comes with.
        """
        assert has_distance(self.kernel)
        landmarks = to_numpy(self.landmarks).astype(x.dtype, copy=False)
        if self.kernel.metric != "sqeuclidean":
            return np.asarray(DISTANCES[self.kernel.metric](x, landmarks))
        centre = np.median(landmarks, axis=0)
        return np.asarray(linalg.squared_distances(x, landmarks, centre=centre))

    def project(self, similarities: Array) -> Array:
        """Features from κ(x, landmarks), for callers that have it already (n, D)."""
        xp = namespace(similarities)
        features = similarities @ xp.astype(self._root(similarities), similarities.dtype)
        squared = xp.sum(features * features, axis=1)
        smallest = float(xp.finfo(features.dtype).smallest_normal)
        if not is_numpy(squared) or squared.min() < smallest / epsilon(squared):
            # squares of what is far from every landmark would underflow
            largest = xp.max(xp.abs(detach(features)), axis=1)
            features = features / xp.clip(largest, min=smallest)[:, None]
            squared = xp.sum(features * features, axis=1)
        return features / xp.sqrt(xp.clip(squared, min=smallest))[:, None]

    def _root(self, reference: Array) -> Array:
        """L⁻ᵀ in the precision of the landmarks: smooth kernels' matrices are nearly singular."""
        if is_numpy(self.landmarks):
            return like(self._numpy_root, reference)
        landmarks = like(self.landmarks, reference)
        return linalg.inverse_root(grams.gram(self.kernel, landmarks), self.ridge)

    @cached_property
    def _numpy_root(self) -> Array:
        if has_distance(self.kernel):
            gram = from_distances(self.kernel, self.distances(self.landmarks))
        else:
            gram = grams.gram(self.kernel, self.landmarks)
        return linalg.inverse_root(gram, self.ridge)


def draw_frequencies(
    kernel: Kernel, dimension: int, count: int, *, rng: Seed = None, orthogonal: bool = True
) -> Matrix:
    """Fourier frequencies (d, D) of a shift-invariant kernel.

    Parameters
    ----------
    kernel : Gaussian, Laplace, Matern or RationalQuadratic
    dimension : int
        d, the number of columns.
    count : int
        D, the number of frequencies; the features are 2D.
    rng : int, Generator or None
    orthogonal : bool
        Frequencies orthogonal in blocks of d (each still follows its law): less variance.

    Examples
    --------
    >>> from samelaw import Gaussian
    >>> draw_frequencies(Gaussian(2.0), 3, 16, rng=0).shape
    (3, 16)
    """
    if not isinstance(kernel, ShiftInvariant):
        raise TypeError(
            f"{kernel!r} has no Fourier features; take Gaussian, Laplace, Matern or "
            "RationalQuadratic, or NystromEstimator for any kernel."
        )
    count, dimension = as_count("count", count), as_count("dimension", dimension)
    shape: tuple[int, ...] = np.shape(kernel.bandwidth)
    if shape and shape[0] != dimension:
        raise ValueError(f"the bandwidth is for {shape[0]} columns, not {dimension}.")
    generator = as_rng(rng)
    if orthogonal:
        normal = _orthogonal_normals(dimension, count, generator)
    else:
        normal = generator.standard_normal((dimension, count))
    uniform = generator.uniform(size=(dimension, count))
    return np.asarray(kernel.frequencies(normal, uniform))


def _orthogonal_normals(dimension: int, count: int, generator: np.random.Generator) -> Matrix:
    """Columns (d, D), orthogonal in blocks of d, each standard normal in law; O(d² D)."""
    size = min(dimension, count)
    drawn = [
        (generator.standard_normal((dimension, size)), generator.chisquare(dimension, size=size))
        for _ in range(-(-count // dimension))
    ]
    normals, lengths = (np.stack(part) for part in zip(*drawn, strict=True))
    bases, uppers = np.linalg.qr(normals)  # all blocks in one call: of few columns there are many
    bases *= np.sign(np.diagonal(uppers, axis1=1, axis2=2))[:, None, :]
    bases *= np.sqrt(lengths)[:, None, :]
    return np.moveaxis(bases, 0, 1).reshape(dimension, -1)[:, :count]
