"""Power at 5, 20 and 100 columns.

Of all columns together, of the whole of compare, and of a product of kernels that each have their
own bandwidth: the choice that was rejected.
"""

from typing import Any

import numpy as np

import samelaw as sl
from samelaw.tables.pairing.encode import prepare
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table

Array = np.ndarray[Any, Any]

ROWS = (250, 250)
PERMUTATIONS = 199
WIDTHS = (5, 20, 100)
CHANGES = {
    "one mean": 0.35,
    "all means": 0.5,
    "all scales": 0.4,
    "two of all": 0.5,
    "subgroup": 3.0,
}


def mixed(rng: np.random.Generator, rows: int, width: int) -> dict[str, Array]:
    """Columns in turn normal, skewed, counts, booleans and categories, all independent."""
    draws = (
        lambda: rng.normal(size=rows),
        lambda: rng.lognormal(size=rows),
        lambda: rng.poisson(3.0, size=rows).astype(float),
        lambda: rng.normal(size=rows),
        lambda: rng.choice(np.array(["a", "b", "c", "d"]), size=rows, p=[0.4, 0.3, 0.2, 0.1]),
    )
    return {f"c{i}": draws[i % len(draws)]() for i in range(width)}


def draw(
    rng: np.random.Generator, change: str, width: int
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Changes that a fixed total is spread over: the more columns, the less in each."""
    a, b = (mixed(rng, rows, width) for rows in ROWS)
    normal = [name for i, name in enumerate(b) if i % 5 in (0, 3)]
    size, spread = CHANGES[change], np.sqrt(len(normal))
    match change:
        case "one mean":
            b[normal[0]] += size
        case "all means":
            for name in normal:
                b[name] += size / spread
        case "all scales":
            for name in normal:
                b[name] *= 1 + size / spread
        case "two of all":
            first, second = normal[:2]
            b[second] = size * b[first] + np.sqrt(1 - size**2) * b[second]
        case "subgroup":
            moved = rng.random(ROWS[1]) < 0.05
            for name in list(b)[:4]:
                b[name] = b[name] + size * float(np.std(a[name])) * moved
    return a, b


def together(a: dict[str, Array], b: dict[str, Array], seed: int) -> float:
    """The statistic of all columns as compare uses it, alone: Fuse on summed dissimilarities."""
    points = prepare(pair_tables(read_table(a), read_table(b))).coordinates()
    n = ROWS[0]
    return sl.two_sample_test(points[:n], points[n:], permutations=PERMUTATIONS, rng=seed).pvalue


def product(a: dict[str, Array], b: dict[str, Array], seed: int) -> float:
    """One kernel, the product over columns of Laplace kernels at their own median."""
    prepared = prepare(pair_tables(read_table(a), read_table(b)))
    rows = np.arange(sum(ROWS))
    logarithm = np.zeros((len(rows), len(rows)))
    for view in range(len(prepared.views)):
        apart = prepared.dissimilarity(rows, rows, view)
        typical = float(np.median(apart[np.triu_indices(len(rows), 1)]))
        logarithm -= apart / (typical or float(apart.mean()))
    gram, n = np.exp(logarithm), ROWS[0]
    strategy = sl.Fuse([sl.testing.KernelGroup([sl.kernels.Precomputed(gram)], (1,))])
    return sl.two_sample_test(
        rows[:n, None], rows[n:, None], strategy=strategy, permutations=PERMUTATIONS, rng=seed
    ).pvalue


def whole(a: dict[str, Array], b: dict[str, Array], seed: int) -> float:
    return float(sl.compare(a, b, permutations=PERMUTATIONS, rng=seed).pvalue)


METHODS = {"all columns together": together, "compare": whole, "product of kernels": product}


def trial(change: str, width: int, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of one way to look at all columns."""
    return METHODS[method](*draw(rng, change, width), seed)
