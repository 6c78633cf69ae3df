"""What tests of many groups against one control found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from samelaw.core.types import Matrix
from samelaw.results.result import TableResult, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class ControlTests(TableResult):
    """The outcome of tests of many groups against one control.

    Attributes
    ----------
    control : str
    names : list of str
        Of the groups, without the control.
    distances : array (G,)
        RJSD to the control over log 2, less its bias: from all rows of a group.
    statistics : array (G,)
        The largest of the comparable values of all components.
    pvalues : array (G,)
        Each by itself; exact.
    adjusted : array (G,)
        p-values adjusted for the number of groups.
    reject : array (G,) of bool
        Adjusted p-value at most the level.
    components : list of str
        What the largest value is of.
    permutations : array (G,)
        How many decided.
    rows, tested : arrays (G,)
        Rows of each group, and those drawn at random for its test.
    control_rows : (int, int)
        The same of the control.
    level : float
    method : str
    seed : int or None
    settings : mapping
        What to pass to run it again.
    """

    kind: ClassVar[str] = "control_tests"

    control: str
    names: Sequence[str]
    distances: Matrix
    statistics: Matrix
    pvalues: Matrix
    adjusted: Matrix
    reject: Matrix
    components: Sequence[str]
    permutations: Matrix
    rows: Matrix
    tested: Matrix
    control_rows: tuple[int, int]
    level: float
    method: str
    seed: int | None
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def records(self) -> list[dict[str, Any]]:
        """One row per group."""
        columns = {
            "group": self.names,
            "rows": self.rows,
            "distance": self.distances,
            "pvalue": self.pvalues,
            "adjusted": self.adjusted,
            "differ": self.reject,
            "permutations": self.permutations,
            "largest": self.components,
        }
        values = [plain(column) for column in columns.values()]
        return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]

    def _content(self) -> dict[str, Any]:
        tests = [
            {**record, "statistic": float(statistic), "tested": int(tested)}
            for record, statistic, tested in zip(
                self.records(), self.statistics, self.tested, strict=True
            )
        ]
        return {
            "control": self.control,
            "control_rows": list(self.control_rows),
            "level": self.level,
            "method": self.method,
            "settings": dict(self.settings),
            "seed": self.seed,
            "tests": tests,
        }

    def draw(self, ax: "Axes") -> None:
        """Distance to the control against the p-value of every group."""
        found = np.asarray(self.reject, dtype=bool)
        for some, color, label in (
            (~found, "#999999", f"not discovered ({int((~found).sum())})"),
            (found, "#0072b2", f"discovered ({int(found.sum())})"),
        ):
            ax.semilogy(
                self.distances[some], self.pvalues[some], ".", color=color, ms=4, label=label
            )
        ax.invert_yaxis()
        ax.set(xlabel=f"distance to {self.control}", ylabel="p-value")
        ax.legend(frameon=False)
