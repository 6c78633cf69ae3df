"""All measures of generated features in one table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from samelaw.core.checks import as_count
from samelaw.core.kernels import Kernel
from samelaw.core.types import Sample
from samelaw.estimate.generative import (
    Score,
    as_features,
    frechet_distance,
    kernel_inception_distance,
    neighbour_scores,
    vendi_score,
)
from samelaw.estimate.paired import DivergenceDistance
from samelaw.show.plots import draw_scores
from samelaw.show.result import TableResult, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS = 2000  # of a Gram matrix whose spectrum is taken
_BETTER: dict[str, Literal["lower", "higher"]] = {
    "rjsd": "lower",
    "frechet": "lower",
    "kid": "lower",
}


@dataclass(frozen=True)
class GeneratorScores(TableResult):
    """Measures of generated against real features, by name, with standard errors.

    Attributes
    ----------
    scores : dict of str to Score
        "rjsd" (nats, less its bias), "frechet", "kid", "precision", "recall", "density",
        "coverage", and the Vendi scores of both samples, "vendi_real" and "vendi_generated".
    rows : (int, int)
    """

    kind: ClassVar[str] = "generator_scores"
    names: ClassVar[tuple[str, ...]] = (
        "rjsd",
        "frechet",
        "kid",
        "precision",
        "recall",
        "density",
        "coverage",
        "vendi_real",
        "vendi_generated",
    )

    scores: dict[str, Score]
    rows: tuple[int, int]

    def __getitem__(self, name: str) -> Score:
        return self.scores[name]

    def records(self) -> list[dict[str, Any]]:
        """One row per measure."""
        return [
            {
                "measure": name,
                "value": score.value,
                "standard_error": score.standard_error,
                "better": _BETTER.get(name, "higher"),
            }
            for name, score in self.scores.items()
        ]

    def _content(self) -> dict[str, Any]:
        return {"rows": list(self.rows), "scores": plain(self.records())}

    def draw(self, ax: "Axes") -> None:
        """Precision, recall, density and coverage with two standard errors."""
        names = ("precision", "recall", "density", "coverage")
        shown = [self.scores[name] for name in names]
        draw_scores(ax, names, [s.value for s in shown], [s.standard_error for s in shown])


def generator_scores(
    real: Sample,
    generated: Sample,
    *,
    kernel: Kernel | None = None,
    neighbours: int = 5,
    frequencies: int = 64,
) -> GeneratorScores:
    """RJSD, Fréchet distance, KID, precision, recall, density, coverage and Vendi scores at once.

    Parameters
    ----------
    real, generated : arrays (n, d) and (m, d)
        Features of any extractor, more than ``neighbours`` rows each.
    kernel : Gaussian, Laplace, Matern or RationalQuadratic, optional
        Of RJSD; at the median distance of the real rows by default.
    neighbours : int
        Of precision, recall, density and coverage.
    frequencies : int
        Of RJSD.

    Returns
    -------
    GeneratorScores

    See Also
    --------
    compare_generators : is one generator closer than another?
    samelaw.two_sample_test : do the generated rows follow the real law?

    Notes
    -----
    Cost O(N² d + N D²), memory O(N). Vendi scores (cosine kernel) are those of at most 2,000 rows,
    evenly spaced, of either sample, as many of both, so that they can be compared.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> found = generator_scores(rng.normal(size=(300, 4)), 0.5 * rng.normal(size=(300, 4)))
    >>> found["precision"].value > 0.9 > found["recall"].value
    True
    """
    x, y = as_features(real=real, generated=generated, least=as_count("neighbours", neighbours) + 1)
    found = DivergenceDistance(kernel, frequencies=frequencies).against(x)(y)
    errors = [float(np.var(e, ddof=1)) / len(e) for e in (found.real, found.generated)]
    near = neighbour_scores(x, y, neighbours=neighbours)
    some = min(_MOST_ROWS, len(x), len(y))
    spaced = [rows[np.arange(some) * len(rows) // some] for rows in (x, y)]
    scores = (
        Score(found.value, float(np.sqrt(sum(errors)))),
        frechet_distance(x, y),
        kernel_inception_distance(x, y),
        near.precision,
        near.recall,
        near.density,
        near.coverage,
        *(vendi_score(rows) for rows in spaced),
    )
    named = dict(zip(GeneratorScores.names, scores, strict=True))
    return GeneratorScores(named, (len(x), len(y)))
