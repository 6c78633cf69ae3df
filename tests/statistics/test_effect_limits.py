"""Limits of the effect of all columns together, against the truth of the very same features.

Ranks, scales, bandwidth and frequencies are chosen on the pool, so the truth is that of fresh
large samples sent through what this pool chose.
"""

import copy

import numpy as np
import pytest
from scipy.stats import binom

from samelaw import Laplace
from samelaw.comparison.effects.effect import divergences, effect_size
from samelaw.comparison.effects.operators import FREQUENCIES, joint_operators
from samelaw.kernels import FourierFeatures
from samelaw.kernels.bandwidths import median_bandwidth
from samelaw.kernels.features import draw_frequencies
from samelaw.tables.columns.scales import FARTHEST, TAME, _quantile, monotone, spread
from samelaw.testing.permuting.units import Units

SCORE = 1.96
MOST = 0.045  # of a side that should have 2.5 %
ZIPF = 1 / np.arange(1, 7) / np.sum(1 / np.arange(1, 7))


def gauss(rng, n, d, change):
    return rng.normal(size=(n, d)) + change / np.sqrt(d)


def heavy_tailed(rng, n, d, change):
    return rng.standard_t(2, size=(n, d)) * np.exp(change / np.sqrt(d)) + 0.3 * change / np.sqrt(d)


def part(rng, n, d, change):
    """A share of the rows moved far."""
    return rng.normal(size=(n, d)) + 3.0 * (rng.random(n) < change)[:, None]


def mixed(rng, n, d, change):
    """Numbers, categories and booleans in turn."""
    law = (1 - change / 2) * ZIPF + change / 2 * ZIPF[::-1]
    kinds = (
        lambda: rng.normal(size=n) + change,
        lambda: rng.choice(6, n, p=law).astype(float),
        lambda: (rng.random(n) < 0.2 + 0.35 * change).astype(float),
    )
    return np.stack([kinds[j % 3]() for j in range(d)], axis=1)


def number(pool, values):
    """What `monotone` makes of the pool, for any values."""
    ordered = np.sort(pool)
    sides = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    scaled = (values - _quantile(ordered, 0.5)) / spread(ordered)
    tame = TAME * np.arcsinh(np.clip(scaled, -FARTHEST, FARTHEST))
    return 0.5 * (sum(sides) / len(ordered) - 1.0 + tame)[:, None]


def coordinates(law, pool, rows):
    """Rows on the scales of the pool."""
    kinds = (
        number,
        lambda _, values: 0.5 * (values[:, None] == np.arange(6)),
        lambda _, values: values[:, None],
    )
    turn = 3 if law is mixed else 1
    parts = [kinds[j % turn](pool[:, j], rows[:, j]) for j in range(rows.shape[1])]
    return np.concatenate(parts, axis=1)


def features_of(points, rng):
    """The features `joint_operators` draws with this generator."""
    few = points[rng.permutation(len(points))[:2_000]]
    kernel = Laplace(median_bandwidth(few, metric="cityblock"))
    return FourierFeatures(draw_frequencies(kernel, points.shape[1], FREQUENCIES, rng=rng))


def divergence_of(first, second):
    sides = (phi.T @ phi / len(phi) for phi in (first, second))
    return float(divergences(*(side[None] for side in sides))[0])


def true_effect(first, second):
    """The value of large samples; twice that less the mean of their halves has no bias."""
    half = len(first) // 2
    halves = [divergence_of(first[p], second[p]) for p in (slice(half), slice(half, None))]
    return 2 * divergence_of(first, second) - float(np.mean(halves))


def one_run(law, sizes, d, change, rng):
    """Lower limit, upper limit, value and truth."""
    changes = (0.0, change)
    tables = [law(rng, n, d, c) for n, c in zip(sizes, changes, strict=True)]
    pool = np.concatenate(tables)
    points = coordinates(law, pool, pool)
    features = features_of(points, copy.deepcopy(rng))
    units = Units.of_rows(sizes)
    operators = joint_operators(points, units, rng)
    members = np.concatenate([units.labels.observed[None], units.labels.draw(rng, 99)])
    found = effect_size(operators, units, members, rng)
    rows = 40 * max(min(sizes), 150)
    large = [features(coordinates(law, pool, law(rng, rows, d, c))) for c in changes]
    truth = true_effect(*large) if change else 0.0
    return (*found.interval(SCORE), found.value, truth)


def many_runs(law, sizes, d, change, runs):
    rng = np.random.default_rng([*sizes, d, int(1_000 * change)])
    return np.array([one_run(law, sizes, d, change, rng) for _ in range(runs)]).T


def assert_limits_hold(name, low, high, value, truth):
    runs = len(low)
    below, above = int(np.sum(low > truth)), int(np.sum(high < truth))
    print(
        f"\n{name}: truth {truth.mean():.3f}, passed {below / runs:.3f} below and "
        f"{above / runs:.3f} above, width {np.median(high - low):.4f}"
    )
    most = binom.ppf(0.99, runs, MOST)
    assert below <= most
    assert above <= most
    if truth.mean() > 0.02:
        assert np.mean(high - low) < 1.5 * 2 * SCORE * np.std(value - truth)


def test_scales_of_a_pool_are_those_of_its_own_rows():
    values = np.random.default_rng(0).standard_t(2, size=80).round(1)
    np.testing.assert_allclose(number(values, values)[:, 0], monotone(values), atol=1e-12)


@pytest.mark.long
def test_limits_of_a_large_effect_of_all_columns_together():
    found = many_runs(gauss, (120, 40), 2, 3.0, 20)
    assert_limits_hold("gauss 120 v 40", *found)
    assert found[3].mean() > 0.3  # large, or it shows nothing


CELLS = [
    (gauss, (300, 40), 3, 3.54),  # .49
    (gauss, (300, 40), 10, 1.47),  # .05
    (gauss, (300, 40), 3, 0.67),  # .03
    (gauss, (300, 40), 10, 0.0),
    (part, (300, 40), 10, 0.5),  # .19
    (heavy_tailed, (1_000, 50), 3, 6.35),  # .47
    (mixed, (1_000, 50), 10, 0.53),  # .05
    (gauss, (1_000, 50), 1, 0.0),
    (mixed, (100, 60), 3, 1.15),  # .19
    (heavy_tailed, (100, 60), 10, 1.55),  # .03
    (heavy_tailed, (100, 60), 1, 3.39),  # .50
    (gauss, (200, 200), 3, 0.68),  # .03
    (mixed, (200, 200), 10, 1.24),  # .21
    (gauss, (40, 40), 3, 1.89),  # .22
    (gauss, (40, 40), 10, 7.12),  # .49
    (mixed, (40, 40), 1, 0.58),  # .05
    (gauss, (40, 40), 10, 1.25),  # .04
]


@pytest.mark.heavy
@pytest.mark.parametrize(("law", "sizes", "d", "change"), CELLS)
def test_limits_of_all_columns_together_in_a_long_run(law, sizes, d, change):
    """At most 4.5 % on a side that should have 2.5 %, by the exact binomial at 1 in 100."""
    name = f"{law.__name__} {sizes[0]} v {sizes[1]}, {d} columns"
    assert_limits_hold(name, *many_runs(law, sizes, d, change, 400))
