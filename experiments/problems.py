"""Two-sample problems of the experiments: samplers ``(rng, value, n, m) → x, y``."""

from functools import cache
from typing import Any

import numpy as np

from experiments.command import RAW
from experiments.common import data_folder

Array = np.ndarray[Any, Any]
Pair = tuple[Array, Array]


def mixture(rng: np.random.Generator, sigma: float, n: int, m: int) -> Pair:
    """The paper's Mixture: four Gaussians at (±20, ±20); one has deviation σ in Y."""
    centres = 20.0 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])

    def draw(count: int, deviation: float) -> Array:
        part = rng.integers(4, size=count)
        width = np.where(part == 3, deviation, 1.0)[:, None]
        return centres[part] + width * rng.normal(size=(count, 2))

    return draw(n, 1.0), draw(m, sigma)


# --- null problems of experiments/level ---------------------------------------------------------


def gaussian50(rng: np.random.Generator, _: Any, n: int, m: int) -> Pair:
    """50 independent normal columns."""
    return rng.normal(size=(n, 50)), rng.normal(size=(m, 50))


def heavy_ties(rng: np.random.Generator, _: Any, n: int, m: int) -> Pair:
    """Cauchy rows in 3-D, rounded to whole numbers and a third of them repeated."""

    def draw(count: int) -> Array:
        rows = np.round(rng.standard_cauchy(size=(count, 3)))
        copied = rng.random(count) < 1 / 3
        rows[copied] = rows[rng.integers(count, size=int(copied.sum()))]
        return rows

    pool = draw(n + m)  # copies are made in the pool, so that rows stay exchangeable
    return pool[:n], pool[n:]


def discrete(rng: np.random.Generator, _: Any, n: int, m: int) -> Pair:
    """Two columns of counts: few different rows, most distances tied."""
    return (
        rng.poisson(0.7, size=(n, 2)).astype(float),
        rng.poisson(0.7, size=(m, 2)).astype(float),
    )


def skewed(rng: np.random.Generator, _: Any, n: int, m: int) -> Pair:
    """Five log-normal columns."""
    return rng.lognormal(size=(n, 5)), rng.lognormal(size=(m, 5))


# --- real data ----------------------------------------------------------------------------------


@cache
def _load(name: str) -> dict[str, Array]:
    with np.load(data_folder() / name) as held:
        return {key: held[key] for key in held.files}


@cache
def galaxy_images() -> tuple[Array, Array]:
    """Images of 64×64×3 pixels as rows (2000, 12288) in 0…1, and which are spirals."""
    held = _load("galaxyzoo_spiral/galaxyzoo_spiral_64.npz")
    return held["X"].reshape(len(held["X"]), -1) / np.float32(255), held["y"] == 1


def galaxy_rows(rng: np.random.Generator, share: float, n: int, m: int) -> Pair:
    """Row numbers: non-spirals against a mix with a share of spirals, no image twice."""
    spiral = galaxy_images()[1]
    many = rng.binomial(m, share)
    plain = rng.permutation(np.flatnonzero(~spiral))
    mixed = [plain[n : n + m - many], rng.permutation(np.flatnonzero(spiral))[:many]]
    return plain[:n], np.concatenate(mixed)


@cache
def galaxy_distances() -> dict[str, Array]:
    """Euclidean and city-block distances between all images, in single precision.

    They take most of a minute, so they are kept in ``build`` for runs that go on.
    """
    from scipy.spatial.distance import pdist, squareform

    kept = RAW / "galaxy_distances.npz"
    if not kept.exists():
        pixels = galaxy_images()[0]
        kept.parent.mkdir(parents=True, exist_ok=True)
        draft = kept.with_suffix(".part.npz")
        np.savez(
            draft,
            sqeuclidean=pdist(pixels, "euclidean").astype(np.float32),
            cityblock=pdist(pixels, "cityblock").astype(np.float32),
        )
        draft.replace(kept)
    with np.load(kept) as held:
        return {name: squareform(held[name]) for name in held.files}


@cache
def _votes() -> tuple[Array, Array]:
    held = _load("cifar10.1_predictions/cifar10.1_model_predictions.npz")
    old, new = (
        np.stack([(held[name] == c).mean(axis=1) for c in range(10)], axis=1)
        for name in ("pred_original", "pred_v4")
    )
    return old, new


def cifar_votes(rng: np.random.Generator, _: Any, n: int, m: int) -> Pair:
    """CIFAR-10 against CIFAR-10.1 (v4): the votes of 30 classifiers for ten classes."""
    old, new = _votes()
    return rng.permutation(old)[:n], rng.permutation(new)[:m]


@cache
def _predictions() -> tuple[Array, Array]:
    held = _load("cifar10.1_predictions/cifar10.1_model_predictions.npz")
    return held["pred_original"], held["pred_v4"]


def cifar_few_votes(
    rng: np.random.Generator, classifiers: int, n: int, m: int, *, same: bool = False
) -> Pair:
    """The same with the votes of a few classifiers, drawn anew: harder to tell apart.

    ``same``: both from CIFAR-10, no image twice.
    """
    old, new = _predictions()
    chosen = rng.permutation(old.shape[1])[:classifiers]
    shuffled = rng.permutation(old)
    second = shuffled[n : n + m] if same else rng.permutation(new)[:m]
    rows = shuffled[:n][:, chosen], second[:, chosen]
    x, y = (np.stack([(z == c).mean(axis=1) for c in range(10)], axis=1) for z in rows)
    return x, y


@cache
def cifar_features() -> tuple[Array, Array]:
    """ResNet-20 features (10000, 64) and the entropy of the human votes for each image."""
    features = _load("cifar10/cifar10_test_resnet20_features.npz")["feat"].astype(float)
    counts = np.load(data_folder() / "cifar10h" / "cifar10h-counts.npy")
    votes = counts / counts.sum(axis=1, keepdims=True)
    return features, -(votes * np.log(np.where(votes > 0, votes, 1.0))).sum(axis=1)


def cifar_hard_rows(rng: np.random.Generator, share: float, n: int, m: int) -> Pair:
    """Row numbers: all images against a mix with a share of those people disagree on most."""
    doubt = cifar_features()[1]
    many = rng.binomial(m, share)
    hard = rng.permutation(np.argsort(-doubt, kind="stable")[: len(doubt) // 5])
    rest = rng.permutation(np.setdiff1d(np.arange(len(doubt)), hard[:many]))
    return rest[:n], np.concatenate([hard[:many], rest[n : n + m - many]])


def cifar_hard(rng: np.random.Generator, share: float, n: int, m: int) -> Pair:
    """ResNet-20 features of all images against a mix with a share of hard ones (one in five)."""
    features = cifar_features()[0]
    first, second = cifar_hard_rows(rng, share, n, m)
    return features[first], features[second]


@cache
def cifar_images() -> Array:
    """The CIFAR-10 test images (10000, 32, 32, 3), 0…255."""
    return _load("cifar10/cifar10_test.npz")["x"]


@cache
def _digits() -> tuple[Array, Array]:
    held = _load("digits/mnist_vs_usps_256.npz")
    return held["x_mnist"].astype(float), held["x_usps"].astype(float)


def digits(rng: np.random.Generator, share: float, n: int, m: int) -> Pair:
    """MNIST against MNIST with a share of USPS, 16×16 pixels."""
    mnist, usps = _digits()
    many = rng.binomial(m, share)
    rows = rng.permutation(mnist)
    return rows[:n], np.concatenate([rows[n : n + m - many], rng.permutation(usps)[:many]])
