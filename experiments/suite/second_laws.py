"""Laws of the second reporting set: families that nothing here had named when it was written.

Written down before the default was chosen for the second time, which was after a look at the first
reporting half. Nothing may be chosen by a result on them.
"""

from functools import cache

import numpy as np

from experiments.suite.problem import Array, Random, Sampler, from_rows

# --- questionnaires: graded answers to items (Samejima 1969) ------------------------------------


def _answers(rng: Random, able: Array, slopes: Array) -> Array:
    """Answers 0 to 4: how many of four cuts the latent response to an item passes."""
    latent = slopes * able[:, None] + rng.logistic(size=(len(able), len(slopes)))
    return np.sum(latent[..., None] > np.array([-2.0, -0.7, 0.7, 2.0]), axis=2).astype(float)


def ability(rng: Random, strength: float, count: int) -> Array:
    """Twelve items; the persons' trait moves."""
    return _answers(rng, rng.normal(size=count) + strength, np.linspace(0.6, 1.8, 12))


def discrimination(rng: Random, strength: float, count: int) -> Array:
    """Twelve items that depend more on one trait."""
    return _answers(rng, rng.normal(size=count), np.full(12, 1.0 + strength))


# --- points in a square, counted in 16 cells (Neyman & Scott 1958; Cox 1955) ---------------------


def clustered_points(rng: Random, strength: float, count: int) -> Array:
    """Forty points each; a share of them lies about four parents."""
    parents, places = rng.random((count, 4, 2)), rng.random((count, 40, 2))
    chosen = np.take_along_axis(parents, rng.integers(4, size=(count, 40))[..., None], axis=1)
    near = (chosen + 0.05 * rng.normal(size=(count, 40, 2))) % 1.0
    places = np.where(rng.random((count, 40, 1)) < strength, near, places)
    cells = (4 * places).astype(int) @ np.array([4, 1])
    return np.stack([np.bincount(row, minlength=16) for row in cells]).astype(float)


def gradient_of_points(rng: Random, strength: float, count: int) -> Array:
    """Poisson counts of 16 cells whose rate rises from left to right."""
    rate = 2.5 * (1.0 + strength * np.repeat([-1.0, -1 / 3, 1 / 3, 1.0], 4))
    return rng.poisson(rate, size=(count, 16)).astype(float)


# --- spectra of signals (Priestley 1981) --------------------------------------------------------


def spectral_peak(rng: Random, strength: float, count: int) -> Array:
    """Log periodograms (32) of an oscillator in noise; its frequency rises."""
    angle, decay = 2 * np.pi * (0.15 + strength), 0.9
    series, noise = np.zeros((count, 104)), rng.normal(size=(count, 104))
    for t in range(2, 104):
        before = 2 * decay * np.cos(angle) * series[:, t - 1] - decay**2 * series[:, t - 2]
        series[:, t] = before + noise[:, t]
    return np.asarray(np.log(np.abs(np.fft.rfft(series[:, 40:], axis=1)[:, 1:]) ** 2))


def phase_coupling(rng: Random, strength: float, count: int) -> Array:
    """Two waves of random phase and their sum frequency; its phase follows them in part."""
    first, second, free = rng.uniform(0, 2 * np.pi, size=(3, count, 1))
    third = np.where(rng.random((count, 1)) < strength, first + second, free)
    time = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    waves = np.cos(2 * time + first) + np.cos(3 * time + second) + np.cos(5 * time + third)
    return np.asarray(waves + 0.5 * rng.normal(size=(count, 24)))


# --- waiting in a queue (Lindley 1952) ----------------------------------------------------------


def queue(rng: Random, strength: float, count: int) -> Array:
    """Ten waits in a row at a load of .7; service of the same mean varies more."""
    shape = 4.0 / (1.0 + strength)
    waits, wait = np.empty((count, 10)), np.zeros(count)
    for step in range(-40, 10):
        service = rng.gamma(shape, 0.7 / shape, size=count)
        wait = np.maximum(wait + service - rng.exponential(size=count), 0.0)
        if step >= 0:
            waits[:, step] = wait
    return waits


# --- genotypes (Wright 1951; Li & Stephens 2003) ------------------------------------------------


def _frequencies(markers: int) -> Array:
    return np.random.default_rng(30).uniform(0.1, 0.9, size=markers)


def allele_drift(rng: Random, strength: float, count: int) -> Array:
    """Sixty independent markers 0, 1, 2; all frequencies drifted a little, some up, some down."""
    drift = strength * np.where(np.arange(60) % 2, 1.0, -1.0)
    return rng.binomial(2, np.clip(_frequencies(60) + drift, 0, 1), size=(count, 60)).astype(float)


def linkage(rng: Random, strength: float, count: int) -> Array:
    """Forty markers in a row; neighbours are inherited together more often."""
    chance, found = _frequencies(40), np.zeros((count, 40))
    for _ in range(2):
        place = rng.random((count, 40))
        kept = rng.random((count, 40)) < 0.2 + strength
        for marker in range(1, 40):
            place[:, marker] = np.where(kept[:, marker], place[:, marker - 1], place[:, marker])
        found += place < chance
    return found


# --- times to common ancestors (Kingman 1982) ---------------------------------------------------


def coalescent(rng: Random, strength: float, count: int) -> Array:
    """Log waiting times of ten lineages; in a growing population the old ones are shorter."""
    left = np.arange(10, 1, -1)
    rates, clock = left * (left - 1) / 2, np.zeros(count)
    found = np.empty((count, 9))
    for step, rate in enumerate(rates):
        pause = rng.exponential(size=count) / rate
        if strength:
            pause = np.log1p(strength * pause * np.exp(-strength * clock)) / strength
        clock = clock + pause
        found[:, step] = pause
    return np.log(found)


# --- sensors of one quantity (Spearman 1904) ----------------------------------------------------


def sensor_gain(rng: Random, strength: float, count: int) -> Array:
    """Twelve sensors of three hidden quantities; one answers more strongly."""
    loads = np.random.default_rng(31).normal(size=(3, 12))
    loads[:, 4] *= 1.0 + strength
    return rng.normal(size=(count, 3)) @ loads + 0.7 * rng.normal(size=(count, 12))


def sensor_swap(rng: Random, strength: float, count: int) -> Array:
    """Twelve sensors of three hidden quantities; in a share of the rows two cables are swapped."""
    loads = np.random.default_rng(32).normal(size=(3, 12))
    loads /= np.linalg.norm(loads, axis=0)
    rows = rng.normal(size=(count, 3)) @ loads + 0.5 * rng.normal(size=(count, 12))
    swapped = rng.random(count) < strength
    rows[swapped, :2] = rows[swapped, 1::-1]
    return np.asarray(rows)


# --- species in samples (Fisher, Corbet & Williams 1943) ----------------------------------------


def evenness(rng: Random, strength: float, count: int) -> Array:
    """Square roots of counts of 30 species in 100 animals; the common ones become commoner."""
    law = np.arange(1.0, 31.0) ** -(1.0 + strength)
    law = rng.dirichlet(10.0 * law / law.sum() + 0.05, size=count)
    return np.sqrt(rng.multinomial(100, law))


# --- wines (real; bundled with scikit-learn) ----------------------------------------------------


@cache
def wines() -> Sampler:
    """Thirteen measures of wines; a share of a second cultivar."""
    from sklearn.datasets import load_wine

    rows, cultivar = load_wine(return_X_y=True)
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    return from_rows(rows[cultivar != 2], rows[cultivar == 2])
