"""All measures of generated features in one table."""

import numpy as np

from samelaw.core.checks import as_count
from samelaw.core.types import Sample
from samelaw.extras.generators.measures import (
    GeneratorScores,
    as_features,
    frechet_distance,
    kernel_inception_distance,
    neighbour_scores,
    vendi_score,
)
from samelaw.extras.generators.paired import DivergenceDistance
from samelaw.kernels.algebra import Kernel

_MOST_ROWS = 2000  # of a Gram matrix whose spectrum is taken


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
    near = neighbour_scores(x, y, neighbours=neighbours)
    some = min(_MOST_ROWS, len(x), len(y))
    spaced = [rows[np.arange(some) * len(rows) // some] for rows in (x, y)]
    scores = (
        DivergenceDistance(kernel, frequencies=frequencies).against(x)(y).score,
        frechet_distance(x, y),
        kernel_inception_distance(x, y),
        *near.scores.values(),
        *(vendi_score(rows) for rows in spaced),
    )
    named = dict(zip(GeneratorScores.names, scores, strict=True))
    return GeneratorScores(named, (len(x), len(y)))
