"""The fused tests: RJSD at the price of MMD, against a bare product and the direct loop.

Bare MMD: the Gram matrix and one (B × N)(N × N) product in plain numpy for each of the 20 kernels.
Direct loop: the formula for each permutation, S_10 of three matrices by powers, as in the published
code; and our own exact loop, which has the entropy of the pool once and takes two spectra. 20
permutations of one kernel are timed and scaled to 20 kernels × 2,000.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from _common import against, cpu_times, peak_memory, report

import samelaw

PERMUTATIONS = 2_000
LOOPED = 20
KERNELS = samelaw.kernels.KernelCollection(grid=samelaw.kernels.QuantileGrid())
MMD = samelaw.Fuse(
    [samelaw.testing.KernelGroup(KERNELS, (1,))],
    statistic=samelaw.testing.MeanDiscrepancy(),
    combine=samelaw.testing.SoftMaximum(),
)


def test(
    x: np.ndarray, y: np.ndarray, strategy: samelaw.testing.Strategy, **options: Any
) -> Callable[[], Any]:
    options = {"permutations": PERMUTATIONS, "rng": 0, **options}
    return lambda: samelaw.two_sample_test(x, y, strategy=strategy, **options)


def bare_products(x: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    """What an MMD permutation test cannot do without, in plain numpy and single precision."""
    pool = np.concatenate([x, y])
    kernels = KERNELS(pool)
    rng = np.random.default_rng(0)

    def run() -> None:
        members = np.zeros((PERMUTATIONS + 1, len(pool)), np.float32)
        for row in members:
            row[rng.permutation(len(pool))[: len(x)]] = 1.0
        for kernel in kernels:
            gram = kernel(pool, pool).astype(np.float32)
            ((members @ gram) * members).sum(axis=1)

    return run


def series(density: np.ndarray, order: int = 10) -> float:
    """S_p by the formula: Σ_j Tr(A (I − A)^j) / j."""
    rest = np.eye(len(density), dtype=density.dtype) - density
    power, total = density, 0.0
    for j in range(1, order + 1):
        power = power @ rest
        total += float(np.trace(power)) / j
    return total


def direct_loop(x: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    pool = np.concatenate([x, y])
    gram = KERNELS(pool)[5](pool, pool).astype(np.float32)
    rng = np.random.default_rng(0)
    n, count = len(x), len(pool)

    def run() -> None:
        for _ in range(LOOPED):
            order = rng.permutation(count)
            shuffled = gram[np.ix_(order, order)]
            series(shuffled / count)
            series(shuffled[:n, :n] / n)
            series(shuffled[n:, n:] / (count - n))

    return run


def exact_loop(x: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    kernel = KERNELS(np.concatenate([x, y]))[5]
    estimator = samelaw.GramEstimator(kernel, samelaw.PowerSeries(10))
    return test(x, y, samelaw.Permutation(estimator), permutations=LOOPED)


def pair(n: int, d: int, m: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.normal(0.05, size=(m or n, d))


def limit(case: str, value: float, goal: float, *, at_least: bool = False) -> dict[str, Any]:
    met = value >= goal if at_least else value <= goal
    return {"case": case, "ours": value, "goal": goal, "met": met}


def main() -> None:
    x, y = pair(500, 2)
    rjsd, default, mmd = samelaw.Fuse.rjsd(), samelaw.Fuse(), test(x, y, MMD)
    first = cpu_times({"first": test(*pair(499, 2), rjsd)}, rounds=1)["first"]
    rows = [
        against("MMD-Fuse / bare products", mmd, bare_products(x, y), goal=1.0, rounds=5),
        against("RJSD-Fuse order 10 / MMD-Fuse", test(x, y, rjsd), mmd, goal=3.0, rounds=5),
        against("default, orders 1, 30 / MMD-Fuse", test(x, y, default), mmd, goal=4.0, rounds=5),
    ]
    loops = cpu_times({"published": direct_loop(x, y), "exact": exact_loop(x, y)}, rounds=1)
    ours = rows[1]["ours"]
    scale = PERMUTATIONS * len(KERNELS(x)) / LOOPED / ours
    rows += [
        limit("times faster than the direct loop", loops["published"] * scale, 2e3, at_least=True),
        {"case": "times faster than our exact loop", "ours": loops["exact"] * scale},
        limit("peak MiB, RJSD-Fuse", peak_memory(test(x, y, rjsd)) / 1.048576, 300),
        limit("first call / later call, RJSD-Fuse", first / ours, 1.5),
    ]
    wide = pair(2_000, 64)
    gram = test(*wide, rjsd, memory=2**30)
    sketch = test(*wide, default)
    times = cpu_times({"gram": gram, "sketch": sketch}, rounds=1)
    table = pair(3_000, 14, 2_000)
    one = samelaw.Fuse([samelaw.testing.KernelGroup([samelaw.Gaussian(5.0)], (1,))])
    single = cpu_times({"one": test(*table, one, permutations=100)}, rounds=3)["one"]
    rows += [
        limit("CPU s, RJSD-Fuse on all pairs, n = m = 2,000, d = 64", times["gram"], 30),
        limit("peak MiB of that", peak_memory(gram) / 1.048576, 1_024),
        limit("CPU s, default route, n = m = 2,000, d = 64", times["sketch"], 5),
        limit("peak MiB of that", peak_memory(sketch) / 1.048576, 1_024),
        limit("CPU s, one kernel, 3,000 v 2,000 × 14, B = 100", single, 1),
    ]
    question = f"fused tests, n = m = 500, d = 2, 20 kernels, B = {PERMUTATIONS}, unless stated"
    report("fused", question, rows)


if __name__ == "__main__":
    main()
