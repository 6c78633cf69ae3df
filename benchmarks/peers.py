"""samelaw against vendi-score and against a straightforward numpy version of the formula."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from _common import cpu_times, peak_memory, report

import samelaw

BANDWIDTH = 5.0


def straightforward(x: np.ndarray, y: np.ndarray) -> float:
    """RJSD as one would type it from the paper: all differences, three spectra, a mask."""
    pool = np.concatenate([x, y])
    squares = ((pool[:, None, :] - pool[None, :, :]) ** 2).sum(axis=-1)
    gram = np.exp(-squares / (2 * BANDWIDTH**2))
    n, m = len(x), len(y)
    total = spectral_entropy(gram)
    within = n * spectral_entropy(gram[:n, :n]) + m * spectral_entropy(gram[n:, n:])
    return total - within / (n + m)


def spectral_entropy(gram: np.ndarray) -> float:
    values = np.linalg.eigvalsh(gram / len(gram))
    values = values[values > 0]
    return float(-(values * np.log(values)).sum())


def main() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it asks scipy for a name that scipy has moved
        from vendi_score import vendi

        rows = [entropy_of_gram(vendi, size) for size in (256, 1024)]
    rows += [from_samples(size) for size in (128, 512)]
    report("peers", "samelaw over vendi-score and over a straightforward version (CPU s)", rows)


def entropy_of_gram(vendi: Any, size: int) -> dict[str, Any]:
    x = np.random.default_rng(0).normal(size=(size, 16))
    gram = samelaw.Gaussian(BANDWIDTH)(x, x)
    index, kernel = np.arange(size), samelaw.kernels.Precomputed(gram)
    sides: dict[str, Callable[[], Any]] = {
        "bare": lambda: np.log(vendi.score_K(gram)),
        "ours": lambda: samelaw.entropy(index, kernel=kernel),
    }
    gap = abs(float(sides["ours"]() - sides["bare"]()))
    return row(f"entropy of one Gram matrix, vendi-score, n = {size}", sides, gap)


def from_samples(size: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(size, 16)), rng.normal(0.3, size=(size, 16))
    kernel = samelaw.Gaussian(BANDWIDTH)
    sides: dict[str, Callable[[], Any]] = {
        "bare": lambda: straightforward(x, y),
        "ours": lambda: samelaw.rjsd(x, y, kernel=kernel),
    }
    gap = abs(float(sides["ours"]() - sides["bare"]()))
    return row(f"rjsd, straightforward numpy, n = m = {size}", sides, gap)


def row(case: str, sides: dict[str, Callable[[], Any]], gap: float) -> dict[str, Any]:
    times = cpu_times(sides, rounds=7)
    memory = {f"megabytes_{name}": peak_memory(side) for name, side in sides.items()}
    ratio = times["ours"] / times["bare"]
    return {"case": case, **times, "ratio": ratio, "difference": gap, **memory}


if __name__ == "__main__":
    main()
