"""Losses, kernels, critics and metrics that learn: PyTorch modules, behind the extra ``torch``.

Every public name is importable from here; torch is loaded when the first one is used.
"""

import warnings
from typing import Any

from samelaw.core.array import is_torch
from samelaw.core.lazy import attach, require
from samelaw.core.linalg import WrittenGradients, written_gradients

_HOMES = {
    "MovingCovariance": "samelaw.learn.moving_covariance",
    "Criterion": "samelaw.learn.objectives",
    "DivergenceGain": "samelaw.learn.objectives",
    "TestPower": "samelaw.learn.objectives",
    "DeepKernel": "samelaw.learn.deep_kernel",
    "Estimate": "samelaw.learn.training",
    "Fit": "samelaw.learn.training",
    "History": "samelaw.learn.training",
    "fit_kernel": "samelaw.learn.kernel_training",
    "Learner": "samelaw.learn.learner",
    "cross_fit": "samelaw.learn.learner",
    "RJSDLoss": "samelaw.learn.losses",
    "RepresentationEntropy": "samelaw.learn.metrics",
    "RepresentationJSD": "samelaw.learn.metrics",
    "image_network": "samelaw.learn.networks",
    "tabular_network": "samelaw.learn.networks",
    "Bandwidth": "samelaw.learn.recipes",
    "Frequencies": "samelaw.learn.recipes",
    "Network": "samelaw.learn.recipes",
    "Recipe": "samelaw.learn.recipes",
    "FourierLayer": "samelaw.learn.representations",
    "LearnedKernel": "samelaw.learn.representations",
    "VariationalJSD": "samelaw.learn.variational",
    "JointAdaptationLoss": "samelaw.adaptation.loss",  # a loss among the losses, made next door
}
_MODULES = ("critics",)

__all__ = sorted([*_HOMES, *_MODULES])

__getattr__, __dir__ = attach(__name__, _HOMES, _MODULES)
require(__name__, "torch")


def _trace_polynomial(matrix: Any, coefficients: Any) -> Any:
    from samelaw.learn.trace_gradient import trace_polynomial

    return trace_polynomial(matrix, coefficients)


def _spectral_entropy(matrix: Any, entropy: Any, scale: float) -> Any:
    from samelaw.learn.trace_gradient import spectral_entropy

    return spectral_entropy(matrix, entropy, scale)


written_gradients.append(WrittenGradients(is_torch, _trace_polynomial, _spectral_entropy))

# torch.compile traces the lookup of array libraries, whose caches hold nothing but types.
warnings.filterwarnings(
    "ignore",
    r"Dynamo detected a call to a `functools.lru_cache`-wrapped function at '_helpers\.py",
    UserWarning,
)
