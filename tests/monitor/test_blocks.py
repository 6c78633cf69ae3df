import numpy as np
import pytest

from monitors import Litter, normal
from samelaw.monitor.blocks import Layout, block_sums, block_weights, pair_factors
from samelaw.monitor.martingale import BLOCK
from samelaw.monitor.reference import Rows
from samelaw.monitor.score import EXPERTS, STAKES

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def score():
    return Litter(rows=600).first._reference.score


def rows(seed, count):
    return Rows(normal(RNG(seed), count), np.zeros((count, 5), dtype=bool))


def test_rows_fall_into_blocks():
    layout = Layout(part=7, count=15)
    assert layout.blocks == 3
    assert layout.edges.tolist() == [0, 3, 13]
    assert layout.present.sum() == 15
    placed = layout.place(np.arange(1.0, 16.0)[:, None])
    assert placed[0, :7].tolist() == [0.0] * 7
    assert placed[layout.present].tolist() == list(range(1, 16))
    assert Layout(0, 10).blocks == 1
    assert Layout(9, 1).blocks == 1
    assert Layout(9, 2).blocks == 2


def test_sums_are_over_the_rows_of_each_block(score):
    layout, some = Layout(4, 9), rows(0, 9)
    found = block_sums(score, some.features(score), layout)
    each = score.standard(*some.features(score), np.ones(9))
    assert np.allclose(found, [each[:, :6].sum(axis=1), each[:, 6:].sum(axis=1)], atol=1e-4)


@pytest.mark.parametrize("pairs", [1, 3])
def test_factors_are_those_of_the_formula(score, pairs):
    """Row by row from the definition, for all experts of the family of waves and of products."""
    layout, some, partners = Layout(6, 8), rows(1, 8), rows(2, 8 * pairs)
    past = RNG(3).normal(0, 3, (20, score.size))
    sums = np.concatenate([past, np.zeros((layout.blocks, score.size))])
    weights = block_weights(score, sums, layout)
    found = pair_factors(score, weights, some.features(score), partners, layout, np.full(8, pairs))
    assert found.shape == (layout.blocks, BLOCK, EXPERTS)
    assert np.all(found[~layout.present] == 1.0)
    split = len(score.centre)
    cut = [slice(0, score.low), slice(0, split), slice(split, None)]
    y, x = (score.standard(*r.features(score), np.ones(len(r))) for r in (some, partners))
    for i, factors in enumerate(found[layout.present]):
        block = int(i >= 4)
        h = [
            np.concatenate([w[block] @ z[c] for w, c in zip(weights[:3], cut, strict=True)])
            for z in (y[:, i], *x[:, pairs * i : pairs * (i + 1)].T)
        ]
        powers = np.exp(np.multiply.outer(h, STAKES)).reshape(1 + pairs, EXPERTS)
        expected = (pairs + 1) * powers[0] / powers.sum(axis=0)
        assert np.allclose(factors, expected, rtol=2e-3, atol=1e-6)


def test_rows_that_meet_nobody_have_a_factor_of_one(score):
    layout, some = Layout(3, 9), rows(4, 9)
    sums = RNG(5).normal(0, 3, (20 + layout.blocks, score.size))
    weights, features = block_weights(score, sums, layout), some.features(score)
    counts = np.where(np.arange(9) >= 7, 2, 0)  # the second block
    found = pair_factors(score, weights, features, rows(6, 4), layout, counts)
    all_met = Rows(np.zeros((18, 5)), np.zeros((18, 5), dtype=bool))
    all_met.points[14:] = rows(6, 4).points
    expected = pair_factors(score, weights, features, all_met, layout, np.full(9, 2))
    assert np.all(found[0] == 1.0)
    assert np.allclose(found[1], expected[1], rtol=1e-5)
    nobody = pair_factors(score, weights, features, rows(6, 0), layout, np.zeros(9, dtype=int))
    assert np.all(nobody == 1.0)


def test_blocks_may_have_different_numbers_of_partners(score):
    layout, some = Layout(7, 17), rows(7, 17)  # blocks of 3, 10 and 4 rows
    sums = RNG(8).normal(0, 3, (20 + layout.blocks, score.size))
    weights, features = block_weights(score, sums, layout), some.features(score)
    counts, partners = np.repeat([1, 4, 1], [3, 10, 4]), rows(9, 47)
    found = pair_factors(score, weights, features, partners, layout, counts)
    cuts, places = np.cumsum([0, 3, 10, 4]), np.cumsum([0, 3, 40, 4])
    for block, pairs in enumerate([1, 4, 1]):
        mine, theirs = slice(*cuts[block : block + 2]), slice(*places[block : block + 2])
        alone = pair_factors(
            score,
            weights.take(np.array([block])),
            some.take(mine).features(score),
            partners.take(theirs),
            Layout(7 if block == 0 else 0, cuts[block + 1] - cuts[block]),
            np.full(cuts[block + 1] - cuts[block], pairs),
        )
        assert np.allclose(found[block], alone[0], rtol=1e-4)
