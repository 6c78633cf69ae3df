"""Laws of the tuning half: families already named by an issue, a document or an experiment."""

from functools import cache

import numpy as np

from experiments import problems
from experiments.common import data_folder
from experiments.suite.problem import Array, Law, Random, Sampler, from_rows, mixed

# --- places and widths --------------------------------------------------------------------------


def shift(columns: int, moved: int) -> Law:
    """Normal columns, the first ``moved`` of them shifted."""

    def law(rng: Random, strength: float, count: int) -> Array:
        return rng.normal(size=(count, columns)) + strength * (np.arange(columns) < moved)

    return law


def scale(columns: int) -> Law:
    """Normal columns, all of them stretched by 1 + strength (or narrowed)."""
    return lambda rng, strength, count: (1.0 + strength) * rng.normal(size=(count, columns))


def heavy_shift(rng: Random, strength: float, count: int) -> Array:
    """Thirty Student columns (3), the first two of them shifted."""
    return rng.standard_t(3, size=(count, 30)) + strength * (np.arange(30) < 2)


def sparse_scale(rng: Random, strength: float, count: int) -> Array:
    """Fifty normal columns, the first of them stretched."""
    return rng.normal(size=(count, 50)) * (1.0 + strength * (np.arange(50) < 1))


def one_pair(rng: Random, strength: float, count: int) -> Array:
    """Twenty normal columns; the first two correlate."""
    rows = rng.normal(size=(count, 20))
    rows[:, 1] = strength * rows[:, 0] + np.sqrt(1.0 - strength**2) * rows[:, 1]
    return np.asarray(rows)


# --- how values are written down (Heitjan & Rubin 1990) -----------------------------------------


def heaping(rng: Random, strength: float, count: int) -> Array:
    """Three lengths to a tenth; a share of them is rounded to the nearest half."""
    exact = np.round(rng.normal(10.0, 1.0, size=(count, 3)), 1)
    return np.where(rng.random((count, 3)) < strength, np.round(2 * exact) / 2, exact)


def detection_limit(rng: Random, strength: float, count: int) -> Array:
    """Six lognormal concentrations; what is below the limit is noted as the limit."""
    shared = rng.normal(size=(count, 1))
    return np.exp(np.maximum(0.7 * shared + 0.7 * rng.normal(size=(count, 6)), -3.0 + strength))


# --- tails and skewed columns -------------------------------------------------------------------


def laplace(columns: int) -> Law:
    """Normal columns; a share of the entries is Laplace of the same variance."""
    return lambda rng, strength, count: np.where(
        rng.random((count, columns)) < strength,
        rng.laplace(scale=np.sqrt(0.5), size=(count, columns)),
        rng.normal(size=(count, columns)),
    )


def student(rng: Random, strength: float, count: int) -> Array:
    """Five Student columns of unit variance, 1 / strength degrees of freedom; 0 is normal."""
    normal = rng.normal(size=(count, 5))
    if not strength:
        return normal
    freedom = 1.0 / strength
    return normal / np.sqrt(rng.chisquare(freedom, size=(count, 5)) / (freedom - 2.0))


def lognormal(rng: Random, strength: float, count: int) -> Array:
    """Three lognormal columns, σ = 1 + strength."""
    return np.exp((1.0 + strength) * rng.normal(size=(count, 3)))


def cauchy_shift(rng: Random, strength: float, count: int) -> Array:
    """Three Cauchy columns, shifted."""
    return rng.standard_cauchy(size=(count, 3)) + strength


# --- counts and categories ----------------------------------------------------------------------


def poisson(rng: Random, strength: float, count: int) -> Array:
    """Five columns of counts of mean 3; a common gamma factor makes them vary more."""
    if not strength:
        return rng.poisson(3.0, size=(count, 5)).astype(float)
    return rng.poisson(3.0 * rng.gamma(1 / strength, strength, size=(count, 5))).astype(float)


def zero_inflated(rng: Random, strength: float, count: int) -> Array:
    """Three gamma columns, a fifth of them zero; more zeros with strength."""
    zero = rng.random((count, 3)) < 0.2 + strength
    return np.where(zero, 0.0, rng.gamma(2.0, size=(count, 3)))


def categories(rng: Random, strength: float, count: int) -> Array:
    """One of 50 categories, one-hot; the even ones grow."""
    weights = (1.0 + strength * np.tile([1.0, -1.0], 25)) / (1.0 + np.arange(50) // 2)
    return np.eye(50)[rng.choice(50, size=count, p=weights / weights.sum())]


# --- uniforms with bumps (Li & Yuan 2019; Schrab et al. 2023) -----------------------------------


def _bump(z: Array) -> Array:
    """A rise on (−1, −½) and a fall on (−½, 0), both of height 1."""

    def one(at: Array) -> Array:
        inside = np.abs(at) < 1
        return np.where(inside, np.exp(1.0 - 1.0 / np.where(inside, 1.0 - at**2, 1.0)), 0.0)

    return one(4 * z + 3) - one(4 * z + 1)


def perturbed_uniform(columns: int, bumps: int) -> Law:
    """Density 1 + strength ∏ (bumps along each axis) on the unit cube."""

    def law(rng: Random, strength: float, count: int) -> Array:
        kept = np.empty((0, columns))
        while len(kept) < count:
            x = rng.random((3 * count, columns))
            height = np.prod(_bump((bumps * x) % 1.0 - 1.0), axis=1)
            accepted = rng.random(len(x)) * (1.0 + strength) < 1.0 + strength * height
            kept = np.concatenate([kept, x[accepted]])
        return kept[:count]

    return law


# --- clusters -----------------------------------------------------------------------------------


def blobs(rng: Random, strength: float, count: int) -> Array:
    """Nine clusters on a grid; within each the columns become correlated."""
    first, second = rng.normal(size=(2, count))
    second = strength * first + np.sqrt(1 - strength**2) * second
    return np.asarray(6.0 * rng.integers(3, size=(count, 2)) + np.stack([first, second], axis=1))


def hdgm(rng: Random, strength: float, count: int) -> Array:
    """Two clusters in ten columns; the first two columns correlate, oppositely in the two."""
    rows, side = rng.normal(size=(count, 10)), np.where(rng.random(count) < 0.5, 1.0, -1.0)
    rows[:, 1] = strength * side * rows[:, 0] + np.sqrt(1 - strength**2) * rows[:, 1]
    return rows + 0.25 * (1.0 + side)[:, None]


def mixture_width(rng: Random, strength: float, count: int) -> Array:
    """The paper's Mixture: four clusters at (±20, ±20), one with deviation 1 + strength."""
    corner = rng.integers(4, size=count)
    centre = 20.0 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])[corner]
    width = np.where(corner == 3, 1.0 + strength, 1.0)[:, None]
    return centre + width * rng.normal(size=(count, 2))


def new_cluster(rng: Random, strength: float, count: int) -> Array:
    """Ten normal columns; a share of the rows lies 3 away in one of them, and close together."""
    rows = rng.normal(size=(count, 10))
    moved = np.flatnonzero(rng.random(count) < strength)
    rows[moved] = 0.3 * rows[moved] + 3.0 * (np.arange(10) == 0)
    return rows


def subgroup(rng: Random, strength: float, count: int) -> Array:
    """Twenty normal columns; a share of the rows moves by 2.5 in three of them."""
    rows = rng.normal(size=(count, 20))
    rows[np.ix_(np.flatnonzero(rng.random(count) < strength), np.arange(3))] += 2.5
    return rows


# --- dependence ---------------------------------------------------------------------------------


def rotation(rng: Random, strength: float, count: int) -> Array:
    """Six normal columns of deviations 1 and 2, turned in pairs by an angle."""
    first, second = rng.normal(size=(2, count, 3)) * np.array([1.0, 2.0])[:, None, None]
    cos, sin = np.cos(strength), np.sin(strength)
    return np.concatenate([cos * first - sin * second, sin * first + cos * second], axis=1)


def autoregression(columns: int, base: float) -> Law:
    """Rows of an AR(1) process of unit variance with coefficient base + strength."""

    def law(rng: Random, strength: float, count: int) -> Array:
        coefficient, rows = base + strength, rng.normal(size=(count, columns))
        for column in range(1, columns):
            fresh = np.sqrt(1 - coefficient**2) * rows[:, column]
            rows[:, column] = coefficient * rows[:, column - 1] + fresh
        return rows

    return law


def equicorrelation(columns: int, base: float) -> Law:
    """Unit normal columns that share one factor; correlation base + strength."""

    def law(rng: Random, strength: float, count: int) -> Array:
        rho = base + strength
        common, own = rng.normal(size=(count, 1)), rng.normal(size=(count, columns))
        return np.asarray(np.sqrt(rho) * common + np.sqrt(1 - rho) * own)

    return law


def clayton(columns: int) -> Law:
    """Uniform columns with Kendall's τ = ½: Clayton's copula, a share of rows from Gumbel's."""

    def lower(rng: Random, count: int) -> Array:
        frailty = rng.gamma(0.5, size=(count, 1))
        return (1.0 + rng.exponential(size=(count, columns)) / frailty) ** -0.5

    def upper(rng: Random, count: int) -> Array:
        # positive stable with index ½: the inverse of half a squared normal
        frailty = 0.5 / rng.normal(size=(count, 1)) ** 2
        return np.exp(-np.sqrt(rng.exponential(size=(count, columns)) / frailty))

    return mixed(lower, upper)


def dependent_spread(rng: Random, strength: float, count: int) -> Array:
    """Three columns of unit variance; the deviation of the second follows the first."""
    rows = rng.normal(size=(count, 3))
    rows[:, 1] *= np.exp(strength * rows[:, 0] - strength**2)
    return rows


def parity(rng: Random, strength: float, count: int) -> Array:
    """Three normal columns, independent in pairs; their signs multiply to + more often."""
    rows = rng.normal(size=(count, 3))
    odd = (np.prod(rows, axis=1) < 0) & (rng.random(count) < strength)
    rows[odd, 2] *= -1.0
    return rows


# --- manifolds ----------------------------------------------------------------------------------


def circle(frequency: int) -> Law:
    """A noisy circle with density 1 + strength cos(frequency · t)."""

    def law(rng: Random, strength: float, count: int) -> Array:
        angle, turn = 2 * np.pi * rng.random(count), np.pi / frequency
        leave = 2 * rng.random(count) > 1 + strength * np.cos(frequency * angle)
        angle = angle + np.where(leave, turn, 0.0)  # half a period on: the density's mirror image
        ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return ring + 0.05 * rng.normal(size=(count, 2))

    return law


def directions(rng: Random, strength: float, count: int) -> Array:
    """Von Mises–Fisher on the sphere around one pole, concentration 2 (1 + strength)."""
    kappa = 2.0 * (1.0 + strength)
    share = rng.random(count)
    height = 1.0 + np.log(share + (1 - share) * np.exp(-2 * kappa)) / kappa
    angle, radius = 2 * np.pi * rng.random(count), np.sqrt(1 - height**2)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)


def swiss_roll(rng: Random, strength: float, count: int) -> Array:
    """A rolled sheet with noise; rows gather at its outer end."""
    turn = 1.5 * np.pi * (1.0 + 2.0 * rng.random(count) ** (1.0 / (1.0 + strength)))
    sheet = [turn * np.cos(turn), 21.0 * rng.random(count), turn * np.sin(turn)]
    return np.stack(sheet, axis=1) + 0.3 * rng.normal(size=(count, 3))


def torus(rng: Random, strength: float, count: int) -> Array:
    """A torus of radii 2 and 1; rows gather on its inner side."""
    around, inner = 2 * np.pi * rng.random((2, count))
    leave = 2 * rng.random(count) > 1 - strength * np.cos(inner)
    inner = inner + np.where(leave, np.pi, 0.0)
    out = 2.0 + np.cos(inner)
    return np.stack([out * np.cos(around), out * np.sin(around), np.sin(inner)], axis=1)


# --- real rows ----------------------------------------------------------------------------------


def _standardized(rows: Array) -> Array:
    return np.asarray((rows - rows.mean(axis=0)) / rows.std(axis=0))


@cache
def weather() -> Sampler:
    """Eight daily measures (NOAA): dry days with three in ten of rain, and more in Y."""
    held = np.loadtxt(data_folder() / "drift_tabular" / "weather.csv.gz", delimiter=",", skiprows=1)
    rows, rain = _standardized(held[:, :8]), held[:, 8] == 1
    return from_rows(rows[~rain], rows[rain], base=0.3)


@cache
def electricity() -> Sampler:
    """Price and demand (Elec2): the first year, and a share of the second in Y."""
    held = np.loadtxt(data_folder() / "drift_tabular" / "elec.csv.gz", delimiter=",", skiprows=1)
    rows = _standardized(held[:, 1:6])
    return from_rows(rows[: len(rows) // 2], rows[len(rows) // 2 :])


@cache
def galaxies() -> Sampler:
    """Galaxy images, 16×16×3 pixels: plain ones, and a share of spirals in Y."""
    pixels, spiral = problems.galaxy_images()
    small = pixels.reshape(-1, 16, 4, 16, 4, 3).mean(axis=(2, 4)).reshape(len(pixels), -1)
    return from_rows(small[~spiral].astype(float), small[spiral].astype(float))
