"""A checked two-sample problem and the contract of the strategies that decide it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samelaw.core.array import Sample, as_rng, as_samples, as_share, rows, stack_rows
from samelaw.decide.permutation import Labels, Null, Progress, Sequential, as_permutations
from samelaw.decide.result import TestResult
from samelaw.estimate.collection import Pool


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


def as_seed(rng: Any) -> tuple[np.random.Generator, int | None]:
    """A Generator and the seed that makes it again (None if a Generator came in)."""
    if isinstance(rng, np.random.Generator):
        return rng, None
    seed = int(np.random.default_rng().integers(2**32)) if rng is None else int(rng)
    return as_rng(seed), seed


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
    labels = Labels.of(sizes, blocks)
    if 1 / labels.count > level:
        raise ValueError(
            f"{sizes[0]} v {sizes[1]} rows have only {labels.count:g} relabellings: "
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


def as_progress(progress: Any) -> Progress | None:
    """None, a callable, or True for a plain line on standard error."""
    if progress is None or progress is False:
        return None
    if progress is True:
        return _print_progress
    if not callable(progress):
        raise TypeError(f"progress must be True or a callable(done, total), got {progress!r}.")
    return progress  # type: ignore[no-any-return]


def _print_progress(done: int, total: int) -> None:
    import sys

    end = "\n" if done >= total else ""
    sys.stderr.write(f"\r{done}/{total}{end}")
    sys.stderr.flush()
