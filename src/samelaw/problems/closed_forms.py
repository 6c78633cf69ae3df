"""Pairs of laws to sample from, with the divergence between them in closed form.

Every problem is a frozen object: `draw` gives two samples, the other methods the answer an
estimate of it should approach. Divergences are in nats; ``share`` is the weight π of the first law
in the mixture.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from samelaw.core.checks import as_rng, as_share, check_positive
from samelaw.core.types import Array, Matrix, Seed
from samelaw.kernels.algebra import Precomputed
from samelaw.kernels.entropies import Entropy, VonNeumann
from samelaw.kernels.operators import jensen_difference, mixture


class Problem(ABC):
    """Two laws P and Q on the same space."""

    def draw(self, n: int, m: int | None = None, *, rng: Seed = None) -> tuple[Matrix, Matrix]:
        """Samples (n, d) of P and (m, d) of Q; ``m`` is ``n`` unless given."""
        generator = as_rng(rng)
        return self.draw_first(n, generator), self.draw_second(n if m is None else m, generator)

    @abstractmethod
    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        """A sample (n, d) of P."""

    @abstractmethod
    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        """A sample (m, d) of Q."""


@dataclass(frozen=True)
class CauchyPair(Problem):
    """Cauchy laws at 0 and at ``location`` with their scales (section 5.1 of the paper).

    JSD = log(2r / (r + 2√(s₁s₂))), r = √(l² + (s₁+s₂)²), after Nielsen and Okamura (2022).

    Examples
    --------
    >>> CauchyPair.with_jsd(0.5 * math.log(2)).location.__round__(6)
    4.394736
    >>> x, y = CauchyPair(3.0).draw(5, 4, rng=0)
    >>> x.shape, y.shape
    ((5, 1), (4, 1))
    """

    location: float = 2.0
    scales: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self) -> None:
        check_positive("scales", self.scales)

    @classmethod
    def with_jsd(cls, value: float) -> "CauchyPair":
        """Unit scales and the location at which the divergence is ``value``."""
        if not 0 <= value < math.log(2):
            raise ValueError(f"value must lie in [0, log 2), got {value!r}.")
        a = math.exp(value)
        return cls(math.sqrt((2 * a / (2 - a)) ** 2 - 4))

    def jsd(self) -> float:
        """The Jensen–Shannon divergence of the two laws, in closed form."""
        reach = math.hypot(self.location, sum(self.scales))
        return math.log(2 * reach / (reach + 2 * math.sqrt(math.prod(self.scales))))

    def log_ratio(self, z: Matrix) -> Matrix:
        """log p(z)/q(z) of rows (n, 1), as (n,)."""
        first, second = self.scales
        away = (second**2 + (z[:, 0] - self.location) ** 2) / (first**2 + z[:, 0] ** 2)
        return np.asarray(math.log(first / second) + np.log(away))

    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        return self.scales[0] * rng.standard_cauchy((n, 1))

    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        return self.location + self.scales[1] * rng.standard_cauchy((m, 1))


@dataclass(frozen=True)
class PointMasses(Problem):
    """Two different points: the divergence is the entropy of the weights, log 2 when balanced.

    Examples
    --------
    >>> PointMasses().jsd().__round__(4)
    0.6931
    """

    gap: float = 1.0
    dimension: int = 1

    def jsd(self, share: float = 0.5) -> float:
        """The entropy of the shares: the laws have nothing in common."""
        return shannon_entropy((share, 1.0 - as_share("share", share)))

    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        return np.zeros((n, self.dimension))

    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        return np.full((m, self.dimension), self.gap)


def shannon_entropy(probabilities: Array) -> float:
    """−Σ p log p in nats.

    Parameters
    ----------
    probabilities : array (k,)

    Examples
    --------
    >>> shannon_entropy([0.5, 0.5, 0.0]).__round__(4)
    0.6931
    """
    values = np.asarray(probabilities, dtype=np.float64)
    values = values[values > 0]
    return float(-np.sum(values * np.log(values)))


@dataclass(frozen=True, eq=False)
class DiscretePair(Problem):
    """Two laws on the codes 0, 1, …, k−1.

    Parameters
    ----------
    first, second : arrays (k,)
        Probabilities, scaled to sum 1.

    Examples
    --------
    >>> problem = DiscretePair([0.6, 0.4], [0.4, 0.6])
    >>> problem.jsd().__round__(5)
    0.02014
    """

    first: Array = (0.6, 0.4)
    second: Array = (0.4, 0.6)

    def __post_init__(self) -> None:
        for name in ("first", "second"):
            object.__setattr__(self, name, _as_law(name, getattr(self, name)))
        if len(self.first) != len(self.second):
            raise ValueError(
                f"first has {len(self.first)} atoms, second {len(self.second)}; both laws live "
                "on the same atoms, so give the missing ones probability 0."
            )

    def jsd(self, share: float = 0.5) -> float:
        """The Jensen–Shannon divergence with this share of the first law in the mixture."""
        share = as_share("share", share)
        mixed = share * self.first + (1.0 - share) * self.second
        inner = [shannon_entropy(law) for law in (self.first, self.second)]
        return float(jensen_difference(shannon_entropy(mixed), inner, (share, 1.0 - share)))

    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        return _draw_codes(self.first, n, rng)

    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        return _draw_codes(self.second, m, rng)


def _as_law(name: str, values: Array) -> Matrix:
    law = np.asarray(values, dtype=np.float64)
    if law.ndim != 1 or not np.all(np.isfinite(law)) or np.any(law < 0) or law.sum() <= 0:
        raise ValueError(f"{name} must be a list of non-negative numbers with a positive sum.")
    return np.asarray(law / law.sum())


def _draw_codes(law: Matrix, count: int, rng: np.random.Generator) -> Matrix:
    return rng.choice(len(law), size=(count, 1), p=law).astype(np.float64)


@dataclass(frozen=True, eq=False)
class FiniteFeatures(Problem):
    """Two laws on k atoms seen through k unit vectors: covariance operators known exactly.

    Samples are atom numbers; `kernel` looks up the inner product of their vectors. Orthonormal
    vectors make RJSD the classical Jensen–Shannon divergence.

    Parameters
    ----------
    features : array (k, D)
        φ of each atom, scaled to norm 1.
    first, second : arrays (k,)
        Probabilities of the atoms.

    Examples
    --------
    >>> problem = FiniteFeatures.random(4, 3, rng=0)
    >>> bool(0 < problem.rjsd() < DiscretePair(problem.first, problem.second).jsd())
    True
    """

    features: Array
    first: Array
    second: Array

    def __post_init__(self) -> None:
        pair = DiscretePair(self.first, self.second)
        vectors = np.asarray(self.features, dtype=np.float64)
        if vectors.ndim != 2 or len(vectors) != len(pair.first):
            raise ValueError(
                f"features have shape {vectors.shape}; expected one row per atom, "
                f"({len(pair.first)}, D)."
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        check_positive("norms of the features", norms)
        object.__setattr__(self, "features", vectors / norms)
        object.__setattr__(self, "first", pair.first)
        object.__setattr__(self, "second", pair.second)

    @classmethod
    def random(cls, atoms: int, size: int, *, rng: Seed = None) -> "FiniteFeatures":
        """Gaussian directions and laws uniform on the simplex."""
        generator = as_rng(rng)
        return cls(
            generator.standard_normal((atoms, size)),
            generator.dirichlet(np.ones(atoms)),
            generator.dirichlet(np.ones(atoms)),
        )

    def kernel(self) -> Precomputed:
        """κ(a, b) = ⟨φ_a, φ_b⟩ on atom numbers."""
        return Precomputed(self.features @ self.features.T)

    def operators(self) -> tuple[Matrix, Matrix]:
        """C_P and C_Q, both (D, D): Σ_a p_a φ_a φ_aᵀ."""
        phi = self.features
        return (phi.T * self.first) @ phi, (phi.T * self.second) @ phi

    def rjsd(self, entropy: Entropy | None = None, share: float = 0.5) -> float:
        """The population value of RJSD; von Neumann unless another entropy is given."""
        share = as_share("share", share)
        chosen = VonNeumann() if entropy is None else entropy
        first, second = self.operators()
        shares = (share, 1.0 - share)
        operators = (mixture((first, second), shares), first, second)
        mixed, *inner = (float(chosen(np.linalg.eigvalsh(c))) for c in operators)
        return float(jensen_difference(mixed, inner, shares))

    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        return _draw_codes(self.first, n, rng)

    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        return _draw_codes(self.second, m, rng)


@dataclass(frozen=True)
class FourGaussians(Problem):
    """The paper's mixture: four Gaussians at (±μ, ±μ), one of Q's with standard deviation σ.

    Equal laws at σ = 1 (section 5.3 of the paper).

    Examples
    --------
    >>> x, y = FourGaussians(deviation=2.0).draw(6, 3, rng=0)
    >>> x.shape, y.shape
    ((6, 2), (3, 2))
    """

    mean: float = 20.0
    deviation: float = 1.0

    def __post_init__(self) -> None:
        check_positive("deviation", self.deviation)

    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        return self._draw(n, rng, 1.0)

    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        return self._draw(m, rng, self.deviation)

    def _draw(self, count: int, rng: np.random.Generator, deviation: float) -> Matrix:
        signs = rng.choice([-1.0, 1.0], size=(count, 2))
        fourth = np.all(signs > 0, axis=1, keepdims=True)
        noise = rng.standard_normal((count, 2))
        return self.mean * signs + noise * np.where(fourth, deviation, 1.0)


@dataclass(frozen=True, eq=False)
class GaussianPair(Problem):
    """N(0, I) and N(mean, covariance) in d dimensions.

    Examples
    --------
    >>> GaussianPair.mean_shift(10, 2.0).jsd().__round__(5)
    0.33683
    """

    mean: Array
    covariance: Array

    def __post_init__(self) -> None:
        mean = np.asarray(self.mean, dtype=np.float64)
        covariance = np.asarray(self.covariance, dtype=np.float64)
        if mean.ndim != 1 or covariance.shape != (len(mean), len(mean)):
            raise ValueError(
                f"mean has shape {mean.shape}, covariance {covariance.shape}; "
                "expected (d,) and (d, d)."
            )
        check_positive("eigenvalues of the covariance", np.linalg.eigvalsh(covariance))
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "covariance", covariance)

    @classmethod
    def mean_shift(cls, dimension: int, size: float) -> "GaussianPair":
        """A shift of Euclidean length ``size``, spread over all coordinates."""
        return cls(np.full(dimension, size / math.sqrt(dimension)), np.eye(dimension))

    @classmethod
    def scale_shift(cls, dimension: int, factor: float) -> "GaussianPair":
        """All standard deviations multiplied by ``factor``."""
        return cls(np.zeros(dimension), factor**2 * np.eye(dimension))

    @classmethod
    def correlation_shift(cls, dimension: int, correlation: float) -> "GaussianPair":
        """Equal marginals; all pairs of coordinates of Q have the same correlation."""
        equal = np.full((dimension, dimension), correlation)
        return cls(np.zeros(dimension), equal + (1.0 - correlation) * np.eye(dimension))

    def jsd(self) -> float:
        """By quadrature over one sufficient statistic, for shifts of mean or of scale alone."""
        size, scale = float(np.linalg.norm(self.mean)), math.sqrt(float(self.covariance[0, 0]))
        isotropic = np.array_equal(self.covariance, scale**2 * np.eye(len(self.mean)))
        if isotropic and scale == 1:
            return jsd_by_quadrature(_normal(0.0), _normal(size), -10.0, size + 10.0)
        if isotropic and size == 0:
            dimension = len(self.mean)
            reach = max(1.0, scale) * (math.sqrt(dimension) + 10.0)
            return jsd_by_quadrature(_chi(dimension, 1.0), _chi(dimension, scale), 0.0, reach)
        raise ValueError("only a shift of the mean or of the scale alone has a one-line answer.")

    def log_ratio(self, z: Matrix) -> Matrix:
        """log p(z)/q(z) of rows (n, d), as (n,)."""
        root = np.linalg.cholesky(self.covariance)
        away = np.linalg.solve(root, (z - self.mean).T)
        gap = np.sum(away**2, axis=0) - np.sum(z**2, axis=1)
        return np.asarray(0.5 * gap + np.sum(np.log(np.diagonal(root))))

    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        return rng.standard_normal((n, len(self.mean)))

    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        root = np.linalg.cholesky(self.covariance)
        return np.asarray(self.mean + rng.standard_normal((m, len(self.mean))) @ root.T)


def _normal(mean: float) -> Callable[[float], float]:
    return lambda t: math.exp(-0.5 * (t - mean) ** 2) / math.sqrt(2 * math.pi)


def _chi(degrees: int, scale: float) -> Callable[[float], float]:
    """The density of ``scale`` times the length of a standard normal vector."""
    constant = (1 - degrees / 2) * math.log(2) - math.lgamma(degrees / 2) - math.log(scale)

    def density(radius: float) -> float:
        r = max(radius / scale, 1e-300)
        return math.exp(constant + (degrees - 1) * math.log(r) - 0.5 * r * r)

    return density


def jsd_by_quadrature(
    first: Callable[[float], float], second: Callable[[float], float], low: float, high: float
) -> float:
    """Jensen–Shannon divergence of two densities on an interval of the line.

    Parameters
    ----------
    first, second : callable
        Densities at a point.
    low, high : float
        The ends of the interval, outside which both are 0 or nearly so.

    Examples
    --------
    >>> left, right = (lambda t: float(t < 1)), (lambda t: float(t >= 1))
    >>> jsd_by_quadrature(left, right, 0.0, 2.0).__round__(4)  # disjoint: log 2
    0.6931
    """
    from scipy.integrate import quad

    def gap(t: float) -> float:
        p, q = first(t), second(t)
        return 0.5 * sum(v * math.log(2 * v / (p + q)) for v in (p, q) if v > 0)

    pieces = np.linspace(low, high, 65)  # so that no narrow peak falls between the nodes
    return float(sum(quad(gap, a, b, epsabs=1e-13)[0] for a, b in pairwise(pieces)))
