"""How large a change is: bias-corrected balanced RJSD on fixed unit-norm features, over log 2.

The features are a function of the pool, their operators a coarser view of the rows; the balanced
von Neumann divergence of the operators is at most the Jensen–Shannon divergence of the laws, and
that over log 2 is at most their total variation: the least share of rows that must have changed.

- one column: indicators of classes by rank (numbers, dates) or of categories. The
  operators are diagonal and the divergence is that of the binned laws.
- all columns together: Fourier features of a Laplace kernel on the summed dissimilarities.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from samelaw.core.features import FourierFeatures
from samelaw.core.kernels import Laplace
from samelaw.data.columns import Column, Kind
from samelaw.data.preparation import ranks
from samelaw.decide.aspects import MOST_CATEGORIES
from samelaw.decide.scaling import from_normal
from samelaw.decide.units import Units
from samelaw.estimate.bandwidth import median_bandwidth
from samelaw.estimate.fourier import draw_frequencies

Matrix = np.ndarray[Any, Any]

CLASS_ENDS = (0.01, 0.03, 0.07, 0.15, 0.25, 0.35, 0.5, 0.65, 0.75, 0.85, 0.93, 0.97, 0.99)
"""Ranks at which the classes of a numeric column end: finer in the tails, where groups hide."""

FREQUENCIES = 24
_CHUNK = 50_000
POWER_SCORE = 0.8416
"""Normal quantile of .8, the power at which a change counts as detectable."""


@dataclass(frozen=True)
class Effect:
    """An effect in [0, 1] and how well it is known.

    Attributes
    ----------
    value : float
        Bias-corrected, not below 0.
    spread : float
        Standard deviation under relabelling: what is open when the tables are alike.
    skewness : float
        Of the values under relabelling.
    growth : float
        What each unit of effect adds to the variance, by the influence of the rows.
    unseen : float
        The value over the units of the smaller table: what one more row could have said where
        the tables seem to have nothing in common.
    """

    value: float
    spread: float
    skewness: float
    growth: float
    unseen: float

    @property
    def error(self) -> float:
        """The standard error if the value were the truth."""
        return math.sqrt(self.spread**2 + self.growth * self.value + self.unseen**2)

    def interval(self, score: float) -> tuple[float, float]:
        """The effects θ that would not be surprised by the value, within [0, 1].

        The law of an estimate is taken as if θ were true: at 0 that of relabelled tables, with its
        long upper tail; away from 0 closer and closer to a normal law.
        """
        low = _root(lambda theta: self._above(theta, score) - self.value, 0.0, self.value)
        high = _root(lambda theta: self._above(theta, -score) - self.value, self.value, 1.0)
        return low, high

    def _above(self, theta: float, score: float) -> float:
        """The quantile of an estimate of θ that belongs to a normal score.

        Variance and third cumulant grow with θ as those of a noncentral χ² do.
        """
        variance = self.spread**2 + self.growth * theta + self.unseen**2
        cumulant = self.skewness * self.spread**3 + 1.5 * self.growth**2 * theta
        deviation = math.sqrt(variance)
        return theta + deviation * from_normal(score, cumulant / max(deviation, 1e-12) ** 3)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function changes its sign, or the end it stays on the side of."""
    if function(low) >= 0.0:
        return low
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if function(middle) > 0.0 else (middle, high)
    return 0.5 * (low + high)


def effect_size(operators: Matrix, units: Units, members: Matrix) -> Effect:
    """The effect of the observed labels, corrected by what relabelled ones give on average.

    Parameters
    ----------
    operators : array (U, r) or (U, r, r)
        Sum over the rows of each unit of φφᵀ; only its diagonal if the features are indicators.
    members : array (B + 1, U)
        Memberships, the observed one first; a hundred suffice.

    Notes
    -----
    The average under relabelling is the bias when the tables are alike. It vanishes as they part
    (then S of the mixture is the mean entropy plus log 2, errors and all), hence the factor.
    """
    shape = operators.shape[1:]
    first, second = _densities(operators.reshape(len(operators), -1), units, members)
    values = _divergences(first.reshape(-1, *shape), second.reshape(-1, *shape)) / math.log(2.0)
    observed, null = float(values[0]), values[1:]
    bias, spread = float(null.mean()), float(null.std())
    value = observed - bias * (1.0 - min(observed, 1.0))
    variance = _influence_variance(operators, units, members[0], (first[0], second[0]))
    growth = variance / math.log(2.0) ** 2 / max(observed, 1e-12)
    # as for χ², whose skewness is twice its deviation over its mean
    skewness = 2.0 * spread / max(bias, 1e-12) if spread > 0.0 else 0.0
    value = max(value, 0.0)
    unseen = value / min(int(members[0].sum()), int((~members[0]).sum()))
    return Effect(value, spread, min(skewness, 3.0), growth, unseen)


def _densities(flat: Matrix, units: Units, members: Matrix) -> tuple[Matrix, Matrix]:
    """Unit-trace operators (B + 1, …) of A and B under each labelling."""
    first, second = units.shares(members)
    return first @ flat, second @ flat


def _divergences(first: Matrix, second: Matrix) -> Matrix:
    middle = 0.5 * (first + second)
    return _entropies(middle) - 0.5 * (_entropies(first) + _entropies(second))


def _entropies(densities: Matrix) -> Matrix:
    shares = densities if densities.ndim == 2 else np.linalg.eigvalsh(densities)
    shares = np.maximum(shares, 1e-15)
    return np.asarray(-np.sum(shares * np.log(shares), axis=1))


def _influence_variance(
    operators: Matrix, units: Units, member: Matrix, densities: tuple[Matrix, Matrix]
) -> float:
    """Variance from the influence of each unit, ½⟨φφᵀ, log C_X − log C⟩ per row."""
    shape = operators.shape[1:]
    first, second = (density.reshape(shape) for density in densities)
    middle = _logarithm(0.5 * (first + second))
    variance = 0.0
    for density, chosen in ((first, member), (second, ~member)):
        slope = 0.5 * (_logarithm(density) - middle)
        share = operators[chosen].reshape(int(chosen.sum()), -1) @ slope.ravel()
        sizes = units.sizes[chosen]
        influence = share - sizes * share.sum() / sizes.sum()
        count = len(influence)
        variance += float(influence @ influence) / float(sizes.sum()) ** 2 * count / (count - 1)
    return variance


def _logarithm(density: Matrix) -> Matrix:
    if density.ndim == 1:
        return np.asarray(np.log(np.maximum(density, 1e-9)))
    values, vectors = np.linalg.eigh(density)
    return np.asarray((vectors * np.log(np.maximum(values, 1e-9))) @ vectors.T)


def class_operators(column: Column, missing: bool, units: Units) -> Matrix:
    """Counts (U, r) of the classes of a column, or of its missing values, per unit.

    Rows without a value are shared out as the pool is: they say nothing of the values.
    """
    codes = column.missing.astype(np.int64) if missing else _classes(column)
    count = int(codes.max()) + 1
    unit, known = units.unit, units.unit >= 0
    places = unit[known] * count + codes[known]
    seen = known & (codes >= 0)
    counts = np.bincount(unit[seen] * count + codes[seen], minlength=units.count * count)
    table = counts.reshape(units.count, count).astype(np.float64)
    if len(places) > int(seen.sum()):
        absent = units.sizes - table.sum(axis=1)
        table += absent[:, None] * (table.sum(axis=0) / table.sum())
    return table


def _classes(column: Column) -> Matrix:
    """Class of each value, −1 where missing."""
    if column.kind is Kind.CATEGORICAL:
        codes = column.values.astype(np.int64)
        common = np.argsort(-np.bincount(codes[codes >= 0]), kind="stable")
        place = np.empty(len(common), dtype=np.int64)
        place[common] = np.minimum(np.arange(len(common)), MOST_CATEGORIES - 1)
        return np.where(codes >= 0, place[codes], -1)
    places = ranks(column.values)
    codes = np.searchsorted(CLASS_ENDS, np.nan_to_num(places))
    _, codes = np.unique(np.where(column.missing, -1, codes), return_inverse=True)
    return codes - 1 if column.missing.any() else codes


def joint_operators(coordinates: Matrix, units: Units, rng: np.random.Generator) -> Matrix:
    """Σ φφᵀ (U, r, r) over the rows of each unit, with Fourier features of all columns."""
    few = coordinates[rng.permutation(len(coordinates))[:2_000]]
    bandwidth = max(median_bandwidth(few, metric="cityblock"), 1e-12)
    width = coordinates.shape[1]
    frequencies = draw_frequencies(Laplace(bandwidth), width, FREQUENCIES, rng=rng)
    features = FourierFeatures(frequencies.astype(coordinates.dtype))
    total = np.zeros((units.count, features.size, features.size))
    for rows, unit in _unit_chunks(units):
        phi = np.asarray(features(coordinates[rows]))
        starts = np.flatnonzero(np.append(True, unit[1:] != unit[:-1]))
        for low, high in zip(starts, np.append(starts[1:], len(unit)), strict=True):
            total[unit[low]] += phi[low:high].T @ phi[low:high]
    return total


def _unit_chunks(units: Units) -> Iterator[tuple[Matrix, Matrix]]:
    """Rows in the order of the units, some at a time, with their units."""
    order = np.argsort(units.unit, kind="stable")[int((units.unit < 0).sum()) :]
    for start in range(0, len(order), _CHUNK):
        rows = order[start : start + _CHUNK]
        yield rows, units.unit[rows]
