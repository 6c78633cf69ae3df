"""What a divergence is made of: kernels and bandwidths, entropies, feature maps, operators.

`Kernel`, `Entropy` and `FeatureMap` are the classes to derive one's own from.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
