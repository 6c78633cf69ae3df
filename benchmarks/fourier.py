"""The Fourier estimator against the cost of its features, and the memory it takes.

Bare cost, a chunk of rows at a time: the angles, their cosines and sines, one symmetric product.
"""

import numpy as np
from _common import against, peak_memory, report

import samelaw

ROWS, COLUMNS, FREQUENCIES = 1_000_000, 16, 64
CHUNK = 1024  # rows; the fastest of 512, 1024, …, 16384 for the bare cost
MOST_MEGABYTES = 300


def bare_covariance(x: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    total = np.zeros((2 * FREQUENCIES, 2 * FREQUENCIES))
    for start in range(0, len(x), CHUNK):
        angles = x[start : start + CHUNK] @ frequencies
        features = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
        total += features.T @ features
    return total / (FREQUENCIES * len(x))


def main() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS // 2, COLUMNS))
    y = rng.normal(0.1, size=(ROWS // 2, COLUMNS))
    kernel = samelaw.Gaussian(5.0)
    frequencies = samelaw.kernels.draw_frequencies(kernel, COLUMNS, FREQUENCIES, rng=0)
    estimator = samelaw.FourierEstimator(kernel, FREQUENCIES)
    row = against(
        f"{ROWS:,} × {COLUMNS} rows, {FREQUENCIES} frequencies",
        lambda: estimator(x, y),
        lambda: [bare_covariance(z, frequencies) for z in (x, y)],
        goal=1.5,
        rounds=3,
    )
    row["peak_megabytes"] = peak_memory(lambda: estimator(x, y))
    default = samelaw.FourierEstimator(frequencies=FREQUENCIES)
    row["peak_megabytes_with_median_bandwidth"] = peak_memory(lambda: default(x, y))
    row["memory_goal"] = MOST_MEGABYTES
    row["memory_met"] = row["peak_megabytes_with_median_bandwidth"] < MOST_MEGABYTES
    report("fourier", "Fourier estimator over bare features and one product (CPU s)", [row])


if __name__ == "__main__":
    main()
