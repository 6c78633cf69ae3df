"""Small tables of many groups, and the tests of one of them taken apart."""

import numpy as np

from samelaw import Fuse, Gaussian
from samelaw.extras.groups.control_sums import ControlSums
from samelaw.extras.groups.row_backend import RowBackend, row_features
from samelaw.testing import KernelGroup, MeanDistance, MomentGroup, ScoreGroup, View

FEW = Fuse(
    [
        KernelGroup([Gaussian(1.5)], (10,)),
        KernelGroup([Gaussian(1.0)], (1,), view=View.NORMAL),
        MomentGroup(2, penalty=0.1),
        ScoreGroup([MeanDistance(View.ROWS)]),
    ]
)


def components(rows, plan=FEW):
    backend = RowBackend.of(rows, seed=0)
    groups = [group.resolve(backend) for group in plan.components]
    return [one for group in groups for one in group.components(backend)]


def control_sums(rows, control):
    """A control in the features learnt from some rows."""
    return ControlSums.of(row_features(components(rows)), control)


def table(groups=12, rows=20, control=80, shifted=(), seed=0, columns=2):
    rng = np.random.default_rng(seed)
    found = {
        f"g{i}": rng.normal(size=(rows + i, columns)) + (1.5 if i in shifted else 0.0)
        for i in range(groups)
    }
    found["control"] = rng.normal(size=(control, columns))
    return found
