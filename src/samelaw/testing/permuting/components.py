"""Components: what a test looks at, each one number for every way to deal units to two samples.

A component is a function of memberships, made from the pool alone, never from the observed labels:
that is what makes its permutations exact. Where they have a closed form, it knows the moments of
its values over all permutations.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from samelaw.core.types import Matrix
from samelaw.testing.permuting.group_form import GroupForm
from samelaw.testing.permuting.k_sample_form import ManyForm, ManyLinearForm
from samelaw.testing.permuting.largest_form import LargestForm, LargestOfSamples
from samelaw.testing.permuting.linear_form import GroupLinearForm, LinearForm
from samelaw.testing.permuting.permutations import ManyLabels
from samelaw.testing.permuting.quadratic import QuadraticForm
from samelaw.testing.permuting.units import Part, Units

_SKEWNESS_VECTORS = 16
_NO_START = np.empty((0, 0))


class Form(Protocol):
    """The mathematics of a component: a function of the memberships of its own units."""

    def evaluate(self, memberships: Matrix) -> Matrix:
        """Values (B,) for memberships (B, U)."""

    def moments(self) -> tuple[float, float] | None:
        """Mean and variance over all permutations, or None if there is no closed form."""

    def skewness(self, start: Matrix) -> float:
        """Skewness over permutations; called only where there are moments."""

    @property
    def noise(self) -> float:
        """What rounding alone may add to the deviation of the values."""

    @property
    def two_sided(self) -> bool:
        """Whether values below the mean speak against equal laws as much as those above."""


@dataclass(frozen=True)
class Moments:
    """Mean, standard deviation and skewness of the values over all permutations."""

    mean: float
    deviation: float
    skewness: float


@dataclass(frozen=True, eq=False)
class Component:
    """One statistic of a pool, of one kernel and one entropy for instance.

    Parameters
    ----------
    name : str
    form : Form
    units : slice
        The units it looks at: of groups in both samples, or of groups in one only.
    start : array (U, r)
        Random vectors, drawn without regard to the labels.
    kernel : int
        The number of its kernel among those that were asked for.
    """

    name: str
    form: Form
    units: slice
    start: Matrix
    kernel: int = 0

    def evaluate(self, memberships: Matrix) -> Matrix:
        """Values (B,) for memberships (B, U) of all units in the first sample."""
        return self.form.evaluate(memberships[:, self.units])

    def moments(self) -> Moments | None:
        """Over all permutations; None if there is no closed form. Rounding is no deviation."""
        found = self.form.moments()
        if found is None:
            return None
        mean, deviation = found[0], math.sqrt(found[1])
        if deviation == 0.0:
            return Moments(mean, 0.0, 0.0)
        start = self.start[: self.units.stop - self.units.start, :_SKEWNESS_VECTORS]
        return Moments(mean, deviation, self.form.skewness(start))

    @property
    def noise(self) -> float:
        """What rounding alone may add to the deviation of the values."""
        return self.form.noise

    @property
    def two_sided(self) -> bool:
        """Whether values below the mean speak against equal laws as much as those above."""
        return self.form.two_sided


def contrasts_of(
    name: str, scores: Matrix, units: Units, noise: float = 0.0
) -> Iterator[Component]:
    """The contrast of scores (N,) of the rows, unit after unit, that are known up to noise."""
    for part in units.parts():
        yield Component(name, _linear_form(scores, part, noise), part.units, _NO_START)


def largest_of(name: str, columns: Matrix, units: Units) -> Iterator[Component]:
    """The largest contrast of functions (N, k) of the rows, unit after unit.

    Not of whole groups: their contrasts are only nearly on one scale, and the largest of many would
    pick the one that is farthest from it.
    """
    if columns.shape[1] == 0:
        return
    for part in units.parts():
        if not part.whole:
            make = LargestOfSamples if isinstance(part.labels, ManyLabels) else LargestForm
            yield Component(name, make.of(columns, part), part.units, _NO_START)


def components_of(
    name: str, matrix: Matrix, units: Units, start: Matrix, *, unbiased: bool = False
) -> Iterator[Component]:
    """vᵀQv for a matrix Q over the rows, unit after unit, which is overwritten.

    One component, or two where groups of both samples and groups of one are permuted apart.
    """
    for part in units.parts():
        yield Component(name, _form(matrix, part, unbiased), part.units, start)


def _linear_form(scores: Matrix, part: Part, noise: float) -> Form:
    if isinstance(part.labels, ManyLabels):
        return ManyLinearForm.of(scores, part, noise)
    make = GroupLinearForm if part.whole else LinearForm
    return make.of(scores, part, noise)


def _form(matrix: Matrix, part: Part, unbiased: bool) -> Form:
    if isinstance(part.labels, ManyLabels):
        return ManyForm.of(part.over_units(matrix), part)
    if part.whole:
        return GroupForm.of(matrix, part)
    make = QuadraticForm.of_pairs if unbiased else QuadraticForm.of_signs
    return make(part.over_units(matrix), part.labels)
