"""The problems on which the default of Fuse was chosen, and the candidates it was chosen from.

None of them is reported elsewhere. A wider search on the same problems (other seeds) recorded the
standardised values of Gaussian and Laplace kernels at 16 bandwidths and of orders 1, 3, 10, 30 and
von Neumann for all permutations, and compared maxima over parts of them with handicaps; what stood
out is repeated here with the public interface.
"""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid

import samelaw as sl
from samelaw.twosample.fuse import DEFAULT

ROWS, PERMUTATIONS, REPETITIONS = 200, 199, 200
Pair = tuple[Any, Any]


def _normal(rng: np.random.Generator, width: int) -> Pair:
    return rng.normal(size=(ROWS, width)), rng.normal(size=(ROWS, width))


def _correlated(rng: np.random.Generator, root: Any) -> Pair:
    x, y = _normal(rng, len(root))
    return x, y @ root.T


def _blocks() -> Any:
    """Thirty columns, correlated in twos."""
    root = np.eye(30)
    for i in range(0, 30, 2):
        root[i + 1, i], root[i + 1, i + 1] = 0.33, np.sqrt(1 - 0.33**2)
    return root


def _clusters(rng: np.random.Generator, spread: float) -> Pair:
    """Three clusters in 3-D, one of them wider or narrower in the second sample."""
    sides = []
    for width in (1.0, spread):
        label = rng.integers(3, size=ROWS)
        scale = np.where(label == 2, width, 1.0)[:, None]
        sides.append(10 * np.eye(3)[label] + scale * rng.normal(size=(ROWS, 3)))
    return sides[0], sides[1]


def _ring(rng: np.random.Generator, spread: float) -> Pair:
    """Five clusters on a circle, one of them wider or narrower in the second sample."""
    angles = 2 * np.pi * np.arange(5) / 5
    centres = 9 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    sides = []
    for width in (1.0, spread):
        label = rng.integers(5, size=ROWS)
        scale = np.where(label == 2, width, 1.0)[:, None]
        sides.append(centres[label] + scale * rng.normal(size=(ROWS, 2)))
    return sides[0], sides[1]


def _subgroup(rng: np.random.Generator) -> Pair:
    x, y = _normal(rng, 6)
    y[rng.random(ROWS) < 0.05, :2] += 3
    return x, y


def _moved(rng: np.random.Generator, width: int, shift: float, scale: float) -> Pair:
    x, y = _normal(rng, width)
    return x, shift + scale * y


PROBLEMS: dict[str, Callable[[np.random.Generator], Pair]] = {
    "scale, 4-D": lambda rng: _moved(rng, 4, 0.0, 1.12),
    "scale, 8-D": lambda rng: _moved(rng, 8, 0.0, 1.09),
    "scale, 20-D": lambda rng: _moved(rng, 20, 0.0, 1.06),
    "mean, 10-D": lambda rng: _moved(rng, 10, 0.11, 1.0),
    "correlation, 8-D": lambda rng: _correlated(rng, np.linalg.cholesky(0.88 * np.eye(8) + 0.12)),
    "correlation, 30-D": lambda rng: _correlated(rng, _blocks()),
    "wide cluster": lambda rng: _clusters(rng, 1.45),
    "narrow cluster": lambda rng: _clusters(rng, 0.7),
    "wide cluster of five": lambda rng: _ring(rng, 1.9),
    "narrow cluster of five": lambda rng: _ring(rng, 0.5),
    "tails, 3-D": lambda rng: (
        rng.normal(size=(ROWS, 3)),
        rng.standard_t(4, size=(ROWS, 3)) / np.sqrt(2),
    ),
    "subgroup, 6-D": _subgroup,
}


def _even() -> sl.Fuse:
    """The default without penalties."""
    return sl.Fuse([replace(group, penalty=0.0) for group in DEFAULT])


def _order(order: int) -> sl.Fuse:
    """The default with another order in place of 30."""
    return sl.Fuse([*DEFAULT[:-1], replace(DEFAULT[-1], entropies=(order,))])


CANDIDATES: dict[str, Callable[[], sl.Strategy]] = {
    "default": sl.Fuse,
    "no handicaps": _even,
    "no Laplace": lambda: sl.Fuse([DEFAULT[0], DEFAULT[1], DEFAULT[3]]),
    "order 1 alone": lambda: sl.Fuse(DEFAULT[:3]),
    "order 10 in place of 30": lambda: _order(10),
    "orders 1, 4, 10 everywhere": lambda: sl.Fuse([sl.KernelGroup(entropies=(1, 4, 10))]),
    "MMD-Fuse": sl.Fuse.mmd,
}


def trial(problem: str, _: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    x, y = PROBLEMS[problem](rng)
    strategy = CANDIDATES[method]()
    return sl.two_sample_test(x, y, strategy=strategy, permutations=PERMUTATIONS, rng=seed).pvalue


def run(chosen: Namespace, path: Path) -> None:
    wanted = chosen.repetitions or REPETITIONS
    cells = [grid.Cell(p, None, c, wanted) for c in CANDIDATES for p in PROBLEMS]
    settings = {"level": grid.LEVEL, "permutations": PERMUTATIONS, "rows": ROWS}
    grid.run(
        cells, trial, path, seed=7, settings=settings, jobs=chosen.jobs,
        budget=chosen.budget, chunk=20, round_of=100, methods=chosen.method,
    )  # fmt: skip


def told(book: dict[str, Any]) -> str:
    """A line per candidate: its power on every problem, and the mean."""
    lines = []
    for name in CANDIDATES:
        power = [grid.rate(entry)[0] for entry in grid.select(book, method=name)]
        if power:
            shown = " ".join(f"{p:.2f}" for p in power)
            lines.append(f"{name:28} {shown}  mean {np.mean(power):.3f}")
    return "\n".join(lines)
