"""A number from samples: divergences, entropies and information, their estimators and errors."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
