"""Many samples at once: components from explicit features of rows, learnt once for all of them.

Bandwidths, landmarks, scales and directions come from rows drawn from all samples without regard to
their labels: whoever permutes rows between two of the samples leaves them as they are.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core.types import Matrix
from samelaw.divergence.sketch import (
    CompressedFeatures,
    evaluate,
    features_of_square,
    means_suffice,
)
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import default_kernel
from samelaw.kernels.entropies import Entropy
from samelaw.kernels.features import NystromFeatures
from samelaw.kernels.formulas import ShiftInvariant
from samelaw.kernels.grids import Pool
from samelaw.kernels.landmarks import spread_landmarks
from samelaw.testing.backends import Backend, kernel_name
from samelaw.testing.permuting.components import Component
from samelaw.testing.permuting.row_form import RowForm
from samelaw.testing.permuting.units import Units
from samelaw.testing.row_features import (
    DIRECTIONS,
    Columns,
    CovarianceColumns,
    Leading,
    MeanColumns,
    MomentColumns,
    RowFeatures,
    RowPart,
    ScoreColumns,
    curvature,
)
from samelaw.testing.row_scores import RowScore
from samelaw.testing.scales import View
from samelaw.testing.statistics import component_name

_LANDMARKS = 128
_FREQUENCIES = 192
_REFERENCE = 256  # rows that others are scored against
_MOST_COLUMNS = 32  # whose products are all taken
_NO_START = np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class RowBackend(Backend):
    """Explicit features of rows.

    Parameters
    ----------
    pool : Pool
        Rows drawn from all samples.
    units : Units
        Of those rows, in two halves: what the moments of a component refer to.
    seed : int
        Of landmarks, frequencies and mixtures.
    """

    pool: Pool
    units: Units
    seed: int

    @classmethod
    def of(cls, rows: Matrix, seed: int) -> "RowBackend":
        half = len(rows) // 2
        # landmarks in double precision: one far out must not round the Gram matrix of the others
        return cls(Pool(rows.astype(np.float64)), Units.of_rows((half, len(rows) - half)), seed)

    @property
    def dtype(self) -> type[np.floating[Any]]:
        return np.float64

    @property
    def _rows(self) -> Matrix:
        return np.asarray(self.pool.sample)

    @cached_property
    def _views(self) -> dict[View, Callable[[Matrix], Matrix]]:
        return {}

    def _in(self, view: View) -> Callable[[Matrix], Matrix]:
        """The same object for the same view, so that parts share what it gives."""
        if view not in self._views:
            self._views[view] = view(self._rows)
        return self._views[view]

    def seen(self, view: View) -> Pool:
        return self.pool if view is View.ROWS else Pool(self._in(view)(self._rows))

    def components(
        self, kernels: Sequence[Kernel], entropies: Sequence[Entropy], view: View = View.ROWS
    ) -> Iterator[Component]:
        rows = self.seen(view).sample
        means = all(map(means_suffice, entropies)) and all(map(_has_frequencies, kernels))
        names = [
            [component_name(kernel_name(kernel) + view.of, entropy) for entropy in entropies]
            for kernel in kernels
        ]
        if means:
            rng = np.random.default_rng([self.seed, 1])
            found = [
                features_of_square(kernel, rows.shape[1], _FREQUENCIES, rng=rng)
                for kernel in kernels
            ]
            weights: list[list[Matrix | None]] = [[None] * len(entropies) for _ in kernels]
            return self._part(view, MeanColumns(found), names, weights)
        compressed = [self._compressed(kernel, rows) for kernel in kernels]
        weights = [
            [curvature(values, entropy, 1.0 / float(values.max())) for entropy in entropies]
            for _, values in compressed
        ]
        columns = CovarianceColumns([features for features, _ in compressed])
        return self._part(view, columns, names, weights)

    def contrasts(self, scores: Sequence[RowScore]) -> Iterator[Component]:
        for view in dict.fromkeys(score.view for score in scores):
            here = [place for place, score in enumerate(scores) if score.view is view]
            some = [scores[place] for place in here]
            others = np.asarray(self.seen(view).sample, dtype=np.float64)
            columns = ScoreColumns(some, others[:_REFERENCE], min(1.0, _REFERENCE / len(others)))
            names = [[score.name] for score in some]
            found = self._part(view, columns, names, [[None] for _ in some])
            for place, component in zip(here, found, strict=True):
                yield replace(component, kernel=place)

    def moment_forms(self, name: str, view: View, degree: int) -> Iterator[Component]:
        columns, mixture = self._rows.shape[1], None
        if degree > 1 and columns > _MOST_COLUMNS:
            rng = np.random.default_rng([self.seed, 2])
            mixture = rng.standard_normal((columns, _MOST_COLUMNS))
        return self._part(view, MomentColumns(degree, mixture), [[name]], [[None]])

    def largest_forms(self, name: str, degree: int) -> Iterator[Component]:
        raise ValueError(
            "a LargestGroup is no squared distance of means, which is what many groups are "
            "compared by: leave it out of the strategy, or use group_tests."
        )

    def _part(
        self,
        view: View,
        columns: Columns,
        names: Sequence[Sequence[str]],
        weights: Sequence[Sequence[Matrix | None]],
    ) -> Iterator[Component]:
        transform = self._in(view)
        pool = transform(self._rows).astype(np.float32)
        numbers = list(columns(pool))
        looks = [
            [Leading.of(some, weight, columns.noise(place, some)) for weight in wanted]
            for place, (some, wanted) in enumerate(zip(numbers, weights, strict=True))
        ]
        part, units = RowPart(transform, columns, looks), slice(0, self.units.count)
        for place, (some, found) in enumerate(zip(numbers, looks, strict=True)):
            for name, look in zip(names[place], found, strict=True):
                form = RowForm(look(some), self.units.labels, look, part)
                yield Component(name, form, units, _NO_START, kernel=place)

    def _compressed(self, kernel: Kernel, rows: Matrix) -> tuple[CompressedFeatures, Matrix]:
        """Features in the leading eigenvectors of the pool's covariance, and its eigenvalues."""
        full = NystromFeatures(kernel, self._landmarks(rows))
        features = next(evaluate([full], rows)).astype(np.float64)
        values, vectors = np.linalg.eigh(features.T @ features / len(features))
        kept = np.flatnonzero(values > 1e-5 * values[-1])[-DIRECTIONS:]
        return CompressedFeatures(full, vectors[:, kept]), values[kept]

    @cached_property
    def _chosen(self) -> dict[int, Matrix]:
        return {}

    def _landmarks(self, rows: Matrix) -> Matrix:
        """The same for all kernels of a view, so that they share distances."""
        key = hash(rows.tobytes())
        if key not in self._chosen:
            rng = np.random.default_rng(self.seed)
            count = min(_LANDMARKS, len(rows))
            some = spread_landmarks(default_kernel(rows), rows, count, rng)
            self._chosen[key] = np.asarray(rows[some])
        return self._chosen[key]

    def settle(self) -> None:
        self.pool.forget()

    def describe(self) -> str:
        return f"explicit features of rows, learnt from {self.pool.size} rows of all groups"


def row_features(components: Sequence[Component]) -> RowFeatures:
    """The features of these components beside each other; those of a part lie together."""
    forms = [component.form for component in components]
    parts = dict.fromkeys(form.part for form in forms if isinstance(form, RowForm))
    found = RowFeatures(tuple(parts))
    assert [form.look for form in forms if isinstance(form, RowForm)] == list(found.looks)
    return found


def _has_frequencies(kernel: Kernel) -> bool:
    return isinstance(kernel, ShiftInvariant) and np.ndim(kernel.bandwidth) < 2
