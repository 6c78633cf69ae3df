"""Tables as they come: files, frames and databases read, columns and their kinds."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
