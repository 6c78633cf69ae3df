"""Every strategy of a two-sample test, and the parts to build one's own from.

The strategies themselves are at the top level too: ``samelaw.Fuse`` is ``samelaw.strategies.Fuse``.
"""

from samelaw.twosample.aggregate import Aggregate
from samelaw.twosample.combine import Maximum, SoftMaximum
from samelaw.twosample.fuse import Fuse, KernelGroup
from samelaw.twosample.problem import Strategy
from samelaw.twosample.single import Permutation
from samelaw.twosample.split import MaximizePower, MaximizeRJSD, Split
from samelaw.twosample.standardize import DivideKernel, NormalScores, Unscaled
from samelaw.twosample.statistics import Exact, MeanDiscrepancy, SecondOrder, Statistic

__all__ = [
    "Aggregate",
    "DivideKernel",
    "Exact",
    "Fuse",
    "KernelGroup",
    "MaximizePower",
    "MaximizeRJSD",
    "Maximum",
    "MeanDiscrepancy",
    "NormalScores",
    "Permutation",
    "SecondOrder",
    "SoftMaximum",
    "Split",
    "Statistic",
    "Strategy",
    "Unscaled",
]
