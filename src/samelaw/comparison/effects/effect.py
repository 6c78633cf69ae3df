"""How large a change is: bias-corrected balanced RJSD on fixed unit-norm features, over log 2.

The features are a function of the pool, their operators a coarser view of the rows; the balanced
von Neumann divergence of the operators is at most the Jensen–Shannon divergence of the laws, and
that over log 2 is at most their total variation: the least share of rows that must change to turn
one law into the other. For one column the operators are diagonal and the divergence is that of
the binned laws.

The plain estimate is too large, by an amount that depends on the sizes and the laws of both
tables. It is known at two places: where the tables are alike, by permutations, and where they are
as far apart as they look, by drawing or leaving out rows of each. In between it is a line.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from samelaw.comparison.effects.intervals import BEND, Effect
from samelaw.core.types import Matrix
from samelaw.kernels.entropies import VonNeumann
from samelaw.kernels.operators import entropy_gap
from samelaw.testing.permuting.units import Units

_FEW = 40.0  # rows of a class, above which an expansion takes the place of a sum


_TERMS = 96


_CHUNK = 4_096


def count_divergences(first: Matrix, second: Matrix) -> Matrix:
    """Balanced von Neumann divergences (B,) over log 2, from counts (B, r) of two tables.

    All rows of ``first`` have one sum, and so have those of ``second``. Values may be negative.
    """
    if first[0].sum() < second[0].sum():
        first, second = second, first
    sizes = [float(counts[0].sum()) for counts in (first, second)]
    own = [
        math.log(size) - _terms(counts).sum(axis=1) / size
        for counts, size in zip((first, second), sizes, strict=True)
    ]
    mixed = _thinned(first, second, sizes[1] / sizes[0]).sum(axis=1) / (2.0 * sizes[1])
    both = math.log(2.0 * sizes[1]) - mixed
    return np.asarray((both - 0.5 * own[0] - 0.5 * own[1]) / math.log(2.0))


def _terms(counts: Matrix) -> Matrix:
    """k ψ(k) of each count, and 0 of none."""
    from scipy.special import digamma

    return np.where(counts > 0, counts * digamma(np.maximum(counts, 1.0)), 0.0)


def _thinned(first: Matrix, second: Matrix, share: float) -> Matrix:
    """The mean of (K + b) ψ(K + b) if every one of the a rows is kept with this probability."""
    if share == 1.0:
        return _terms(first + second)
    base = float(second.max()) + 1.0
    pairs, place = np.unique(first * base + second, return_inverse=True)
    a, b = np.divmod(pairs, base)
    found = _expanded(share * a + b, share * (1.0 - share) * a, share)
    few = np.flatnonzero(share * a + b < _FEW)
    for start in range(0, len(few), _CHUNK):
        some = few[start : start + _CHUNK]
        found[some] = _summed(a[some], b[some], share)
    return np.asarray(found[place.reshape(first.shape)])


def _expanded(mean: Matrix, variance: Matrix, share: float) -> Matrix:
    """The mean of x log x − ½ − 1/12x for a binomial number and a fixed one, of many rows."""
    x = np.maximum(mean, 1.0)
    cubes = variance * (1.0 - 2.0 * share)
    return np.asarray(
        x * np.log(x)
        - 0.5
        - 1.0 / (12.0 * x)
        + variance / (2.0 * x)
        - cubes / (6.0 * x**2)
        + variance**2 / (4.0 * x**3)
    )


def _summed(a: Matrix, b: Matrix, share: float) -> Matrix:
    from scipy.special import gammaln

    kept = np.arange(_TERMS)
    rest = np.maximum(a[:, None] - kept, 0.0)
    chance = gammaln(a + 1.0)[:, None] - gammaln(kept + 1.0) - gammaln(rest + 1.0)
    chance += kept * math.log(share) + rest * math.log1p(-share)
    chance = np.where(kept <= a[:, None], np.exp(chance), 0.0)
    return np.asarray((chance * _terms(kept + b[:, None])).sum(axis=1))


_DRAWS = 200
_LEFT_OUT = 150  # units of each table; what the others would add is known to first order
_LEFT_OUT_AGAIN = 40  # of both permuted tables, more of the smaller: it has most of the bias
_MOST_MISSING = 0.5
_NO_DOUBT = 0.2  # null deviations; the mean of a hundred permutations is known to a tenth
_BITS = math.log(2.0)
_VON_NEUMANN = VonNeumann()


def effect_size(
    operators: Matrix, units: Units, memberships: Matrix, rng: np.random.Generator
) -> Effect:
    """The effect of the observed labels without the bias of the two tables.

    Parameters
    ----------
    operators : array (U, r) or (U, r, r)
        Sum over the rows of each unit of φφᵀ; only its diagonal if the features are indicators.
    memberships : array (B + 1, U)
        Memberships, the observed one first; a hundred suffice.
    rng : Generator
        For the draws behind the bias and the error of tables that differ.

    Notes
    -----
    With bias and variance β, ν at 0 and β₁, ν₁ at an effect θ₁, the estimate solves
    observed = θ + β + slope · θ. Close to 0 the slope would be noise over noise: there it gives
    way to −β, as if the bias vanished in proportion when the tables part.
    """
    if not operators.any():  # no row has a value
        return Effect(0.0, 0.0, 0.0, 0.0, 0.0)
    tables = _Tables(operators, units, memberships[0])
    values = tables.permuted(memberships)
    observed, null = float(values.corrected[0]), values.corrected[1:]
    bias, spread = float(null.mean()), float(null.std())
    effect, there, variance = tables.apart(rng, bias, memberships[1])
    slope = (there - bias * (1.0 - effect)) / max(effect + spread, 1e-12) - bias
    if tables.counted:  # too little is left to be told from laws that are rougher than the truth
        slope = -bias
    steep = 1.0 + min(max(slope, -0.8), 1.0)
    few = min(tables.counts)
    variance *= few / max(few - 3, 1)  # of t with as many rows, whose variance is not known either
    growth = max(
        (variance - spread**2) / max(effect + spread, 1e-12),
        tables.influence_variance() / max(tables.observed, 1e-12),
    )
    # as for χ², whose skewness is twice its deviation over its mean
    plain = values.plain[1:]
    skewness = 2.0 * float(plain.std()) / max(float(plain.mean()), 1e-12) if spread > 0.0 else 0.0
    value = min(max((observed - bias) / steep, 0.0), 1.0)
    growth /= steep**2 * max(1.0 - value, 1.0 / few) ** BEND
    doubt = max(bias - _NO_DOUBT * spread, 0.0) if tables.counted else 0.0
    return Effect(value, spread / steep, min(skewness, 3.0), growth, value / few, doubt)


def _settled(law: Matrix) -> Matrix:
    """Shares without their last digits: draws would depend on them, and they on the processor."""
    rounded = np.round(law / float(law.max()), 11)
    return np.asarray(rounded / math.fsum(rounded))


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Rows of one class each, and those without a value, which are all alike: few to draw from."""

    operators: Matrix
    of_unit: Matrix

    @classmethod
    def of(cls, operators: Matrix) -> "_Kinds":
        known = operators.max(axis=1) == 1.0
        kinds = np.concatenate([np.eye(operators.shape[1]), operators[~known][:1]])
        return cls(kinds, np.where(known, operators.argmax(axis=1), operators.shape[1]))


class _Values(NamedTuple):
    """Effects (B + 1,), the observed one first: as they are, and without most of their bias."""

    plain: Matrix
    corrected: Matrix


class _Tables:
    """The operators of two tables, and what they would be with other rows."""

    def __init__(self, operators: Matrix, units: Units, member: Matrix) -> None:
        self.operators, self.units = operators, units
        self.sides = (np.flatnonzero(member), np.flatnonzero(~member))
        self.counts = (len(self.sides[0]), len(self.sides[1]))
        self.joint = operators.ndim == 3
        shares = units.shares(member[None])
        self.densities = tuple(np.tensordot(share[0], operators, axes=1) for share in shares)

    @cached_property
    def observed(self) -> float:
        return float(divergences(self.densities[0][None], self.densities[1][None])[0])

    def apart(
        self, rng: np.random.Generator, bias: float, permuted: Matrix
    ) -> tuple[float, float, float]:
        """Effect, bias and variance where the tables are as far apart as they look.

        Strata weigh their rows against each other; there the bias is taken to vanish in
        proportion, and the variance to be that of the influences.
        """
        strata = self.units.labels.strata
        if strata is not None and int(strata.max()) > 0:
            effect = max(self.observed - bias, 0.0)
            return effect, bias * (1.0 - effect), 0.0
        if not self.joint:
            return self.redrawn(rng)
        alike = _Tables(self.operators, self.units, permuted)
        return self.left_out(rng, alike.bias_again(rng) - bias)

    def permuted(self, memberships: Matrix) -> "_Values":
        """Effects under each permutation, with their bias."""
        shape = self.operators.shape[1:]
        flat = self.operators.reshape(len(self.operators), -1)
        first, second = _densities(flat, self.units, memberships)
        plain = divergences(first.reshape(-1, *shape), second.reshape(-1, *shape))
        return _Values(plain, self._by_counts(first, second) if self.counted else plain)

    def _by_counts(self, first: Matrix, second: Matrix) -> Matrix:
        """Effects of shares (B, r) without most of their bias."""
        rows = [float(self.units.sizes[side].sum()) for side in self.sides]
        return count_divergences(np.rint(first * rows[0]), np.rint(second * rows[1]))

    def redrawn(self, rng: np.random.Generator) -> tuple[float, float, float]:
        """Effect, bias and variance if the tables were drawn from laws as far apart as these.

        A class that one table does not have may just have been missed: as much of the law as
        its classes with a single unit hold (Good and Turing) goes to classes of the other table.
        """
        laws, draws = zip(*(self._redraw(rng, k) for k in (0, 1)), strict=True)
        effect = float(divergences(laws[0][None], laws[1][None])[0])
        values = (self._by_counts if self.counted else divergences)(draws[0], draws[1])
        return effect, float(values.mean()) - effect, float(values.var())

    @cached_property
    def counted(self) -> bool:
        """Whether operators are counts of rows, and every permutation has as many of them."""
        sizes, operators = self.units.sizes, self.operators
        if self.joint or not self.units.labels.uniform or sizes.min() < sizes.max():
            return False
        return bool(np.all(operators == np.rint(operators)))

    def _redraw(self, rng: np.random.Generator, k: int) -> tuple[Matrix, Matrix]:
        """The law (r,) of a table and shares (B, r) of as many units drawn from it."""
        weights = self._weights(k)
        rows = float(weights @ self.units.sizes)
        count, law = self.counts[k], _settled(weights @ self.operators / rows)
        if (kinds := self._kinds) is None:
            drawn = rng.multinomial(count, _settled(weights), _DRAWS).astype(np.float64)
            return law, drawn @ self.operators / (drawn @ self.units.sizes)[:, None]
        shares = _settled(np.bincount(kinds.of_unit, weights, len(kinds.operators)))
        return law, rng.multinomial(count, shares, _DRAWS) / count @ kinds.operators

    @cached_property
    def _kinds(self) -> "_Kinds | None":
        """The kinds of rows there are; none if units are more than a row."""
        return _Kinds.of(self.operators) if bool(np.all(self.units.sizes == 1.0)) else None

    def _weights(self, k: int) -> Matrix:
        own, other = self.operators[self.sides[k]], self.operators[self.sides[1 - k]]
        seen = np.count_nonzero(own >= 1.0, axis=0)
        gain = other[:, seen == 0].sum(axis=1)
        alone = float(self.densities[k][seen == 1].sum())
        missing = min(alone, _MOST_MISSING) if gain.sum() > 0.0 else 0.0
        weights = np.zeros(len(self.operators))
        weights[self.sides[k]] = (1.0 - missing) / self.counts[k]
        if missing > 0.0:
            weights[self.sides[1 - k]] = missing * gain / gain.sum()
        return weights

    def left_out(self, rng: np.random.Generator, excess: float) -> tuple[float, float, float]:
        """The same by leaving out one unit after the other (the jackknife).

        Drawing rows again would lose more of the many directions than the tables did. With fewer
        rows than directions the jackknife is wrong too, by an excess that permuted tables show.
        """
        bias, variance = 0.0, 0.0
        for k, count in enumerate(self.counts):
            change, bent = self._changes(rng, k, _LEFT_OUT)
            bias -= float(np.mean(bent))
            variance += float(np.var(change, ddof=1)) / count
        bias -= excess * (1.0 - max(self.observed - bias, 0.0))
        return max(self.observed - bias, 0.0), bias, variance

    def bias_again(self, rng: np.random.Generator) -> float:
        """The bias by the jackknife alone, from a few units."""
        few = [math.ceil(_LEFT_OUT_AGAIN * c / sum(self.counts)) for c in reversed(self.counts)]
        return -sum(float(np.mean(self._changes(rng, k, most)[1])) for k, most in enumerate(few))

    def _changes(self, rng: np.random.Generator, k: int, most: int) -> tuple[Matrix, Matrix]:
        """What each of some units of a table changes, and that without its first order."""
        count = self.counts[k]
        chosen = np.sort(rng.permutation(count)[:most])
        change = (count - 1) * (self.observed - self._without(k, self.sides[k][chosen]))
        return change, change - self.influences[k][chosen]

    def _without(self, k: int, chosen: Matrix) -> Matrix:
        """Effects without each of these units."""
        density, sizes = self.densities[k], self.units.sizes
        size = sizes[chosen][:, None, None]
        rest = sizes[self.sides[k]].sum() - size
        less = density - (self.operators[chosen] - size * density) / rest
        return divergences(less, self.densities[1 - k][None])

    @cached_property
    def influences(self) -> tuple[Matrix, Matrix]:
        """c/n · ½⟨φφᵀ, log C_X − log C⟩ of each of the c units of a table, centred."""
        middle = _logarithm(0.5 * (self.densities[0] + self.densities[1]))
        first, second = (self._influence(k, middle) for k in (0, 1))
        return first, second

    def _influence(self, k: int, middle: Matrix) -> Matrix:
        slope = 0.5 * (_logarithm(self.densities[k]) - middle) / _BITS
        share = (self.operators.reshape(len(self.operators), -1) @ slope.ravel())[self.sides[k]]
        sizes = self.units.sizes[self.sides[k]]
        rows = float(sizes.sum())
        return np.asarray((share - sizes * share.sum() / rows) * self.counts[k] / rows)

    def influence_variance(self) -> float:
        return sum(float(i @ i) / (len(i) * (len(i) - 1)) for i in self.influences)


def _densities(flat: Matrix, units: Units, memberships: Matrix) -> tuple[Matrix, Matrix]:
    """Unit-trace operators (B + 1, …) of A and B under each permutation."""
    first, second = units.shares(memberships)
    return first @ flat, second @ flat


def divergences(first: Matrix, second: Matrix) -> Matrix:
    """Balanced von Neumann divergences (B,) over log 2 of operators (B, r, r) or (B, r)."""
    operators = (0.5 * (first + second), first, second)
    mixed, *own = (_VON_NEUMANN.of_spectrum(_spectra(each)) for each in operators)
    return np.asarray(entropy_gap(mixed, own, _VON_NEUMANN, (0.5, 0.5)) / _BITS)


def _spectra(densities: Matrix) -> Matrix:
    return densities if densities.ndim == 2 else np.linalg.eigvalsh(densities)


def _logarithm(density: Matrix) -> Matrix:
    if density.ndim == 1:
        return np.asarray(np.log(np.maximum(density, 1e-9)))
    values, vectors = np.linalg.eigh(density)
    return np.asarray((vectors * np.log(np.maximum(values, 1e-9))) @ vectors.T)
