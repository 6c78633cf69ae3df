"""Progress over rows that are read several times: each pass is a part of what is done to a row."""

from collections.abc import Callable

from samelaw.core.types import Progress

Report = Callable[[int], None]
"""Called with the number of rows of each piece that was read."""

LOOKING = 0.1
"""Of the time of a comparison: the pass that draws rows; measured by `benchmarks/streaming.py`."""


class RowCounter:
    """Rows through all passes, of all rows: the rate is even, so that it tells what is left.

    Examples
    --------
    >>> counter = RowCounter(lambda done, total: print(done, "of", total), 1_000)
    >>> counter.over(0.1, 1_000)(500)
    50 of 1000
    >>> counter.over(0.9, 1_000)(1_000)
    950 of 1000
    """

    def __init__(self, report: Progress | None, rows: float) -> None:
        self.report, self.rows, self.done = report, rows, 0.0

    @property
    def rest(self) -> float:
        """The share of the work that is left."""
        return 1.0 - self.done

    def over(self, share: float, rows: float) -> Report:
        """A pass over so many rows that is this share of the work."""

        def add(count: int) -> None:
            self.done = min(1.0, self.done + share * count / max(rows, 1.0))
            if self.report is not None and self.rows < float("inf"):
                self.report(round(self.done * self.rows), round(self.rows))

        return add
