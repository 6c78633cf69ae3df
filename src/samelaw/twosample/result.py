"""What a test found: numbers that never compute, only show themselves."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SCHEMA_VERSION = 1


@dataclass(frozen=True, eq=False)
class TestResult:
    """The outcome of a two-sample test; unpacks to ``statistic, pvalue``.

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
        Values over permutations, without the observed one.
    method : str
        Strategy, statistic and route in words.
    calibration : str
        How the p-value was obtained.
    sizes : tuple of int
        Rows of each sample.
    components : sequence of mappings
        What was fused, by name, with the comparable value of each, largest first.
    settings : mapping
        What to pass to run it again.
    seed : int or None
        Seed of the permutations; None when a Generator was passed.
    """

    __test__ = False  # not a test class, whatever its name suggests to pytest

    statistic: float
    pvalue: float
    reject: bool
    level: float
    null_distribution: np.ndarray[Any, Any] = field(repr=False)
    method: str
    calibration: str
    sizes: tuple[int, int]
    components: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    seed: int | None = None

    def __iter__(self) -> Iterator[float]:
        return iter((self.statistic, self.pvalue))

    def __str__(self) -> str:
        verdict = "differ" if self.reject else "no difference found"
        lines = [
            f"{verdict}: p = {self.pvalue:.3g} at level {self.level:g} "
            f"({self.sizes[0]} v {self.sizes[1]} rows)",
            f"statistic {self.statistic:.4g}; {self.method}; {self.calibration}",
        ]
        if self.components:
            largest = self.components[0]
            lines.append(f"largest: {largest['name']} ({largest['value']:.3g})")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain Python values."""
        return {
            "schema_version": SCHEMA_VERSION,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "reject": self.reject,
            "level": self.level,
            "method": self.method,
            "calibration": self.calibration,
            "sizes": list(self.sizes),
            "components": [dict(one) for one in self.components],
            "settings": dict(self.settings),
            "seed": self.seed,
            "null_distribution": [float(v) for v in self.null_distribution],
        }

    def to_json(self, **options: Any) -> str:
        """`to_dict` as JSON; options go to ``json.dumps``."""
        return json.dumps(self.to_dict(), **options)

    def plot(self, ax: Any = None) -> Any:
        """Histogram of the null distribution with the observed value; needs matplotlib."""
        import matplotlib.pyplot as plt

        from samelaw.show.plots import draw_null

        ax = plt.gca() if ax is None else ax
        draw_null(ax, self.null_distribution, self.statistic, self.pvalue)
        return ax

    def _repr_html_(self) -> str:
        from samelaw.show.plots import html_table

        return html_table(
            [
                ("verdict", "differ" if self.reject else "no difference found"),
                ("p-value", f"{self.pvalue:.3g}"),
                ("level", f"{self.level:g}"),
                ("statistic", f"{self.statistic:.4g}"),
                ("rows", f"{self.sizes[0]} v {self.sizes[1]}"),
                ("method", self.method),
                ("calibration", self.calibration),
            ]
        )
