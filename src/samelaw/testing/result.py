"""What a test found: numbers that never compute, only show themselves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from samelaw.core.types import Matrix
from samelaw.results.escape_controls import legible
from samelaw.results.plots import draw_null
from samelaw.results.result import Facts, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class TestResult(Result):
    """The outcome of a test of two samples or more; unpacks to ``statistic, pvalue``.

    Attributes
    ----------
    statistic : float
        The observed value.
    pvalue : float
        Exact, never 0.
    reject : bool
        Whether ``pvalue <= level``.
    level : float
    null_distribution : array (B,)
        Values under permutation, without the observed one.
    method : str
        Strategy, statistic and route in words.
    calibration : str
        How the p-value was obtained.
    sizes : tuple of int
        Rows of each sample.
    components : sequence of mappings
        ``name`` and standardised ``value`` of each component (a kernel and an entropy), the
        largest first.
    settings : mapping
        What to pass to run it again.
    seed : int or None
        Seed of the permutations; None when a Generator was passed.
    """

    kind: ClassVar[str] = "test"
    __test__ = False  # not a test class, whatever its name suggests to pytest

    statistic: float
    pvalue: float
    reject: bool
    level: float
    null_distribution: Matrix = field(repr=False)
    method: str
    calibration: str
    sizes: tuple[int, ...]
    components: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    seed: int | None = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def facts(self) -> Facts:
        """Verdict, numbers and how they came about."""
        found = [
            ("verdict", "differ" if self.reject else "no difference found"),
            ("p-value", f"{self.pvalue:.3g}"),
            ("level", f"{self.level:g}"),
            ("statistic", f"{self.statistic:.4g}"),
            ("rows", self._rows),
            ("method", self.method),
            ("calibration", self.calibration),
        ]
        return [*found, ("largest", self._largest)] if self.components else found

    @property
    def _rows(self) -> str:
        return " v ".join(map(str, self.sizes))

    @property
    def _largest(self) -> str:
        return f"{self.components[0]['name']} ({self.components[0]['value']:.3g})"

    def __str__(self) -> str:
        verdict = "differ" if self.reject else "no difference found"
        lines = [
            f"{verdict}: p = {self.pvalue:.3g} at level {self.level:g} ({self._rows} rows)",
            f"statistic {self.statistic:.4g}; {self.method}; {self.calibration}",
        ]
        lines += [f"largest: {self._largest}"] if self.components else []
        return "\n".join(map(legible, lines))

    def draw(self, ax: "Axes") -> None:
        """Histogram of the null distribution with the observed value."""
        draw_null(ax, self.null_distribution, self.statistic, self.pvalue)
