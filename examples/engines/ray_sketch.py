"""Two tables of a Ray cluster compared by sketches: parts are summed by tasks, only sums travel.

Every task adds the features of its rows up in random blocks, and the driver adds the sums in the
order of the parts. A task that is lost is run again: rows are dealt by their numbers, so that it
finds the same sums.

    python ray_sketch.py    # needs ray
"""

import numpy as np
import ray

from samelaw import Gaussian
from samelaw.divergence import Deal, DealtSketch
from samelaw.kernels import FourierFeatures, draw_frequencies
from samelaw.testing import sketch_test

ROWS, PARTS = 20_000, 4


def part_of_table(seed: int, share: float, part: int) -> np.ndarray:
    """Rows of one part, as a worker would read them from its file."""
    x, y = np.random.default_rng([seed, part]).normal(size=(2, ROWS // PARTS))
    return np.column_stack([x, share * x + (1 - share**2) ** 0.5 * y])


def sketch(empty: DealtSketch, seed: int, share: float, part: int) -> DealtSketch:
    """The sums of one part."""
    rows = part_of_table(seed, share, part)
    return empty.update(rows, np.arange(len(rows)) + part * len(rows))


def added(parts: list[DealtSketch]) -> DealtSketch:
    """All of them, in their order: floating-point sums depend on it."""
    first, *others = parts
    for other in others:
        first += other
    return first


def main() -> None:
    """Compare two tables that differ in the dependence of their columns alone."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    remote = ray.remote(sketch)
    features = FourierFeatures(draw_frequencies(Gaussian(2.0), dimension=2, count=16, rng=0))
    sides = []
    for seed, share in ((1, 0.0), (2, 0.5)):
        empty = DealtSketch.empty(features, Deal(rows=ROWS, block=200, seed=seed))
        shared = ray.put(empty)
        found = added(ray.get([remote.remote(shared, seed, share, p) for p in range(PARTS)]))
        here = added([sketch(empty, seed, share, p) for p in range(PARTS)])
        assert np.array_equal(found.totals, here.totals)  # the same bits as in one process
        sides.append(found.whole())
    result = sketch_test(*sides, rng=0)
    print(result)
    assert result.reject
    ray.shutdown()


if __name__ == "__main__":
    main()
