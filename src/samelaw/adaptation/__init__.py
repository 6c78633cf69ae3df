"""Domain adaptation: a loss on the joint law of several layers, and a trainer around it.

Every public name is importable from here; torch is loaded when the first one is used.
"""

from samelaw.core.lazy import attach, require

_HOMES = {
    "outputs_of": "samelaw.adaptation.batches",
    "FeatureDomain": "samelaw.adaptation.datasets",
    "ImageDomain": "samelaw.adaptation.datasets",
    "image_folder": "samelaw.adaptation.datasets",
    "imagenet_r": "samelaw.adaptation.datasets",
    "imagenet_sketch": "samelaw.adaptation.datasets",
    "office_31": "samelaw.adaptation.datasets",
    "office_home": "samelaw.adaptation.datasets",
    "read_features": "samelaw.adaptation.datasets",
    "FeaturePicture": "samelaw.adaptation.diagnostics",
    "feature_picture": "samelaw.adaptation.diagnostics",
    "layer_divergences": "samelaw.adaptation.diagnostics",
    "per_class_accuracy": "samelaw.adaptation.diagnostics",
    "EvaluationView": "samelaw.adaptation.images",
    "TrainingView": "samelaw.adaptation.images",
    "AdaptiveGaussian": "samelaw.learn.layer_kernels",
    "FixedKernel": "samelaw.learn.layer_kernels",
    "LayerKernel": "samelaw.learn.layer_kernels",
    "JointAdaptationLoss": "samelaw.adaptation.loss",
    "class_weights": "samelaw.adaptation.loss",
    "AdaptationNetwork": "samelaw.adaptation.network",
    "AdaptationPlan": "samelaw.adaptation.plan",
    "ImportanceWeighted": "samelaw.adaptation.selection",
    "LastStep": "samelaw.adaptation.selection",
    "Outputs": "samelaw.adaptation.selection",
    "Rule": "samelaw.adaptation.selection",
    "SourceValidation": "samelaw.adaptation.selection",
    "TargetTest": "samelaw.adaptation.selection",
    "Adaptation": "samelaw.adaptation.trainer",
    "adapt": "samelaw.adaptation.trainer",
}
_MODULES: tuple[str, ...] = ()

__all__ = sorted(_HOMES)

__getattr__, __dir__ = attach(__name__, _HOMES, _MODULES)
require(__name__, "torch")
