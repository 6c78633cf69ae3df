"""What a test of two tables must answer, whatever it is computed from."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from samelaw.comparison.pairs.classes import Classes
from samelaw.core.types import Matrix
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.pairing.encode import Prepared
from samelaw.testing.permuting.stepdown import StepDown
from samelaw.testing.permuting.units import Units


class Operators(Protocol):
    """What effects are computed from, wherever it comes from."""

    def of_view(self, i: int) -> Matrix:
        """Counts (U, r) of the classes of a view."""

    def of_all(self, rng: np.random.Generator) -> tuple[Matrix, Units, Matrix]:
        """Operators (U, r, r) of all columns together, their units, and which units those are."""

    def of_pair(self, k: int) -> Matrix:
        """Counts (U, r) of the cells of a pair."""

    def cells(self, k: int) -> Matrix:
        """Rows (2, K, L) of A and of B in the cells of a pair."""

    def apart(self) -> Matrix:
        """About the upper limits (P,) of the effects of pairs."""


class Told(NamedTuple):
    """The views that columns are described by.

    They hold the rows, or where those are not kept as many as tell the law of each table: then
    ``worth`` says how many rows of a table each stands for.
    """

    views: Sequence[ColumnView]
    first: int
    """Rows of A."""
    worth: float = 1.0


class Looked(Protocol):
    """What was looked at alone and in pairs."""

    @property
    def views(self) -> list[ColumnView]:
        """Columns, the absence of their values, and their parts."""

    @property
    def classes(self) -> list[Classes]:
        """What pairs are counted in; none if they are too many."""

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Numbers of two views."""

    @property
    def possible_pairs(self) -> int:
        """How many there could be."""

    @property
    def most_pairs(self) -> int:
        """How many there is room for."""


class Examined(Protocol):
    """What a comparison is assembled from: `JointTest`, or what is left of rows not kept."""

    @property
    def prepared(self) -> Prepared:
        """Coordinates of the rows that are shown."""

    @property
    def points(self) -> Matrix:
        """The same as points (N, k)."""

    @property
    def units(self) -> Units:
        """What changes places."""

    @property
    def memberships(self) -> Matrix:
        """(B + 1, U), the observed one first."""

    @property
    def columns(self) -> Looked:
        """Views, of the rows that are shown, and pairs of them."""

    @property
    def steps(self) -> StepDown:
        """Adjusted p-values."""

    @property
    def route(self) -> str:
        """How all columns were looked at together."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows that are compared."""

    @property
    def operators(self) -> Operators:
        """What effects are computed from."""

    @property
    def told(self) -> Told:
        """What columns are described by."""

    @property
    def complete(self) -> bool:
        """Whether the rows of the plan are all that are compared."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What else a reader should know."""
