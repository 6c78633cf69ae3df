"""Entropies as scalar functions of a spectrum.

An entropy holds its formula: the function φ applied to each eigenvalue, the link applied to the
sum, and, where φ is a polynomial, its coefficients, so that `samelaw.core.linalg` may take trace
moments instead of eigenvalues.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from samelaw.core.arrays import epsilon, is_numpy, namespace
from samelaw.core.checks import as_spectrum, no_overflow, shown
from samelaw.core.registry import register
from samelaw.core.types import Array


class Entropy(ABC):
    """S(A) = link(Σ_i φ(λ_i)) over the eigenvalues of a unit-trace operator."""

    @abstractmethod
    def phi(self, eigenvalues: Array) -> Array:
        """φ(λ), elementwise; finite with a finite gradient at λ = 0."""

    @abstractmethod
    def derivative(self, eigenvalues: Array) -> Array:
        """φ′(λ), elementwise: of φ as it is computed, so finite at λ = 0."""

    def link(self, total: Array) -> Array:
        """What is done to the sum; the identity unless stated."""
        return total

    def coefficients(self) -> tuple[float, ...] | None:
        """c_1, c_2, … with φ(λ) = Σ c_k λ^k, or None if φ is no polynomial (or a hard one)."""
        return None

    def mean(self, entropies: Sequence[Array], shares: Sequence[Array]) -> Array:
        """The mean of the entropies of operators that a divergence subtracts: Σ π_k S_k.

        With a link it must be the mean of what is inside, link(Σ π_k Σ_i φ(λ_i)): the difference
        to the entropy of the mixture is then a divergence, which with Σ π_k S_k it need not be.
        """
        if type(self).link is not Entropy.link:
            raise TypeError(
                f"{self!r} has a link but no mean(), so there is no divergence for it: write "
                "mean(entropies, shares), or take an entropy that is a plain sum."
            )
        return sum(p * own for p, own in zip(shares, entropies, strict=True))

    def bound(self, shares: Sequence[float] = (0.5, 0.5)) -> float:
        """The largest divergence there can be of laws with these shares; infinite if unknown.

        For a concave φ, Tr φ(A + B) ≤ Tr φ(A) + Tr φ(B) (Rotfel'd): a divergence is at most
        Σ_k Σ_i φ(π_k λ_i) − π_k φ(λ_i), which operators that share no direction attain. For the
        entropies here that is largest for one eigenvalue 1, or without limit.
        """
        return math.inf

    def __call__(self, eigenvalues: Array) -> Array:
        """The entropy of a spectrum (…, k)."""
        eigenvalues = as_spectrum(eigenvalues)
        if not is_numpy(eigenvalues):
            return self.of_spectrum(eigenvalues)
        with no_overflow("the eigenvalues are not those of a unit-trace operator, from 0 to 1"):
            return self.of_spectrum(eigenvalues)

    def of_spectrum(self, eigenvalues: Array) -> Array:
        """The formula, for real floating-point numbers."""
        return self.link(namespace(eigenvalues).sum(self.phi(eigenvalues), axis=-1))


def _floored(eigenvalues: Array) -> Array:
    """λ, held constant below the rounding noise.

    Masking λ > 0 instead would let the sign of that noise decide the gradient.
    """
    floor = epsilon(eigenvalues)
    if is_numpy(eigenvalues):
        return np.maximum(eigenvalues, floor)  # a tenth of the time of clip on a short spectrum
    return namespace(eigenvalues).clip(eigenvalues, min=floor)


def _above_noise(eigenvalues: Array, above: Array, below: Array) -> Array:
    """The slope above the rounding noise, and the one of the straight line below it."""
    return namespace(eigenvalues).where(eigenvalues > epsilon(eigenvalues), above, below)


@register("entropy")
@dataclass(frozen=True)
class VonNeumann(Entropy):
    """Von Neumann entropy −Σ λ log λ, in nats (definition 1 of the paper).

    Examples
    --------
    >>> import numpy as np
    >>> float(VonNeumann()(np.array([0.5, 0.5])).round(4))
    0.6931
    """

    def phi(self, eigenvalues: Array) -> Array:
        return -eigenvalues * namespace(eigenvalues).log(_floored(eigenvalues))

    def derivative(self, eigenvalues: Array) -> Array:
        logarithm = namespace(eigenvalues).log(_floored(eigenvalues))
        return _above_noise(eigenvalues, -logarithm - 1.0, -logarithm)

    def bound(self, shares: Sequence[float] = (0.5, 0.5)) -> float:
        """−Σ π log π, so log 2 for equal shares."""
        return -sum(p * math.log(p) for p in shares)


@register("entropy")
@dataclass(frozen=True)
class PowerSeries(Entropy):
    """The logarithm cut after ``order`` terms: S_p = Σ_i λ_i Σ_{j≤p} (1 − λ_i)^j / j.

    Proposition 9 of the paper. Order 1 makes RJSD a multiple of MMD² with the squared kernel,
    order → ∞ is the von Neumann entropy; order 10 is the paper's choice for tests.

    Parameters
    ----------
    order : int
        p, at least 1. Higher orders see smaller eigenvalues (rare regions, fine structure) and
        have more bias.

    Notes
    -----
    Evaluated in Horner form, stable in single precision and for orders in the hundreds.

    Examples
    --------
    >>> import numpy as np
    >>> float(PowerSeries(1)(np.array([0.5, 0.5])))
    0.5
    """

    order: int = 10

    def __post_init__(self) -> None:
        if type(self.order) is not int or self.order < 1:
            raise ValueError(
                f"order must be a whole number of at least 1, got {self.order!r}; "
                "for the infinite series use VonNeumann()."
            )

    def phi(self, eigenvalues: Array) -> Array:
        return eigenvalues * self._minus_log(1.0 - eigenvalues)

    def derivative(self, eigenvalues: Array) -> Array:
        # φ = λ g(u), u = 1 − λ: φ′ = g − λ Σ_{j<p} u^j, summed in Horner form as well.
        u = 1.0 - eigenvalues
        geometric = 1.0 + 0.0 * u
        for _ in range(self.order - 1):
            geometric = 1.0 + u * geometric
        return self._minus_log(u) - eigenvalues * geometric

    def bound(self, shares: Sequence[float] = (0.5, 0.5)) -> float:
        """The entropy of the shares: ½ at order 1, .6931 (log 2) less 1e-4 at order 10."""
        return sum(float(self.phi(p)) for p in shares)

    def _minus_log(self, u: Array) -> Array:
        total = u / self.order
        for j in range(self.order - 1, 0, -1):
            total = u * (1.0 / j + total)
        return total

    def coefficients(self) -> tuple[float, ...] | None:
        """H_p, −p, C(p,2)/2, −C(p,3)/3, …: alternating, so only where they are harmless."""
        p = self.order
        if p > 20:
            return None
        harmonic = sum(1.0 / j for j in range(1, p + 1))
        return (harmonic, *((-1) ** k * math.comb(p, k) / k for k in range(1, p + 1)))


@register("entropy")
@dataclass(frozen=True)
class Renyi(Entropy):
    """Rényi entropy log(Σ λ^α) / (1 − α); α = 1 is von Neumann, ∞ is −log λ_max.

    Parameters
    ----------
    alpha : float
        Order, positive; may be 1 or ``math.inf``.

    Notes
    -----
    It is not concave for α > 1, and S(Σ π_k C_k) − Σ π_k S(C_k) is then no divergence (−.9 for
    disjoint samples was seen); for α < 1 that has no bound. Divergences therefore take the mean
    inside the logarithm, log(Σ π_k Tr C_k^α) / (1 − α): from 0, for equal operators only, to
    −log min π (log 2 for equal shares), for every α.

    Examples
    --------
    >>> import numpy as np
    >>> float(Renyi(2)(np.array([0.5, 0.5])).round(4))
    0.6931
    """

    alpha: float = 2.0

    def __post_init__(self) -> None:
        if not self.alpha > 0:
            raise ValueError(f"alpha must be positive (inf is allowed), got {self.alpha!r}.")

    def phi(self, eigenvalues: Array) -> Array:
        if self.alpha == 1:
            return VonNeumann().phi(eigenvalues)
        return _power(eigenvalues, self.alpha)

    def derivative(self, eigenvalues: Array) -> Array:
        """Derivative of the inner function λ^α (von Neumann's at α = 1)."""
        if self.alpha == 1:
            return VonNeumann().derivative(eigenvalues)
        return _power_slope(eigenvalues, self.alpha)

    def link(self, total: Array) -> Array:
        if self.alpha == 1:
            return total
        xp = namespace(total)
        smallest = float(xp.finfo(total.dtype).smallest_normal)  # no spectrum has a sum of 0
        return xp.log(xp.clip(total, min=smallest)) / (1.0 - self.alpha)

    def mean(self, entropies: Sequence[Array], shares: Sequence[Array]) -> Array:
        """log(Σ π_k e^((1−α) S_k)) / (1 − α), the mean inside the logarithm; at ∞ the least S_k."""
        if self.alpha == 1:
            return VonNeumann().mean(entropies, shares)
        first, *others = entropies
        xp, most = namespace(first), first
        for other in others:  # the largest of the exponentials
            most = xp.minimum(most, other) if self.alpha > 1 else xp.maximum(most, other)
        if math.isinf(self.alpha):
            return most
        factor = 1.0 - self.alpha
        parts = zip(shares, entropies, strict=True)
        total = sum(p * xp.expm1(factor * (own - most)) for p, own in parts)
        return most + xp.log1p(total) / factor

    def bound(self, shares: Sequence[float] = (0.5, 0.5)) -> float:
        """−log min π: log 2 for equal shares."""
        if self.alpha == 1:
            return VonNeumann().bound(shares)
        return -math.log(min(shares))

    def coefficients(self) -> tuple[float, ...] | None:
        return _monomial(self.alpha)

    def of_spectrum(self, eigenvalues: Array) -> Array:
        if math.isinf(self.alpha):
            xp = namespace(eigenvalues)
            return -xp.log(_floored(xp.max(eigenvalues, axis=-1)))
        return super().of_spectrum(eigenvalues)


@register("entropy")
@dataclass(frozen=True)
class Tsallis(Entropy):
    """Tsallis entropy (1 − Σ λ^q) / (q − 1); q = 1 is von Neumann, q = 2 the purity gap.

    Notes
    -----
    Concave for every q, so a divergence is at least 0. For q ≥ 1 it is at most the entropy of the
    shares, (1 − 2^(1−q)) / (q − 1) for equal ones; for q < 1 it grows with the number of rows,
    as n^(1−q): take ``Renyi(q)``, which stays below log 2.

    Examples
    --------
    >>> import numpy as np
    >>> float(Tsallis(2)(np.array([0.5, 0.5])))
    0.5
    """

    q: float = 2.0

    def __post_init__(self) -> None:
        if not (self.q > 0 and math.isfinite(self.q)):
            raise ValueError(f"q must be positive and finite, got {self.q!r}.")

    def phi(self, eigenvalues: Array) -> Array:
        if self.q == 1:
            return VonNeumann().phi(eigenvalues)
        return (eigenvalues - _power(eigenvalues, self.q)) / (self.q - 1.0)

    def derivative(self, eigenvalues: Array) -> Array:
        if self.q == 1:
            return VonNeumann().derivative(eigenvalues)
        return (1.0 - _power_slope(eigenvalues, self.q)) / (self.q - 1.0)

    def bound(self, shares: Sequence[float] = (0.5, 0.5)) -> float:
        """The entropy of the shares for q ≥ 1; none for q < 1."""
        if self.q == 1:
            return VonNeumann().bound(shares)
        return (1.0 - sum(p**self.q for p in shares)) / (self.q - 1.0) if self.q > 1 else math.inf

    def coefficients(self) -> tuple[float, ...] | None:
        power = _monomial(self.q)
        if power is None:
            return None
        return tuple((float(k == 0) - c) / (self.q - 1.0) for k, c in enumerate(power))


@register("entropy")
@dataclass(frozen=True)
class LogDet(Entropy):
    """log det(I + C/γ) = Σ log(1 + λ/γ): volume, in which directions of any size count alike.

    Eigenvalues far below the ridge γ count linearly, those above it by their logarithm; so it sees
    changes of dependence in many dimensions, where other entropies look at the largest eigenvalues.

    Parameters
    ----------
    ridge : float
        γ.

    Examples
    --------
    >>> import numpy as np
    >>> float(LogDet(0.5)(np.array([0.5, 0.5])).round(4))
    1.3863
    """

    ridge: float = 1e-3

    def __post_init__(self) -> None:
        if not (self.ridge > 0 and math.isfinite(self.ridge)):
            raise ValueError(f"ridge must be positive and finite, got {self.ridge!r}.")

    def phi(self, eigenvalues: Array) -> Array:
        xp = namespace(eigenvalues)
        return xp.log1p(xp.clip(eigenvalues, min=0.0) / self.ridge)  # rounding goes below 0

    def derivative(self, eigenvalues: Array) -> Array:
        return 1.0 / (self.ridge + namespace(eigenvalues).clip(eigenvalues, min=0.0))

    def bound(self, shares: Sequence[float] = (0.5, 0.5)) -> float:
        """The largest of Σ_k φ(π_k λ) − π_k φ(λ) over λ, for 1/λ directions of each law."""
        values = np.geomspace(1e-3 * min(self.ridge, 1.0), 1.0, 2_000)
        gain = sum(self.phi(p * values) - p * self.phi(values) for p in shares) / values
        return float(1.0001 * np.max(gain))  # between the values, and then some


EntropyLike: TypeAlias = Entropy | float
"""What ``entropy=`` takes: an entropy, the order of a power series, or ``math.inf``."""


def as_entropy(entropy: EntropyLike) -> Entropy:
    """An entropy as it is; a number is the order of a power series, infinity von Neumann.

    Examples
    --------
    >>> as_entropy(10), as_entropy(math.inf)
    (PowerSeries(order=10), VonNeumann())
    """
    if isinstance(entropy, Entropy):
        return entropy
    if entropy == math.inf:
        return VonNeumann()
    if not isinstance(entropy, int | np.integer) or isinstance(entropy, bool):
        raise TypeError(
            f"entropy must be an Entropy such as PowerSeries(10), or an order such as 10 or "
            f"math.inf, got {shown(entropy)}."
        )
    return PowerSeries(int(entropy))


def as_additive(entropy: EntropyLike) -> Entropy:
    """An entropy that is a plain sum of φ over the eigenvalues; an error for others."""
    chosen = as_entropy(entropy)
    if type(chosen).link is not Entropy.link:
        raise TypeError(f"{chosen!r} is not a sum over eigenvalues, so rows have no shares in it.")
    return chosen


def divided_differences(entropy: Entropy, eigenvalues: Array) -> Array:
    """(φ′(a) − φ′(b)) / (a − b) for all pairs (k, k): the second derivative of Tr φ.

    Where a and b are close, a small symmetric step takes the place of their difference.
    """
    xp = namespace(eigenvalues)
    middle = 0.5 * (eigenvalues[:, None] + eigenvalues[None, :])
    half = 0.5 * xp.abs(eigenvalues[:, None] - eigenvalues[None, :])
    smallest = 1e-4 * middle + 1e-9
    half = xp.where(half > smallest, half, smallest)
    slopes = entropy.derivative(xp.stack([middle + half, middle - half]))
    return (slopes[0, ...] - slopes[1, ...]) / (2.0 * half)


def _power(eigenvalues: Array, exponent: float) -> Array:
    """λ^a, a > 0, with a finite gradient around 0: linear in λ below the rounding noise."""
    if exponent == int(exponent):
        return eigenvalues**exponent
    return eigenvalues * _floored(eigenvalues) ** (exponent - 1)


def _power_slope(eigenvalues: Array, exponent: float) -> Array:
    """The derivative of `_power`."""
    if exponent == int(exponent):
        return exponent * eigenvalues ** (exponent - 1)
    line = _floored(eigenvalues) ** (exponent - 1)
    return _above_noise(eigenvalues, exponent * line, line)


def _monomial(exponent: float) -> tuple[float, ...] | None:
    """Coefficients of λ^exponent for small whole exponents."""
    if exponent != int(min(exponent, 64)) or not 2 <= exponent <= 6:
        return None
    return (0.0,) * (int(exponent) - 1) + (1.0,)
