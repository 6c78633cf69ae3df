"""Compare samples: do they follow the same law, how far apart are they, where do they differ.

What most users need is importable from here and loaded when first used; `samelaw.kernels`,
`samelaw.entropies`, `samelaw.estimators`, `samelaw.bandwidths`, `samelaw.strategies`,
`samelaw.sketches`, `samelaw.many_groups`, `samelaw.databases`, `samelaw.generators`,
`samelaw.representations` and `samelaw.problems` hold the rest by topic, `samelaw.learn` and
`samelaw.adaptation` what needs PyTorch, `samelaw.detectors` what needs scikit-learn or river.
"""

from samelaw.core.lazy import attach

_HOMES = {
    # how far apart: a number from samples
    "rjsd": "samelaw.estimate.rjsd",
    "mmd": "samelaw.estimate.rjsd",
    "kernel_kl": "samelaw.estimate.information",
    "generalized_divergence": "samelaw.estimate.rjsd",
    "pairwise_divergence": "samelaw.estimate.rjsd",
    "standard_error": "samelaw.estimate.uncertainty",
    # how much one variable tells of another
    "entropy": "samelaw.estimate.information",
    "joint_entropy": "samelaw.estimate.information",
    "conditional_entropy": "samelaw.estimate.information",
    "mutual_information": "samelaw.estimate.information",
    "total_correlation": "samelaw.estimate.information",
    # estimators
    "GramEstimator": "samelaw.estimate.gram",
    "FourierEstimator": "samelaw.estimate.fourier",
    "NystromEstimator": "samelaw.estimate.nystrom",
    "Sketch": "samelaw.estimate.sketch",
    "Summary": "samelaw.estimate.summary",
    # kernels and entropies
    "Gaussian": "samelaw.core.kernels",
    "Laplace": "samelaw.core.kernels",
    "VonNeumann": "samelaw.core.entropies",
    "PowerSeries": "samelaw.core.entropies",
    "Renyi": "samelaw.core.entropies",
    "LogDet": "samelaw.core.entropies",
    # whether two samples differ
    "two_sample_test": "samelaw.twosample.api",
    "k_sample_test": "samelaw.manysamples.k_samples",
    "group_tests": "samelaw.manysamples.group_tests",
    "power_curve": "samelaw.twosample.power",
    "sample_size": "samelaw.twosample.power",
    "detectable_change": "samelaw.twosample.power",
    "Fuse": "samelaw.twosample.fuse",
    "Split": "samelaw.twosample.split",
    "Aggregate": "samelaw.twosample.aggregate",
    "Permutation": "samelaw.twosample.single",
    "SecondOrder": "samelaw.twosample.statistics",
    "Exact": "samelaw.twosample.statistics",
    "Groups": "samelaw.permuting.group_units",
    "TestResult": "samelaw.twosample.result",
    "GroupTests": "samelaw.manysamples.group_tests",
    "PowerCurve": "samelaw.twosample.power",
    # two tables
    "compare": "samelaw.comparison.api",
    "Comparison": "samelaw.comparison.result",
    "Reference": "samelaw.references.reference",
    "write_report": "samelaw.present.page",
    # a stream
    "DriftMonitor": "samelaw.monitor.monitor",
    "DriftReading": "samelaw.monitor.reading",
    "Ever": "samelaw.monitor.promises",
    "RunLength": "samelaw.monitor.promises",
    # what goes wrong
    "NumericalError": "samelaw.core.errors",
    # what is installed
    "__version__": "samelaw.core.version",
}
_MODULES = (
    "adaptation",
    "bandwidths",
    "databases",
    "detectors",
    "entropies",
    "estimators",
    "generators",
    "kernels",
    "learn",
    "many_groups",
    "problems",
    "representations",
    "sketches",
    "strategies",
)

__all__ = sorted(_HOMES.keys() - {"__version__"})

__getattr__, __dir__ = attach(__name__, _HOMES, _MODULES)
