from . import dask as dask
from . import generators as generators
from . import groups as groups
from . import layers as layers
from . import sql as sql
from .river import RiverDriftDetector as RiverDriftDetector
from .scikit_learn import DriftEstimator as DriftEstimator
