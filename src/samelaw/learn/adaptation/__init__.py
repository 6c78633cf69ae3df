"""Domain adaptation: a loss on the joint law of several layers, and a trainer around it."""

from samelaw.learn.adaptation.diagnostics import (
    FeaturePicture,
    feature_picture,
    layer_divergences,
    per_class_accuracy,
)
from samelaw.learn.adaptation.domains import (
    FeatureDomain,
    ImageDomain,
    image_folder,
    imagenet_r,
    imagenet_sketch,
    office_31,
    office_home,
    read_features,
)
from samelaw.learn.adaptation.layers import AdaptiveGaussian, FixedKernel, LayerKernel
from samelaw.learn.adaptation.loading import outputs_of
from samelaw.learn.adaptation.loss import JointAdaptationLoss, class_weights
from samelaw.learn.adaptation.plan import AdaptationNetwork, AdaptationPlan
from samelaw.learn.adaptation.selection import (
    ImportanceWeighted,
    LastStep,
    Outputs,
    Rule,
    SourceValidation,
    TargetTest,
)
from samelaw.learn.adaptation.trainer import Adaptation, adapt
from samelaw.learn.adaptation.views import EvaluationView, TrainingView

__all__ = [
    "Adaptation",
    "AdaptationNetwork",
    "AdaptationPlan",
    "AdaptiveGaussian",
    "EvaluationView",
    "FeatureDomain",
    "FeaturePicture",
    "FixedKernel",
    "ImageDomain",
    "ImportanceWeighted",
    "JointAdaptationLoss",
    "LastStep",
    "LayerKernel",
    "Outputs",
    "Rule",
    "SourceValidation",
    "TargetTest",
    "TrainingView",
    "adapt",
    "class_weights",
    "feature_picture",
    "image_folder",
    "imagenet_r",
    "imagenet_sketch",
    "layer_divergences",
    "office_31",
    "office_home",
    "outputs_of",
    "per_class_accuracy",
    "read_features",
]
