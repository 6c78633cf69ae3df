"""A checked two-sample problem and the contract of the strategies that decide it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samelaw.core.array import as_samples, as_share, rows, stack_rows, take_rows
from samelaw.core.checks import as_progress, as_seed
from samelaw.core.types import Progress, Sample
from samelaw.estimate.kernel_grids import Pool
from samelaw.twosample.permutations import Labels, Null, Sequential, as_permutations
from samelaw.twosample.result import TestResult
from samelaw.twosample.units import Groups, Units

MOST_ROWS_OF_ONE = 200_000
"""Rows of the larger sample that are always taken, however small the other one is."""


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

    sizes: tuple[int, int] = (0, 0)
    """Rows of each sample, those that were left out included."""
    left_out: int = 0

    @property
    def labels(self) -> Labels:
        return self.units.labels

    def _thinning(self) -> str:
        many = "; of the far larger sample {:,} rows drawn at random were not taken"
        return many.format(self.left_out) if self.left_out else ""

    def result(
        self,
        null: Null,
        method: str,
        *,
        voices: Sequence[Mapping[str, Any]] = (),
        settings: Mapping[str, Any] | None = None,
        sizes: tuple[int, int] | None = None,
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
            components=tuple(voices),
            settings={
                "permutations": self.permutations if counted else repr(self.permutations),
                "level": self.level,
                "seed": self.seed,
                **(settings or {}),
            },
            seed=self.seed,
        )


class Strategy(ABC):
    """A way of deciding whether two samples follow the same law."""

    @abstractmethod
    def decide(self, problem: Problem) -> TestResult:
        """Test a checked problem."""


def as_problem(
    x: Sample,
    y: Sample,
    *,
    level: float,
    permutations: Any,
    rng: Any,
    groups: Any,
    memory: float | None,
    progress: Any,
) -> Problem:
    """Check everything a test needs, before any work is done."""
    x, y = as_samples(x=x, y=y)
    level = as_share("level", level)
    sizes = (rows(x), rows(y))
    for name, size in zip("xy", sizes, strict=True):
        if size < 2:
            raise ValueError(f"a test needs at least two rows in {name}, got {size}.")
    generator, seed = as_seed(rng)
    taken = sizes
    if groups is None:
        x, y = (_worth_taking(s, other, generator) for s, other in ((x, sizes[1]), (y, sizes[0])))
        taken = (rows(x), rows(y))
    units = as_units(groups, taken, generator)
    labels = units.labels
    if 1 / labels.count > level:
        raise ValueError(
            f"{sizes[0]} v {sizes[1]} rows of x and y have only {labels.count:g} relabellings: "
            f"no p-value can reach level {level}. Collect more rows."
        )
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
    )


def _worth_taking(sample: Sample, others: int, rng: np.random.Generator) -> Sample:
    """Rows of a sample at random, as many as can add something to so few others."""
    count, limit = rows(sample), max(MOST_ROWS_OF_ONE, 100 * others)
    if count <= limit:
        return sample
    return take_rows(sample, np.sort(rng.choice(count, limit, replace=False, shuffle=False)))


def as_units(groups: Any, sizes: tuple[int, int], rng: np.random.Generator) -> Units:
    """Single rows, or what `Groups` or plain labels of the rows say."""
    if groups is None:
        return Units.of_rows(sizes)
    chosen = groups if isinstance(groups, Groups) else Groups(groups)
    return Units.of_groups(chosen, sizes, rng)
