"""A checked two-sample problem and the contract of the strategies that decide it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samelaw.core.array import Sample, as_samples, as_share, rows, stack_rows, to_numpy
from samelaw.decide.permutation import Labels, Null, Progress, Sequential, as_permutations
from samelaw.decide.result import TestResult
from samelaw.estimate.collection import Pool
from samelaw.estimate.running import as_progress, as_seed


@dataclass(frozen=True, eq=False)
class Problem:
    """Two samples under each other and how they are to be tested."""

    pool: Pool
    labels: Labels
    level: float
    permutations: int | Sequential
    rng: np.random.Generator
    seed: int | None
    memory: float | None = None
    progress: Progress | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        return self.labels.sizes

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
            method=method,
            calibration=f"exact p-value from {null.kind}",
            sizes=sizes or self.sizes,
            voices=tuple(voices),
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


def _as_blocks(blocks: Any) -> Any:
    """Labels of any kind as one array, or None."""
    if blocks is None:
        return None
    pair = blocks if isinstance(blocks, tuple) and len(blocks) == 2 else (blocks,)
    try:
        parts = [to_numpy(part).ravel() for part in pair]
        if any(isinstance(part, np.ma.MaskedArray) for part in pair):
            raise TypeError("some are masked")
        return np.unique(np.concatenate(parts), return_inverse=True)[1]
    except (TypeError, ValueError) as error:
        raise TypeError(f"blocks must be labels, one per row of x and y: {error}.") from error


def as_problem(
    x: Sample,
    y: Sample,
    *,
    level: float,
    permutations: Any,
    rng: Any,
    blocks: Any,
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
    labels = Labels.of(sizes, _as_blocks(blocks))
    if 1 / labels.count > level:
        raise ValueError(
            f"{sizes[0]} v {sizes[1]} rows of x and y have only {labels.count:g} relabellings: "
            f"no p-value can reach level {level}. Collect more rows."
        )
    generator, seed = as_seed(rng)
    return Problem(
        pool=Pool(stack_rows((x, y))),
        labels=labels,
        level=level,
        permutations=as_permutations(permutations, level),
        rng=generator,
        seed=seed,
        memory=memory,
        progress=as_progress(progress),
    )
