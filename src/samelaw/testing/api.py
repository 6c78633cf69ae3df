"""`two_sample_test`: the one door to every strategy."""

from collections.abc import Sequence

from samelaw.core import threads
from samelaw.core.arrays import in_full_precision
from samelaw.core.types import Array, Progress, Sample, Seed
from samelaw.testing.fuse import Fuse
from samelaw.testing.held_out import decided
from samelaw.testing.permuting.group_units import Groups
from samelaw.testing.permuting.permutations import Permutations
from samelaw.testing.problem import Decides, Learns, as_problem, check_strategy
from samelaw.testing.result import TestResult

_FUSE = Fuse()


@in_full_precision
def two_sample_test(
    x: Sample,
    y: Sample,
    *,
    strategy: Decides | Learns = _FUSE,
    level: float = 0.05,
    permutations: Permutations = None,
    rng: Seed = None,
    groups: Groups | Array | None = None,
    sample_weights: Sequence[Array | None] | None = None,
    memory: float | None = None,
    progress: Progress | bool | None = None,
) -> TestResult:
    """Test whether two samples follow the same law.

    The null hypothesis is that the rows of both samples are exchangeable (for independent rows:
    that the two laws are equal). The p-value is exact for any sizes and any data, ties included.

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d), or tuples of arrays
    strategy : Strategy
        ``Fuse()`` by default: many kernels and orders at once. `Permutation` tests one estimator,
        `Split` learns a bandwidth on half of the rows, `Aggregate` adjusts the levels of many
        kernels.
    level : float
        α: the chance of a false alarm.
    permutations : int, Sequential or None
        B; 999 by default, more for very small levels.
    rng : int, Generator or None
        Seed of the permutations; drawn and stored in the result when None.
    groups : array (n + m,), pair of arrays (n,) and (m,), or Groups
        Labels of rows that belong together (customer, day); see `Groups` for how they are
        permuted and what is exact then.
    sample_weights : pair of arrays (n,) and (m,), optional
        How much each row counts (of a survey, say), on one scale in both samples; a weight moves
        with its row. The p-value is exact if rows and weights are exchangeable together under the
        null hypothesis. None for one of the two: equal weights there, and the p-value is
        approximate. Rows of weight 0 take no part; equal weights are none. `Fuse` and `Aggregate`
        take weights; not with ``groups``.
    memory : float, optional
        Bytes the test may take beyond the samples, at least 2²⁷ (128 MiB); 4 GiB by default.
        What does not fit goes to block sketches or is thinned at random; the result says so.
    progress : callable or True, optional
        Called with (done, total).

    Returns
    -------
    TestResult
        Unpacks to ``statistic, pvalue``.

    Notes
    -----
    Cost of the default up to N = n + m = 2,000 rows: half a product (B×N)(N×N) in single precision
    for each of ten kernels, and some N³ for the row scores; about half a CPU second at N = 1,000
    and two at N = 2,000. Above, it is linear in the rows.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(100, 3)), rng.normal(size=(90, 3)) + 0.7
    >>> result = two_sample_test(x, y, rng=0)
    >>> result.reject, round(result.pvalue, 3)
    (True, 0.001)
    """
    check_strategy(strategy)
    problem = as_problem(
        x,
        y,
        level=level,
        permutations=permutations,
        rng=rng,
        groups=groups,
        memory=memory,
        progress=progress,
        sample_weights=sample_weights,
    )
    with threads.fitting(problem.pool.size):
        return decided(strategy, problem)
