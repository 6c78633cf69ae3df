"""Compare samples: do they follow the same law, how far apart are they, where do they differ.

Every public name is importable from here; modules are loaded when first used.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "core.operators": ("Covariance",),
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
    "twosample.aggregate": ("Aggregate",),
    "comparison.api": ("compare",),
    "comparison.result": ("Comparison",),
    "twosample.combine": ("Maximum", "SoftMaximum"),
    "twosample.component_groups": ("KernelGroup", "MomentGroup", "ScoreGroup"),
    "twosample.fuse": ("Fuse",),
    "twosample.groups": ("GroupTests", "group_tests"),
    "twosample.permutations": ("Sequential",),
    "twosample.power": ("PowerCurve", "detectable_change", "power_curve", "sample_size"),
    "twosample.problem": ("Strategy",),
    "twosample.result": ("TestResult",),
    "twosample.split": ("MaximizePower", "MaximizeRJSD", "Split"),
    "twosample.statistics": ("Exact", "MeanDiscrepancy", "SecondOrder", "Statistic"),
    "twosample.api": ("two_sample_test",),
    "twosample.single": ("Permutation",),
    "twosample.units": ("Groups",),
    "estimate.bandwidths": (
        "GeometricGrid",
        "LinearGrid",
        "QuantileGrid",
        "mean_bandwidth",
        "median_bandwidth",
        "quantile_bandwidths",
    ),
    "estimate.kernel_grids": ("KernelCollection",),
    "estimate.decomposition": ("contributions", "standard_error"),
    "estimate.rjsd": ("generalized_divergence", "mmd", "pairwise_divergence", "rjsd"),
    "estimate.contract": ("Estimator",),
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
    "estimate.uncertainty": ("Reading", "read_features"),
    "estimate.sketch": ("Sketch",),
    "estimate.bias": ("rjsd_corrected", "rjsd_unbiased"),
    "present.page": ("write_report",),
}
_ROOMS = ("adaptation", "learn")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("samelaw")
    if name in _ROOMS:  # the parts that need PyTorch are name spaces of their own
        return import_module(f"samelaw.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'samelaw' has no attribute {name!r}")
    value = getattr(import_module(f"samelaw.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__", *_ROOMS]
