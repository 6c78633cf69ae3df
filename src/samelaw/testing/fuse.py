"""Fuse: many kernels and entropies, one test. The default, and the published RJSD- and MMD-Fuse."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from samelaw.core import threads
from samelaw.core.as_typed import as_typed
from samelaw.core.checks import shown
from samelaw.core.memory import pieces
from samelaw.core.registry import register
from samelaw.core.types import Matrix
from samelaw.kernels.bandwidths import GeometricGrid, LinearGrid, QuantileGrid
from samelaw.kernels.entropies import EntropyLike
from samelaw.kernels.formulas import Gaussian
from samelaw.kernels.grids import KernelCollection
from samelaw.testing.backends import Backend
from samelaw.testing.combine import Combine, Maximum, SoftMaximum, kernel_weights
from samelaw.testing.component_groups import (
    ComponentGroup,
    KernelGroup,
    LargestGroup,
    MomentGroup,
    ScoreGroup,
)
from samelaw.testing.permuting.components import Component
from samelaw.testing.permuting.permutations import Evaluation, Sequential, null_distribution
from samelaw.testing.problem import Problem, Strategy, check_mirrored
from samelaw.testing.result import TestResult
from samelaw.testing.routes import backend_for
from samelaw.testing.row_scores import (
    InDegree,
    KernelPurity,
    Leverage,
    MeanDistance,
    NeighbourDistance,
)
from samelaw.testing.scales import View
from samelaw.testing.standardize import DivideKernel, NormalScores, Rescale, Scaling
from samelaw.testing.statistics import Exact, MeanDiscrepancy, SecondOrder, Statistic

_DIFFERENT = 3  # kinds of groups that are told apart in a line
_MAKING = 6  # matrices beside the components kept so far, while the next is made


def _at(quantile: float, *factors: float) -> KernelCollection:
    """Gaussian kernels at multiples of a quantile of the distances."""
    return KernelCollection((Gaussian,), QuantileGrid((quantile,), factors))


# Chosen on the tuning half of the suite, which reports nothing: experiments/suite/components.md.
DEFAULT: tuple[ComponentGroup, ...] = (
    KernelGroup(
        KernelCollection((Gaussian,), GeometricGrid(6, (0.25, 2.0), part=(7 / 15, 12 / 15))), (30,)
    ),
    KernelGroup(_at(0.5, 0.7), (30,), view=View.NORMAL),
    KernelGroup(_at(0.5, 1.0), view=View.NORMAL),
    KernelGroup(_at(0.05, 0.7, 1.4), penalty=0.35),
    MomentGroup(1, view=View.RANKS),
    MomentGroup(2, penalty=0.25),
    LargestGroup(1, penalty=0.5),
    LargestGroup(2, penalty=0.75),
    ScoreGroup(
        (
            MeanDistance(View.NORMAL),
            MeanDistance(View.RANKS),
            KernelPurity(),
            Leverage(),
            NeighbourDistance(5),
        ),
        penalty=0.25,
    ),
    ScoreGroup((NeighbourDistance(20), InDegree(5)), penalty=0.5),
)


@register("strategy")
@as_typed
@dataclass(frozen=True, eq=False)
class Fuse(Strategy):
    """Look at many components at once and let the largest decide; no bandwidth to choose.

    Every component gives a statistic, standardised by its exact moments over all permutations; the
    test statistic is their maximum, calibrated by permutation.

    By default divergences of order 30 look at six wide Gaussian kernels and at normal scores of the
    columns: changed dependence, small groups, bumps. Order 1 looks at near neighbours and at normal
    scores; two more forms at the means of ranks and at second moments of all columns. The largest
    change of any one column and of any pair see what drowns in a sum over many. Row scores (one
    number per row from the pool, its mean over X less that over Y) look at spread, density and
    dependence in many dimensions, where a divergence is blind. Every further component raises the
    bar for all, so those that serve few changes must be 0.25 to 0.75 standard deviations larger.

    Parameters
    ----------
    components : sequence of KernelGroup, MomentGroup, LargestGroup or ScoreGroup
        What is fused: print it, change it, pass it back.
    statistic : Statistic
        ``SecondOrder()`` (fast), ``Exact()`` or ``MeanDiscrepancy()`` (MMD).
    weights : sequence of float, optional
        One per kernel (the paper's ρ); equal by default.
    scaling : Scaling
        Normal scores by default.
    combine : Combine
        ``Maximum()`` or ``SoftMaximum(sharpness)``.
    sketches : bool, optional
        Whether rows are dealt to blocks, of which only second-order statistics can be computed; by
        default above 2,000 rows, or when all pairs of rows do not fit ``memory``.

    Notes
    -----
    Cost per kernel: one N×N product and half a (B×N)(N×N) product for each entropy; a row score
    costs a few passes over the distances, leverage N³/3. Memory: a few N×N matrices in single
    precision, and two in double for each kind of units that rows are scored in.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(80, 2)), rng.normal(size=(60, 2)) * 2
    >>> strategy = Fuse([KernelGroup(entropies=(1, 10))])
    >>> two_sample_test(x, y, strategy=strategy, rng=0).reject
    True
    >>> [group.describe() for group in Fuse().components][:2]
    ['kernels × order 30', 'kernels × order 30 of normal scores']
    """

    components: Sequence[ComponentGroup] = DEFAULT
    statistic: Statistic = field(default_factory=SecondOrder)
    weights: Sequence[float] | None = None
    scaling: Scaling = field(default_factory=NormalScores)
    combine: Combine = field(default_factory=Maximum)
    sketches: bool | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        groups = self.components
        if not isinstance(groups, Sequence) or any(
            not isinstance(g, ComponentGroup) for g in groups
        ):
            raise TypeError(
                "components must be a sequence of groups such as "
                f"KernelGroup([Gaussian(1.0)], entropies=(1, 30)), got {shown(groups)}."
            )
        if not groups:
            raise ValueError("components is empty; Fuse().components are the default ones.")
        object.__setattr__(self, "components", tuple(groups))

    @classmethod
    def rjsd(
        cls,
        entropy: EntropyLike = 10,
        sharpness: float | None = None,
        *,
        corrected: bool = False,
        exact: bool = False,
    ) -> "Fuse":
        """The paper's RJSD-Fuse to second order, or exact: its grid, divided kernels, soft maximum.

        Parameters
        ----------
        entropy : Entropy or order
        sharpness : float, optional
            Its λ; None takes n(n−1).
        corrected : bool
            Leave out what a row has to say of itself, so that no kernel starts with a bias of its
            own: the correction that the paper leaves open.
        exact : bool
            RJSD itself for every permutation, at a thousand times the cost. To second order the two
            agree to a correlation above .999 over permutations for n = m.

        Examples
        --------
        Narrow kernels are far from 0 whatever the labels, and drown the others in few rows:

        >>> import numpy as np
        >>> from samelaw import two_sample_test
        >>> x = np.arange(12.0)[:, None]
        >>> two_sample_test(x, x + 8, strategy=Fuse.rjsd(), rng=0).reject
        False
        >>> two_sample_test(x, x + 8, strategy=Fuse.rjsd(corrected=True), rng=0).reject
        True
        """
        if corrected and exact:
            raise ValueError("corrected and exact exclude each other: choose one.")
        return cls(
            (KernelGroup(KernelCollection(grid=QuantileGrid()), (entropy,)),),
            statistic=Exact() if exact else SecondOrder(unbiased=corrected),
            scaling=DivideKernel(),
            combine=SoftMaximum(sharpness),
        )

    @classmethod
    def mmd(cls, sharpness: float | None = None) -> "Fuse":
        """MMD-Fuse as published: unbiased MMD², its own grid, normaliser and effective λ."""
        return cls(
            (KernelGroup(KernelCollection(grid=LinearGrid())),),
            statistic=MeanDiscrepancy(unbiased=True),
            scaling=DivideKernel(power=1.0),
            combine=SoftMaximum(sharpness),
        )

    def decide(self, problem: Problem) -> TestResult:
        fused = Fused.of(self, problem)
        null = null_distribution(
            fused.evaluate,
            fused.backend.units.labels,
            problem.permutations,
            problem.rng,
            noise=fused.noise,
        )
        method = f"{type(self).__name__} over {fused.contents} ({self.statistic!r})"
        return problem.result(
            null,
            f"{method}, {fused.backend.describe()}",
            settings={"strategy": repr(self), "components": list(map(repr, self.components))},
        )


@dataclass(frozen=True, eq=False)
class _Comparable:
    """A component with what makes its values comparable."""

    component: Component
    rescale: Rescale
    weight: float
    penalty: float

    def values(self, memberships: Iterable[Matrix]) -> Matrix:
        """Comparable values (B,) for memberships that come some at a time."""
        found = np.concatenate([self.component.evaluate(some) for some in memberships])
        return np.asarray(self.rescale(found) - self.penalty)


@dataclass(frozen=True, eq=False)
class Fused:
    """The fused statistic of one problem, a function of memberships.

    Parameters
    ----------
    plan : Fuse
    problem : Problem
    backend : Backend
    groups : sequence of ComponentGroup
        With bandwidths chosen on the pool.
    kept : list of components, optional
        All of them, where they are evaluated more than once.
    """

    plan: Fuse
    problem: Problem
    backend: Backend
    groups: Sequence[ComponentGroup]
    kept: Sequence[_Comparable] | None = None

    @classmethod
    def of(cls, plan: Fuse, problem: Problem) -> "Fused":
        check_mirrored(problem)
        backend = backend_for(problem, plan.statistic, plan.scaling, sketches=plan.sketches)
        with threads.fitting(backend.pool.size):
            groups = [group.resolve(backend) for group in plan.components]
            backend.settle()
            fused = cls(plan, problem, backend, groups)
            if isinstance(problem.permutations, Sequential):
                return replace(fused, kept=fused._kept())
        return fused

    @property
    def contents(self) -> str:
        """What is fused, in words."""
        names = [group.describe() for group in self.groups]
        if len(set(names)) > _DIFFERENT:
            names = [group.what for group in self.groups]
        counts = Counter[str]()
        for name, group in zip(names, self.groups, strict=True):
            counts[name] += group.count
        return " and ".join(f"{count} {what}" for what, count in counts.items())

    def evaluate(self, memberships: Matrix) -> Evaluation:
        """Fused values (B,) for memberships (B, U), and what the components say of the first."""
        with threads.fitting(self.backend.pool.size):  # of sketches few: blocks are small products
            return self._evaluate(memberships)

    def _evaluate(self, memberships: Matrix) -> Evaluation:
        n = min(self.backend.units.labels.sizes)
        total: Matrix | None = None
        first: list[tuple[str, float]] = []
        some = [memberships[piece] for piece in pieces(*memberships.shape)]
        ready = [self._ready(some[0])] if len(some) == 1 else []  # else anew for every component
        for one in self.kept or self._components():
            values = one.values(ready or map(self._ready, some))
            first.append((one.component.name, float(values[0])))
            total = self.plan.combine.fuse(total, values, one.weight, n)
        assert total is not None  # there is at least one kernel
        return Evaluation(self.plan.combine.finish(total, n), tuple(first))

    def _ready(self, memberships: Matrix) -> Matrix:
        return memberships.astype(self.backend.dtype)

    @property
    def noise(self) -> float:
        """Rounding errors of values that come some at a time: constant ones may be among them."""
        unknown = (one for one in self.kept or () if one.component.form.moments() is None)
        return max((one.component.noise for one in unknown), default=0.0)

    def _components(self, *, each: bool = False) -> Iterator[_Comparable]:
        """The components one after the other: a matrix over all rows each.

        ``each``: to be evaluated on some memberships at a time.
        """
        count = sum(group.count for group in self.groups)
        weights = kernel_weights(self.plan.weights, count, sum_to_one=self.plan.combine.sums)
        before = 0
        for group in self.groups:
            for component in group.components(self.backend):
                place = before + component.kernel
                scaling = self.plan.scaling
                rescale = scaling.fit_each(component) if each else scaling.fit(component)
                if rescale is None:
                    raise ValueError(
                        "sequential stopping needs moments in closed form: use SecondOrder(), no "
                        "weights and no groups of one sample only, or fix the number of "
                        "permutations."
                    )
                yield _Comparable(component, rescale, weights[place], group.penalty)
                if self.problem.progress is not None:
                    self.problem.progress(place + 1, count)
            before += group.count

    def _kept(self) -> list[_Comparable]:
        """All components at once, for sequential stopping, if they fit the memory budget."""
        count = sum(group.matrices for group in self.groups)
        need = 4.0 * self.backend.units.count**2 * (count + _MAKING)
        budget = self.problem.budget
        if need > budget.room:
            raise budget.refuse(
                "sequential stopping keeps the components of all kernels, which take",
                need,
                "fix the number of permutations",
            )
        return list(self._components(each=True))
