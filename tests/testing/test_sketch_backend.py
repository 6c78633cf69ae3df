"""Blocks of rows: how they are dealt, what is seen of them, and that sketches see what rows do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw import Fuse, Gaussian, PowerSeries, two_sample_test
from samelaw.kernels import Cosine
from samelaw.testing.problem import as_problem
from samelaw.testing.row_scores import Leverage
from samelaw.testing.scales import View
from samelaw.testing.sketch_backend import FEWEST_BLOCKS, SketchBackend, blocks_of
from samelaw.testing.standardize import NormalScores

RNG = np.random.default_rng
OPTIONS = {
    "level": 0.05,
    "permutations": 99,
    "rng": 0,
    "groups": None,
    "memory": None,
    "progress": None,
}
N, M = 1_011, 631


def backend(shift=0.0, far=1e5):
    """Rows far from 0, of which single precision alone would keep two digits."""
    x, y = np.split(RNG(1).normal(size=(N + M, 2)) + np.array([far, -far]), [N])
    problem = as_problem(x, y + shift, **OPTIONS)
    return SketchBackend.of(problem, NormalScores()), np.concatenate([x, y + shift])


def test_blocks_are_of_one_size_and_of_one_sample_each():
    found, _ = backend()
    sizes = np.bincount(found.units.unit[found.units.unit >= 0])
    assert set(sizes) == {found.block} == {2}
    first = np.arange(N + M) < N
    for unit, belongs in enumerate(found.units.labels.observed):
        assert set(first[found.units.unit == unit]) == {belongs}
    assert min(found.units.labels.sizes) >= FEWEST_BLOCKS
    assert found.left_out == N + M - 2 * len(sizes) == 2


def test_rows_are_centred_before_they_lose_their_digits():
    found, rows = backend()
    assert found.rows.dtype == np.float32
    np.testing.assert_allclose(found.rows.mean(axis=0), 0.0, atol=0.05)
    back = found.rows[found.block * 3] + found.centre
    assert np.abs(rows - back).sum(axis=1).min() < 1e-5


@pytest.mark.parametrize("view", [View.NORMAL, View.RANKS, View.TIES])
def test_equal_values_stay_equal_in_single_precision(view):
    """Tenths have no last digit: rounded in one place only, a tie would lie at either end."""
    x, y = np.split(RNG(2).integers(0, 3, (N + M, 2)) / 10, [N])
    found = SketchBackend.of(as_problem(x, y, **OPTIONS), NormalScores())
    expected = view(np.concatenate([x, y]))(np.concatenate([x, y]))
    have, wanted = np.unique(found._seen_rows(view)), np.unique(expected.round(12))
    np.testing.assert_allclose(have, wanted, atol=0.1)


def test_rows_beyond_single_precision_are_refused():
    x = RNG(0).normal(size=(80, 1))
    x[3] = 1e30
    problem = as_problem(x, x, **OPTIONS)
    with pytest.raises(ValueError, match="rescale the rows, or look for broken values"):
        SketchBackend.of(problem, NormalScores())


def test_rows_whose_squares_vanish_in_single_precision_are_refused():
    x = RNG(0).normal(size=(80, 2)) * 1e-20
    with pytest.raises(ValueError, match="squares of such numbers vanish: rescale the rows"):
        SketchBackend.of(as_problem(x, x, **OPTIONS), NormalScores())
    constant = np.full((80, 2), 0.1)  # their mean is rounded, which is no scale
    SketchBackend.of(as_problem(constant, constant, **OPTIONS), NormalScores())


def kinds(found):
    yield from found.components([Gaussian(1.0)], [PowerSeries(1), PowerSeries(10)])
    yield from found.components([Gaussian(1.0)], [PowerSeries(1)])  # by means alone
    yield from found.components([Cosine()], [PowerSeries(1)])
    yield from found.contrasts([Leverage()])
    yield from found.moment_forms("products", View.ROWS, 2)


def test_every_kind_of_component_is_standardised_by_its_exact_moments():
    found, _ = backend(far=3.0)
    drawn = found.units.labels.draw(RNG(1), 4_000).astype(np.float32)
    count = 0
    for component in kinds(found):
        values, moments = component.evaluate(drawn), component.moments()
        error = moments.deviation / np.sqrt(len(values))
        assert abs(values.mean() - moments.mean) < 4 * error, component.name
        assert values.std() == pytest.approx(moments.deviation, rel=0.1), component.name
        count += 1
    assert count == 6


def test_a_shift_stands_out_in_every_component_of_the_rows():
    found, _ = backend(shift=1.0)
    observed = found.units.labels.observed[None].astype(np.float32)
    for component in found.components([Gaussian(1.0)], [PowerSeries(1), PowerSeries(10)]):
        moments = component.moments()
        assert component.evaluate(observed)[0] > moments.mean + 6 * moments.deviation


def test_one_row_far_out_hides_no_change_of_the_others():
    x, y = np.split(RNG(1).normal(size=(N + M, 2)), [N])
    x[0] = 1e13
    assert two_sample_test(x, y + 0.5, strategy=Fuse(sketches=True), permutations=99, rng=0).reject


def test_second_moments_of_rows_are_about_their_mean():
    """Rows are held about a median, from which the mean of a skewed column is far."""
    pool = np.exp(2.0 * RNG(1).normal(size=(N + M, 1)))
    found = SketchBackend.of(as_problem(pool[:N], pool[N:], **OPTIONS), NormalScores())
    (component,) = found.moment_forms("products", View.ROWS, 2)
    drawn = found.units.labels.draw(RNG(1), 50)
    squares = ((found.rows - found.rows.mean()) ** 2).reshape(-1, found.block).mean(axis=1)
    changes = [squares[first].mean() - squares[~first].mean() for first in drawn]
    values = component.evaluate(drawn.astype(np.float32))
    assert np.corrcoef(values, np.square(changes))[0, 1] > 0.999


def test_the_route_is_told_in_words():
    found, _ = backend()
    n, m = found.units.labels.sizes
    assert found.describe().startswith(f"sketches of {n} v {m} blocks of 2 rows, ")
    assert found.describe().endswith(f"; {found.left_out} rows left out at random")


@given(n=st.integers(64, 20_000), m=st.integers(64, 20_000), most=st.integers(64, 2_000))
def test_a_small_budget_leaves_out_hardly_more_rows_than_a_block_of_each_sample(n, m, most):
    block, (first, second) = blocks_of((n, m), 800, most)
    assert first + second <= most
    assert min(first, second) >= FEWEST_BLOCKS
    if block < min(n, m) // FEWEST_BLOCKS:
        assert n + m - block * (first + second) <= 2 * (block - 1)
