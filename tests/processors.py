"""Verdicts that must not depend on the processor or on the number of threads, as JSON.

`tests/end_to_end/test_processors.py` runs this file under several kernels of the BLAS. Degenerate
cases have statistics that no permutation changes.
"""

import json
import sys
from pathlib import Path

import numpy as np

from samelaw import Aggregate, Exact, Fuse, Gaussian, Groups, Permutation, compare, two_sample_test
from samelaw.testing import KernelGroup

ROOT = Path(__file__).parents[1]


def one_hot(n, m):
    return np.eye(n + m)[:n], np.eye(n + m)[n:]


def equally_far(seeds, permutations):
    for seed in range(seeds):
        yield two_sample_test(*one_hot(150, 150), rng=seed, permutations=permutations)
        yield two_sample_test(*one_hot(200, 60), rng=seed, permutations=permutations)


def equally_far_by_other_ways(seeds, permutations):
    for strategy in (
        Fuse([KernelGroup([Gaussian(1.0)], (1, 10))]),
        Fuse.mmd(),
        Fuse.rjsd(),
        Aggregate.mmd(),
        Permutation(),
        Fuse([KernelGroup([Gaussian(1.0)], (10,))], statistic=Exact()),
    ):
        yield two_sample_test(*one_hot(30, 30), strategy=strategy, rng=1, permutations=permutations)
    mmd = Fuse.mmd()
    yield two_sample_test(*one_hot(200, 200), strategy=mmd, rng=1, permutations=permutations)


def constant_rows(seeds, permutations):
    values = (1 / 3, 1e6, 0.0)
    large = (1_300, 800) if seeds > 2 else (260, 160)
    for (n, m), some in (((300, 90), values), (large, values[: (seeds + 1) // 2])):
        for value in some:
            x, y = np.full((n, 3), value), np.full((m, 3), value)
            strategy = Fuse(sketches=(n, m) == large or None)  # as large tables have them
            yield two_sample_test(x, y, strategy=strategy, rng=0, permutations=permutations)


def visits(rng, customers):
    level = rng.normal(size=len(customers))
    return {"customer": np.repeat(customers, 15), "spent": np.repeat(level, 15)}


def groups_alike(seeds, permutations):
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        a, b = (visits(rng, [f"{side}{i}" for i in range(20)]) for side in "ab")
        yield compare(a, b, groups="customer", rng=0, permutations=permutations)


def ordinary_rows():
    for seed in range(3):
        rng = np.random.default_rng([seed, 1])
        x, y = rng.normal(size=(300, 5)), rng.normal(size=(260, 5)) + 0.08
        yield two_sample_test(x, y, rng=seed)
        yield two_sample_test(x[:60], y[:50], rng=seed)


def ordinary_strategies():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(200, 2)), rng.normal(size=(150, 2)) * 1.1
    for strategy in (Fuse.rjsd(), Fuse.mmd(), Aggregate(), Fuse([KernelGroup(entropies=(1, 30))])):
        yield two_sample_test(x, y, strategy=strategy, rng=0, permutations=199)
    who = np.arange(200) % 20, np.arange(150) % 25
    yield two_sample_test(x, y, groups=who, rng=0, permutations=199)
    yield two_sample_test(x, y, groups=Groups(who, swap=True), rng=0, permutations=199)


def sketches():
    rng = np.random.default_rng(3)
    yield two_sample_test(rng.normal(size=(3_000, 4)), rng.normal(size=(1_500, 4)) + 0.02, rng=0)


def few_values(seeds=2, permutations=99):
    """Most rows are equal to others, in samples that are sketched and in those that are not."""
    for seed in range(seeds):
        rng = np.random.default_rng([seed, 4])
        x, y = rng.integers(0, 3, size=(2, 1_100, 3)) / 3.0
        yield two_sample_test(x, y, rng=seed, permutations=permutations)
        yield two_sample_test(x[:150], y[:120], rng=seed, permutations=permutations)


def tables():
    data = ROOT / "examples" / "data"
    for pair in ("same", "changed"):
        yield compare(data / f"{pair}_a.csv", data / f"{pair}_b.csv", rng=1, permutations=199)


DEGENERATE = (equally_far, equally_far_by_other_ways, constant_rows, groups_alike, few_values)
CASES = {
    "degenerate, few": ((constant_rows, groups_alike), {"seeds": 1, "permutations": 19}),
    "degenerate": (DEGENERATE, {"seeds": 1, "permutations": 19}),
    "degenerate, many": (DEGENERATE, {"seeds": 6, "permutations": 199}),
    "ordinary": ((ordinary_rows, ordinary_strategies, sketches, tables), {}),
}


def main(kind: str) -> None:
    cases, options = CASES[kind]
    found = {case.__name__: [(r.pvalue, r.statistic) for r in case(**options)] for case in cases}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
