"""Spectra without a block, by expansion and for real, and the jackknife on them."""

import numpy as np
import pytest

from samelaw import PowerSeries, Renyi, VonNeumann
from samelaw.divergence import jackknife as leave_out
from samelaw.divergence.jackknife import (
    Blocks,
    divergence_of_blocks,
    entropies_without,
    entropy_of_blocks,
    jackknife,
)
from samelaw.kernels import FourierFeatures, Tsallis

ENTROPIES = [VonNeumann(), PowerSeries(10), Renyi(2), Renyi(0.7), Renyi(np.inf), Tsallis(1.5)]
MAP = FourierFeatures(np.random.default_rng(0).normal(size=(3, 12)))


def blocks_of(n, seed=0, shift=0.0, count=16):
    features = MAP(np.random.default_rng(seed).normal(size=(n, 3)) + shift)
    parts = np.array_split(features, count)
    return Blocks(np.stack([p.T @ p for p in parts]), np.array([float(len(p)) for p in parts]))


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
def test_expansion_is_close_to_the_spectra(entropy):
    blocks, share = blocks_of(2000), 0.4
    whole = share * blocks.density + 0.6 * blocks_of(2000, 1, 0.5).density
    value, found = entropies_without(whole, blocks, share, entropy)
    exact = np.array(
        [
            entropy(np.linalg.eigvalsh(whole + share * blocks.step(g)).clip(0.0))
            for g in range(len(blocks.rows))
        ]
    )
    assert value == pytest.approx(float(entropy(np.linalg.eigvalsh(whole).clip(0.0))), abs=1e-12)
    assert np.abs(found - exact).max() < 0.02 * exact.std()
    assert abs(np.mean(found - exact)) < 0.01 * exact.std() / np.sqrt(len(exact))


def calls(monkeypatch, blocks):
    """How many blocks are left out for real."""
    computed, plain = [], leave_out._exact
    monkeypatch.setattr(leave_out, "_exact", lambda *a: computed.extend(a[-1]) or plain(*a))
    _, found = entropies_without(blocks.density, blocks, 1.0, VonNeumann())
    monkeypatch.undo()
    np.testing.assert_allclose(
        found, plain(blocks.density, blocks, 1.0, VonNeumann(), range(16)), atol=0.02 * found.std()
    )
    return len(computed)


def test_few_rows_are_left_out_for_real(monkeypatch):
    """Where rows fill directions nearly alone an expansion means nothing."""
    assert calls(monkeypatch, blocks_of(20)) == 2 + 16
    assert calls(monkeypatch, blocks_of(2000)) == 2


def test_jackknife_of_a_mean_and_of_its_square():
    """Unequal blocks: a mean has no bias and the variance of a mean, its square the bias s²/n."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2000):
        rows = rng.integers(5, 15, size=20).astype(float)
        sums = rng.normal(rows, np.sqrt(rows))  # of rows with mean and variance 1
        means = (sums.sum() - sums) / (rows.sum() - rows)
        plain, square = (
            jackknife(f(sums.sum() / rows.sum()), f(means), rows) for f in (abs, np.square)
        )
        assert plain.correction == pytest.approx(0.0, abs=1e-12)
        found.append((plain.value, plain.variance, square.corrected, 1 / rows.sum()))
    value, variance, corrected, expected = np.mean(found, axis=0)
    assert variance == pytest.approx(expected, rel=0.05)
    assert corrected == pytest.approx(1.0, abs=0.006)  # uncorrected 1.005 on top of the noise
    assert value == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    "entropy", [VonNeumann(), pytest.param(Renyi(2), marks=pytest.mark.long)], ids=repr
)
def test_correction_and_error_of_a_divergence(entropy):
    found = [
        divergence_of_blocks((blocks_of(120, s), blocks_of(100, s + 999, 1.0)), entropy, (0.5, 0.5))
        for s in range(120)
    ]
    corrected = np.array([f.corrected for f in found])
    truth = divergence_of_blocks(
        (blocks_of(40_000, 5), blocks_of(40_000, 6, 1.0)), entropy, (0.5, 0.5)
    ).corrected
    standard = corrected.std() / np.sqrt(len(found))
    assert abs(corrected.mean() - truth) < 4 * standard
    assert np.mean([f.value for f in found]) > truth + 4 * standard
    assert np.mean([f.standard_error for f in found]) == pytest.approx(corrected.std(), rel=0.25)


def test_entropy_of_one_sample():
    found = entropy_of_blocks(blocks_of(400), VonNeumann())
    truth = entropy_of_blocks(blocks_of(40_000, 3), VonNeumann()).corrected
    assert found.value < truth  # the entropy of a sample is too low
    assert abs(found.corrected - truth) < 3 * found.standard_error
