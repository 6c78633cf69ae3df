"""The exact estimator against the cost of its own kernels and eigenvalues.

Bare cost: the Gaussian Gram matrix of the pool in plain numpy and three LAPACK eigenvalue calls;
for order 1, which needs no eigenvalues, three reductions of squared kernel values in blocks.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from _common import against, report

import samelaw

BANDWIDTH = 11.0  # about the median distance of the data below
BLOCK = 64  # rows; the fastest of 32, 64, …, 512 for the bare reductions
GOALS = {"order 1": 1.2, "order 10": 1.15, "von Neumann": 1.15}
ENTROPIES = {
    "order 1": samelaw.PowerSeries(1),
    "order 10": samelaw.PowerSeries(10),
    "von Neumann": samelaw.VonNeumann(),
}


def plain_kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    squares = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1)[None, :] - 2 * x @ y.T
    return np.exp(-squares / (2 * BANDWIDTH**2))


def bare_spectra(x: np.ndarray, y: np.ndarray) -> None:
    pool = np.concatenate([x, y])
    gram = plain_kernel(pool, pool)
    n = len(x)
    for block in (gram, gram[:n, :n], gram[n:, n:]):
        np.linalg.eigvalsh(block / len(block))


def bare_reductions(x: np.ndarray, y: np.ndarray) -> float:
    return sum(mean_square(*pair) for pair in ((x, x), (y, y), (x, y)))


def mean_square(x: np.ndarray, y: np.ndarray) -> float:
    total = 0.0
    for start in range(0, len(x), BLOCK):
        block = plain_kernel(x[start : start + BLOCK], y)
        total += (block * block).sum()
    return total / (len(x) * len(y))


def main() -> None:
    rows: list[dict[str, Any]] = []
    for n, rounds in ((512, 11), (2048, 3)):
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(n, 64)), rng.normal(0.1, size=(n, 64))
        for name, entropy in ENTROPIES.items():
            bare = bare_reductions if name == "order 1" else bare_spectra
            turns = 15 if name == "order 1" else rounds
            case = f"{name}, n = m = {n}"
            rows.append(
                against(
                    case,
                    ours(x, y, entropy),
                    partial(bare, x, y),
                    goal=GOALS[name],
                    rounds=turns,
                )
            )
    report("exact", "rjsd over the bare cost of its kernels and eigenvalues (CPU s)", rows)


def ours(x: np.ndarray, y: np.ndarray, entropy: samelaw.kernels.Entropy) -> Callable[[], Any]:
    kernel = samelaw.Gaussian(BANDWIDTH)
    return lambda: samelaw.rjsd(x, y, kernel=kernel, entropy=entropy)


if __name__ == "__main__":
    main()
