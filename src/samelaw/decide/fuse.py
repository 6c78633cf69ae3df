"""Fuse: many kernels and orders, one test. The default, and the published RJSD- and MMD-Fuse."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from samelaw.core.entropies import Entropy, PowerSeries, VonNeumann
from samelaw.core.kernels import Gaussian, Kernel, Laplace
from samelaw.core.registry import register
from samelaw.decide.budget import pieces
from samelaw.decide.combining import Combine, Maximum, SoftMaximum, kernel_weights
from samelaw.decide.permutation import Sequential, null_distribution
from samelaw.decide.problem import Problem, Strategy
from samelaw.decide.result import TestResult
from samelaw.decide.scaling import (
    DivideKernel,
    DivideStatistic,
    NormalScores,
    Rescale,
    Scaling,
)
from samelaw.decide.sources import source_of
from samelaw.decide.statistics import MeanDiscrepancy, Placed, SecondOrder, Statistic
from samelaw.estimate.bandwidth import GeometricGrid, LinearGrid, QuantileGrid
from samelaw.estimate.collection import KernelCollection
from samelaw.estimate.sketch import means_suffice

Matrix: TypeAlias = np.ndarray[Any, Any]

_MAKING = 6  # matrices beside the forms kept so far, while the next is made


def _entropy(order: Any) -> Entropy:
    if isinstance(order, Entropy):
        return order
    return VonNeumann() if order == math.inf else PowerSeries(order)


@dataclass(frozen=True)
class Section:
    """Kernels heard with the same orders, and by how much they must be louder than the others.

    Parameters
    ----------
    kernels : sequence of Kernel, or KernelCollection
    orders : tuple of int, math.inf or Entropy
    handicap : float
        Taken off their standardised statistics.

    Examples
    --------
    >>> Fuse([Section([Gaussian(1.0)], (1,)), Section([Gaussian(4.0)], (10,), handicap=0.3)])
    ... # doctest: +ELLIPSIS
    Fuse(kernels=[Section(kernels=[Gaussian(bandwidth=1.0)], ...
    """

    kernels: Sequence[Kernel] | KernelCollection
    orders: tuple[Any, ...]
    handicap: float = 0.0

    def kernels_for(self, pool: Any) -> Sequence[Kernel]:
        return self.kernels(pool) if isinstance(self.kernels, KernelCollection) else self.kernels


def _narrow(family: type[Kernel], *factors: float) -> KernelCollection:
    """Multiples of the 5 % quantile of the distances: what near neighbours are apart."""
    return KernelCollection((family,), QuantileGrid((0.05,), factors))


# Tuned on twelve problems that are not among the reported ones: experiments/fusing/tuning.py.
ORDERS = (1, 30)
DEFAULT = (
    Section(_narrow(Gaussian, 0.7, 1.0), orders=(1,)),
    Section(_narrow(Gaussian, 1.4), orders=(1,), handicap=0.3),
    Section(_narrow(Laplace, 1.0), orders=(1,), handicap=0.5),
    Section(
        KernelCollection((Gaussian,), GeometricGrid(6, (0.25, 2.0), part=(7 / 15, 12 / 15))),
        orders=(30,),
        handicap=0.45,
    ),
)


@register("strategy")
@dataclass(frozen=True, eq=False)
class Fuse(Strategy):
    """Try many kernels and orders at once and let the loudest decide; no bandwidth to choose.

    Every kernel and order gives a statistic, standardised by its exact mean and deviation over
    all relabellings (and its skewness); the test statistic is their maximum, calibrated by
    relabelling.

    By default order 1 listens at the distance of near neighbours (the 5 % quantile of the pooled
    distances and 0.7 and 1.4 times that; Gaussian and Laplace): changes of location, scale, tails
    and local ones. Order 30 listens at six wider Gaussian kernels, where eigenvalues of many sizes
    tell of changed dependence and of small groups. Every further voice raises the bar for all, so
    those that mostly repeat the first two must speak 0.3 to 0.5 standard deviations louder.

    Parameters
    ----------
    kernels : sequence of Kernel, KernelCollection, sequence of Section, or None
        Gaussian and Laplace at ten bandwidths each if only ``orders`` is given. Sections pair
        kernels with orders of their own.
    orders : sequence of int, math.inf or Entropy, or None
        Orders of the power series; inf is von Neumann. (1, 30) if only ``kernels`` is given.
    statistic : Statistic
        ``SecondOrder()`` (fast), ``Exact()`` or ``MeanDiscrepancy()`` (MMD).
    weights : sequence of float, optional
        One per kernel (the paper's ρ); equal by default.
    scaling : Scaling
        Normal scores by default.
    combine : Combine
        ``Maximum()`` or ``SoftMaximum(sharpness)``.
    sketches : bool, optional
        Whether rows are dealt to blocks, which only second-order statistics can be told from;
        by default above 2,000 rows, or when all pairs of rows do not fit ``memory``.

    Notes
    -----
    Cost per kernel: one N×N product and half a (B×N)(N×N) product for each order. Memory: a few
    N×N matrices in single precision.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(80, 2)), rng.normal(size=(60, 2)) * 2
    >>> two_sample_test(x, y, strategy=Fuse(orders=(1, 10)), rng=0).reject
    True
    """

    kernels: "Sequence[Kernel] | KernelCollection | Sequence[Section] | None" = None
    orders: Sequence[Any] | None = None
    statistic: Statistic = field(default_factory=SecondOrder)
    weights: Sequence[float] | None = None
    scaling: Scaling = field(default_factory=NormalScores)
    combine: Combine = field(default_factory=Maximum)
    sketches: bool | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.orders is not None and len(self.orders) == 0:
            raise ValueError("orders is empty; give at least one, for instance (10,).")
        for order in self.orders or ():
            _entropy(order)

    @property
    def sections(self) -> tuple["Section", ...]:
        """Kernels and the orders each is heard with."""
        kernels, orders = self.kernels, self.orders
        if kernels is None and orders is None and self.weights is None:
            return DEFAULT
        if kernels is None or isinstance(kernels, KernelCollection):
            return (Section(kernels or KernelCollection(), tuple(orders or ORDERS)),)
        given = [member for member in kernels if isinstance(member, Section)]
        if not given:
            return (Section(kernels, tuple(orders or ORDERS)),)  # type: ignore[arg-type]
        if len(given) < len(kernels) or orders is not None:
            raise ValueError("sections stand alone: give no other kernels and no orders= beside.")
        return tuple(given)

    @classmethod
    def rjsd(cls, order: int = 10, sharpness: float | None = None) -> "Fuse":
        """RJSD-Fuse of the paper to second order: kernel/√N, quantile grid, weighted soft maximum.

        The paper does not state λ; ``sharpness=None`` takes n(n−1). Its statistic itself, at a
        thousand times the cost: ``dataclasses.replace(Fuse.rjsd(), statistic=Exact())``.
        """
        return cls(
            kernels=KernelCollection(grid=QuantileGrid()),
            orders=(order,),
            scaling=DivideKernel(),
            combine=SoftMaximum(sharpness),
        )

    @classmethod
    def mmd(cls, sharpness: float | None = None) -> "Fuse":
        """MMD-Fuse as published: unbiased MMD², its own grid, normaliser and effective λ."""
        return cls(
            kernels=KernelCollection(grid=LinearGrid()),
            orders=(1,),
            statistic=MeanDiscrepancy(unbiased=True),
            scaling=DivideStatistic(),
            combine=SoftMaximum(sharpness),
        )

    def decide(self, problem: Problem) -> TestResult:
        fused = FusedStatistic(self, problem)
        null = null_distribution(
            fused.evaluate, fused.source.units.labels, problem.permutations, problem.rng
        )
        counts: dict[tuple[Any, ...], int] = {}
        for section, kernels in fused.choir:
            counts[section.orders] = counts.get(section.orders, 0) + len(kernels)
        heard = " and ".join(
            f"{count} kernels × order{'s' * (len(orders) > 1)} {', '.join(map(str, orders))}"
            for orders, count in counts.items()
        )
        return problem.result(
            null,
            f"{type(self).__name__} over {heard} ({self.statistic!r}), {fused.source.describe()}",
            voices=fused.voices(),
            settings={"strategy": repr(self)},
        )


@dataclass(frozen=True, eq=False)
class _Voice:
    """One kernel and order: its form and what makes it comparable."""

    name: str
    placed: Placed
    rescale: Rescale
    weight: float
    handicap: float

    def speak(self, pieces: Iterable[Matrix]) -> Matrix:
        """Comparable values (B,) for memberships that come some at a time."""
        form, units = self.placed.form, self.placed.units
        values = np.concatenate([form.evaluate(members[:, units]) for members in pieces])
        return self.rescale(values) - self.handicap


class FusedStatistic:
    """The fused statistic of one problem, as a function of memberships."""

    def __init__(self, plan: Fuse, problem: Problem) -> None:
        self.plan = plan
        self.problem = problem
        self.source = source_of(
            problem,
            plan.statistic,
            all_pairs=plan.scaling.all_pairs,
            sketches=plan.sketches,
        )
        pool = self.source.pool
        self.choir = [(section, section.kernels_for(pool)) for section in plan.sections]
        self.kernels = [kernel for _, kernels in self.choir for kernel in kernels]
        self.weights = kernel_weights(
            plan.weights, len(self.kernels), sum_to_one=isinstance(plan.combine, SoftMaximum)
        )
        self.heard: dict[tuple[int, str], float] = {}
        self._kept: list[_Voice] | None = None
        if isinstance(problem.permutations, Sequential):
            self._kept = self._keep()

    def evaluate(self, members: Matrix) -> Matrix:
        """Fused values (B,) for memberships (B, units)."""
        labels = self.source.units.labels
        observed = bool(np.array_equal(members[0], labels.observed))
        n = min(labels.sizes)
        total: Matrix | None = None
        some = [members[piece] for piece in pieces(*members.shape)]
        chosen = [self._ready(some[0])] if len(some) == 1 else []  # else anew for every voice
        for voice in self._kept or self._voices():
            values = voice.speak(chosen or map(self._ready, some))
            if observed:
                self.heard[len(self.heard), voice.name] = float(values[0])
            total = self.plan.combine.fuse(total, values, voice.weight, n)
        assert total is not None  # there is at least one kernel
        return self.plan.combine.finish(total, n)

    def _ready(self, members: Matrix) -> Matrix:
        return np.asarray(self.source.arrange(members).astype(self.source.dtype))

    def _voices(self) -> Iterator[_Voice]:
        means = [self._flat(section) for section, kernels in self.choir for _ in kernels]
        self.source.open(self.kernels, means)
        weights = iter(self.weights)
        done = 0
        for section, kernels in self.choir:
            for kernel in kernels:
                yield from self._sing(section, kernel, next(weights))
                done += 1
                if self.problem.progress is not None:
                    self.problem.progress(done, len(self.kernels))

    def _sing(self, section: Section, kernel: Kernel, weight: float) -> Iterator[_Voice]:
        """The voices of one kernel."""
        entropies = [_entropy(order) for order in section.orders]
        source, scaling, statistic = self.source, self.plan.scaling, self.plan.statistic
        sizes = source.units.labels.sizes
        operator = source.operator(kernel)
        factor = 1.0
        if not self._flat(section):
            factor = scaling.kernel_factor(operator, sizes, statistic)
        for placed in source.forms(operator, entropies, statistic, factor):
            name = _name(kernel, section.orders[placed.entropy])
            start = source.start[: placed.units.stop - placed.units.start]
            rescale = scaling.fit(placed.form, operator, sizes, start)
            yield _Voice(name, placed, rescale, weight, section.handicap)

    def _flat(self, section: Section) -> bool:
        """Scaling changes such entropies by a factor, which normal scores undo."""
        entropies = map(_entropy, section.orders)
        return isinstance(self.plan.scaling, NormalScores) and all(map(means_suffice, entropies))

    def _keep(self) -> list[_Voice]:
        """All forms at once, for sequential stopping, if they fit the memory budget."""
        voices = sum(len(kernels) * len(section.orders) for section, kernels in self.choir)
        need = 4.0 * self.source.units.count**2 * (voices + _MAKING)
        budget = self.problem.budget
        if need > budget.room:
            raise budget.refuse(
                "sequential stopping keeps the forms of all kernels, which take",
                need,
                "fix the number of permutations",
            )
        kept = list(self._voices())
        scores = isinstance(self.plan.scaling, NormalScores)
        if scores and any(voice.placed.form.moments() is None for voice in kept):
            raise ValueError(
                "sequential stopping needs moments in closed form: use SecondOrder(), no groups of "
                "one sample only, or fix the number of permutations."
            )
        return kept

    def voices(self) -> list[dict[str, Any]]:
        """What each kernel and order said of the observed labels, loudest first."""
        ranked = sorted(self.heard.items(), key=lambda item: -item[1])
        return [{"name": name, "value": value} for (_, name), value in ranked]


def _name(kernel: Kernel, order: Any) -> str:
    bandwidth = getattr(kernel, "bandwidth", None)
    if isinstance(bandwidth, float):
        return f"{type(kernel).__name__}({bandwidth:.4g}), order {order}"
    return f"{type(kernel).__name__}, order {order}"
