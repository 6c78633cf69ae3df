"""How good is a generator: measures of generated against real features, and which one is closer.

Features are arrays of any extractor; `samelaw.learn` has the same as metrics that see batches.
"""

from samelaw.estimate.generative import (
    GeneratorScores,
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
from samelaw.estimate.scores import generator_scores
from samelaw.manysamples.generators import (
    CloserFinding,
    GeneratorEvaluation,
    GeneratorFinding,
    evaluate_generators,
)
from samelaw.reading.features import read_features

__all__ = [
    "CloserFinding",
    "Distance",
    "DivergenceDistance",
    "GeneratorComparison",
    "GeneratorEvaluation",
    "GeneratorFinding",
    "GeneratorScores",
    "PolynomialDistance",
    "Score",
    "compare_generators",
    "evaluate_generators",
    "frechet_distance",
    "generator_scores",
    "kernel_inception_distance",
    "neighbour_scores",
    "read_features",
    "vendi_score",
]
