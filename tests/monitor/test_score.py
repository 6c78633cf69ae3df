import numpy as np
import pytest

from monitors import normal
from samelaw.monitor import score as scores
from samelaw.monitor.martingale import BLOCK
from samelaw.monitor.score import FAMILIES, WINDOWS, Score, fit_score, window_means
from samelaw.tables.frozen import Coordinate

RNG = np.random.default_rng


def fitted(columns=3, rows=500, curved=True):
    points = normal(RNG(0), rows, columns)
    new = np.zeros((rows, columns), dtype=bool)
    coordinates = [Coordinate(f"x{i}", curved=curved) for i in range(columns)]
    return fit_score(points, new, coordinates, RNG(1)), points, new


def test_features_of_training_rows_are_centred_and_scaled():
    score, points, new = fitted()
    found = score.standard(*score.features(points, new), np.ones(len(points)))
    assert np.abs(found.mean(axis=1)).max() < 1e-5
    moments = found[: len(score.centre)].var(axis=1)
    never = score.scale == len(points) ** -0.5  # new values: there were none
    assert np.allclose(moments[~never], 1.0, atol=1e-4)
    assert never.sum() == 3
    assert np.allclose(found[len(score.centre) :].var(axis=1), score.eigenvalues, atol=1e-5)


def test_a_new_value_stands_out():
    score, points, new = fitted()
    new = new[:1].copy()
    new[0, 1] = True
    found = score.standard(*score.features(points[:1], new), np.ones(1))
    assert found[: score.low].max() == pytest.approx(500**0.5)


def test_few_columns_have_all_terms_and_many_have_the_closest_pairs(monkeypatch):
    score, *_ = fitted(columns=4)
    assert score.low == 3 * 4 + 6  # levels, spreads, new values, products
    assert len(score.centre) == score.low + 2 * 4 + 3 * 6
    points = normal(RNG(2), 400, 40)
    points[:, 7] += 2 * points[:, 31]
    coordinates = [Coordinate(f"x{i}", curved=True) for i in range(40)]
    wide = fit_score(points, np.zeros((400, 40), dtype=bool), coordinates, RNG(0))
    assert len(wide.centre) == 5 * 40 + 40 * 39 // 2  # every pair; no product of high order
    monkeypatch.setattr(scores, "MOST_PAIRS", 50)
    wide = fit_score(points, np.zeros((400, 40), dtype=bool), coordinates, RNG(0))
    assert len(wide.centre) == scores.MOST_TERMS
    assert (8, 32) in set(zip(wide.first.tolist(), wide.second.tolist(), strict=True))


def test_indicators_of_one_column_have_no_product():
    coordinates = [Coordinate("c", "red"), Coordinate("c", "blue"), Coordinate("x", curved=True)]
    points = np.column_stack([RNG(0).integers(0, 2, (300, 2)), normal(RNG(1), 300, 1)])
    score = fit_score(points, np.zeros((300, 2), dtype=bool), coordinates, RNG(0))
    pairs = set(zip(score.first.tolist(), score.second.tolist(), strict=True))
    assert (1, 2) not in pairs
    assert (1, 3) in pairs


def test_a_product_that_few_rows_have_counts_as_seen_in_some_more():
    """Its spread, that of one small value among 500, made one row of the stream a great change."""
    gone, noted = np.zeros((2, 500))
    gone[:40], noted[39:49] = 1.0, [0.01, *[1.0, -1.0] * 4, 1.0]
    coordinates = [Coordinate("x", missing=True), Coordinate("y")]
    points = np.column_stack([gone, noted])
    score = fit_score(points, np.zeros((500, 2), dtype=bool), coordinates, RNG(0))
    product = np.flatnonzero(score.second)
    assert score.scale[product] == pytest.approx((8 * 0.9 / 500) ** 0.5, rel=0.01)


def test_columns_that_never_vary_have_no_feature():
    points = np.column_stack([normal(RNG(0), 200, 1), np.zeros(200)])
    coordinates = [Coordinate("x", curved=True), Coordinate("y")]
    score = fit_score(points, np.zeros((200, 2), dtype=bool), coordinates, RNG(0))
    assert np.all(score.scale > 0)
    assert 2 not in score.first


def test_a_window_holds_the_rows_before_its_block_and_no_other():
    sums = np.zeros((6, 2))
    sums[5] = np.nan  # the block that is judged last: nobody may look at it
    sums[:5, 0] = BLOCK * np.arange(5)
    means, rows = window_means(sums, closed=3, blocks=3)
    assert np.all(np.isfinite(means))
    assert rows[:, WINDOWS.index(30), 0].tolist() == [30, 30, 30]
    assert means[:, WINDOWS.index(30), 0].tolist() == [1.0, 2.0, 3.0]
    assert rows[:, WINDOWS.index(480), 0].tolist() == [30, 40, 50]
    assert means[2, WINDOWS.index(480), 0] == 2.0


def test_contrasts_are_weights_times_features():
    score, points, new = fitted()
    rng = RNG(5)
    means = rng.normal(0, 0.3, (2, len(WINDOWS), score.size))
    weights = score.weights(means, np.full((2, len(WINDOWS), 1), 60.0))
    moments, wave = score.features(points[: 2 * BLOCK], new[: 2 * BLOCK])
    shape = (-1, 2, BLOCK)
    found = score.contrasts(weights, moments.reshape(shape), wave.reshape(shape))
    assert found.shape == (2, len(FAMILIES) * len(WINDOWS), BLOCK)
    standard = score.standard(moments, wave, np.zeros(2 * BLOCK))  # contrasts have no centre
    split = len(score.centre)
    for block in range(2):
        rows = standard[:, block * BLOCK : (block + 1) * BLOCK]
        few, many, smooth = (one[block] for one in weights[:3])
        parts = [few @ rows[: score.low], many @ rows[:split], smooth @ rows[split:]]
        assert np.allclose(found[block], np.concatenate(parts), rtol=1e-3, atol=1e-4)


def test_a_score_without_a_past_says_nothing():
    score, *_ = fitted()
    weights = score.weights(np.zeros((1, len(WINDOWS), score.size)), np.zeros((1, len(WINDOWS), 1)))
    assert all(np.all(one == 0) for one in weights)  # nor is it suspicious


def test_state_and_back():
    score, points, new = fitted()
    plain, arrays = score.state()
    again = Score.from_state(plain, arrays)
    for one, other in zip(score.features(points, new), again.features(points, new), strict=True):
        assert np.array_equal(one, other)


def test_prior_shares_expect_as_many_changes_of_each_sort():
    score, *_ = fitted(columns=12)
    single, low = score.second == 0, np.arange(len(score.shares)) < score.low
    for sort in (single & low, ~single & low, single & ~low):
        assert score.shares[sort].sum() == pytest.approx(scores.EXPECTED)
    assert fitted(columns=2)[0].shares.max() == scores.EXPECTED / scores.FEW


@pytest.mark.parametrize("feature", ["level", "pair", "everywhere"])
def test_a_past_that_moved_is_suspicious(feature):
    score, points, _ = fitted(columns=5, rows=2_000)
    rng, moved = RNG(9), normal(RNG(8), 480, 5)
    if feature == "level":
        moved[:, 1] += 0.4
    elif feature == "pair":
        moved[:, 1] = 0.5 * moved[:, 0] + 0.75**0.5 * moved[:, 1]
    else:
        moved += 0.25
    quiet = [points[rng.permutation(len(points))[:480]] for _ in range(20)]
    found = []
    for rows in (moved, *quiet):
        raw = score.features(rows, np.zeros((480, 5), dtype=bool))
        means = score.standard(*(one.sum(axis=1, keepdims=True) for one in raw), np.array([480.0]))
        every = np.repeat(means.T[None] / 480, len(WINDOWS), axis=1)
        found.append(bool(score.weights(every, np.full((1, len(WINDOWS), 1), 480.0)).suspicious[0]))
    assert found[0]
    assert sum(found[1:]) <= 2
