"""Thousands of groups: a sketch of each in one pass, tests against one control, all divergences.

`distance_test` does it in the conventions of single-cell analysis.
"""

from samelaw.data.annotated import read_annotated
from samelaw.estimate.group_plan import GroupPlan
from samelaw.estimate.group_sketches import GroupSketches
from samelaw.twosample.control_result import ControlTests
from samelaw.twosample.control_tests import control_tests
from samelaw.twosample.distance_test import distance_test
from samelaw.twosample.group_tables import sketch_groups

__all__ = [
    "ControlTests",
    "GroupPlan",
    "GroupSketches",
    "control_tests",
    "distance_test",
    "read_annotated",
    "sketch_groups",
]
