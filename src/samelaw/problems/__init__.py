"""Laws with known answers; nothing of the product imports them."""

from samelaw.problems.closed_forms import (
    CauchyPair,
    DiscretePair,
    FiniteFeatures,
    FourGaussians,
    GaussianPair,
    PointMasses,
    Problem,
    jsd_by_quadrature,
    shannon_entropy,
)
from samelaw.problems.density_ratios import (
    CrossedMixture,
    SplitGaussian,
    StudentPair,
    oracle_jsd,
    sampled_jsd,
)

__all__ = [
    "CauchyPair",
    "CrossedMixture",
    "DiscretePair",
    "FiniteFeatures",
    "FourGaussians",
    "GaussianPair",
    "PointMasses",
    "Problem",
    "SplitGaussian",
    "StudentPair",
    "jsd_by_quadrature",
    "oracle_jsd",
    "sampled_jsd",
    "shannon_entropy",
]
