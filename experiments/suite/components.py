"""Which components to fuse: their values on the tuning half, and what each adds to the others.

``python -m experiments.suite.components run`` keeps, for every draw of the tuning half, the
comparable values of all candidates under the same permutations and the p-values of rivals, so that
any choice of components and penalties can be tried without drawing again; ``report`` writes
`components.md`.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from experiments.suite.methods import METHODS, applies
from experiments.suite.problem import Problem
from experiments.suite.trials import MORE
from experiments.suite.tuning import PROBLEMS
from samelaw import Fuse, Gaussian, Laplace, two_sample_test
from samelaw.kernels import GeometricGrid, KernelCollection, QuantileGrid
from samelaw.testing import (
    ComponentGroup,
    InDegree,
    KernelGroup,
    KernelPurity,
    LargestGroup,
    Leverage,
    MeanDistance,
    MomentGroup,
    NeighbourDistance,
    ScoreGroup,
    View,
)
from samelaw.testing.fuse import Fused
from samelaw.testing.problem import as_problem

RIVALS = ("MMD-FUSE", "MMDAgg", "energy", "kernel means", "KS", "Anderson-Darling")
FOLDER = Path("build/experiments/suite/components")
PERMUTATIONS, LEVEL, SEED = 199, 0.05, 77


def _quantiles(family: type, *factors: float, at: float = 0.05) -> KernelCollection:
    return KernelCollection((family,), QuantileGrid((at,), factors))


CANDIDATES: dict[str, ComponentGroup] = {
    "order 30, wide": KernelGroup(
        KernelCollection((Gaussian,), GeometricGrid(6, (0.25, 2.0), part=(7 / 15, 12 / 15))), (30,)
    ),
    "order 1, near .7": KernelGroup(_quantiles(Gaussian, 0.7)),
    "order 1, near": KernelGroup(_quantiles(Gaussian, 1.0)),
    "order 1, near 1.4": KernelGroup(_quantiles(Gaussian, 1.4)),
    "Laplace, near": KernelGroup(_quantiles(Laplace, 1.0)),
    "order 1, median": KernelGroup(_quantiles(Gaussian, 1.0, at=0.5)),
    "order 1, 2 medians": KernelGroup(_quantiles(Gaussian, 2.0, at=0.5)),
    "order 1, 4 medians": KernelGroup(_quantiles(Gaussian, 4.0, at=0.5)),
    "means": MomentGroup(1),
    "means of ranks": MomentGroup(1, view=View.RANKS),
    "second moments": MomentGroup(2),
    "second moments, normal": MomentGroup(2, view=View.NORMAL),
    "order 30, normal": KernelGroup(_quantiles(Gaussian, 0.7, at=0.5), (30,), view=View.NORMAL),
    "order 1, normal": KernelGroup(_quantiles(Gaussian, 1.0, at=0.5), view=View.NORMAL),
    "largest column": LargestGroup(1),
    "largest pair": LargestGroup(2),
    "distance, rows": ScoreGroup([MeanDistance(View.ROWS)]),
    "distance, normal": ScoreGroup([MeanDistance(View.NORMAL)]),
    "distance, ranks": ScoreGroup([MeanDistance(View.RANKS)]),
    "purity": ScoreGroup([KernelPurity()]),
    "purity, normal": ScoreGroup([KernelPurity(view=View.NORMAL)]),
    "neighbour 5": ScoreGroup([NeighbourDistance(5)]),
    "neighbour 20": ScoreGroup([NeighbourDistance(20)]),
    "in-degree 5": ScoreGroup([InDegree(5)]),
    "in-degree 20": ScoreGroup([InDegree(20)]),
    "leverage 3": ScoreGroup([Leverage()]),
    "leverage 1": ScoreGroup([Leverage(1.0, 1e-3)]),
    "leverage 3, normal": ScoreGroup([Leverage(view=View.NORMAL)]),
}


def values_of(x: np.ndarray, y: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """Comparable values (B + 1,) of every candidate, the largest of a group's components."""
    problem = as_problem(
        x, y, level=LEVEL, permutations=PERMUTATIONS, rng=seed,
        groups=None, memory=None, progress=None,
    )  # fmt: skip
    fused = Fused.of(Fuse(list(CANDIDATES.values())), problem)
    labels = fused.backend.units.labels
    memberships = np.concatenate([labels.observed[None], labels.draw(problem.rng, PERMUTATIONS)])
    ready = memberships.astype(fused.backend.dtype)
    nothing = np.full(len(ready), -9.0)  # of a group that has no component here
    found = {}
    for name, group in zip(CANDIDATES, fused.groups, strict=True):
        parts = [
            fused.plan.scaling.fit(c)(c.evaluate(ready)) for c in group.components(fused.backend)
        ]
        found[name] = np.max([*parts, nothing], axis=0).astype(np.float32)
    return found


def run(draws: int) -> None:
    """Draw after draw of every problem, going on where an earlier run stopped."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for draw in range(draws):
        for number, problem in enumerate(PROBLEMS):
            path = FOLDER / f"{number}-{draw}.npz"
            if path.exists():
                continue
            rng = np.random.default_rng([SEED, number, draw])
            try:
                x, y = problem.draw(rng)
            except FileNotFoundError:
                continue
            seed = int(rng.integers(2**32))
            found = values_of(x, y, seed) | rivals_on(problem, x, y, seed)
            np.savez(path, allow_pickle=False, **found)


def rivals_on(problem: Problem, x: np.ndarray, y: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """P-values of the rivals that are defined for the problem, on the same draw."""
    found = {}
    for name in RIVALS:
        count = MORE.get(name, PERMUTATIONS)
        if applies(name, problem):
            test = two_sample_test(x, y, strategy=METHODS[name](), permutations=count, rng=seed)
            found[name] = np.asarray(test.pvalue)
    return found


def table() -> tuple[list[str], np.ndarray]:
    """Values (problems, draws, candidates, B + 1); draws that are there for all problems."""
    files = {tuple(map(int, p.stem.split("-"))): p for p in FOLDER.glob("*.npz")}
    numbers = sorted({n for n, _ in files})
    draws = min(sum(1 for n, _ in files if n == number) for number in numbers)
    every = []
    for number in numbers:
        some = [np.load(files[number, d]) for d in range(draws)]
        every.append([[one[name] for name in CANDIDATES] for one in some])
    return [PROBLEMS[n].name for n in numbers], np.asarray(every, dtype=np.float32)


def power(values: np.ndarray, penalties: dict[str, float]) -> np.ndarray:
    """Rejections (problems,) of the maximum over some candidates, each less its penalty."""
    names = list(CANDIDATES)
    chosen = [names.index(name) for name in penalties]
    off = np.array(list(penalties.values()), dtype=np.float32)[None, None, :, None]
    largest = (values[:, :, chosen] - off).max(axis=2)
    reached = (largest >= largest[..., :1] - 1e-6).mean(axis=-1)
    return (reached <= LEVEL + 1e-9).mean(axis=1)


CHOSEN = {
    "order 30, wide": 0.0,
    "order 30, normal": 0.0,
    "order 1, normal": 0.0,
    "order 1, near .7": 0.35,
    "order 1, near 1.4": 0.35,
    "means of ranks": 0.0,
    "second moments": 0.25,
    "largest column": 0.5,
    "largest pair": 0.75,
    "distance, normal": 0.25,
    "distance, ranks": 0.25,
    "purity": 0.25,
    "leverage 3": 0.25,
    "neighbour 5": 0.25,
    "neighbour 20": 0.5,
    "in-degree 5": 0.5,
}
"""The default, by the names above."""

BEFORE = {
    "order 1, near .7": 0.0,
    "order 1, near": 0.0,
    "order 1, near 1.4": 0.3,
    "Laplace, near": 0.5,
    "order 30, wide": 0.45,
}
ROWS, COLUMNS, TIMES = 200, 10, 5


def prices() -> dict[str, float]:
    """CPU milliseconds of every candidate at 200 v 200 rows, the least of a few."""
    found: dict[str, float] = {}
    for turn in range(TIMES):
        rng = np.random.default_rng(turn)
        x, y = rng.normal(size=(2, ROWS, COLUMNS))
        for name, group in CANDIDATES.items():
            start = time.process_time()
            two_sample_test(x, y, strategy=Fuse([group]), permutations=PERMUTATIONS, rng=0)
            spent = 1000.0 * (time.process_time() - start)
            found[name] = min(spent, found.get(name, spent))
    return found


def report(path: Path) -> None:
    """What each component adds to the others, and what it costs."""
    names, values = table()
    whole, before, price = power(values, CHOSEN), power(values, BEFORE), prices()
    lines = [
        "<!-- Written by `python -m experiments.suite.components report`; do not edit. -->\n",
        "What each component of the default adds on the tuning half: mean power over "
        f"{len(names)} problems, {values.shape[1]} draws each, {PERMUTATIONS} permutations. "
        f"All of them {whole.mean():.3f}; the default before {before.mean():.3f}.\n",
        "| component | penalty | alone | without it | most lost without it | CPU ms alone |",
        "|---|---|---|---|---|---|",
    ]
    for name, penalty in CHOSEN.items():
        rest = power(values, {k: v for k, v in CHOSEN.items() if k != name})
        lost = np.argsort(rest - whole)[:2]
        words = ", ".join(f"{names[i]} {rest[i] - whole[i]:+.2f}" for i in lost)
        alone = power(values, {name: 0.0}).mean()
        lines.append(
            f"| {name} | {penalty:g} | {alone:.2f} | {rest.mean() - whole.mean():+.3f} | {words} "
            f"| {price[name]:.0f} |"
        )
    lines.append("\nTried and left out: what it would add, at no penalty.\n")
    lines += ["| component | alone | with it | CPU ms alone |", "|---|---|---|---|"]
    for name in (name for name in CANDIDATES if name not in CHOSEN):
        more = power(values, {**CHOSEN, name: 0.0}).mean() - whole.mean()
        alone = power(values, {name: 0.0}).mean()
        lines.append(f"| {name} | {alone:.2f} | {more:+.3f} | {price[name]:.0f} |")
    lines.append(f"\nPrices: {ROWS} v {ROWS} rows of {COLUMNS} columns, distances included.")
    path.write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--draws", type=int, default=40)
    chosen = parser.parse_args()
    if chosen.what == "run":
        run(chosen.draws)
    else:
        report(Path(__file__).parent / "components.md")


if __name__ == "__main__":
    main()
