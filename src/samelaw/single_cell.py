"""Groups of cells against a contrast, in the conventions of single-cell analysis."""

from samelaw.data.annotated import read_annotated
from samelaw.twosample.distance_test import distance_test

__all__ = ["distance_test", "read_annotated"]
