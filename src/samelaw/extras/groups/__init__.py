"""Thousands of groups: a sketch of each in one pass, tests against one control, all divergences.

`distance_test` does it in the conventions of single-cell analysis.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
