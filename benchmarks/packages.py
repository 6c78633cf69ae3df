"""Our tests beside those of another package (hyppo) on the same samples, 1,000 permutations.

The default fuses many statistics where the others have one; "one kernel" is the like for like.
CPU seconds and peak memory beyond the data, in turns within one process.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from _common import cpu_times, peak_memory, report

import samelaw
from samelaw import Fuse, Gaussian, two_sample_test
from samelaw.testing import KernelGroup

SIZES = (100, 300)  # at 500 theirs take minutes
COLUMNS, PERMUTATIONS = 10, 1_000


def sides(size: int) -> dict[str, Callable[[], Any]]:
    from hyppo.ksample import MMD, Energy

    rng = np.random.default_rng(size)
    x, y = rng.normal(size=(2, size, COLUMNS))
    ours: dict[str, samelaw.testing.Strategy] = {
        "default": Fuse(),
        "Fuse.mmd": Fuse.mmd(),
        "one kernel": Fuse([KernelGroup([Gaussian(4.0)])]),
    }

    def test(strategy: samelaw.testing.Strategy) -> Callable[[], Any]:
        return lambda: two_sample_test(x, y, strategy=strategy, permutations=PERMUTATIONS, rng=0)

    return {
        **{name: test(strategy) for name, strategy in ours.items()},
        "hyppo MMD": lambda: MMD().test(x, y, reps=PERMUTATIONS, auto=False),
        "hyppo energy": lambda: Energy().test(x, y, reps=PERMUTATIONS, auto=False),
    }


def main() -> None:
    rows = []
    for size in SIZES:
        found = sides(size)
        times = cpu_times(found, rounds=1)
        least = min(times["hyppo MMD"], times["hyppo energy"])
        rows += [
            {
                "case": f"{name}, n = m = {size:,}",
                "CPU s": times[name],
                "over the faster of hyppo": times[name] / least,
                "peak MB": peak_memory(found[name]),
            }
            for name in found
        ]
    report(
        "packages", f"tests of {COLUMNS} columns beside hyppo, {PERMUTATIONS} permutations", rows
    )


if __name__ == "__main__":
    main()
