"""Samples without their rows: sums over all rows or over random blocks, and a test of blocks.

`GroupSketches` are those of all groups of a table, for `samelaw.control_tests`.
"""

from samelaw.comparison.engines import profile_dask
from samelaw.estimate.dealing import Deal
from samelaw.estimate.dealt_sketch import DealtSketch
from samelaw.estimate.group_sketches import GroupPlan, GroupSketches
from samelaw.estimate.sketch import Sketch
from samelaw.estimate.summary import Summary
from samelaw.twosample.group_tables import sketch_groups
from samelaw.twosample.sketch_test import sketch_test

__all__ = [
    "Deal",
    "DealtSketch",
    "GroupPlan",
    "GroupSketches",
    "Sketch",
    "Summary",
    "profile_dask",
    "sketch_groups",
    "sketch_test",
]
