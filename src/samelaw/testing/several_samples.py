"""Many two-sample tests at once, with control of the false-discovery rate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from samelaw.core import threads
from samelaw.core.arrays import in_full_precision, is_array, rows, stack_rows
from samelaw.core.checks import as_progress, as_seed, as_share
from samelaw.core.errors import TooFewRows
from samelaw.core.memory import Budget
from samelaw.core.samples import as_samples
from samelaw.core.types import Matrix, Progress, Sample, Seed
from samelaw.kernels.grids import Pool
from samelaw.results.plots import draw_pvalues
from samelaw.results.result import TableResult
from samelaw.testing.fuse import Fuse
from samelaw.testing.held_out import decided
from samelaw.testing.permuting.permutations import (
    Labels,
    ManyLabels,
    Permutations,
    Sequential,
    as_permutations,
)
from samelaw.testing.permuting.units import Units
from samelaw.testing.problem import Decides, Learns, Problem, check_permutations, check_strategy
from samelaw.testing.result import TestResult
from samelaw.testing.statistics import SecondOrder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FUSE = Fuse()
_DISTANCES = 64.0  # bytes per pair of rows: of two metrics, of a part of them, and to spare


@dataclass(frozen=True, eq=False)
class GroupTests(TableResult):
    """The outcome of many two-sample tests.

    Attributes
    ----------
    pairs : list of (name, name)
    results : list of TestResult
        Each at its own level, before adjustment.
    adjusted : array (k,)
        p-values adjusted for the number of tests.
    reject : array (k,) of bool
        Adjusted p-value at most the level.
    level : float
    seed : int or None
    settings : mapping
        What to pass to run it again.
    """

    kind: ClassVar[str] = "group_tests"

    pairs: Sequence[tuple[str, str]]
    results: Sequence[TestResult]
    adjusted: Matrix
    reject: Matrix
    level: float
    seed: int | None
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def records(self) -> list[dict[str, Any]]:
        """One row per test."""
        found = zip(self.pairs, self.results, self.adjusted, self.reject, strict=True)
        return [
            {
                "first": a,
                "second": b,
                "pvalue": result.pvalue,
                "adjusted": float(adjusted),
                "differ": bool(differ),
            }
            for (a, b), result, adjusted, differ in found
        ]

    def _content(self) -> dict[str, Any]:
        found = zip(self.records(), self.results, strict=True)
        tests = [{**result.to_dict(), **record} for record, result in found]
        return {
            "level": self.level,
            "settings": dict(self.settings),
            "seed": self.seed,
            "tests": tests,
        }

    def draw(self, ax: "Axes") -> None:
        """The adjusted p-values, with the level."""
        names = [f"{a} v {b}" for a, b in self.pairs]
        draw_pvalues(ax, names, self.adjusted.tolist(), self.level)


@in_full_precision
def group_tests(
    groups: Mapping[str, Sample] | Sequence[Sample],
    *,
    control: object = None,
    strategy: Decides | Learns = _FUSE,
    level: float = 0.05,
    permutations: Permutations = None,
    dependent: bool = False,
    rng: Seed = None,
    jobs: int = 1,
    memory: float | None = None,
    progress: Progress | bool | None = None,
) -> GroupTests:
    """Test groups against one control, or all pairs of groups, with false-discovery control.

    Parameters
    ----------
    groups : mapping of name to array (n_k, d), or sequence of arrays
    control : name or index, optional
        Compare the others with this group; all pairs when None.
    strategy, level, permutations
        As in `two_sample_test`; by default enough permutations that one small p-value survives
        the adjustment.
    dependent : bool
        Adjust by Benjamini–Yekutieli instead of Benjamini–Hochberg (valid under any dependence).
    rng : int, Generator or None
    jobs : int
        Threads (joblib); the numbers do not depend on it.
    memory : float, optional
        Bytes each of the tests may take beyond the samples, as in `two_sample_test`.
    progress : callable or True, optional

    Returns
    -------
    GroupTests

    Notes
    -----
    Distances between rows are computed once for all tests.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> groups = {"a": rng.normal(size=(60, 2)), "b": rng.normal(size=(60, 2))}
    >>> groups["c"] = rng.normal(size=(60, 2)) + 1.5
    >>> group_tests(groups, control="a", rng=0).reject
    array([False,  True])
    """
    from joblib import Parallel, delayed
    from scipy.stats import false_discovery_control

    check_strategy(strategy)
    named = named_samples("groups", groups)
    level = as_share("level", level)
    samples = dict(
        zip(named, as_samples(**{f"group {k}": v for k, v in named.items()}), strict=True)
    )
    for name, sample in samples.items():
        if rows(sample) < 2:
            raise ValueError(f"a test needs at least two rows in group {name}, got {rows(sample)}.")
    pairs = _pairs(list(samples), None if control is None else str(control))
    if permutations is None:
        permutations = int(max(999, np.ceil(20 * len(pairs) / level) - 1))
    count = as_permutations(permutations, level / len(pairs))
    generator, seed = as_seed(rng)
    Budget.of(memory)
    problems = _problems(samples, pairs, level, count, generator, seed, memory)
    show = as_progress(progress)
    results: list[TestResult] = []
    work = (delayed(_decide)(strategy, *one) for one in zip(pairs, problems, strict=True))
    with threads.fitting(max(problem.pool.size for problem in problems)):
        for result in Parallel(n_jobs=jobs, prefer="threads", return_as="generator")(work):
            results.append(result)
            if show is not None:
                show(len(results), len(pairs))
    raw = np.array([result.pvalue for result in results])
    adjusted = false_discovery_control(raw, method="by" if dependent else "bh")
    settings = {
        "control": None if control is None else str(control),
        "strategy": repr(strategy),
        "permutations": count if isinstance(count, int) else repr(count),
        "dependent": dependent,
    }
    return GroupTests(pairs, results, adjusted, adjusted <= level, level, seed, settings)


def _decide(strategy: Decides | Learns, pair: tuple[str, str], problem: Problem) -> TestResult:
    """Test one pair; what has too few rows for it says which pair that is."""
    try:
        return decided(strategy, problem)
    except TooFewRows as error:
        raise TooFewRows("groups {} and {}: {}".format(*pair, error)) from error


def named_samples(
    argument: str, groups: Mapping[str, Sample] | Sequence[Sample]
) -> Mapping[str, Sample]:
    """Samples by name, two at least; those of a sequence are numbered."""
    try:
        named = groups if isinstance(groups, Mapping) else dict(enumerate(groups))
    except TypeError as error:
        raise TypeError(f"{argument} must be a mapping or sequence of arrays: {error}.") from error
    if len(named) < 2:
        raise ValueError(f"expected at least two {argument}, got {len(named)}.")
    told = {str(name): sample for name, sample in named.items()}
    if len(told) < len(named):
        raise ValueError(f"names of {argument} must differ as text, got {list(named)}.")
    return told


def _pairs(names: list[str], control: str | None) -> list[tuple[str, str]]:
    if control is None:
        return list(combinations(names, 2))
    if control not in names:
        raise ValueError(f"control is {control!r}; the groups are {', '.join(names)}.")
    return [(control, name) for name in names if name != control]


def _problems(
    samples: Mapping[str, Sample],
    pairs: Sequence[tuple[str, str]],
    level: float,
    permutations: int | Sequential,
    rng: np.random.Generator,
    seed: int | None,
    memory: float | None,
) -> list[Problem]:
    """One problem per pair; pools are parts of one pool, so they share its distances."""
    pool = Pool(stack_rows(samples.values()))
    if is_array(pool.sample) and pool.size <= min(4_000, Budget.of(memory).side(_DISTANCES)):
        for metric in ("sqeuclidean", "cityblock"):
            pool.distances(metric)
    ends = np.cumsum([rows(sample) for sample in samples.values()])
    index = {
        name: np.arange(end - rows(sample), end)
        for end, (name, sample) in zip(ends, samples.items(), strict=True)
    }
    for a, b in pairs:
        sizes = (len(index[a]), len(index[b]))
        words = f"{sizes[0]} v {sizes[1]} rows of groups {a} and {b}"
        check_permutations(Labels.of_sizes(sizes), level, words)
    streams = rng.spawn(len(pairs))
    return [
        Problem(
            pool=pool.part(np.concatenate([index[a], index[b]])),
            units=Units.of_rows((len(index[a]), len(index[b]))),
            sizes=(len(index[a]), len(index[b])),
            level=level,
            permutations=permutations,
            rng=stream,
            seed=seed,
            memory=memory,
        )
        for (a, b), stream in zip(pairs, streams, strict=True)
    ]


@in_full_precision
def k_sample_test(
    samples: Mapping[str, Sample] | Sequence[Sample],
    *,
    strategy: Fuse = _FUSE,
    level: float = 0.05,
    permutations: int | None = None,
    rng: Seed = None,
    memory: float | None = None,
    progress: Progress | bool | None = None,
) -> TestResult:
    """Test whether several samples all follow one law, by their generalised divergence.

    One exact p-value for all of them together; `group_tests` says which pairs differ.

    Parameters
    ----------
    samples : mapping of name to array (n_k, d), or sequence of arrays
    strategy : Fuse
        What is looked at; for two samples it is nearly `two_sample_test`.
    level, permutations, rng, memory, progress
        As in `two_sample_test`; the number of permutations is fixed.

    Returns
    -------
    TestResult

    See Also
    --------
    generalized_divergence : the divergence itself.
    group_tests : all pairs, or all against a control.

    Notes
    -----
    Components are S(Σ π_k C_k) − Σ π_k S(C_k) to second order (exact for order 1), and what the
    samples explain of the variance of row scores. Above 4,000 rows some are left out at random;
    the result says so. Cost: that of a two-sample test times the number of samples.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> samples = [rng.normal(size=(40, 2)), rng.normal(size=(50, 2)), rng.normal(size=(30, 2)) + 1]
    >>> k_sample_test(samples, rng=0).reject
    True
    """
    if not isinstance(strategy, Fuse) or not isinstance(strategy.statistic, SecondOrder):
        raise TypeError(f"strategy must be a Fuse of second-order forms, got {strategy!r}.")
    given = named_samples("samples", samples)
    checked = as_samples(**{f"sample {name}": sample for name, sample in given.items()})
    sizes = tuple(rows(sample) for sample in checked)
    for name, size in zip(given, sizes, strict=True):
        if size < 2:
            raise ValueError(f"a test needs at least two rows in sample {name}, got {size}.")
    level = as_share("level", level)
    count = as_permutations(permutations, level)
    if not isinstance(count, int):
        raise ValueError("a test of many samples needs a fixed number of permutations.")
    check_permutations(ManyLabels.of_sizes(sizes), level, f"{len(sizes)} samples")
    Budget.of(memory)
    generator, seed = as_seed(rng)
    problem = Problem(
        pool=Pool(stack_rows(checked)),
        units=Units.of_samples(sizes),
        level=level,
        permutations=count,
        rng=generator,
        seed=seed,
        memory=memory,
        progress=as_progress(progress),
        sizes=sizes,
    )
    with threads.fitting(problem.pool.size):
        return strategy.decide(problem)
