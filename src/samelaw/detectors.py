"""Drift detectors in the conventions of other libraries, each of which is loaded when it is used.

`DriftEstimator` is a scikit-learn estimator, `RiverDriftDetector` a drift detector of river; both
are thin clothes of `samelaw.DriftMonitor`.
"""

from samelaw.core.lazy import attach

_HOMES = {
    "DriftEstimator": "samelaw.present.sklearn_detector",
    "RiverDriftDetector": "samelaw.present.river_detector",
}
_MODULES = ()

__all__ = sorted(_HOMES)

__getattr__, __dir__ = attach(__name__, _HOMES, _MODULES)
