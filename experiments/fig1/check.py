"""What the paper says about figure 1, and reference values from an independent run, as claims."""

import math
from typing import Any

import numpy as np

LOG2 = math.log(2)
CLOSE = 0.03  # for the height of a peak


def check(results: dict[str, Any]) -> dict[str, bool]:
    """Each claim in words, and whether it holds for ``results``."""
    settings = results["settings"]
    grid = np.array(settings["bandwidths"])
    wide = np.array(settings["bandwidths_gaussian"])
    means = {
        panel: {label: np.array(curve["mean"]) for label, curve in results[panel].items()}
        for panel in "abcdef"
    }

    def at(panel: str, label: str, bandwidth: float, what: str = "mean") -> float:
        nodes = grid if panel in "abc" else wide
        return float(np.interp(math.log(bandwidth), np.log(nodes), results[panel][label][what]))

    def near(panel: str, references: dict[tuple[str, float], float]) -> bool:
        """Each reference comes from a few draws: three standard deviations of one draw, + .01."""
        return all(
            abs(at(panel, label, bandwidth) - value) < 0.01 + 3 * at(panel, label, bandwidth, "sd")
            for (label, bandwidth), value in references.items()
        )

    a, b, c, d, e, f = (means[panel] for panel in "abcdef")
    orders = [label for label in b if label != "p = ∞"]
    peaks = {label: int(np.argmax(b[label])) for label in orders}
    truth = results["true_jsd"]["cauchy"]
    return {
        "a: the kernel estimator decreases in σ": all(decreasing(v) for v in a.values()),
        "a: it reaches log 2 as σ → 0": all(v[0] > 0.95 * LOG2 for v in a.values()),
        "a: more samples bring it nearer to the true JSD at σ = 1": decreasing(
            np.array([abs(at("a", label, 1.0) - truth) for label in a])
        ),
        "a: reference values at σ = 1, 2 and .001": near("a", REFERENCES_A),
        "b: every finite order peaks at an interior bandwidth": all(
            0 < k < len(grid) - 1 and bool(b[label][k] > 2 * max(b[label][0], b[label][-1]))
            for label, k in peaks.items()
        ),
        "b: and falls to Σ[(1−1/2n)^j−(1−1/n)^j]/j ≈ p/2n on the left, 0 on the right": all(
            abs(b[label][0] - isolated(int(label[4:]), settings["size_of_b"])) < 0.01
            and b[label][-1] < 0.02
            for label in orders
        ),
        "b: the infinite order decreases in σ": decreasing(b["p = ∞"]),
        "b: reference heights of the peaks": all(
            abs(b[label].max() - height) < CLOSE for label, (height, _) in PEAKS_B.items()
        ),
        "b: reference places of the peaks": all(
            abs(math.log(grid[peaks[label]] / place)) < math.log(2.5)
            for label, (_, place) in PEAKS_B.items()
        ),
        "c: with 2D < n the estimator peaks inside, as a finite order does": all(
            c[label].argmax() > 0 for label in ("D = 16", "D = 64")
        ),
        "c: with 2D > 2n it saturates at small σ, as the kernel estimator does": bool(
            c["D = 1024"].argmax() == 0 and c["D = 1024"][0] > 0.85 * LOG2
        ),
        "c: reference values at σ = .001": near("c", REFERENCES_C),
        "c: 1,024 frequencies agree with the kernel estimator at σ = 1": bool(
            abs(at("c", "D = 1024", 1.0) - at("c", "kernel", 1.0)) < 0.02
        ),
        "d: from four dimensions the kernel estimator saturates at log 2": all(
            v[0] > 0.99 * LOG2 for label, v in d.items() if label != "d = 1"
        ),
        "d: and at a larger σ the more dimensions there are": decreasing(
            np.array([-saturation(v, wide) for v in d.values()])
        ),
        "d: reference values at σ = 3": near("d", REFERENCES_D),
        "e, f: order 10 and Fourier features never saturate": all(
            v.max() < 1.02 * results["true_jsd"]["gaussian"] and v[0] < 0.25 * LOG2
            for panel in (e, f)
            for v in panel.values()
        ),
        "e, f: from four dimensions they stay below .27": all(
            v.max() <= 0.27 for panel in (e, f) for label, v in panel.items() if label != "d = 1"
        ),
    }


REFERENCES_A = {
    ("n = 32", 1.0): 0.506,
    ("n = 128", 1.0): 0.418,
    ("n = 512", 1.0): 0.352,
    ("n = 32", 2.0): 0.430,
    ("n = 128", 2.0): 0.373,
    ("n = 512", 2.0): 0.316,
    ("n = 32", 0.001): 0.693,
    ("n = 128", 0.001): 0.690,
    ("n = 512", 0.001): 0.677,
}
PEAKS_B = {
    "p = 1": (0.160, 2.0),
    "p = 2": (0.240, 2.0),
    "p = 4": (0.303, 2.0),
    "p = 10": (0.339, 1.0),
    "p = 50": (0.380, 0.3),
}
REFERENCES_C = {
    ("D = 16", 0.001): 0.039,
    ("D = 64", 0.001): 0.131,
    ("D = 256", 0.001): 0.445,
    ("D = 1024", 0.001): 0.626,
}
REFERENCES_D = {("d = 4", 3.0): 0.182, ("d = 16", 3.0): 0.445, ("d = 64", 3.0): 0.693}


def decreasing(values: np.ndarray) -> bool:
    return bool(np.all(np.diff(values) <= 1e-4))


def isolated(order: int, n: int) -> float:
    """RJSD of order p when all 2n points are dissimilar (K = I)."""
    j = np.arange(1, order + 1)
    return float(np.sum(((1 - 1 / (2 * n)) ** j - (1 - 1 / n) ** j) / j))


def saturation(curve: np.ndarray, nodes: np.ndarray) -> float:
    """The largest bandwidth at which the curve is still within 10 % of log 2; 0 if nowhere."""
    return max(
        (float(b) for b, value in zip(nodes, curve, strict=True) if value > 0.9 * LOG2), default=0.0
    )
