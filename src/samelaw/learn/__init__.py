"""Losses, kernels, critics and metrics that learn: PyTorch modules, behind the extra ``torch``.

Every public name is importable from here; torch is loaded when the first one is used.
"""

from samelaw.core.lazy import attach, require

_HOMES = {
    "AdaptiveGaussian": "samelaw.learn.layer_kernels",
    "MovingCovariance": "samelaw.learn.moving_covariance",
    "Criterion": "samelaw.learn.objectives",
    "DivergenceGain": "samelaw.learn.objectives",
    "TestPower": "samelaw.learn.objectives",
    "Deep": "samelaw.learn.deep",
    "DeepKernel": "samelaw.learn.deep_kernel",
    "Fit": "samelaw.learn.training",
    "History": "samelaw.learn.training",
    "fit_kernel": "samelaw.learn.deep_kernel",
    "Learner": "samelaw.learn.learner",
    "cross_fit": "samelaw.learn.learner",
    "RJSDLoss": "samelaw.learn.losses",
    "GeneratorMetrics": "samelaw.learn.generator_metric",
    "RepresentationEntropy": "samelaw.learn.metrics",
    "RepresentationJSD": "samelaw.learn.metrics",
    "layer_outputs": "samelaw.learn.layer_outputs",
    "image_network": "samelaw.learn.layers",
    "tabular_network": "samelaw.learn.layers",
    "Bandwidth": "samelaw.learn.representations",
    "Frequencies": "samelaw.learn.representations",
    "Network": "samelaw.learn.representations",
    "Recipe": "samelaw.learn.representations",
    "FourierLayer": "samelaw.learn.representations",
    "LearnedKernel": "samelaw.learn.representations",
    "VariationalJSD": "samelaw.learn.variational",
    "JointAdaptationLoss": "samelaw.adaptation.loss",  # a loss among the losses, made next door
}
_MODULES = ("critics",)

__all__ = sorted([*_HOMES, *_MODULES])

__getattr__, __dir__ = attach(__name__, _HOMES, _MODULES)
require(__name__, "torch")
