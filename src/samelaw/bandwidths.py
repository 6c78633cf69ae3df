"""How wide a kernel is: rules for one bandwidth, grids of several, collections of kernels."""

from samelaw.estimate.bandwidths import (
    GeometricGrid,
    LinearGrid,
    QuantileGrid,
    mean_bandwidth,
    median_bandwidth,
    quantile_bandwidths,
)
from samelaw.estimate.kernel_grids import KernelCollection

__all__ = [
    "GeometricGrid",
    "KernelCollection",
    "LinearGrid",
    "QuantileGrid",
    "mean_bandwidth",
    "median_bandwidth",
    "quantile_bandwidths",
]
