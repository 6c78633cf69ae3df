"""Power of a test by simulation: curves, sample sizes, smallest detectable changes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, Unpack

import numpy as np

from samelaw.core.checks import as_count, as_progress, as_seed, as_share, check_positive, shown
from samelaw.core.errors import TooFewRows
from samelaw.core.types import Matrix, Progress, Seed
from samelaw.results.plots import draw_power
from samelaw.results.result import TableResult, current_axes, plain
from samelaw.testing.api import two_sample_test
from samelaw.testing.fuse import Fuse
from samelaw.testing.permuting.permutations import Permutations
from samelaw.testing.problem import Decides, Learns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Sampler = Callable[[np.random.Generator, Any], tuple[Any, Any]]
"""(generator, value) → two samples; the value is an effect or a number of rows."""

_FUSE = Fuse()


@dataclass(frozen=True, eq=False)
class PowerCurve(TableResult):
    """Rejection rates over the values of a parameter, with exact 95 % intervals.

    Attributes
    ----------
    values : sequence
    power : array (k,)
    intervals : array (k, 2)
        Clopper–Pearson.
    repetitions : int
    level : float
    seed : int or None
    """

    kind: ClassVar[str] = "power_curve"

    values: Sequence[Any]
    power: Matrix
    intervals: Matrix
    repetitions: int
    level: float
    seed: int | None

    def records(self) -> list[dict[str, Any]]:
        """One row per value."""
        found = zip(plain(self.values), self.power, self.intervals, strict=True)
        return [
            {"value": value, "power": float(power), "low": float(low), "high": float(high)}
            for value, power, (low, high) in found
        ]

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.repetitions} repetitions, 95 % intervals"

    def draw(self, ax: "Axes") -> None:
        """Power against the value, with intervals."""
        self.plot(ax)

    def plot(self, ax: "Axes | None" = None, **options: Any) -> "Axes":
        """Power against the value; options, such as a label, go to ``errorbar``.

        Without axes on the current ones, so that curves stand beside each other.
        """
        ax = current_axes() if ax is None else ax
        draw_power(ax, self.values, self.power, self.intervals, self.level, **options)
        return ax


def power_curve(
    sampler: Sampler,
    values: Sequence[Any],
    *,
    strategy: Decides | Learns = _FUSE,
    repetitions: int = 200,
    level: float = 0.05,
    permutations: Permutations = 199,
    rng: Seed = None,
    jobs: int = 1,
    progress: Progress | bool | None = None,
) -> PowerCurve:
    """Rejection rate of a test for each value of a parameter.

    Parameters
    ----------
    sampler : callable
        ``sampler(generator, value)`` draws two samples.
    values : sequence
        Effects, or numbers of rows: whatever the sampler understands. A value without any
        difference gives the level.
    strategy, level, permutations
        As in `two_sample_test`.
    repetitions : int
    rng : int, Generator or None
        Repetition r of value v sees the same stream whatever ``jobs`` is.
    jobs : int
        Processes (joblib).
    progress : callable or True, optional

    Returns
    -------
    PowerCurve

    Notes
    -----
    Cost: ``repetitions`` tests for each value.

    Examples
    --------
    >>> def shifted(rng, shift):
    ...     return rng.normal(size=(40, 1)), rng.normal(size=(40, 1)) + shift
    >>> curve = power_curve(shifted, [0.0, 2.0], repetitions=20, permutations=39, rng=0)
    >>> bool(curve.power[1] > curve.power[0])
    True
    """
    from scipy.stats import binomtest

    level, values = as_share("level", level), _as_values(values)
    repetitions = as_count("repetitions", repetitions)
    generator, seed = as_seed(rng)
    streams = generator.spawn(len(values) * repetitions)
    tasks = [
        (v, streams[i * repetitions + r]) for i, v in enumerate(values) for r in range(repetitions)
    ]
    hits = _run(sampler, tasks, strategy, level, permutations, jobs, as_progress(progress))
    counts = np.array(hits).reshape(len(values), repetitions).sum(axis=1)
    intervals = [binomtest(int(k), repetitions).proportion_ci(0.95) for k in counts]
    return PowerCurve(
        values=values,
        power=counts / repetitions,
        intervals=np.array([(ci.low, ci.high) for ci in intervals]),
        repetitions=repetitions,
        level=level,
        seed=seed,
    )


def _as_values(values: Any) -> list[Any]:
    try:
        found = list(values)
    except TypeError:
        raise TypeError(f"values must be a sequence, got {shown(values)}.") from None
    if not found:
        raise ValueError("values is empty; expected at least one, such as [0.0, 0.5, 1.0].")
    return found


def _run(
    sampler: Sampler,
    tasks: Sequence[tuple[Any, np.random.Generator]],
    strategy: Decides | Learns,
    level: float,
    permutations: Permutations,
    jobs: int,
    progress: Progress | None,
) -> list[bool]:
    from joblib import Parallel, delayed

    work = (delayed(_reject)(sampler, v, g, strategy, level, permutations) for v, g in tasks)
    hits: list[bool] = []
    for hit in Parallel(n_jobs=jobs, return_as="generator")(work):
        hits.append(hit)
        if progress is not None:
            progress(len(hits), len(tasks))
    return hits


def _reject(
    sampler: Sampler,
    value: Any,
    rng: np.random.Generator,
    strategy: Decides | Learns,
    level: float,
    permutations: Permutations,
) -> bool:
    drawn = sampler(rng, value)
    if not isinstance(drawn, tuple | list) or len(drawn) != 2:
        raise TypeError(
            f"sampler must return two samples, as in 'return x, y'; for {shown(value)} it returned "
            f"{shown(drawn)}."
        )
    x, y = drawn
    result = two_sample_test(
        x, y, strategy=strategy, level=level, permutations=permutations, rng=rng
    )
    return result.reject


class CurveOptions(TypedDict, total=False):
    """What `sample_size` and `detectable_change` hand on to `power_curve`."""

    strategy: Decides | Learns
    repetitions: int
    level: float
    permutations: Permutations
    rng: Seed
    jobs: int
    progress: Progress | bool | None


def sample_size(
    sampler: Sampler,
    *,
    power: float = 0.8,
    smallest: int = 10,
    largest: int = 2_000,
    **options: Unpack[CurveOptions],
) -> int:
    """The number of rows with which a test reaches a power, to about 10 %.

    Parameters
    ----------
    sampler : callable
        ``sampler(generator, n)`` draws two samples of about n rows.
    power : float
        The target.
    smallest, largest : int
        Where to look; numbers too small for any test are passed over.
    **options
        Of `power_curve` (strategy, repetitions, level, permutations, rng, jobs).

    Returns
    -------
    int

    Notes
    -----
    Cost: ``repetitions`` tests for each number of rows that is tried, some eight of them.

    Examples
    --------
    >>> def shifted(rng, n):
    ...     return rng.normal(size=(n, 1)), rng.normal(size=(n, 1)) + 2
    >>> sample_size(shifted, largest=40, repetitions=20, permutations=39, rng=0) <= 20
    True
    """
    power = as_share("power", power)
    largest = as_count("largest", largest, as_count("smallest", smallest))

    def reaches(n: float) -> bool:
        try:
            return _power_at(sampler, round(n), options) >= power
        except TooFewRows:
            if round(n) == largest:
                raise
            return False

    found = _smallest(reaches, float(smallest), float(largest), ratio=1.1)
    if found is None:
        raise ValueError(f"power {power} is not reached with {largest} rows; raise largest=.")
    return round(found)


def detectable_change(
    sampler: Sampler,
    *,
    largest: float,
    power: float = 0.8,
    precision: float = 0.02,
    **options: Unpack[CurveOptions],
) -> float:
    """The smallest change that a test finds with a given power.

    Parameters
    ----------
    sampler : callable
        ``sampler(generator, change)`` draws two samples; change 0 means no difference.
    largest : float
        A change that is surely found.
    power : float
    precision : float
        Of the answer, as a share of ``largest``.
    **options
        Of `power_curve`.

    Returns
    -------
    float

    Notes
    -----
    Cost: ``repetitions`` tests for each change that is tried, log₂(1/precision) of them.

    Examples
    --------
    >>> def shifted(rng, change):
    ...     return rng.normal(size=(30, 1)), rng.normal(size=(30, 1)) + change
    >>> found = detectable_change(
    ...     shifted, largest=4.0, precision=0.2, repetitions=20, permutations=39, rng=0)
    >>> 0 < found < 4
    True
    """
    power = as_share("power", power)
    check_positive("largest", largest)
    precision = as_share("precision", precision)

    def reaches(change: float) -> bool:
        return _power_at(sampler, change, options) >= power

    if not reaches(largest):
        raise ValueError(f"a change of {largest} is not found with power {power}; raise largest=.")
    low, high = 0.0, largest
    while high - low > precision * largest:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _power_at(sampler: Sampler, value: float, options: CurveOptions) -> float:
    return float(power_curve(sampler, [value], **options).power[0])


def _smallest(
    reaches: Callable[[float], bool], low: float, high: float, ratio: float
) -> float | None:
    """Doubled from ``low`` on, then bisected; None when not even ``high`` is enough.

    Never ``high`` first: a test of many rows costs more than several of few.
    """
    above = low
    while not reaches(above):
        if above >= high:
            return None
        low, above = above, min(2.0 * above, high)
    while above / low > ratio:
        middle = math.sqrt(low * above)
        low, above = (low, middle) if reaches(middle) else (middle, above)
    return above
