"""Which score finds planted rows best: densities, differences, or the shares of rows in RJSD.

The coordinates are those `samelaw.compare` uses inside; every score is computed here from its
formula, so that the choice made in the library can be checked against the others. The columns are
either all of them, or (as compare does once it has named them) those that changed.
"""

from typing import Any

import numpy as np

import samelaw as sl
from experiments.compare import tables
from samelaw.divergence import contributions
from samelaw.tables.pairing.encode import prepare
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table

Array = np.ndarray[Any, Any]

WIDTHS = (0.25, 0.5, 1.0)
TOP = 20
PRIOR = 0.02
CLUSTER = "cluster"
PLANTED = (*(name for name, change in tables.CHANGES.items() if change.planted), CLUSTER)


def coordinates(a: tables.Columns, b: tables.Columns, names: tuple[str, ...]) -> Array:
    """Rows of A over rows of B, in the columns named; all if none is."""
    prepared = prepare(pair_tables(read_table(a), read_table(b)))
    views = [i for i, view in enumerate(prepared.views) if not names or view.column in names]
    return prepared.coordinates(views)


def scores(points: Array, n: int, method: str, width: float) -> Array:
    """Score of each row of B: large where B has what A lacks."""
    distances = _distances(points)
    bandwidth = width * float(np.median(distances[np.triu_indices(len(points), 1)]))
    if method.startswith("share"):
        order = sl.VonNeumann() if "von Neumann" in method else sl.PowerSeries(10)
        kernel = sl.Laplace(bandwidth)
        return np.asarray(contributions(points[:n], points[n:], kernel=kernel, entropy=order)[1])
    weights = np.exp(-distances[n:] / bandwidth)
    weights[np.arange(len(weights)), n + np.arange(len(weights))] = 0.0  # leave the row out
    of_a, of_b = weights[:, :n].mean(axis=1), weights[:, n:].sum(axis=1) / (len(weights) - 1)
    if method == "difference of densities":
        return np.asarray(of_b - of_a)
    floor = PRIOR * float(np.mean(of_a + of_b))
    return np.asarray(np.log((of_b + floor) / (of_a + floor)))


def _distances(points: Array) -> Array:
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(points, points, "cityblock"))


METHODS = (
    "ratio of densities",
    "difference of densities",
    "share in RJSD, order 10",
    "share in RJSD, von Neumann",
)


def names_of(change: str, focus: str) -> tuple[str, ...]:
    like = "subgroup" if change == CLUSTER else change
    return tables.CHANGES[like].columns if focus == "changed" else ()


def draw(rng: np.random.Generator, change: str) -> tuple[tables.Columns, tables.Columns, Array]:
    """As `tables.draw`; in a cluster one row in twenty of B is nearly the same, and nowhere odd."""
    if change != CLUSTER:
        return tables.draw(rng, change)
    a, b, _ = tables.draw(rng, "none")
    planted = rng.random(len(b["amount"])) < tables.SUBGROUP
    for name in tables.CHANGES["subgroup"].columns:
        noise = 0.02 * rng.normal(size=int(planted.sum()))
        b[name][planted] = np.median(a[name]) * (1 + noise)
    return a, b, planted


def trial(
    problem: str, width: float, method: str, rng: np.random.Generator, seed: int
) -> dict[str, float]:
    """Hits among the first twenty rows, and the area under the curve (½ is chance)."""
    from scipy.stats import mannwhitneyu

    change, focus = problem.split(", ")
    a, b, planted = draw(rng, change)
    points = coordinates(a, b, names_of(change, focus))
    found = scores(points, len(a["time"]), method, width)
    top = np.argsort(-found, kind="stable")[:TOP]
    area = mannwhitneyu(found[planted], found[~planted]).statistic
    area /= planted.sum() * (~planted).sum()
    share = planted[top].sum() / min(TOP, planted.sum())
    return {"pvalue": 1.0, "hits": float(share), "area": float(area)}
