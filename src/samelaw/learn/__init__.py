"""Losses, kernels, critics and metrics that learn: PyTorch modules, behind the extra ``torch``.

Every public name is importable from here; torch is loaded when the first one is used.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

_HOMES = {
    "moving_covariance": ("MovingCovariance",),
    "objectives": ("Criterion", "DivergenceGain", "TestPower"),
    "deep_kernel": ("DeepKernel", "fit_kernel"),
    "training": ("Fit", "History"),
    "learner": ("Learner", "cross_fit"),
    "losses": ("RJSDLoss",),
    "metrics": ("RepresentationEntropy", "RepresentationJSD"),
    "layers": ("image_network", "tabular_network"),
    "representations": (
        "Bandwidth",
        "FourierLayer",
        "Frequencies",
        "LearnedKernel",
        "Network",
        "Recipe",
    ),
    "variational": ("VariationalJSD",),
}
_MODULES = ("critics",)
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, *_MODULES])

_NEEDS = 'samelaw.learn needs {}: pip install "samelaw[torch]"'
if find_spec("torch") is None:
    raise ImportError(_NEEDS.format("PyTorch"))


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"samelaw.learn.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'samelaw.learn' has no attribute {name!r}")
    try:
        value = getattr(import_module(f"samelaw.learn.{_HOME_OF[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torchmetrics":
            raise
        raise ImportError(_NEEDS.format("torchmetrics")) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
