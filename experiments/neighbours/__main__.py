"""Other distances between the same operators, each as a permutation test, on six problems."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid, problems
from experiments.command import Experiment, Summary
from experiments.common import save_figure

import samelaw as sl

REPETITIONS = 100
PERMUTATIONS = 99
ROWS = 80
LANDMARKS = 40
RIDGE = 1e-3
"""Added to eigenvalues before a logarithm or an inverse; the trace is 1."""

Array = np.ndarray[Any, Any]
Distance = Callable[[Array, Array], Array]
"""Batches of operators (B, k, k) of both samples → (B,)."""


def of_spectrum(matrices: Array, function: Callable[[Array], Array]) -> Array:
    """A function of symmetric matrices (B, k, k), through their eigenvalues."""
    values, vectors = np.linalg.eigh(matrices)
    return np.einsum("bij,bj,bkj->bik", vectors, function(np.clip(values, 0, None)), vectors)


def logarithm(matrices: Array) -> Array:
    return of_spectrum(matrices, lambda v: np.log(v + RIDGE))


def jensen(entropy: sl.kernels.Entropy) -> Distance:
    """RJSD of an entropy: of the pool, minus the mean."""

    def total(matrices: Array) -> Array:
        return entropy(np.clip(np.linalg.eigvalsh(matrices), 0, 1))

    return lambda a, b: total((a + b) / 2) - (total(a) + total(b)) / 2


def bures(a: Array, b: Array) -> Array:
    """Tr A + Tr B − 2 Tr (A^½ B A^½)^½: optimal transport between centred Gaussians."""
    root = of_spectrum(a, np.sqrt)
    inner = np.clip(np.linalg.eigvalsh(root @ b @ root), 0, None)
    traces = np.trace(a, axis1=1, axis2=2) + np.trace(b, axis1=1, axis2=2)
    return traces - 2 * np.sqrt(inner).sum(axis=1)


def log_hilbert_schmidt(a: Array, b: Array) -> Array:
    return ((logarithm(a) - logarithm(b)) ** 2).sum(axis=(1, 2))


def relative_entropy(a: Array, b: Array) -> Array:
    """Tr A (log A − log B), both ways."""
    apart = logarithm(a) - logarithm(b)
    return np.einsum("bij,bji->b", a - b, apart)


DISTANCES: dict[str, Distance] = {
    "RJSD, order 1 (MMD, κ²)": jensen(sl.PowerSeries(1)),
    "RJSD, order 10": jensen(sl.PowerSeries(10)),
    "RJSD, von Neumann": jensen(sl.VonNeumann()),
    "log det": jensen(sl.LogDet(RIDGE)),
    "Bures": bures,
    "log-Hilbert–Schmidt": log_hilbert_schmidt,
    "kernel KL": relative_entropy,
}


@dataclass(frozen=True, eq=False)
class Operators(sl.divergence.Estimator):
    """A distance between the covariances of Nyström features of both samples."""

    distance: Distance

    def prepare(self, pool: Any) -> Array:
        kernel = sl.Gaussian(sl.kernels.median_bandwidth(pool))
        chosen = np.linspace(0, len(pool) - 1, LANDMARKS).astype(int)  # rows come in random order
        return np.asarray(sl.kernels.NystromFeatures(kernel, pool[chosen])(pool))

    def evaluate(self, state: Array, memberships: Any) -> Array:
        first = np.asarray(memberships, dtype=float)
        sides = [
            np.einsum(
                "bn,ni,nj->bij", side / side.sum(1, keepdims=True), state, state, optimize=True
            )
            for side in (first, 1 - first)
        ]
        return self.distance(*sides)

    def __call__(self, x: Any, y: Any) -> Any:
        pool = np.concatenate([x, y])
        return self.evaluate(self.prepare(pool), (np.arange(len(pool)) < len(x))[None])[0]


def _normal(change: Callable[[Array], Array]) -> Callable[..., tuple[Array, Array]]:
    def sample(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
        x, y = rng.normal(size=(2, n, 4))
        return x, change(y)

    return sample


def _correlated(y: Array) -> Array:
    y[:, 1] = 0.7 * y[:, 0] + np.sqrt(0.51) * y[:, 1]
    return y


def _subgroup(y: Array) -> Array:
    y[: len(y) // 10] += 2.0
    return y


PROBLEMS: dict[str, Callable[[np.random.Generator, int], tuple[Array, Array]]] = {
    "shift": _normal(lambda y: y + 0.3),
    "scale": _normal(lambda y: 1.25 * y),
    "correlation": _normal(_correlated),
    "subgroup": _normal(_subgroup),
    "heavy tails": lambda rng, n: (rng.normal(size=(n, 4)), rng.standard_t(2.5, size=(n, 4)) / 1.3),
    "Mixture": lambda rng, n: problems.mixture(rng, 2.0, n, n),
}


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    x, y = PROBLEMS[problem](rng, value)
    strategy = sl.Permutation(Operators(DISTANCES[method]))
    test = sl.two_sample_test(x, y, strategy=strategy, permutations=PERMUTATIONS, rng=seed)
    return test.pvalue


def run(chosen: Namespace, raw: Path) -> None:
    count = chosen.repetitions or REPETITIONS
    grid.run(
        [grid.Cell(p, ROWS, m, count) for p in PROBLEMS for m in DISTANCES],
        trial,
        raw / "results.json",
        seed=19,
        settings={"level": grid.LEVEL, "permutations": PERMUTATIONS, "ridge": RIDGE},
        chosen=chosen,
    )


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "results")


def draw(book: dict[str, Any]) -> Any:
    import matplotlib.pyplot as plt

    table = np.array([[power(book, p, m)[0] for p in PROBLEMS] for m in DISTANCES])
    figure, axes = plt.subplots(figsize=(8.5, 4.4), layout="constrained")
    image = axes.imshow(table, vmin=0, vmax=1, cmap="cividis", aspect="auto")
    for (row, column), value in np.ndenumerate(table):
        shade = "white" if value <= 0.5 else "black"
        told = "not run" if np.isnan(value) else f"{value:.2f}"
        axes.text(column, row, told, ha="center", va="center", color=shade)
    axes.set_xticks(range(len(PROBLEMS)), list(PROBLEMS))
    axes.set_yticks(range(len(DISTANCES)), list(DISTANCES))
    axes.set_xlabel(f"what differs, {ROWS} v {ROWS} rows")
    figure.colorbar(image, label="power at level .05")
    return figure


def power(book: dict[str, Any], problem: str, method: str) -> tuple[float, float, float]:
    """Rate and exact limits; nan where a run was stopped before it got there."""
    found = grid.select(book, problem=problem, method=method)
    if not found:
        return (np.nan, np.nan, np.nan)
    rate: tuple[float, float, float] = grid.rate(found[0])
    return rate


def cell(book: dict[str, Any], problem: str, method: str) -> str:
    rate, low, high = power(book, problem, method)
    return "" if np.isnan(rate) else f"{rate:.2f} [{low:.2f}, {high:.2f}]"


def table(book: dict[str, Any]) -> str:
    lines = ["<!-- Written by `python -m experiments.neighbours`; do not edit. -->", ""]
    lines += [f"| | {' | '.join(PROBLEMS)} |", f"|---|{'---|' * len(PROBLEMS)}"]
    for method in DISTANCES:
        cells = [cell(book, problem, method) for problem in PROBLEMS]
        lines.append(f"| {method} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def report(summary: Summary, folder: Path) -> None:
    book = summary["results"]
    save_figure(draw(book), folder)
    (folder / "table.md").write_text(table(book))


EXPERIMENT = Experiment("neighbours", run, summarize, report)


if __name__ == "__main__":
    EXPERIMENT.main()
