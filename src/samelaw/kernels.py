"""Every kernel, the feature maps that stand in for kernels, and what they are made of.

`Gaussian` and `Laplace` are at the top level too; `Kernel` is the class to derive one's own from.
"""

from samelaw.core.features import FeatureMap, FourierFeatures, NystromFeatures, draw_frequencies
from samelaw.core.kernel_algebra import Columns, Kernel, Mixture, Precomputed, Product
from samelaw.core.kernels import (
    Categorical,
    Cosine,
    Gaussian,
    Hamming,
    Laplace,
    Matern,
    Polynomial,
    RationalQuadratic,
)
from samelaw.core.landmarks import leverage_landmarks, spread_landmarks, uniform_landmarks
from samelaw.core.operators import Covariance, centred_covariance, mean_embedding

__all__ = [
    "Categorical",
    "Columns",
    "Cosine",
    "Covariance",
    "FeatureMap",
    "FourierFeatures",
    "Gaussian",
    "Hamming",
    "Kernel",
    "Laplace",
    "Matern",
    "Mixture",
    "NystromFeatures",
    "Polynomial",
    "Precomputed",
    "Product",
    "RationalQuadratic",
    "centred_covariance",
    "draw_frequencies",
    "leverage_landmarks",
    "mean_embedding",
    "spread_landmarks",
    "uniform_landmarks",
]
