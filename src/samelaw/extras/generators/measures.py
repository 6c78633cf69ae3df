"""The classical measures of generated against real features, with standard errors.

Rows are features of any extractor. All formulas are computed in double precision on the host;
errors are those of the rows, for an extractor that did not see them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from samelaw.core import linalg
from samelaw.core.arrays import is_array, to_numpy
from samelaw.core.checks import as_count, no_overflow
from samelaw.core.samples import as_samples
from samelaw.core.types import Matrix, Sample
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.entropies import Entropy, Renyi, divided_differences
from samelaw.kernels.formulas import Cosine
from samelaw.results.plots import draw_scores
from samelaw.results.result import Result, TableResult, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COSINE = Cosine()
_TILE = 2048  # rows of a matrix of similarities or distances held at a time
_NEGLIGIBLE = 1e-12  # of the largest variance: no direction

NEIGHBOURS = ("precision", "recall", "density", "coverage")
_LOWER = ("rjsd", "frechet", "kid")  # is better


@dataclass(frozen=True)
class Score(Result):
    """A measure with its standard error (NaN where none is known)."""

    kind: ClassVar[str] = "score"

    value: float
    standard_error: float

    def draw(self, ax: "Axes") -> None:
        """The measure with two standard errors."""
        draw_scores(ax, ("",), [self.value], [self.standard_error])

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, eq=False)
class Effects:
    """A distance without its bias, and what it loses without each real and generated row."""

    value: float
    real: Matrix
    generated: Matrix

    @property
    def score(self) -> Score:
        """The distance with its standard error."""
        return Score(self.value, error_of(self.real, self.generated))


def error_of(*effects: Matrix) -> float:
    """The standard error that follows from the effects of the rows of each sample."""
    return math.sqrt(sum(float(np.var(part, ddof=1)) / len(part) for part in effects))


def frechet_distance(real: Sample, generated: Sample) -> Score:
    """Squared Fréchet distance of two Gaussians with the moments of the features (FID).

    ‖μ_X − μ_Y‖² + Tr(C_X + C_Y − 2 (C_X C_Y)^½), as in Heusel et al. (2017), with unbiased
    covariances. The error comes from the transport potentials x ↦ ‖x − Tx‖²-like quadratics, which
    are its derivative towards every row.

    Parameters
    ----------
    real, generated : arrays (n, d) and (m, d)

    Returns
    -------
    Score

    Notes
    -----
    Biased upward by about a constant over n, more the more features there are: compare at equal
    numbers of rows only. The error leaves that out; at equal laws the bias is all there is. Cost
    O(N d² + d³).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(500, 3))
    >>> round(frechet_distance(x, x + 2).value, 6)
    12.0
    """
    x, y = as_features(real=real, generated=generated)
    means = [rows.mean(axis=0) for rows in (x, y)]
    covariances = [np.atleast_2d(np.cov(rows, rowvar=False)) for rows in (x, y)]
    root, inverse = _roots(covariances[0])
    middle, _ = _roots(root @ covariances[1] @ root)
    traces = [float(np.trace(c)) for c in (*covariances, middle)]
    shift = means[0] - means[1]
    value = float(shift @ shift) + traces[0] + traces[1] - 2.0 * traces[2]
    maps = (inverse @ middle @ inverse, _map_back(middle, root))
    sides = zip((x, y), means, (shift, -shift), maps, strict=True)
    variance = sum(_potential_variance(*side) for side in sides)
    return Score(max(value, 0.0), math.sqrt(variance))


def _roots(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """C^½ and its pseudo-inverse."""
    values, vectors = linalg.eigensystem(matrix)
    roots = np.sqrt(values)
    kept = values > _NEGLIGIBLE * max(float(values.max()), np.finfo(float).tiny)
    inverse = np.where(kept, 1.0 / np.where(kept, roots, 1.0), 0.0)
    return (vectors * roots) @ vectors.T, (vectors * inverse) @ vectors.T


def _map_back(middle: Matrix, root: Matrix) -> Matrix:
    """The transport from the second Gaussian to the first: C_X^½ (C_X^½ C_Y C_X^½)^−½ C_X^½."""
    values, vectors = linalg.eigensystem(middle)
    kept = values > _NEGLIGIBLE * max(float(values.max()), np.finfo(float).tiny)
    inverse = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    return np.asarray(root @ (vectors * inverse) @ vectors.T @ root)


def _potential_variance(rows: Matrix, mean: Matrix, shift: Matrix, transport: Matrix) -> float:
    """Variance of the mean of 2⟨shift, x⟩ + ⟨x − μ, (1 − T)(x − μ)⟩ over the rows."""
    centred = rows - mean
    potential = 2.0 * (centred @ shift) + np.vecdot(centred - centred @ transport, centred)
    return float(np.var(potential, ddof=1)) / len(rows)


def kernel_inception_distance(real: Sample, generated: Sample, *, degree: int = 3) -> Score:
    """Unbiased squared MMD with the polynomial kernel (⟨x, y⟩/d + 1)³ (KID).

    The U-statistic over all rows of Bińkowski et al. (2018), not a mean over subsets; the error is
    that of the jackknife, every row left out in turn. It may be negative when the laws are alike.

    Parameters
    ----------
    real, generated : arrays (n, d) and (m, d), three rows or more each
    degree : int

    Returns
    -------
    Score

    Notes
    -----
    Cost O(N² d), memory O(N).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> found = kernel_inception_distance(rng.normal(size=(300, 4)), rng.normal(size=(200, 4)))
    >>> abs(found.value) < 3 * found.standard_error
    True
    """
    x, y = as_features(real=real, generated=generated, least=3)
    return polynomial_effects(x, y, as_count("degree", degree)).score


def polynomial_effects(x: Matrix, y: Matrix, degree: int) -> Effects:
    """The U-statistic, and (n − 1) times what it loses without each row of either sample."""
    n, m = len(x), len(y)
    within = [row_sums(rows, rows, degree)[0] - _powers(rows, degree) for rows in (x, y)]
    across = row_sums(x, y, degree)
    totals, between = [part.sum() for part in within], across[0].sum()
    means = [t / (k * (k - 1)) for t, k in zip(totals, (n, m), strict=True)]
    value = means[0] + means[1] - 2.0 * between / (n * m)
    found = []
    for k, (size, other) in enumerate(((n, m), (m, n))):
        own = (totals[k] - 2.0 * within[k]) / ((size - 1) * (size - 2))
        rest = (between - across[k]) / ((size - 1) * other)
        found.append((size - 1) * (value - (own + means[1 - k] - 2.0 * rest)))
    return Effects(float(value), found[0], found[1])


def row_sums(x: Matrix, y: Matrix, degree: int) -> tuple[Matrix, Matrix]:
    """Sums of (⟨x, y⟩/d + 1)^degree over the rows of y and over those of x."""
    first, second = np.empty(len(x)), np.zeros(len(y))
    with no_overflow("the features are far too large for a polynomial kernel: scale them"):
        for part in _tiles(len(x)):
            similar = (x[part] @ y.T / x.shape[1] + 1.0) ** degree
            first[part] = similar.sum(axis=1)
            second += similar.sum(axis=0)
    return first, second


def _powers(rows: Matrix, degree: int) -> Matrix:
    return np.asarray((np.vecdot(rows, rows) / rows.shape[1] + 1.0) ** degree)


def vendi_score(sample: Sample, *, kernel: Kernel = _COSINE, order: float = 1.0) -> Score:
    """Vendi score exp S_q(K/n): how many different rows a sample amounts to.

    Friedman and Dieng (2023), of order q Pasarkar and Dieng (2024): small orders count rare things,
    ``math.inf`` only the commonest. The error is the jackknife's, every left-out row expanded to
    second order.

    Parameters
    ----------
    sample : array (n, d)
    kernel : Kernel
        What counts as alike.
    order : float
        Positive; may be ``math.inf``.

    Returns
    -------
    Score

    Notes
    -----
    Too low for small samples, by a bias that `samelaw.learn.RepresentationEntropy` removes (and is
    linear in n). Cost O(n² d + n³).

    Examples
    --------
    >>> import numpy as np
    >>> float(vendi_score(np.repeat(np.eye(5), 20, axis=0))).__round__(6)
    5.0
    """
    (x,) = as_features(sample=sample)
    entropy, count = Renyi(order), len(x)
    values, vectors = linalg.eigensystem(grams.gram(kernel, x) / count)
    score = math.exp(float(entropy(values)))
    if math.isinf(order):
        effects = -count * vectors[:, -1] ** 2
    else:
        total = float(np.sum(entropy.phi(values)))
        effects = _effects(values, count * values * vectors**2, entropy)
        effects = effects if order == 1 else effects / ((1.0 - order) * total)
    return Score(score, score * math.sqrt(float(np.var(effects, ddof=1)) / count))


def _effects(values: Matrix, squares: Matrix, entropy: Entropy) -> Matrix:
    """(n − 1) times what Σ φ(λ) loses without each row, to second order.

    From the squared coordinates of the rows in the eigenbasis (n, k); the first order alone is too
    small where few rows fill many directions.
    """
    curvature = divided_differences(entropy, values)
    quadratic = np.vecdot(squares @ curvature, squares)
    quadratic -= 2.0 * (squares @ (np.diagonal(curvature) * values))
    return np.asarray(squares @ entropy.derivative(values) - quadratic / (2.0 * (len(squares) - 1)))


@dataclass(frozen=True)
class GeneratorScores(TableResult):
    """Measures of generated against real features, by name, with standard errors.

    Attributes
    ----------
    scores : dict of str to Score
        "rjsd" (nats, less its bias), "frechet", "kid", "precision", "recall", "density",
        "coverage", and the Vendi scores of both samples, "vendi_real" and "vendi_generated", or
        some of them.
    rows : (int, int)
    """

    kind: ClassVar[str] = "generator_scores"
    names: ClassVar[tuple[str, ...]] = (*_LOWER, *NEIGHBOURS, "vendi_real", "vendi_generated")

    scores: dict[str, Score]
    rows: tuple[int, int]

    def __getitem__(self, name: str) -> Score:
        return self.scores[name]

    def records(self) -> list[dict[str, Any]]:
        """One row per measure."""
        return [
            {
                "measure": name,
                "value": score.value,
                "standard_error": score.standard_error,
                "better": "lower" if name in _LOWER else "higher",
            }
            for name, score in self.scores.items()
        ]

    def _content(self) -> dict[str, Any]:
        return {"rows": list(self.rows), "scores": plain(self.records())}

    def draw(self, ax: "Axes") -> None:
        """Precision, recall, density and coverage with two standard errors."""
        shown = [self.scores[name] for name in NEIGHBOURS]
        draw_scores(ax, NEIGHBOURS, [s.value for s in shown], [s.standard_error for s in shown])


def neighbour_scores(real: Sample, generated: Sample, *, neighbours: int = 5) -> GeneratorScores:
    """Precision and recall, density and coverage: what lies within balls to the k-th neighbour.

    Precision: the share of generated rows in the ball of any real row; recall: the same the other
    way round (Kynkäänniemi et al. 2019). Density: in how many balls of real rows a generated one
    lies, over k; coverage: the share of real rows whose ball holds a generated one (Naeem et al.
    2020). For equal laws density is 1 on average, coverage
    1 − Π_{i<k} (n − 1 − i)/(n + m − 1 − i).

    Parameters
    ----------
    real, generated : arrays (n, d) and (m, d), more than k rows each
    neighbours : int
        k.

    Returns
    -------
    GeneratorScores
        "precision", "recall", "density" and "coverage"; errors of the rows that are counted, the
        balls held fixed.

    Notes
    -----
    Cost O(N² d), memory O(N).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(300, 2)), 0.1 * rng.normal(size=(300, 2))
    >>> found = neighbour_scores(x, y)
    >>> found["precision"].value > 0.99, found["coverage"].value < 0.2
    (True, True)
    """
    k = as_count("neighbours", neighbours)
    x, y = as_features(real=real, generated=generated, least=k + 1)
    radii = [_radii(rows, k) for rows in (x, y)]
    inside = np.zeros(len(y))  # balls of real rows that hold each generated one
    covered, recalled = np.empty(len(x), dtype=bool), np.empty(len(x), dtype=bool)
    for part in _tiles(len(x)):
        apart = linalg.squared_distances(x[part], y)
        held = apart <= radii[0][part, None]
        inside += held.sum(axis=0)
        covered[part] = held.any(axis=1)
        recalled[part] = (apart <= radii[1][None, :]).any(axis=1)
    found = map(_mean, (inside > 0, recalled, inside / k, covered))
    return GeneratorScores(dict(zip(NEIGHBOURS, found, strict=True)), (len(x), len(y)))


def _radii(rows: Matrix, k: int) -> Matrix:
    """Squared distances to the k-th neighbour, the row itself not counted."""
    found = np.empty(len(rows))
    for part in _tiles(len(rows)):
        apart = linalg.squared_distances(rows[part], rows)
        found[part] = np.partition(apart, k, axis=1)[:, k]  # the 0-th is the row itself
    return found


def _mean(values: Matrix) -> Score:
    numbers = np.asarray(values, dtype=float)
    return Score(float(numbers.mean()), float(numbers.std(ddof=1)) / math.sqrt(len(numbers)))


def _tiles(count: int) -> Iterator[slice]:
    return (slice(start, start + _TILE) for start in range(0, count, _TILE))


def as_features(least: int = 2, **named: Sample) -> list[Matrix]:
    """Features (n, d) of any library as double precision on the host, with enough rows."""
    arrays = {name: to_numpy(f) if is_array(f) else f for name, f in named.items()}
    checked = as_samples(**arrays)
    for name, rows in zip(named, checked, strict=True):
        if isinstance(rows, tuple):
            raise TypeError(f"{name} is a tuple of layers; features are one array (rows, d).")
        if len(rows) < least:
            raise ValueError(f"{name} has {len(rows)} row(s); at least {least} are needed.")
    return [rows.astype(np.float64, copy=False) for rows in checked]
