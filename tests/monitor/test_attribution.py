"""What lower orders explain is taken off: nothing is left of normal laws but what moved."""

import numpy as np
import pytest

from monitors import Litter, normal
from samelaw.monitor.description import beyond_lower_orders, term_words
from samelaw.monitor.score import Score

RNG = np.random.default_rng
ROWS = 30_000


@pytest.fixture(scope="module")
def fitted():
    """Features as if coordinates were exactly normal: centre and scale of the law itself."""
    reference = Litter(rows=400).first._reference
    score, z = reference.score, normal(RNG(0), ROWS)
    raw = score.features(z, np.zeros((ROWS, 5), bool)).moments.astype(float)
    values = {**vars(score), "centre": raw.mean(axis=1), "scale": np.maximum(raw.std(axis=1), 1e-2)}
    return Score(**values), reference.rules, z


def shift(z):
    return z + np.array([0.8, -0.6, 0, 0, 0])


def scale(z):
    return z * np.array([1.4, 0.7, 1, 1, 1])


def correlate(z):
    return np.column_stack([z[:, 0], 0.6 * z[:, 0] + 0.8 * z[:, 1], z[:, 2:]])


def all_at_once(z):
    return shift(correlate(scale(z)))


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (shift, {"level"}),
        (scale, {"spread"}),
        (correlate, {"going together"}),
        (all_at_once, {"level", "spread", "going together"}),
    ],
)
def test_of_a_normal_law_only_what_moved_is_left(fitted, change, left):
    score, rules, z = fitted
    y = change(z)
    raw = score.features(y, np.zeros((ROWS, 5), bool)).moments.astype(float)
    moved = (raw.mean(axis=1) - score.centre) / score.scale
    own = beyond_lower_orders(score, rules, moved)
    words = [
        term_words(score, rules.coordinates, rules.names, i)[1] for i in range(len(score.centre))
    ]
    found = {word for word, size in zip(words, np.abs(own), strict=True) if size > 0.1}
    assert found == left
    assert np.abs(moved).max() > 0.25


def test_a_large_spread_cut_off_at_the_ends_is_no_news_about_tails(fitted):
    """Powers of the spread foretold tails that values at the end of the range cannot have."""
    score, rules, z = fitted
    y = np.clip(z * np.array([4.0, 1, 1, 1, 1]), -3.5, 3.5)
    raw = score.features(y, np.zeros((ROWS, 5), bool)).moments.astype(float)
    own = beyond_lower_orders(score, rules, (raw.mean(axis=1) - score.centre) / score.scale)
    words = [term_words(score, rules.coordinates, rules.names, i) for i in range(len(score.centre))]
    tails = {columns[0]: own[i] for i, (columns, what) in enumerate(words) if what == "tails"}
    assert abs(tails["x1"]) < 0.1
    assert max(words[int(np.abs(own).argmax())][0]) == "x1"
    assert words[int(np.abs(own).argmax())][1] == "spread"
