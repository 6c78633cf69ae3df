# Written from the table in __init__.py: SAMELAW_WRITE=1 pytest tests/test_public_surface.py

from samelaw.present.river_detector import RiverDriftDetector as RiverDriftDetector
from samelaw.present.sklearn_detector import DriftEstimator as DriftEstimator
