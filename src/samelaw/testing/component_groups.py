"""What a fused test can look at: groups of components, as values that users print and change."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from samelaw.core.as_typed import as_typed
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.entropies import Entropy, as_entropy
from samelaw.kernels.grids import KernelCollection, Pool
from samelaw.testing.backends import Backend
from samelaw.testing.permuting.components import Component
from samelaw.testing.row_scores import RowScore
from samelaw.testing.scales import View


class ComponentGroup(ABC):
    """Components that are made together."""

    what: ClassVar[str]
    """What its components are, in a word or two."""
    penalty: float
    """Taken off the comparable values: by how much they must exceed those of others."""

    @abstractmethod
    def resolve(self, backend: Backend) -> "ComponentGroup":
        """The same group with everything chosen that depends on the pool."""

    @abstractmethod
    def components(self, backend: Backend) -> Iterator[Component]:
        """Its components for a problem."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Kernels, or what else has a weight of its own; known once resolved."""

    @property
    def matrices(self) -> int:
        """Matrices over all pairs of units that its components hold."""
        return 0

    @abstractmethod
    def describe(self) -> str:
        """What they are, without the number."""


@as_typed
@dataclass(frozen=True)
class KernelGroup(ComponentGroup):
    """Components of several kernels with the same entropies.

    Parameters
    ----------
    kernels : sequence of Kernel, or KernelCollection
        Gaussian and Laplace at ten bandwidths each by default.
    entropies : sequence of Entropy, int or inf
        An order of the power series each, or inf for von Neumann.
    penalty : float
        Taken off the comparable values: by how much they must exceed the others.
    view : View
        What the columns are measured in; as they are by default.

    Examples
    --------
    >>> from samelaw import Fuse, Gaussian
    >>> plan = Fuse([KernelGroup([Gaussian(1.0)]), KernelGroup(entropies=(10,), penalty=0.3)])
    >>> plan.components[1]
    KernelGroup(entropies=(10,), penalty=0.3)
    """

    what: ClassVar[str] = "kernels"
    kernels: Sequence[Kernel] | KernelCollection = KernelCollection()  # noqa: RUF009 - frozen
    entropies: Sequence[Entropy | float] = (1,)
    penalty: float = 0.0
    view: View = View.ROWS

    def __post_init__(self) -> None:
        if len(self.entropies) == 0:
            raise ValueError("entropies is empty; give at least one, for instance (10,).")
        for entropy in self.entropies:
            as_entropy(entropy)

    def kernels_for(self, pool: Pool) -> Sequence[Kernel]:
        """The kernels, with bandwidths chosen on the pool."""
        return self.kernels(pool) if isinstance(self.kernels, KernelCollection) else self.kernels

    def resolve(self, backend: Backend) -> "KernelGroup":
        return replace(self, kernels=self.kernels_for(backend.seen(self.view)))

    @property
    def count(self) -> int:
        assert not isinstance(self.kernels, KernelCollection)
        return len(self.kernels)

    @property
    def matrices(self) -> int:
        return self.count * len(self.entropies)

    def components(self, backend: Backend) -> Iterator[Component]:
        assert not isinstance(self.kernels, KernelCollection)
        entropies = [as_entropy(entropy) for entropy in self.entropies]
        return backend.components(self.kernels, entropies, self.view)

    def describe(self) -> str:
        orders = ", ".join(map(str, self.entropies))
        return f"kernels × order{'s' * (len(self.entropies) > 1)} {orders}{self.view.of}"


@as_typed
@dataclass(frozen=True)
class ScoreGroup(ComponentGroup):
    """Contrasts of row scores: the mean over X less the mean over Y of one number per row.

    Parameters
    ----------
    scores : sequence of RowScore
    penalty : float

    Examples
    --------
    >>> from samelaw import Fuse
    >>> from samelaw.testing import Leverage, NeighbourDistance
    >>> strategy = Fuse([*Fuse().components, ScoreGroup([Leverage(), NeighbourDistance(5)], 0.25)])
    """

    what: ClassVar[str] = "row scores"
    scores: Sequence[RowScore]
    penalty: float = 0.0

    def resolve(self, backend: Backend) -> "ScoreGroup":
        return self

    @property
    def count(self) -> int:
        return len(self.scores)

    def components(self, backend: Backend) -> Iterator[Component]:
        return backend.contrasts(self.scores)

    def describe(self) -> str:
        return "row scores"


@as_typed
@dataclass(frozen=True)
class MomentGroup(ComponentGroup):
    """The squared difference of the means of all columns, or of their second moments.

    Parameters
    ----------
    degree : {1, 2}
        1 sees what moves columns, 2 also what widens or turns them.
    penalty : float
    view : View
        Columns of unit variance by default.
    """

    what: ClassVar[str] = "moments of columns"
    degree: int = 1
    penalty: float = 0.0
    view: View = View.STANDARD

    def __post_init__(self) -> None:
        if self.degree not in (1, 2):
            raise ValueError(f"degree must be 1 or 2, got {self.degree!r}.")

    def resolve(self, backend: Backend) -> "MomentGroup":
        return self

    @property
    def count(self) -> int:
        return 1

    def components(self, backend: Backend) -> Iterator[Component]:
        name = "means of columns" if self.degree == 1 else "second moments of columns"
        return backend.moment_forms(name, self.view, self.degree)

    def describe(self) -> str:
        return "means of all columns" if self.degree == 1 else "second moments of all columns"


@as_typed
@dataclass(frozen=True)
class LargestGroup(ComponentGroup):
    """The largest change of any one column, or of how any two columns go together.

    A change of one column in a hundred drowns in what is summed over all of them. Groups that are
    permuted as wholes, and weighted rows, have no such component.

    Parameters
    ----------
    degree : {1, 2}
        1 looks at the mean rank of every column, at how far its ranks lie from the middle and at
        how many rows share its values (rounding, limits, zeros), 2 at the products of the ranks of
        every two columns (of at most 50).
    penalty : float
    """

    what: ClassVar[str] = "largest changes"
    degree: int = 1
    penalty: float = 0.0

    def __post_init__(self) -> None:
        if self.degree not in (1, 2):
            raise ValueError(f"degree must be 1 or 2, got {self.degree!r}.")

    def resolve(self, backend: Backend) -> "LargestGroup":
        return self

    @property
    def count(self) -> int:
        return 1

    def components(self, backend: Backend) -> Iterator[Component]:
        one = "column" if self.degree == 1 else "pair of columns"
        return backend.largest_forms(f"largest change of one {one}", self.degree)

    def describe(self) -> str:
        return "largest change of one column" if self.degree == 1 else "largest change of a pair"
