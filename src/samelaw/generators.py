"""How good is a generator: measures of generated against real features, and which one is closer.

Features are arrays of any extractor; `samelaw.learn` has the same as metrics that see batches.
"""

from samelaw.estimate.generative import (
    NeighbourScores,
    Score,
    frechet_distance,
    kernel_inception_distance,
    neighbour_scores,
    vendi_score,
)
from samelaw.estimate.paired import (
    Distance,
    DivergenceDistance,
    GeneratorComparison,
    PolynomialDistance,
    compare_generators,
)
from samelaw.estimate.scores import GeneratorScores, generator_scores

__all__ = [
    "Distance",
    "DivergenceDistance",
    "GeneratorComparison",
    "GeneratorScores",
    "NeighbourScores",
    "PolynomialDistance",
    "Score",
    "compare_generators",
    "frechet_distance",
    "generator_scores",
    "kernel_inception_distance",
    "neighbour_scores",
    "vendi_score",
]
