"""Values of a column that stand out of the pool by themselves: −999 for "unknown", 0, infinity.

A smooth function of the ranks hardly sees one row in a hundred that has the same value as many
others. Which values are looked at depends on the pool alone.
"""

import numpy as np

from samelaw.comparison.constants import FEWEST_ROWS, LONELY, SPIKES
from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Column
from samelaw.tables.columns.scales import median

_NEIGHBOURS = 2  # distinct values on either side that a count is compared with


def spikes(column: Column) -> Matrix:
    """At most SPIKES values of a column of numbers that occur often, the clearest first.

    Clearest are values far from all others, whatever their number, then those that occur oftener
    than their neighbours, by standard errors. Of a continuous column there are none.

    Examples
    --------
    >>> from samelaw.tables.reading.read import read_table
    >>> age = [*range(20, 60)] * 10 + [-1] * 8 + [30] * 5
    >>> spikes(read_table({"age": age}).column("age"))[:2].tolist()
    [-1.0, 30.0]
    """
    values, counts = np.unique(column.values[~column.missing], return_counts=True)
    often = counts >= FEWEST_ROWS
    if len(values) < 2 or not often.any():
        return np.zeros(0)
    score = np.where(_lonely(values), np.inf, _excess(counts))
    order = np.argsort(-np.where(often, score, -np.inf), kind="stable")
    return np.asarray(values[order[: min(SPIKES, int(often.sum()))]])


def _lonely(values: Matrix) -> Matrix:
    """Whether the nearest other value is LONELY times the usual step away, or infinitely."""
    with np.errstate(invalid="ignore", over="ignore"):
        steps = np.nan_to_num(np.diff(values), nan=np.inf, posinf=np.inf)
        usual = median(steps)
    ends = np.concatenate([[np.inf], steps, [np.inf]])
    nearest = np.minimum(ends[:-1], ends[1:])
    return np.asarray((nearest / LONELY >= usual) | np.isinf(values))


def _excess(counts: Matrix) -> Matrix:
    """How much oftener values occur than their neighbours, in standard errors."""
    window = np.ones(2 * _NEIGHBOURS + 1)
    around = np.convolve(counts, window)[_NEIGHBOURS:-_NEIGHBOURS] - counts
    beside = np.convolve(np.ones(len(counts)), window)[_NEIGHBOURS:-_NEIGHBOURS] - 1.0
    expected = around / beside
    return np.asarray((counts - expected) / np.sqrt(counts + expected / beside))
