"""Domain adaptation: a loss on the joint law of several layers, and a trainer around it.

Every public name is importable from here; torch is loaded when the first one is used.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

_HOMES = {
    "batches": ("outputs_of",),
    "datasets": (
        "FeatureDomain",
        "ImageDomain",
        "image_folder",
        "imagenet_r",
        "imagenet_sketch",
        "office_31",
        "office_home",
        "read_features",
    ),
    "diagnostics": (
        "FeaturePicture",
        "feature_picture",
        "layer_divergences",
        "per_class_accuracy",
    ),
    "images": ("EvaluationView", "TrainingView"),
    "layer_kernels": ("AdaptiveGaussian", "FixedKernel", "LayerKernel"),
    "loss": ("JointAdaptationLoss", "class_weights"),
    "network": ("AdaptationNetwork",),
    "plan": ("AdaptationPlan",),
    "selection": (
        "ImportanceWeighted",
        "LastStep",
        "Outputs",
        "Rule",
        "SourceValidation",
        "TargetTest",
    ),
    "trainer": ("Adaptation", "adapt"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)

if find_spec("torch") is None:
    raise ImportError('samelaw.adaptation needs PyTorch: pip install "samelaw[torch]"')


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'samelaw.adaptation' has no attribute {name!r}")
    value = getattr(import_module(f"samelaw.adaptation.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
