"""Domain adaptation: a loss on the joint law of several layers, and a trainer around it.

Every public name is importable from here; torch is loaded when the first one is used.
"""

import lazy_loader

from samelaw.core.optional import require

require(__name__, "torch")
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
