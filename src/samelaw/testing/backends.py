"""Where components come from: the Gram matrix of all rows, or sketches of blocks of rows."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core.types import Matrix
from samelaw.divergence.quadratic_form import SUBSPACE, PooledGram
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.entropies import Entropy
from samelaw.kernels.grids import Pool
from samelaw.testing.column_moments import in_one_unit, moment_matrix, rank_changes
from samelaw.testing.permuting.components import Component, components_of, contrasts_of, largest_of
from samelaw.testing.permuting.units import Units
from samelaw.testing.problem import Problem
from samelaw.testing.row_scores import RowScore, Surroundings, squared_distances
from samelaw.testing.scales import View
from samelaw.testing.standardize import Scaling
from samelaw.testing.statistics import Statistic


class Backend(ABC):
    """The components of one problem, and what is permuted.

    Attributes
    ----------
    units : Units
        Rows of the problem dealt to exchangeable units, in the order of memberships.
    pool : Pool
        Rows that bandwidths are chosen from.
    taken : array or None
        Which units of the problem these are; None if they are blocks of its rows.
    dtype : type
        Of memberships.
    """

    units: Units
    pool: Pool
    taken: Matrix | None = None

    @property
    @abstractmethod
    def dtype(self) -> type[np.floating[Any]]: ...

    @abstractmethod
    def seen(self, view: View) -> Pool:
        """Rows in other units, from which bandwidths are chosen."""

    @abstractmethod
    def components(
        self, kernels: Sequence[Kernel], entropies: Sequence[Entropy], view: View = View.ROWS
    ) -> Iterator[Component]:
        """One component per kernel and entropy (two where groups are permuted in two ways)."""

    @abstractmethod
    def contrasts(self, scores: Sequence[RowScore]) -> Iterator[Component]:
        """The contrasts of row scores."""

    @abstractmethod
    def moment_forms(self, name: str, view: View, degree: int) -> Iterator[Component]:
        """The squared difference of the means of columns, or of their products."""

    @abstractmethod
    def largest_forms(self, name: str, degree: int) -> Iterator[Component]:
        """The largest change of any column, or of any product of two."""

    @abstractmethod
    def settle(self) -> None:
        """Bandwidths are chosen: let go of what they were chosen from."""

    @abstractmethod
    def describe(self) -> str:
        """The route, in words."""


@dataclass(frozen=True, eq=False)
class GramBackend(Backend):
    """Gram matrices of all rows, which lie unit after unit in random order.

    In random order the observed labels round as permuted ones do: rows of one sample no longer lie
    together.
    """

    pool: Pool
    units: Units
    start: Matrix
    statistic: Statistic
    scaling: Scaling
    taken: Matrix | None = None
    left_out: int = 0

    @classmethod
    def of(
        cls, problem: Problem, statistic: Statistic, scaling: Scaling, rows: Matrix | None = None
    ) -> "GramBackend":
        """All rows of a problem, or those chosen without regard to their values."""
        units, taken = problem.units, np.arange(problem.units.count)
        if rows is not None:
            units, taken = units.of_some_rows(rows)
        units, order = units.shuffled(problem.rng)
        start = problem.rng.standard_normal((len(units.rows), SUBSPACE))
        left_out = 0 if rows is None else problem.pool.size - len(rows)
        pool = problem.pool.part(units.rows)
        return cls(pool, units, start, statistic, scaling, taken[order], left_out)

    @classmethod
    def thinned(
        cls, problem: Problem, statistic: Statistic, scaling: Scaling, count: int
    ) -> "GramBackend":
        """``count`` rows: with groups any, else the smaller sample and a part of the larger one."""
        rng = problem.rng
        if not problem.units.plain:
            rows = rng.permutation(problem.pool.size)[:count]
            return cls.of(problem, statistic, scaling, rows)
        n, m = problem.labels.sizes
        first = min(n, count - m) if n > m else n
        second = min(m, count - n) if m >= n else m
        rows = np.concatenate([rng.permutation(n)[:first], n + rng.permutation(m)[:second]])
        return cls.of(problem, statistic, scaling, rows)

    @property
    def dtype(self) -> type[np.floating[Any]]:
        return self.pool.dtype

    @cached_property
    def _views(self) -> dict[View, Pool]:
        return {View.ROWS: self.pool}

    def seen(self, view: View) -> Pool:
        if view not in self._views:
            points = self.pool.points
            self._views[view] = Pool(view(points)(points))
        return self._views[view]

    @cached_property
    def _surroundings(self) -> dict[View, Surroundings]:
        return {}

    def contrasts(self, scores: Sequence[RowScore]) -> Iterator[Component]:
        for place, score in enumerate(scores):
            found = score(self._surroundings_in(score.view))
            noise = score.noise(found)
            if score.local and self.units.uneven:  # rows of large groups have near rows for it
                found = np.zeros_like(found)
            for component in contrasts_of(score.name, found, self.units, noise):
                yield replace(component, kernel=place)

    def _surroundings_in(self, view: View) -> Surroundings:
        if view not in self._surroundings:
            rows = self.seen(view).points
            apart = squared_distances(rows, rows)
            self._surroundings[view] = Surroundings(apart, apart)
        return self._surroundings[view]

    def moment_forms(self, name: str, view: View, degree: int) -> Iterator[Component]:
        columns = self.seen(view).points
        if view is View.ROWS:  # of any scale, and anywhere
            columns = in_one_unit(columns - columns.mean(axis=0))
        matrix = moment_matrix(columns.astype(self.dtype), degree)
        return components_of(name, matrix, self.units, self.start)

    def largest_forms(self, name: str, degree: int) -> Iterator[Component]:
        changes = [rank_changes(self.seen(View.RANKS).points, degree)]
        if degree == 1:
            changes.append(self.seen(View.TIES).points)
        return largest_of(name, np.concatenate(changes, axis=1), self.units)

    def components(
        self, kernels: Sequence[Kernel], entropies: Sequence[Entropy], view: View = View.ROWS
    ) -> Iterator[Component]:
        sizes, pool = self.units.labels.sizes, self.seen(view)
        for place, kernel in enumerate(kernels):
            pooled = PooledGram(pool.gram(kernel), self.start)
            factor = self.scaling.kernel_factor(pooled, entropies, sizes, self.statistic)
            for component in self.statistic.components(
                kernel_name(kernel) + view.of, pooled, entropies, self.units, scale=factor
            ):
                yield replace(component, kernel=place)

    def settle(self) -> None:
        for pool in self._views.values():
            pool.forget(distances=False)

    def describe(self) -> str:
        thinned = f", {self.left_out} rows left out at random" if self.left_out else ""
        return f"all pairs of rows{thinned}"


def kernel_name(kernel: Kernel) -> str:
    """Gaussian(1.25), or the class alone where the bandwidth is no number."""
    bandwidth = getattr(kernel, "bandwidth", None)
    number = f"({bandwidth:.4g})" if isinstance(bandwidth, float) else ""
    return f"{type(kernel).__name__}{number}"
