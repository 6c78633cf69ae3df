"""Thousands of groups: a sketch of each in one pass, tests against one control, all divergences.

`distance_test` does it in the conventions of single-cell analysis.
"""

from samelaw.estimate.group_plan import GroupPlan
from samelaw.estimate.group_sketches import GroupSketches
from samelaw.manysamples.control_result import ControlTests
from samelaw.manysamples.control_tests import control_tests
from samelaw.manysamples.distance_test import distance_test
from samelaw.manysamples.group_tables import sketch_groups
from samelaw.reading.annotated import read_annotated

__all__ = [
    "ControlTests",
    "GroupPlan",
    "GroupSketches",
    "control_tests",
    "distance_test",
    "read_annotated",
    "sketch_groups",
]
