"""How good is a generator: measures of generated against real features, and which one is closer.

Features are arrays of any extractor; `samelaw.learn` has the same as metrics that see batches.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
