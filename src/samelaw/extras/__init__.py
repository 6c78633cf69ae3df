"""Doors to other worlds, each of which no room imports: databases, Dask, scikit-learn, river, ….

`DriftEstimator` is a scikit-learn estimator, `RiverDriftDetector` a drift detector of river.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
