"""Which backend a problem gets: all pairs of rows, some of them, or sketches of blocks."""

from samelaw.core.arrays import is_array
from samelaw.testing.backends import Backend, GramBackend
from samelaw.testing.problem import Problem
from samelaw.testing.sketch_backend import FEWEST_BLOCKS, SketchBackend
from samelaw.testing.standardize import Scaling
from samelaw.testing.statistics import SecondOrder, Statistic

MOST_GRAM_ROWS = 2_000
MOST_GROUP_ROWS = 4_000

_MATRICES = 40.0  # bytes per pair of rows: ten matrices in single precision
_GROUP_MATRICES = 64.0  # sums over strata and groups are in double precision


def backend_for(
    problem: Problem, statistic: Statistic, scaling: Scaling, *, sketches: bool | None = None
) -> Backend:
    """Sketches for large samples where they serve, Gram matrices otherwise.

    A sample too small for blocks against a large one: the larger one is thinned at random, for it
    adds next to nothing beyond a hundred times the smaller; the result says so. So are rows of
    groups, which cannot be dealt to blocks. ``sketches`` asks for blocks at any size, or for none.
    """
    size = int((problem.units.unit >= 0).sum())
    plain = is_array(problem.pool.sample) and problem.units.plain
    fits, few = _most_rows(problem), min(problem.labels.sizes)
    large = sketches or size > (MOST_GRAM_ROWS if problem.memory is None else fits)
    served = plain and statistic == SecondOrder() and not scaling.all_pairs
    if large and served and sketches is not False:
        if few >= FEWEST_BLOCKS:
            return SketchBackend.of(problem, scaling)
        if 4 * few <= fits:
            return GramBackend.thinned(problem, statistic, scaling, min(MOST_GRAM_ROWS, fits))
    most = min(MOST_GROUP_ROWS, fits)
    if not problem.units.plain and size > most and not scaling.all_pairs:
        return GramBackend.thinned(problem, statistic, scaling, most)
    if size <= fits:
        return GramBackend.of(problem, statistic, scaling)
    if not plain or fits < 4 * few:
        raise problem.budget.refuse(
            f"all pairs of {size:,} rows and {problem.memberships} permutations take",
            _bytes_per_pair(problem) * size**2 + problem.memberships * size,
            "take fewer rows or permutations, or use Fuse()",
        )
    return GramBackend.thinned(problem, statistic, scaling, min(fits, max(MOST_GRAM_ROWS, 8 * few)))


def _most_rows(problem: Problem) -> int:
    """Rows whose Gram matrices fit beside their memberships: the root of each·N² + B·N = room."""
    each = _bytes_per_pair(problem)
    half = 0.5 * problem.memberships / each
    return int((half**2 + max(problem.budget.room, 0.0) / each) ** 0.5 - half)


def _bytes_per_pair(problem: Problem) -> float:
    return _MATRICES if problem.units.plain else _GROUP_MATRICES
