"""Sketches of groups: they add up in any order, say how far groups are apart, and are saved."""

from itertools import pairwise

import numpy as np
import pytest

from samelaw import VonNeumann
from samelaw.extras.groups.recipe import GroupPlan
from samelaw.extras.groups.sketches import GroupSketches, as_labels
from samelaw.kernels.operators import density_divergence

RNG = np.random.default_rng(0)
LABELS = np.array(["a", "b", "c"]).repeat([300, 200, 40])
ROWS = RNG.normal(size=(540, 2)) + 1.5 * (LABELS == "b")[:, None]
PLAN = GroupPlan.of(ROWS, keep=50, keep_control=120, control="a", frequencies=8, rng=3)


def whole():
    return GroupSketches.empty(PLAN).update(ROWS, LABELS)


def kept(sketches, name):
    return {tuple(row) for row in sketches.rows[sketches.codes == sketches.place(name)]}


def test_all_rows_are_counted_and_some_are_kept():
    found = whole()
    assert found.names == ("a", "b", "c")
    assert found.counts.tolist() == [300, 200, 40]
    assert found.tested()[1].tolist() == [120, 50, 40]


def test_batches_of_any_length_give_the_same_sketches():
    cuts = [0, 1, 17, 300, 301, 540]
    batches = ((ROWS[a:b], LABELS[a:b]) for a, b in pairwise(cuts))
    found, other = GroupSketches.of_batches(PLAN, batches), whole()
    assert found.names == other.names
    assert np.allclose(found.totals, other.totals, atol=1e-5)
    for name in "abc":
        assert kept(found, name) == kept(other, name)


def test_which_rows_are_kept_depends_on_no_value():
    other = GroupSketches.empty(PLAN).update(ROWS[::-1] * 5.0, LABELS)
    assert np.array_equal(np.sort(other.keys), np.sort(whole().keys))


def test_rows_are_kept_with_equal_chances():
    """Of a sorted table the first ones would be a bad sample."""
    x = np.arange(400.0)[:, None] + np.zeros((1, 2))
    plan = GroupPlan.of(x, keep=100, frequencies=2, rng=0)
    found = GroupSketches.empty(plan).update(x, ["g"] * 400)
    places = found.rows[:, 0] + plan.centre[0]
    assert len(places) == 100
    assert abs(places.mean() - 199.5) < 4 * np.sqrt(400**2 / 12 / 100)


def test_parts_add_up_in_any_order():
    first = GroupSketches.of_batches(PLAN, [(ROWS[:200], LABELS[:200])], part=1)
    second = GroupSketches.of_batches(PLAN, [(ROWS[200:], LABELS[200:])], part=2)
    one, other = first + second, second + first
    assert dict(zip(one.names, one.counts, strict=True)) == {"a": 300, "b": 200, "c": 40}
    for name in "abc":
        assert kept(one, name) == kept(other, name)
        assert np.allclose(one.covariance(name).total, whole().covariance(name).total)


def test_another_plan_does_not_add_up():
    other = GroupSketches.of(ROWS, LABELS, frequencies=8, rng=4)
    with pytest.raises(ValueError, match="other plans"):
        whole() + other


def test_a_divergence_is_that_of_the_features():
    found = whole()
    sides = [np.asarray(PLAN.feature_map(PLAN.moved(ROWS[name == LABELS]))) for name in "ab"]
    densities = [features.T @ features / len(features) for features in sides]
    exact = float(density_divergence(densities, VonNeumann(), (0.5, 0.5)))
    assert found.divergence("a", "b") == pytest.approx(exact, rel=1e-5)
    assert 0.0 < exact < np.log(2.0)


def test_saved_and_read_again_they_are_the_same(tmp_path):
    path = tmp_path / "groups.safetensors"
    whole().save(path)
    found = GroupSketches.load(path)
    assert found.fingerprint == whole().fingerprint
    assert np.array_equal(found.divergences(), whole().divergences())
    assert (found + whole()).counts.tolist() == [600, 400, 80]
    path.write_bytes(path.read_bytes()[:-5] + b"-----")
    with pytest.raises(ValueError, match=r"damaged|cut off"):
        GroupSketches.load(path)


@pytest.mark.parametrize(
    ("rows", "labels", "words"),
    [
        (ROWS[:3], ["a", "b"], "3 rows came with 2 labels"),
        (np.eye(3), ["a", "b", "c"], "x has 3 columns; the sketches are of 2"),
        (ROWS[:2], ["a", None], "1 rows have no label, the first is row 1"),
        (np.full((1, 2), np.nan), ["a"], "NaN|finite"),
        (np.full((1, 2), 1e30), ["a"], "overflow"),
        (ROWS[:2], [["a"], ["b"]], "one name per row"),
    ],
)
def test_wrong_batches_are_refused(rows, labels, words):
    with pytest.raises(ValueError, match=words):
        whole().update(rows, labels)


def test_an_unknown_group_is_named():
    with pytest.raises(ValueError, match="no group is called 'd'; the groups are a, b, c"):
        whole().divergence("a", "d")


def test_labels_of_any_kind_are_words():
    assert as_labels([1, 2]).tolist() == ["1", "2"]
    assert as_labels(np.array(["x", 3], dtype=object)).tolist() == ["x", "3"]
