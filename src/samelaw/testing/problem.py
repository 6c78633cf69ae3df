"""A checked two-sample problem and the contract of the strategies that decide it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from samelaw.core import tolerances
from samelaw.core.arrays import detach, parts, rows, stack_rows, take_rows, to_numpy
from samelaw.core.by_value import ByValue
from samelaw.core.checks import as_progress, as_seed, as_share, shown
from samelaw.core.errors import TooFewRows
from samelaw.core.memory import Budget, within, worth_taking
from samelaw.core.samples import as_samples, as_weights
from samelaw.core.types import Array, Matrix, Progress, Sample, Seed
from samelaw.kernels.entropies import EntropyLike
from samelaw.kernels.grids import Pool
from samelaw.testing.permuting.group_units import Groups, units_of_groups
from samelaw.testing.permuting.permutations import (
    BATCH,
    Labels,
    Null,
    Permutations,
    Sequential,
    as_permutations,
)
from samelaw.testing.permuting.units import Units
from samelaw.testing.result import TestResult

if TYPE_CHECKING:
    from samelaw.kernels.algebra import Kernel


@dataclass(frozen=True, eq=False)
class Problem:
    """Two samples under each other and how they are to be tested."""

    pool: Pool
    units: Units
    level: float
    permutations: int | Sequential
    rng: np.random.Generator
    seed: int | None
    memory: float | None = None
    progress: Progress | None = None

    sizes: tuple[int, ...] = (0, 0)
    """Rows of each sample, those that were left out included."""
    left_out: int = 0
    beside: float = 0.0
    """Bytes of the budget that whoever asks for the test has taken."""
    short: bool = False
    """Whether rows were left out because they do not fit ``memory``."""

    def __post_init__(self) -> None:
        rows = " v ".join(map(str, self.sizes))
        check_permutations(self.labels, self.level, f"{rows} rows")

    @property
    def labels(self) -> Labels:
        return self.units.labels

    @property
    def budget(self) -> Budget:
        """What is left for operators and memberships, beside the rows."""
        own = self.pool.size * row_bytes(self.pool.sample)
        return Budget.of(self.memory).without(own + self.beside)

    @property
    def memberships(self) -> int:
        """How many are held at once."""
        return BATCH if isinstance(self.permutations, Sequential) else self.permutations + 1

    def _thinning(self) -> str:
        if not self.left_out:
            return ""
        if self.short:
            total = Budget.of(self.memory).total
            why = f"; {{:,}} rows drawn at random were not taken, to keep within memory={total:.0f}"
        else:
            why = "; of the far larger sample {:,} rows drawn at random were not taken"
        return why.format(self.left_out)

    def result(
        self,
        null: Null,
        method: str,
        *,
        settings: Mapping[str, Any] | None = None,
        sizes: tuple[int, ...] | None = None,
    ) -> TestResult:
        """The result of a null distribution."""
        counted = isinstance(self.permutations, int)
        return TestResult(
            statistic=null.observed,
            pvalue=null.pvalue,
            reject=bool(null.pvalue <= self.level),
            level=self.level,
            null_distribution=null.values[1:],
            method=method + self._thinning(),
            calibration=f"{self.units.exactness} from {null.kind}",
            sizes=sizes or self.sizes,
            components=tuple(
                {"name": name, "value": value}
                for name, value in sorted(null.components, key=lambda one: -one[1])
            ),
            settings={
                "permutations": self.permutations if counted else repr(self.permutations),
                "level": self.level,
                "seed": self.seed,
                **(settings or {}),
            },
            seed=self.seed,
        )


class Learns(Protocol):
    """A strategy that learns a kernel from some of the rows, wherever it lives: `Deep`."""

    @property
    def share(self) -> float:
        """Of the rows, used for learning."""

    @property
    def entropy(self) -> EntropyLike:
        """Of the test."""

    @property
    def by_mmd(self) -> bool:
        """Whether the test is by unbiased MMD² instead."""

    def learn(self, x: Matrix, y: Matrix, seed: int = 0, /) -> "Kernel":
        """The kernel, from rows (n, d) and (m, d)."""


class Decides(Protocol):
    """What a test asks of a strategy that decides by itself, such as `Fuse`."""

    def decide(self, problem: Problem, /) -> TestResult:
        """Test a checked problem."""


def check_strategy(strategy: object) -> None:
    """Raise unless it is an object that decides or learns; its class is none."""
    ways = (getattr(strategy, way, None) for way in ("decide", "learn"))
    if isinstance(strategy, type) or not any(map(callable, ways)):
        raise TypeError(f"strategy must be an object such as Fuse(), got {strategy!r}.")


class Strategy(ByValue, ABC):
    """A way of deciding whether two samples follow the same law."""

    @abstractmethod
    def decide(self, problem: Problem) -> TestResult:
        """Test a checked problem."""


def as_problem(
    x: Sample,
    y: Sample,
    *,
    level: float,
    permutations: Permutations,
    rng: Seed,
    groups: Groups | Array | None,
    memory: float | None,
    progress: Progress | bool | None,
    sample_weights: Sequence[Array | None] | None = None,
) -> Problem:
    """Check everything a test needs, before any work is done."""
    x, y = as_samples(x=x, y=y)
    level = as_share("level", level)
    sizes = (rows(x), rows(y))
    for name, size in zip("xy", sizes, strict=True):
        if size < 2:
            raise TooFewRows(f"a test needs at least two rows in {name}, got {size}.")
    generator, seed = as_seed(rng)
    weighing = None if sample_weights is None else _weighing(sample_weights, (x, y), groups)
    budget, each = Budget.of(memory), row_bytes(x)
    fits, worth = budget.rows(each), worth_taking(sizes)
    taken = sizes
    if groups is None and weighing is None:
        taken = within(worth, fits)
        x, y = (_some_of(s, count, generator) for s, count in zip((x, y), taken, strict=True))
    elif sum(sizes) > fits:
        raise budget.refuse(
            f"copies of {sum(sizes):,} rows of groups or with weights take",
            sum(sizes) * each,
            "take fewer rows",
        )
    units = as_units(groups, taken, generator) if weighing is None else weighing
    counted = sizes if weighing is None else weighing.labels.sizes
    check_permutations(units.labels, level, "{} v {} rows of x and y".format(*counted))
    return Problem(
        pool=Pool(stack_rows((x, y))),
        units=units,
        level=level,
        permutations=as_permutations(permutations, level),
        rng=generator,
        seed=seed,
        memory=memory,
        progress=as_progress(progress),
        sizes=sizes,
        left_out=sum(sizes) - sum(taken),
        short=groups is None and weighing is None and taken != worth,
    )


def check_permutations(labels: Labels, level: float, rows: str) -> None:
    """Refuse ``rows`` (in words) that have too few permutations for a level."""
    if 1 / labels.count > level:
        more = "." if labels.uniform else " or groups."
        raise TooFewRows(
            f"{rows} have only {labels.count:g} permutations: no p-value can reach level {level}. "
            f"Collect more rows{more}"
        )


def check_mirrored(problem: Problem) -> None:
    """Refuse what has too few permutations for a statistic to which the samples have no order."""
    labels = problem.labels
    if 1 / labels.different > problem.level:
        what = "rows" if problem.units.count == problem.pool.size else "groups"
        raise TooFewRows(
            f"{' v '.join(map(str, labels.sizes))} {what} can be divided in only "
            f"{labels.different:g} ways ({labels.count:g} permutations, but the samples have no "
            f"order): no p-value can reach level {problem.level}. Collect more {what}."
        )


def row_bytes(sample: Sample) -> float:
    """Bytes a test takes per row: copies in the type of the sample and single, and numbers."""
    part = take_rows(sample, slice(0, 1))
    return float(sum(3.0 * to_numpy(detach(p)).nbytes for p in parts(part)) + 64.0)


def _some_of(sample: Sample, count: int, rng: np.random.Generator) -> Sample:
    """So many rows of a sample, drawn at random."""
    if count == rows(sample):
        return sample
    chosen = rng.choice(rows(sample), count, replace=False, shuffle=False)
    return take_rows(sample, np.sort(chosen))


def _weighing(
    weights: Sequence[Array | None], samples: tuple[Sample, Sample], groups: object
) -> Units | None:
    """Rows that move with their weights, which are on one scale unless only one sample has some.

    None if all weigh the same.
    """
    if groups is not None:
        raise ValueError("sample_weights and groups exclude each other: choose one.")
    if not isinstance(weights, tuple | list) or len(weights) != 2:
        raise TypeError(
            f"sample_weights must be a pair, for the rows of x and of y (None for equal ones), got "
            f"{shown(weights)}."
        )
    both = all(own is not None for own in weights)
    found = []
    for name, own, sample in zip("xy", weights, samples, strict=True):
        size = rows(sample)
        if own is None:
            found.append(np.ones(size))
            continue
        as_weights(f"sample_weights of {name}", own, sample)
        values = np.asarray(to_numpy(detach(own)), dtype=np.float64)
        found.append(values if both else _scaled(values))
    values = _scaled(np.concatenate(found))
    for name, own in zip("xy", np.split(values, [rows(samples[0])]), strict=True):
        if (counting := int((own > 0.0).sum())) < 2:
            raise ValueError(
                f"sample_weights of {name} are 0, or nothing beside the others, but for {counting} "
                "rows: a test needs at least two."
            )
    if np.ptp(values) <= tolerances.EQUAL_WEIGHTS:
        return None
    if both:
        ways = (
            "weights move with their rows: exact if rows and weights are exchangeable together, "
            "otherwise approximate"
        )
    else:
        own = found[0 if weights[0] is not None else 1]
        ways = (
            f"approximate: the weights of one sample move with its rows, {len(own)} of which count "
            f"as {max(1, round(own.sum() ** 2 / (own @ own)))}"
        )
    if without := int((values == 0.0).sum()):
        ways += f"; {without} rows of weight 0 took no part"
    return Units.of_weights((rows(samples[0]), rows(samples[1])), values, ways)


def _scaled(weights: Matrix) -> Matrix:
    """With a mean of 1; what is nothing beside the largest is 0."""
    values = weights / weights.max()  # first, or the sum of huge ones would overflow
    values = np.where(values < tolerances.NO_WEIGHT, 0.0, values)
    return np.asarray(values / values.mean())


def as_units(
    groups: Groups | Array | None, sizes: tuple[int, int], rng: np.random.Generator
) -> Units:
    """Single rows, or what `Groups` or plain labels of the rows say."""
    if groups is None:
        return Units.of_rows(sizes)
    chosen = groups if isinstance(groups, Groups) else Groups(groups)
    return units_of_groups(chosen, sizes, rng)
