"""Where two tables differ: rows that stand for it, patterns one has more of, and a picture.

All of it looks at the coordinates of the columns that were found changed (of all columns if none
was), so that what is shown is the change and not the rest of the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samelaw.comparison.findings import Direction, Picture
from samelaw.core.features import FourierFeatures
from samelaw.core.kernels import Laplace
from samelaw.core.linalg import city_block_distances
from samelaw.core.types import Matrix
from samelaw.estimate.bandwidths import median_bandwidth
from samelaw.estimate.fourier import draw_frequencies

REFERENCES = 1_000
"""Rows of each table that others are compared with."""

SCORED = 20_000
"""Rows of each table that are scored; larger tables are thinned at random."""

NARROW = 0.25
"""Bandwidth in units of the median distance; see `experiments/compare` for what finds planted rows
best: the exact decomposition of RJSD, differences and ratios of densities were tried."""

_PRIOR = 0.02
_CHUNK = 512
_SHOWN = 600
_FREQUENCIES = 32
_MODES = 3
_NAMED = 4


@dataclass(frozen=True, eq=False)
class Witness:
    """The log ratio of the kernel densities of B and A, leaving the row itself out.

    Parameters
    ----------
    rows : array (k,)
        Numbers of the scored rows in the pool.
    score : array (k,)
        Positive where B has more rows.
    """

    rows: Matrix
    score: Matrix


def witness(points: Matrix, sizes: tuple[int, int], rng: np.random.Generator) -> Witness:
    """Score rows by how much more of B than of A surrounds them.

    O((n + m) · REFERENCES · d), in chunks.
    """
    n, m = sizes
    order = (rng.permutation(n), n + rng.permutation(m))
    references = [some[:REFERENCES] for some in order]
    scored = np.sort(np.concatenate([some[:SCORED] for some in order]))
    bandwidth = NARROW * max(
        median_bandwidth(points[np.concatenate(references)], metric="cityblock"), 1e-12
    )
    density = [_densities(points, scored, some, bandwidth) for some in references]
    floor = _PRIOR * float(np.mean(density[0] + density[1]))
    return Witness(scored, np.log((density[1] + floor) / (density[0] + floor)))


def _densities(points: Matrix, rows: Matrix, references: Matrix, bandwidth: float) -> Matrix:
    """Mean of exp(−‖·‖₁/σ) over the references other than the row itself."""
    result = np.empty(len(rows))
    known = points[references]
    for start in range(0, len(rows), _CHUNK):
        chosen = rows[start : start + _CHUNK]
        weights = np.exp(-np.asarray(city_block_distances(points[chosen], known)) / bandwidth)
        itself = chosen[:, None] == references
        weights[itself] = 0.0
        result[start : start + _CHUNK] = weights.sum(axis=1) / (
            len(references) - itself.sum(axis=1)
        )
    return result


def directions(
    points: Matrix,
    names: Sequence[str],
    owners: Matrix,
    sizes: tuple[int, int],
    rng: np.random.Generator,
) -> tuple[Direction, ...]:
    """The strongest eigen-modes of C_B − C_A on Fourier features, and the columns they go with.

    A mode ψ is a pattern: the mass ψᵀCψ is how much of it a table holds. Columns are found by the
    correlation of their coordinates with the pattern (ψᵀφ)² over the rows.
    """
    n = sizes[0]
    few = rng.permutation(len(points))[: 2 * SCORED]
    first, second = np.sort(few[few < n]), np.sort(few[few >= n])
    bandwidth = max(median_bandwidth(points[few[:2_000]], metric="cityblock"), 1e-12)
    frequencies = draw_frequencies(Laplace(bandwidth), points.shape[1], _FREQUENCIES, rng=rng)
    features = FourierFeatures(frequencies.astype(points.dtype))
    phi = [np.asarray(features(points[rows]), dtype=np.float64) for rows in (first, second)]
    means = [side.T @ side / len(side) for side in phi]
    values, vectors = np.linalg.eigh(means[1] - means[0])
    strongest = np.argsort(-np.abs(values))[:_MODES]
    coordinates = points[np.concatenate([first, second])].astype(np.float64)
    found = []
    for mode in strongest:
        pattern = (np.concatenate(phi) @ vectors[:, mode]) ** 2
        shares = [float(vectors[:, mode] @ mean @ vectors[:, mode]) for mean in means]
        columns = _columns_of(pattern, coordinates, names, owners)
        found.append(Direction(float(values[mode]), shares[0], shares[1], columns))
    return tuple(found)


def _columns_of(
    pattern: Matrix, coordinates: Matrix, names: Sequence[str], owners: Matrix
) -> tuple[tuple[str, float], ...]:
    centred = coordinates - coordinates.mean(axis=0)
    scale = centred.std(axis=0) * max(float(pattern.std()), 1e-12)
    shared = (
        centred.T @ (pattern - pattern.mean()) / len(pattern) / np.where(scale > 0, scale, np.inf)
    )
    best: dict[str, float] = {}
    for value, owner in zip(shared, owners, strict=True):
        name = names[owner]
        if abs(value) > abs(best.get(name, 0.0)):
            best[name] = float(value)
    ranked = sorted(best.items(), key=lambda item: -abs(item[1]))
    return tuple(ranked[:_NAMED])


def picture(
    found: Witness,
    axes: tuple[str, str],
    plane: Matrix,
    sizes: tuple[int, int],
    rng: np.random.Generator,
) -> Picture:
    """Some rows of both tables in the plane, coloured by the witness.

    Parameters
    ----------
    plane : array (n + m, 2)
    """
    n = sizes[0]
    in_a = found.rows < n
    half = _SHOWN // 2
    shown = [rng.permutation(np.flatnonzero(side))[:half] for side in (in_a, ~in_a)]
    index = rng.permutation(np.concatenate(shown))
    rows, score = found.rows[index], np.tanh(0.5 * found.score[index])
    table = tuple("A" if row < n else "B" for row in rows)
    x, y = (tuple(float(v) for v in plane[rows, i]) for i in (0, 1))
    return Picture(axes, x, y, table, tuple(round(float(s), 4) for s in score))


def principal_plane(points: Matrix, rng: np.random.Generator) -> Matrix:
    """The rows on the two directions in which the points vary most."""
    few = points[rng.permutation(len(points))[:SCORED]].astype(np.float64)
    centre = few.mean(axis=0)
    _, _, axes = np.linalg.svd(few - centre, full_matrices=False)
    plane = np.zeros((len(points), 2))
    for i, axis in enumerate(axes[:2]):
        plane[:, i] = (points - centre) @ axis
    return plane
