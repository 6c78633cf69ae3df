"""Compare samples: do they follow the same law, how far apart are they, where do they differ.

What most users need is importable from here and loaded when first used. The rest is in the rooms:
`samelaw.kernels`, `samelaw.divergence`, `samelaw.testing`, `samelaw.tables`, `samelaw.comparison`,
`samelaw.monitor`, `samelaw.learn` (PyTorch), `samelaw.extras` (databases, Dask, generators, many
groups, scikit-learn, river) and `samelaw.problems`, laws with known answers.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__.remove("learn")  # `from samelaw import *` must not ask for PyTorch
