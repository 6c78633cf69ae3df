"""Samples without their rows: sums over all rows or over random blocks, and a test of blocks."""

from samelaw.estimate.dealing import Deal
from samelaw.estimate.dealt_sketch import DealtSketch
from samelaw.estimate.sketch import Sketch
from samelaw.estimate.summary import Summary
from samelaw.references.engines import profile_dask
from samelaw.twosample.sketch_test import sketch_test

__all__ = ["Deal", "DealtSketch", "Sketch", "Summary", "profile_dask", "sketch_test"]
