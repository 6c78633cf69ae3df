"""Estimators as objects, estimates with their errors, and what each row contributes.

`GramEstimator`, `FourierEstimator` and `NystromEstimator` are at the top level too.
"""

from samelaw.estimate.contract import Estimator
from samelaw.estimate.decomposition import contributions
from samelaw.estimate.fourier import FourierEstimator
from samelaw.estimate.gram import GramEstimator
from samelaw.estimate.nystrom import NystromEstimator
from samelaw.estimate.uncertainty import Estimate, estimate_from_features

__all__ = [
    "Estimate",
    "Estimator",
    "FourierEstimator",
    "GramEstimator",
    "NystromEstimator",
    "contributions",
    "estimate_from_features",
]
