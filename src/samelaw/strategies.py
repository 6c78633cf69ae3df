"""Every strategy of a two-sample test, and the parts to build one's own from.

The strategies themselves are at the top level too: ``samelaw.Fuse`` is ``samelaw.strategies.Fuse``.
"""

from samelaw.twosample.aggregate import Aggregate
from samelaw.twosample.api import Permutation
from samelaw.twosample.combine import Maximum, SoftMaximum
from samelaw.twosample.components import Exact, MeanDiscrepancy, SecondOrder, Statistic
from samelaw.twosample.fuse import Fuse, Section
from samelaw.twosample.problem import Strategy
from samelaw.twosample.split import MaximizePower, MaximizeRJSD, Split
from samelaw.twosample.standardize import DivideKernel, DivideStatistic, NormalScores, Unscaled

__all__ = [
    "Aggregate",
    "DivideKernel",
    "DivideStatistic",
    "Exact",
    "Fuse",
    "MaximizePower",
    "MaximizeRJSD",
    "Maximum",
    "MeanDiscrepancy",
    "NormalScores",
    "Permutation",
    "SecondOrder",
    "Section",
    "SoftMaximum",
    "Split",
    "Statistic",
    "Strategy",
    "Unscaled",
]
