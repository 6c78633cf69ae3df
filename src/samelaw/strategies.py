"""Every strategy of a two-sample test, and the parts to build one's own from.

The strategies themselves are at the top level too: ``samelaw.Fuse`` is ``samelaw.strategies.Fuse``;
`Strategy` is the class to derive one's own from.
"""

from samelaw.estimate.row_scores import (
    EntropyScore,
    InDegree,
    KernelPurity,
    Leverage,
    MeanDistance,
    NeighbourDistance,
    RowScore,
)
from samelaw.estimate.views import View
from samelaw.permuting.permutations import Sequential
from samelaw.twosample.aggregate import Aggregate
from samelaw.twosample.combine import Maximum, SoftMaximum
from samelaw.twosample.component_groups import (
    ComponentGroup,
    KernelGroup,
    LargestGroup,
    MomentGroup,
    ScoreGroup,
)
from samelaw.twosample.fuse import Fuse
from samelaw.twosample.problem import Strategy
from samelaw.twosample.single import Permutation
from samelaw.twosample.split import MaximizePower, MaximizeRJSD, Split
from samelaw.twosample.standardize import DivideKernel, NormalScores, Unscaled
from samelaw.twosample.statistics import Exact, MeanDiscrepancy, SecondOrder, Statistic

__all__ = [
    "Aggregate",
    "ComponentGroup",
    "DivideKernel",
    "EntropyScore",
    "Exact",
    "Fuse",
    "InDegree",
    "KernelGroup",
    "KernelPurity",
    "LargestGroup",
    "Leverage",
    "MaximizePower",
    "MaximizeRJSD",
    "Maximum",
    "MeanDiscrepancy",
    "MeanDistance",
    "MomentGroup",
    "NeighbourDistance",
    "NormalScores",
    "Permutation",
    "RowScore",
    "ScoreGroup",
    "SecondOrder",
    "Sequential",
    "SoftMaximum",
    "Split",
    "Statistic",
    "Strategy",
    "Unscaled",
    "View",
]
