"""Harder pairs of laws whose density ratio is known: mixtures and heavy tails in any dimension.

A known ratio gives an oracle: the estimate of the Jensen–Shannon divergence that an estimator with
perfect knowledge would make on the same samples, the floor for all others.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from samelaw.core.checks import as_rng, check_positive
from samelaw.core.types import Matrix, Seed
from samelaw.problems.closed_forms import Problem, jsd_by_quadrature

_CHUNK = 1 << 16


class KnownRatio(Protocol):
    """A problem that can tell its density ratio."""

    def draw(self, n: int, m: int | None = None, *, rng: Seed = None) -> tuple[Matrix, Matrix]: ...
    def log_ratio(self, z: Matrix) -> Matrix: ...


def oracle_jsd(problem: KnownRatio, x: Matrix, y: Matrix) -> float:
    """The JSD from two samples by one who knows p/q: unbiased, and hard to beat.

    ½ mean_x log 2p/(p+q) + ½ mean_y log 2q/(p+q), in nats.

    Parameters
    ----------
    problem : with ``log_ratio(x)``, log p/q at rows (n, d)
    x, y : arrays (n, d) and (m, d)

    Examples
    --------
    >>> from samelaw.problems.closed_forms import CauchyPair
    >>> problem = CauchyPair(4.0)
    >>> bool(abs(oracle_jsd(problem, *problem.draw(5000, rng=0)) - problem.jsd()) < 0.02)
    True
    """
    of_x, of_y = _terms(problem, x, y)
    return float(0.5 * np.mean(of_x) + 0.5 * np.mean(of_y))


def _terms(problem: KnownRatio, x: Matrix, y: Matrix) -> tuple[Matrix, Matrix]:
    """log 2p/(p+q) of the rows of X and log 2q/(p+q) of the rows of Y."""
    return (
        math.log(2) - np.logaddexp(0.0, -problem.log_ratio(x)),
        math.log(2) - np.logaddexp(0.0, problem.log_ratio(y)),
    )


def sampled_jsd(problem: KnownRatio, draws: int = 1 << 22, *, rng: Seed = 0) -> tuple[float, float]:
    """The JSD by a large Monte Carlo run and its standard error, where there is no quadrature.

    Parameters
    ----------
    problem : with ``draw`` and ``log_ratio``
    draws : int
        Rows of each law.
    rng : int, Generator or None

    Returns
    -------
    value, standard error : float

    Examples
    --------
    >>> value, error = sampled_jsd(StudentPair(3, 2.0), 1 << 16)
    >>> 0.2 < value < 0.35, error < 2e-3
    (True, True)
    """
    generator = as_rng(rng)
    sums = np.zeros((2, 2))
    count = 0
    for start in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - start)
        for k, terms in enumerate(_terms(problem, *problem.draw(size, rng=generator))):
            sums[k] += np.sum(terms), np.sum(terms**2)
        count += size
    means, squares = (sums / count).T
    return float(means.mean()), float(np.sqrt(np.sum(squares - means**2) / count) / 2)


@dataclass(frozen=True)
class SplitGaussian(Problem):
    """½N(−gu, I) + ½N(gu, I) against the Gaussian with the same mean and covariance.

    Nothing up to the third moment tells the two apart. All coordinates share the direction u.

    Examples
    --------
    >>> SplitGaussian(16, 3.0).jsd().__round__(4) == SplitGaussian(1, 3.0).jsd().__round__(4)
    True
    """

    dimension: int = 2
    gap: float = 3.0

    def __post_init__(self) -> None:
        check_positive("gap", self.gap)

    def jsd(self) -> float:
        """By quadrature along u; the laws agree in all other directions."""
        reach = 10.0 * math.hypot(1.0, self.gap)
        return jsd_by_quadrature(self._split, self._wide, -reach, reach)

    def log_ratio(self, z: Matrix) -> Matrix:
        """log p(z)/q(z) of rows (n, d), as (n,)."""
        t = z.mean(axis=1) * math.sqrt(self.dimension)
        variance = 1.0 + self.gap**2
        bumps = np.logaddexp(self.gap * t, -self.gap * t) - math.log(2) - 0.5 * self.gap**2
        return np.asarray(bumps - 0.5 * t**2 + 0.5 * t**2 / variance + 0.5 * math.log(variance))

    def _split(self, t: float) -> float:
        return 0.5 * (_bell(t - self.gap) + _bell(t + self.gap))

    def _wide(self, t: float) -> float:
        scale = math.hypot(1.0, self.gap)
        return _bell(t / scale) / scale

    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        return self._along(self.gap * rng.choice([-1.0, 1.0], size=(n, 1)), rng)

    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        return self._along(self.gap * rng.standard_normal((m, 1)), rng)

    def _along(self, steps: Matrix, rng: np.random.Generator) -> Matrix:
        noise = rng.standard_normal((len(steps), self.dimension))
        return noise + steps / math.sqrt(self.dimension)


@dataclass(frozen=True)
class CrossedMixture(Problem):
    """Two Gaussians at ±(g, g) against two at ±(g, −g): every marginal law is the same.

    The first two coordinates matter, the others are noise. In u = (z₁+z₂)/√2, v = (z₁−z₂)/√2 the
    ratio is p/q = cosh(√2 g u) / cosh(√2 g v).

    Examples
    --------
    >>> CrossedMixture(2, 1.5).jsd().__round__(3)
    0.406
    """

    dimension: int = 2
    gap: float = 1.5

    def __post_init__(self) -> None:
        check_positive("gap", self.gap)
        if self.dimension < 2:
            raise ValueError(f"dimension must be at least 2, got {self.dimension}.")

    def jsd(self) -> float:
        """By the trapezoid rule in the plane, exact to rounding for laws this smooth."""
        reach = math.sqrt(2) * self.gap + 9.0
        t = np.linspace(-reach, reach, 801)
        slope = math.sqrt(2) * self.gap * t
        bumps = np.logaddexp(slope, -slope) - math.log(2) - self.gap**2  # log cosh, normalised
        plain = -0.5 * t**2 - 0.5 * math.log(2 * math.pi)
        density = np.exp((plain + bumps)[:, None] + plain[None, :])
        gap = math.log(2) - np.logaddexp(0.0, bumps[None, :] - bumps[:, None])
        return float(np.sum(density * gap) * (t[1] - t[0]) ** 2)  # P and Q contribute alike

    def log_ratio(self, z: Matrix) -> Matrix:
        """log p(z)/q(z) of rows (n, d), as (n,)."""
        u, v = self.gap * (z[:, 0] + z[:, 1]), self.gap * (z[:, 0] - z[:, 1])
        return np.asarray(np.logaddexp(u, -u) - np.logaddexp(v, -v))

    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        return self._draw(n, rng, 1.0)

    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        return self._draw(m, rng, -1.0)

    def _draw(self, count: int, rng: np.random.Generator, side: float) -> Matrix:
        out = rng.standard_normal((count, self.dimension))
        steps = self.gap * rng.choice([-1.0, 1.0], size=count)
        out[:, 0] += steps
        out[:, 1] += side * steps
        return out


@dataclass(frozen=True)
class StudentPair(Problem):
    """Multivariate Student laws, one shifted by ``shift`` along (1, …, 1)/√d: heavy tails.

    One degree of freedom in one dimension is `CauchyPair`. No quadrature: use `sampled_jsd`.

    Examples
    --------
    >>> StudentPair(4, 2.0, degrees=2.0).draw(3, rng=0)[0].shape
    (3, 4)
    """

    dimension: int = 2
    shift: float = 2.0
    degrees: float = 2.0

    def __post_init__(self) -> None:
        check_positive("degrees", self.degrees)

    def log_ratio(self, z: Matrix) -> Matrix:
        """log p(z)/q(z) of rows (n, d), as (n,)."""
        power = 0.5 * (self.degrees + self.dimension)
        near, far = (np.sum((z - c) ** 2, axis=1) for c in (0.0, self._step))
        return np.asarray(power * np.log((self.degrees + far) / (self.degrees + near)))

    @property
    def _step(self) -> float:
        return self.shift / math.sqrt(self.dimension)

    def draw_first(self, n: int, rng: np.random.Generator) -> Matrix:
        stretch = np.sqrt(self.degrees / rng.chisquare(self.degrees, size=(n, 1)))
        return np.asarray(stretch * rng.standard_normal((n, self.dimension)))

    def draw_second(self, m: int, rng: np.random.Generator) -> Matrix:
        return self._step + self.draw_first(m, rng)


def _bell(t: float) -> float:
    return math.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)
