"""Effect sizes: closed forms, bounds, bias and limits."""

import numpy as np
import pytest

from samelaw.data.pairing import pair_tables
from samelaw.data.tables import read_table
from samelaw.decide.effect import effect_size
from samelaw.decide.operators import class_operators, joint_operators
from samelaw.decide.units import Units


def column_of(a, b):
    return pair_tables(read_table({"v": a}), read_table({"v": b})).columns[0]


def effect_of(a, b, seed=0, relabellings=60):
    column, sizes = column_of(a, b), (len(a), len(b))
    units = Units.of_rows(sizes)
    rng = np.random.default_rng(seed)
    members = np.concatenate([units.labels.observed[None], units.labels.draw(rng, relabellings)])
    return effect_size(class_operators(column, False, units), units, members, rng)


def jsd(p, q):
    p, q = np.asarray(p), np.asarray(q)
    m = (p + q) / 2
    return 0.5 * np.sum(p * np.log2(p / m)) + 0.5 * np.sum(q * np.log2(q / m))


def test_categories_give_the_jensen_shannon_divergence():
    shares = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    sides = [np.repeat(["a", "b", "c"], [int(5_000 * s) for s in part]) for part in shares]
    assert effect_of(*sides).value == pytest.approx(jsd(*shares), abs=1e-3)


def test_nothing_in_common_is_one_and_the_same_is_nearly_zero():
    rng = np.random.default_rng(0)
    apart = effect_of(rng.normal(size=200), rng.normal(size=200) + 50)
    assert apart.value == pytest.approx(1.0, abs=0.02)
    alike = effect_of(rng.normal(size=400), rng.normal(size=400))
    assert alike.value < 0.02
    assert alike.interval(1.96)[0] == 0.0


def test_no_bias_where_there_is_no_change():
    rng = np.random.default_rng(1)
    values = [effect_of(rng.normal(size=80), rng.normal(size=60), r) for r in range(60)]
    raw = np.array([v.value for v in values])  # clipped at 0, so positive on average
    assert raw.mean() < 0.6 * np.mean([v.spread for v in values])


@pytest.mark.parametrize("shift", [0.5, 1.5])
def test_limits_hold_the_value_of_large_samples(shift):
    rng = np.random.default_rng(2)
    truth = effect_of(rng.normal(size=40_000), rng.normal(size=40_000) + shift, 0, 5).value
    hits = 0
    for r in range(60):
        found = effect_of(rng.normal(size=150), rng.normal(size=150) + shift, r)
        low, high = found.interval(1.96)
        hits += low <= truth <= high
    assert hits >= 50  # 0.1 % quantile of 95 % coverage


@pytest.mark.parametrize("moved", [0.0, 0.06, 0.2])
def test_limits_of_a_rare_answer_hold_on_both_sides(moved):
    """One degree of freedom: the law is far from normal, the limits must not be."""
    rng = np.random.default_rng(7)
    shares = (0.1, 0.1 + moved)
    truth = jsd(*([s, 1 - s] for s in shares))
    limits = []
    for r in range(200):
        sides = [
            np.where(rng.random(n) < s, "y", "n") for n, s in zip((250, 200), shares, strict=True)
        ]
        limits.append(effect_of(*sides, r, 99).interval(1.96))
    low, high = np.array(limits).T
    assert np.sum(low > truth) <= 15  # 99.9 % quantile of 2.5 % of 200 runs: 13, and 99 drawn
    assert np.sum(high < truth) <= 15
    if moved == 0.2:
        assert np.mean(low > 0) > 0.9


def test_effect_is_at_most_the_share_of_rows_that_changed():
    rng = np.random.default_rng(3)
    for share in (0.1, 0.3):
        a, b = rng.normal(size=20_000), rng.normal(size=20_000)
        b[rng.random(20_000) < share] += 8
        found = effect_of(a, b, 0, 10)
        assert 0.3 * share < found.value <= share + 3 * found.error


def test_all_columns_together_see_a_joint_change():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(300, 2))
    y = rng.normal(size=(300, 2))
    y[:, 1] = y[:, 0]
    units = Units.of_rows((300, 300))
    members = np.concatenate([units.labels.observed[None], units.labels.draw(rng, 40)])
    operators = joint_operators(np.concatenate([x, y]), units, rng)
    np.testing.assert_allclose(np.trace(operators, axis1=1, axis2=2), 1.0, atol=1e-9)
    found = effect_size(operators, units, members, rng)
    assert 0.02 < found.value < 1
    assert found.interval(3.0)[0] > 0


def test_rows_of_groups_count_together_in_the_error():
    """Ten copies of each row add no knowledge: the error is that of the distinct rows."""
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=60), rng.normal(size=60) + 1
    alone = effect_of(a, b)
    copies = np.repeat(np.arange(120), 10)
    column = column_of(np.repeat(a, 10), np.repeat(b, 10))
    units = Units.of_groups(copies, (600, 600))
    members = np.concatenate([units.labels.observed[None], units.labels.draw(rng, 60)])
    together = effect_size(class_operators(column, False, units), units, members, rng)
    assert together.error == pytest.approx(alone.error, rel=0.25)


def test_four_rows_apart_do_not_prove_that_all_rows_are():
    found = effect_of(np.arange(4.0), np.arange(4.0) + 50)
    assert found.value == pytest.approx(1.0, abs=0.01)
    assert found.interval(1.96)[0] < 0.6
