"""Several samples at once: whether any of them follows another law."""

from collections.abc import Mapping, Sequence

from samelaw.core import threads
from samelaw.core.arrays import in_full_precision, rows, stack_rows
from samelaw.core.checks import as_progress, as_seed, as_share
from samelaw.core.memory import Budget
from samelaw.core.samples import as_samples
from samelaw.core.types import Progress, Sample, Seed
from samelaw.kernels.grids import Pool
from samelaw.testing.fuse import Fuse
from samelaw.testing.permuting.permutations import ManyLabels, as_permutations
from samelaw.testing.permuting.units import Units
from samelaw.testing.problem import Problem, check_permutations
from samelaw.testing.result import TestResult
from samelaw.testing.several_samples import named_samples
from samelaw.testing.statistics import SecondOrder

_FUSE = Fuse()


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
