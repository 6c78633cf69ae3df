"""RJSD to second order: a quadratic form in the labels, learnt from the pooled sample alone.

With C the pooled operator, Δ = C_X − C_Y and π the share of X, the first-order terms of RJSD
cancel and

    D = −½ π(1−π) · D²(Tr f)(C)[Δ, Δ] + O(Δ³).

With v = 1/n on X and −1/m on Y, Tr(C^a Δ C^b Δ) = vᵀ (P_{a+1} ∘ P_{b+1}) v, P_a = K^a / N^{a−1}, so
D ≈ π(1−π) vᵀQv with Q a function of the pooled Gram matrix only. Every permutation of the rows
then costs one quadratic form, as for MMD; for order 1 the formula is exact.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from samelaw.core.types import Matrix
from samelaw.kernels.entropies import (
    Entropy,
    LogDet,
    PowerSeries,
    Renyi,
    VonNeumann,
    divided_differences,
)

_DIRECT_ROWS = 128  # up to here the whole spectrum
_BULK = 1.02  # times the typical other eigenvalue, from which a direction stands for itself
_STRONG = 1.0  # order times eigenvalue from which the series is summed in closed form
SUBSPACE = 48  # vectors that carry the third and higher powers of the pooled operator
_FELT = 1e-9  # of the largest: below, an eigenvalue adds no more than rounding to the whole form
_NEGLIGIBLE = 1e-5  # pairs of eigenvectors below this share of the largest weight are left out
_STRIP = 64
_RESOLVENTS = 24  # nodes of the quadrature for von Neumann


@dataclass(frozen=True, eq=False)
class PooledGram:
    """The pooled Gram matrix with the powers that every order shares, each formed once.

    Parameters
    ----------
    matrix : array (N, N)
        K, numpy.
    start : array (N, r)
        Random start of the subspace iteration, drawn without regard to the labels, so that the
        statistic is a function of exchangeable rows.
    """

    matrix: Matrix
    start: Matrix

    @property
    def size(self) -> int:
        return len(self.matrix)

    @cached_property
    def constant(self) -> bool:
        """Whether all rows look alike: what higher powers add to a constant is rounding noise."""
        noise = 64 * float(np.finfo(self.matrix.dtype).eps)
        return float(np.ptp(self.matrix)) <= noise * float(np.abs(self.matrix).max())

    @cached_property
    def second(self) -> Matrix:
        """P_2 = K²/N; K @ Kᵀ lets BLAS use the symmetry."""
        product = self.matrix @ self.matrix.T
        product /= self.size
        return product

    @cached_property
    def subspace(self) -> tuple[Matrix, Matrix]:
        """Dominant eigenvalues of K/N and eigenvectors (N, r), by three subspace iterations."""
        basis = self.start.astype(self.matrix.dtype)
        basis, _ = np.linalg.qr(self.matrix @ (self.matrix @ basis) / self.size)
        basis, _ = np.linalg.qr(self.matrix @ basis)
        image = self.matrix @ basis
        values, rotation = np.linalg.eigh((basis.T @ image).astype(np.float64))
        values = np.clip(values / self.size, 0.0, None)
        return values, basis @ rotation.astype(basis.dtype)

    @cached_property
    def bulk(self) -> float:
        """A typical eigenvalue of K/N beside the dominant ones: Σ λ² / Σ λ over the others.

        At most the least of the dominant ones; where next to nothing is left, rounding is.
        """
        values, _ = self.subspace
        total = float(np.trace(self.matrix, dtype=np.float64)) / self.size - float(values.sum())
        squares = sum(float(np.vdot(row, row)) for row in self.matrix) / self.size**2
        typical = max(squares - float(values @ values), 0.0) / max(total, 1e-300)
        return min(typical, float(values.min()))

    @cached_property
    def _remainders(self) -> dict[int, tuple[Matrix, Matrix]]:
        return {}

    def without(self, count: int) -> tuple[Matrix, Matrix]:
        """R and R²/N, the pool without its ``count`` strongest directions.

        Squared after they are taken out: what they leave in K²/N is their rounding error.
        """
        if count not in self._remainders:
            values, vectors = self.subspace
            strong = vectors[:, len(values) - count :]
            weighted = strong * (self.size * values[len(values) - count :]).astype(strong.dtype)
            rest = self.matrix - weighted @ strong.T if count else self.matrix
            second = rest @ rest.T
            second /= self.size
            self._remainders[count] = rest, second
        return self._remainders[count]

    @cached_property
    def largest(self) -> float:
        """The largest eigenvalue of K/N."""
        if self.size <= _DIRECT_ROWS:
            return float(self.spectrum[0].max())
        return float(self.subspace[0].max())

    @cached_property
    def spectrum(self) -> tuple[Matrix, Matrix]:
        """All eigenvalues of K/N, clipped at zero, and eigenvectors."""
        values, vectors = np.linalg.eigh(self.matrix)
        return np.clip(values / self.size, 0.0, None), vectors


def quadratic_form(pooled: PooledGram, entropy: Entropy, *, scale: float = 1.0) -> Matrix:
    """The matrix Q (N, N) with RJSD ≈ π(1−π) vᵀQv.

    Parameters
    ----------
    pooled : PooledGram
    entropy : Entropy
        A polynomial one (power series of any order up to 20 and beyond by its own coefficients,
        Rényi and Tsallis of whole order), von Neumann or log det.
    scale : float
        Multiplies the operators before the entropy is taken (RJSD-Fuse divides the kernel).
    """
    if isinstance(entropy, VonNeumann) or (isinstance(entropy, Renyi) and entropy.alpha == 1):
        form = _resolvent_form(pooled)
        form *= scale  # otherwise scaling the operator only adds a multiple of the trace
        return form
    if isinstance(entropy, LogDet):
        return _ridge_form(pooled, entropy.ridge / scale)
    if isinstance(entropy, Renyi):
        scale = 1.0  # only adds a constant
    weights = polynomial_weights(entropy, scale)
    if weights is None:
        raise TypeError(f"{entropy!r} has no second-order form; use statistic=Exact().")
    if pooled.constant:
        return np.zeros_like(pooled.matrix)
    form = _polynomial_form(pooled, entropy, scale, weights)
    if isinstance(entropy, Renyi):
        return _through_logarithm(pooled, entropy, form)
    return form


def polynomial_weights(entropy: Entropy, scale: float = 1.0) -> list[float] | None:
    """w_k = −½ k c_k s^k for k = 0, 1, 2, …: the weight of P_a ∘ P_b with a + b = k in Q."""
    if isinstance(entropy, PowerSeries):
        order = entropy.order  # exact integers, so any is fine here
        curvature = [
            0.5 * (-1) ** k * math.comb(order, k - 1) * k / (k - 1) for k in range(2, order + 2)
        ]
    else:
        coefficients = entropy.coefficients()
        if coefficients is None:
            return None
        curvature = [-0.5 * k * c for k, c in enumerate(coefficients, start=1)][1:]
    return [0.0, 0.0, *(w * scale**k for k, w in enumerate(curvature, start=2))]


def _polynomial_form(
    pooled: PooledGram, entropy: Entropy, scale: float, weights: Sequence[float]
) -> Matrix:
    degree = len(weights) - 1
    if degree == 2:
        return weights[2] * (pooled.matrix * pooled.matrix)
    if degree == 3:
        return pooled.matrix * (weights[2] * pooled.matrix + (2 * weights[3]) * pooled.second)
    if pooled.size <= _DIRECT_ROWS:
        return _spectral_form(pooled, entropy, scale)
    form = np.empty_like(pooled.matrix)
    fill = _StripFiller(pooled, entropy, scale, weights)
    for start in range(0, pooled.size, _STRIP):
        strip = slice(start, start + _STRIP)
        form[strip] = fill(strip)
    return form


def _spectral_form(pooled: PooledGram, entropy: Entropy, scale: float) -> Matrix:
    """Q = Σ_kl g_kl (u_k∘u_l)(u_k∘u_l)ᵀ from the whole spectrum.

    As g is smooth, a few of its eigenvectors carry it, g = Σ_r c_r a_r a_rᵀ, and
    Q = Σ_r c_r (U diag(a_r) Uᵀ)∘². Eigenvalues that differ by rounding are made equal, lest their
    divided differences differ more.
    """
    values, vectors = pooled.spectrum
    largest = float(values.max())
    felt = values > _FELT * largest
    digits = 11 - math.floor(math.log10(max(largest, 1e-300)))
    table = _products(entropy, scale * np.round(values[felt], digits)) * float(pooled.size) ** 2
    weights, parts = np.linalg.eigh(table)
    form = np.zeros_like(pooled.matrix)
    directions = vectors[:, felt]
    for number in np.flatnonzero(np.abs(weights) > _FELT * np.abs(weights).max()):
        term = (directions * parts[:, number].astype(form.dtype)) @ directions.T
        term *= term
        term *= weights[number].astype(form.dtype)
        form += term
    return form


def _pairs(table: Matrix, vectors: Matrix) -> tuple[Matrix, Matrix]:
    """Σ_kl g_kl (u_k∘u_l)(u_k∘u_l)ᵀ: the pairs of directions that matter, and how much."""
    first, second = np.nonzero(np.triu(np.abs(table) > _NEGLIGIBLE * np.abs(table).max()))
    strength = np.where(first == second, 1.0, 2.0) * table[first, second]
    return vectors[:, first] * vectors[:, second], strength.astype(vectors.dtype)


def _products(entropy: Entropy, values: Matrix) -> Matrix:
    """g(λ, μ) = Σ_{a,b≥1} w_{a+b} λ^a μ^b = −½ λμ (f′(λ) − f′(μ))/(λ − μ), without the sum.

    The weights alternate and reach 10⁸ for order 30: summed, they would leave rounding errors.
    """
    return np.asarray(-0.5 * np.outer(values, values) * divided_differences(entropy, values))


class _Directions:
    """What each dominant direction of the pool adds to Q, beside the rest of the pool.

    The strong directions are taken out of P_1 and P_2 and enter with all their powers in closed
    form (`_products`); the weak ones stay in P_1 and P_2 and enter from the third power on, where
    the series converges fast.
    """

    def __init__(
        self, pooled: PooledGram, entropy: Entropy, scale: float, weights: Sequence[float]
    ) -> None:
        values, self.vectors = pooled.subspace
        scaled, size = scale * values, float(pooled.size)
        self.strong = strong = scaled * (len(weights) - 2) > _STRONG  # the last ones: λ ascend
        first, second = _first_and_second(entropy, scaled, -2.0 * weights[2] / scale**2)
        weak = np.where(strong, 0.0, values)
        weak[values < _BULK * pooled.bulk] = 0.0  # one like all the others: none by itself
        ones = np.where(strong, scale * first, _tail(weak, weights, 1))
        twos = np.where(strong, scale**2 * second, _tail(weak, weights, 2))
        self.with_first, self.with_second = 2.0 * size * ones, 2.0 * size * twos
        both = _products(entropy, scaled)
        few = scale * weak
        mixed = np.where(weak > 0.0, both - np.outer(first, few) - np.outer(second, few**2), 0.0)
        others = np.where(strong, mixed.T, _weak_products(weak, weights))
        table = np.where(strong[:, None], np.where(strong, both, mixed), others)
        self.columns, self.strength = _pairs(table * size**2, self.vectors)


def _first_and_second(entropy: Entropy, values: Matrix, bend: float) -> tuple[Matrix, Matrix]:
    """Σ_{b≥1} w_{1+b} λ^b and Σ_{b≥1} w_{2+b} λ^b from slopes of f; ``bend`` is f″(0)."""
    slope = entropy.derivative(values) - entropy.derivative(np.zeros(1))
    return -0.5 * slope, -0.5 * (slope / np.maximum(values, 1e-300) - bend)


class _StripFiller:
    """Rows of Σ w_{a+b} P_a ∘ P_b: P_1 and P_2 as they are, higher powers from the subspace.

    A strip at a time, so that the dozen elementwise passes stay in the cache.
    """

    def __init__(
        self, pooled: PooledGram, entropy: Entropy, scale: float, weights: Sequence[float]
    ) -> None:
        self.weights = weights
        self.found = found = _Directions(pooled, entropy, scale, weights)
        self.vectors = found.vectors
        self.first, self.second = pooled.without(int(found.strong.sum()))
        self.ones = self.vectors * found.with_first.astype(self.vectors.dtype)
        self.twos = self.vectors * found.with_second.astype(self.vectors.dtype)

    def __call__(self, strip: slice) -> Matrix:
        first, second, weights = self.first[strip], self.second[strip], self.weights
        partner = self.ones[strip] @ self.vectors.T
        partner += weights[2] * first
        partner += (2 * weights[3]) * second
        partner *= first
        other = self.twos[strip] @ self.vectors.T
        other += weights[4] * second
        other *= second
        partner += other
        partner += (self.found.columns[strip] * self.found.strength) @ self.found.columns.T
        return np.asarray(partner)


def _tail(values: Matrix, weights: Sequence[float], low: int) -> Matrix:
    """Σ_{b≥3} w_{low+b} λ^b, in Horner form."""
    total = np.zeros_like(values)
    for b in range(len(weights) - 1 - low, 2, -1):
        total = total * values + weights[low + b]
    return np.asarray(total * values**3)


def _weak_products(values: Matrix, weights: Sequence[float]) -> Matrix:
    """Σ_{a,b≥3} w_{a+b} λ^a μ^b for all pairs: short, as the terms fall fast."""
    degree = len(weights) - 1
    powers = values[None, :] ** np.arange(degree + 1)[:, None]
    table = np.zeros((len(values), len(values)))
    for a in range(3, degree - 2):
        tail = sum(weights[a + b] * powers[b] for b in range(3, degree - a + 1))
        table += np.outer(powers[a], tail)
    return table


def _resolvent_form(pooled: PooledGram) -> Matrix:
    """Von Neumann: Q = ½ ∫ R_t ∘ R_t dt with R_t = K (K/N + t)⁻¹, by quadrature in log t.

    The divided differences of log are ∫ dt / ((λ_a + t)(λ_b + t)). Eigenvalues below the noise
    are held at the noise: f″ is unbounded at zero.
    """
    values, vectors = pooled.spectrum
    floor = max(float(values.max()) * 1e-6, 1e-12)
    low, high = math.log(floor * 1e-2), math.log(float(values.max()) * 1e3)
    nodes, heights = np.polynomial.legendre.leggauss(_RESOLVENTS)
    form = np.zeros_like(pooled.matrix)
    for node, height in zip(nodes, heights, strict=True):
        t = math.exp(0.5 * (high - low) * node + 0.5 * (high + low))
        resolvent = (vectors * (pooled.size * values / (values + t))) @ vectors.T
        resolvent *= resolvent
        resolvent *= 0.25 * (high - low) * height * t
        form += resolvent
    return form


def _ridge_form(pooled: PooledGram, ridge: float) -> Matrix:
    """Log det: Q = ½ R ∘ R with the one resolvent R = K (K/N + γ)⁻¹ = N(I − γ (K/N + γ)⁻¹)."""
    from scipy.linalg import cho_factor, cho_solve

    regular = pooled.matrix.astype(np.float64) / pooled.size
    regular[np.diag_indices(pooled.size)] += ridge
    inverse = cho_solve(cho_factor(regular, overwrite_a=True), np.eye(pooled.size))
    resolvent = -ridge * pooled.size * inverse
    resolvent[np.diag_indices(pooled.size)] += pooled.size
    return np.asarray(0.5 * resolvent * resolvent, dtype=pooled.matrix.dtype)


def _through_logarithm(pooled: PooledGram, entropy: Renyi, form: Matrix) -> Matrix:
    """The chain rule through log(Tr C^α)/(1−α), whose mean is taken inside: a rescaled form."""
    values, _ = pooled.spectrum
    return form / ((1.0 - entropy.alpha) * float(np.sum(values**entropy.alpha)))
