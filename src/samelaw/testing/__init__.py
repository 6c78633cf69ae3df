"""A decision: whether samples follow one law, with exact p-values; strategies and their parts.

`Strategy` is the class to derive one's own from; `Fuse()` is the default.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
