"""Compare samples: do they follow the same law, how far apart are they, where do they differ.

Every public name is importable from here; modules are loaded when first used.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "core.density": ("Covariance",),
    "core.entropies": ("Entropy", "PowerSeries", "Renyi", "Tsallis", "VonNeumann"),
    "core.errors": ("NumericalError",),
    "core.features": ("FeatureMap", "FourierFeatures", "NystromFeatures"),
    "core.kernels": (
        "Categorical",
        "Columns",
        "Cosine",
        "Gaussian",
        "Hamming",
        "Kernel",
        "Laplace",
        "Matern",
        "Mixture",
        "Polynomial",
        "Precomputed",
        "Product",
        "RationalQuadratic",
    ),
    "decide.aggregate": ("Aggregate",),
    "decide.compare": ("compare",),
    "decide.comparison": ("Comparison",),
    "decide.combining": ("Maximum", "SoftMaximum"),
    "decide.fuse": ("Fuse", "Section"),
    "decide.groups": ("GroupTests", "group_tests"),
    "decide.permutation": ("Sequential",),
    "decide.power": ("PowerCurve", "detectable_change", "power_curve", "sample_size"),
    "decide.problem": ("Strategy",),
    "decide.result": ("TestResult",),
    "decide.split": ("MaximizePower", "MaximizeRJSD", "Split"),
    "decide.statistics": ("Exact", "MeanDiscrepancy", "SecondOrder", "Statistic"),
    "decide.twosample": ("Permutation", "two_sample_test"),
    "decide.units": ("Groups",),
    "estimate.bandwidth": (
        "GeometricGrid",
        "LinearGrid",
        "QuantileGrid",
        "mean_bandwidth",
        "median_bandwidth",
        "quantile_bandwidths",
    ),
    "estimate.collection": ("KernelCollection",),
    "estimate.decomposition": ("contributions", "standard_error"),
    "estimate.divergence": ("generalized_divergence", "mmd", "pairwise_divergence", "rjsd"),
    "estimate.estimator": ("Estimator",),
    "estimate.fourier": ("FourierEstimator", "draw_frequencies"),
    "estimate.gram": ("GramEstimator",),
    "estimate.information": (
        "conditional_entropy",
        "entropy",
        "joint_entropy",
        "kernel_kl",
        "mutual_information",
        "total_correlation",
    ),
    "estimate.nystrom": (
        "NystromEstimator",
        "leverage_landmarks",
        "spread_landmarks",
        "uniform_landmarks",
    ),
    "estimate.reading": ("Reading", "read_features"),
    "estimate.sketch": ("Sketch",),
    "estimate.unbiased": ("rjsd_corrected", "rjsd_unbiased"),
    "present.report": ("write_report",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("samelaw")
    if name == "learn":  # the part that needs PyTorch is a name space of its own
        return import_module("samelaw.learn")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'samelaw' has no attribute {name!r}")
    value = getattr(import_module(f"samelaw.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__", "learn"]
