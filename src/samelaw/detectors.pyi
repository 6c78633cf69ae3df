# Written from the table in __init__.py: SAMELAW_WRITE=1 pytest tests/test_public_surface.py

from samelaw.monitor.estimator import DriftEstimator as DriftEstimator
from samelaw.monitor.river_detector import RiverDriftDetector as RiverDriftDetector
