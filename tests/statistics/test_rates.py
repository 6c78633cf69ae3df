"""P2, E3, A3, F5: how fast estimates settle, and what averaging over batches gains."""

import math

import numpy as np

import samelaw
from samelaw import VonNeumann, rjsd
from samelaw.core.linalg import spectral_sum
from samelaw.kernels import Covariance
from samelaw.problems.closed_forms import FiniteFeatures

PROBLEM = FiniteFeatures.random(12, 5, rng=3)
KERNEL = PROBLEM.kernel()
SIZES = np.array([16, 32, 64, 128])


def slope(errors):
    return np.polyfit(np.log(SIZES), np.log(errors), 1)[0]


def test_p2_sample_entropy_converges_at_the_rate_of_the_root():
    truth = spectral_sum(PROBLEM.operators()[0], VonNeumann())

    def error(n):
        values = [
            samelaw.entropy(PROBLEM.draw(n, 1, rng=seed)[0], kernel=KERNEL) for seed in range(60)
        ]
        return np.mean(np.abs(np.array(values) - truth))

    assert -0.75 < slope([error(n) for n in SIZES]) < -0.45


def test_a3_divergence_converges_at_the_rate_of_the_root_within_the_bound_of_the_appendix():
    """The bound needs a constant c ≥ 1 and α, the smallest eigenvalue, at most 1."""
    truth = PROBLEM.rjsd()

    def error(n):
        values = [rjsd(*PROBLEM.draw(n, rng=seed), kernel=KERNEL) for seed in range(60)]
        return np.mean(np.abs(np.array(values) - truth))

    errors = [error(n) for n in SIZES]
    assert -0.8 < slope(errors) < -0.45
    log = np.log(SIZES)
    bound = 3 * ((1 + (8 * log) ** 2) / SIZES + 17 / np.sqrt(SIZES) * (2 + log))
    assert np.all(errors < bound)


def test_f5_moving_average_of_covariances_lowers_the_variance():
    """Rate ½ keeps a third of the variance of a linear statistic: Σ (½)^2k / (Σ (½)^k)² = ⅓."""
    rate, batches, size, runs = 0.5, 12, 40, 300
    phi = PROBLEM.features

    def covariance(codes):
        return Covariance.of(phi[codes[:, 0].astype(int)])

    def divergence(first, second):
        mixed = 0.5 * first.density + 0.5 * second.density
        values = [spectral_sum(c, VonNeumann()) for c in (mixed, first.density, second.density)]
        return values[0] - 0.5 * values[1] - 0.5 * values[2]

    last, average = [], []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        running = None
        for _ in range(batches):
            fresh = tuple(covariance(z) for z in PROBLEM.draw(size, rng=rng))
            running = (
                fresh
                if running is None
                else tuple(
                    old.faded(1 - rate) + new for old, new in zip(running, fresh, strict=True)
                )
            )
        last.append(divergence(*fresh))
        average.append(divergence(*running))
    assert np.var(average) < 0.5 * np.var(last)
    truth = PROBLEM.rjsd()
    assert abs(np.mean(average) - truth) < abs(np.mean(last) - truth)
    assert math.sqrt(np.var(average) / np.var(last)) > 0.4  # no less than theory allows
