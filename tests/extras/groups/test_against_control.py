"""Many groups against one control: level, discoveries, rules, and the same answer every time."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control

import levels
from many_groups import FEW, table
from samelaw import Aggregate, Exact, Fuse, group_tests
from samelaw.extras.groups import GroupSketches, control_tests
from samelaw.extras.groups.against_control import DEFAULT, _Rule
from samelaw.testing import Sequential


def run(samples, **options):
    return control_tests(samples, "control", **{"strategy": FEW, "rng": 0, **options})


def test_changed_groups_are_discovered_and_named():
    found = run(table(shifted=(3, 7)))
    assert [name for name, r in zip(found.names, found.reject, strict=True) if r] == ["g3", "g7"]
    assert found.control == "control"
    assert found.rows.tolist() == found.tested.tolist() == list(range(20, 32))
    assert found.control_rows == (80, 80)
    assert np.allclose(found.adjusted, false_discovery_control(found.pvalues))
    assert set(np.argsort(found.distances)[-2:]) == {3, 7}


@pytest.mark.long
def test_p_values_go_with_those_of_pairs():
    samples = table(groups=40, shifted=range(5), seed=1)
    many = run(samples)
    pairs = group_tests(samples, control="control", strategy=FEW, permutations=799, rng=0)
    each = np.array([one.pvalue for one in pairs.results])
    assert many.pvalues[:5].max() < 0.01 > each[:5].max()
    assert np.corrcoef(np.log(many.pvalues[5:]), np.log(each[5:]))[0, 1] > 0.8


@pytest.mark.long
def test_the_level_is_kept():
    pvalues = np.concatenate([run(table(40, 6, 30, seed=s), rng=s).pvalues for s in range(6)])
    levels.check(int((pvalues <= 0.1).sum()), 240, 0.1)


@pytest.mark.parametrize(
    "draw", ["ties", *(pytest.param(d, marks=pytest.mark.long) for d in ("rare", "constant"))]
)
def test_equal_rows_are_ties(draw):
    rng = np.random.default_rng(0)
    make = {
        "ties": lambda n: rng.integers(0, 2, size=(n, 2)) * 1.0,
        "rare": lambda n: (rng.random((n, 2)) < 0.05) * 1.0,
        "constant": lambda n: np.ones((n, 2)),
    }[draw]
    samples = {**{f"g{i}": make(15) for i in range(100)}, "control": make(60)}
    found = control_tests(samples, "control", rng=0)
    assert int((found.pvalues <= 0.05).sum()) <= levels.most(100, 0.05)
    if draw == "constant":
        assert np.array_equal(found.pvalues, np.ones(100))


def test_the_same_seed_gives_the_same_answer():
    one, other = (run(table(), rng=5) for _ in range(2))
    assert np.array_equal(one.pvalues, other.pvalues)
    assert one.seed == 5
    assert run(table(), rng=np.random.default_rng(5)).seed is None


def test_permutations_go_on_until_what_is_left_is_discovered():
    found = run(table(groups=30, shifted=(3,)))
    left = found.permutations[3]
    assert found.pvalues[3] == 1 / (1 + left)
    assert 20 / (left + 1) <= 0.05 / 30  # even 19 exceedances would have been few enough
    assert 20 / (left / 2 + 1) > 0.05 / 30
    assert np.delete(found.permutations, 3).max() <= left


def test_how_far_a_group_goes_does_not_depend_on_its_own_values():
    """What stops all is the number of groups left; an undecided group is one of them."""
    rule = _Rule.of(None, 0.05, 100, False)
    assert not rule.all_discovered(256, 1)
    assert rule.all_discovered(2**16, 1)
    assert rule.all_discovered(4_096, 10)
    strict = _Rule.of(None, 0.05, 100, True)
    assert not strict.all_discovered(4_096, 10)


def test_a_fixed_number_and_a_rule_of_ones_own_are_kept_to():
    fixed = run(table(), permutations=299)
    assert set(fixed.permutations) == {299}
    assert np.allclose(fixed.pvalues * 300, np.round(fixed.pvalues * 300))
    ruled = run(table(shifted=(3,)), permutations=Sequential(5, 1_000))
    assert ruled.permutations[3] == 1_000
    assert ruled.permutations.min() >= 5


def test_sketches_know_their_control_and_may_have_been_merged():
    samples = table(shifted=(2,))
    labels = np.repeat(list(samples), [len(one) for one in samples.values()])
    rows = np.concatenate(list(samples.values()))
    whole = GroupSketches.of(rows, labels, control="control", rng=0)
    empty = GroupSketches.empty(whole.plan)
    half = len(rows) // 2
    merged = empty.update(rows[:half], labels[:half], part=1)
    merged = merged + empty.update(rows[half:], labels[half:], part=2)
    one, other = (control_tests(sketches, strategy=FEW, rng=0) for sketches in (whole, merged))
    assert one.names == other.names
    assert np.allclose(one.statistics, other.statistics, atol=1e-3)
    assert one.reject[2]
    assert other.reject[2]


def test_a_control_of_few_rows_and_a_group_of_many():
    rng = np.random.default_rng(0)
    samples = {"large": rng.normal(size=(300, 2)) + 3.0, "control": rng.normal(size=(8, 2))}
    assert run(samples).reject.tolist() == [True]


def test_progress_ends_with_all_groups():
    seen = []
    run(table(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (12, 12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: control_tests(s, "nobody"), "no group is called 'nobody'"),
        (lambda s: control_tests(s), "control is None"),
        (lambda s: control_tests([1, 2], "control"), "groups must be GroupSketches or a mapping"),
        (lambda s: control_tests({"control": s["control"]}, "control"), "no group beside"),
        (lambda s: control_tests({**s, "one": np.ones((1, 2))}, "control"), "got one in one"),
        (lambda s: run(s, strategy=Fuse(statistic=Exact())), "group_tests takes any strategy"),
        (lambda s: run(s, strategy=Aggregate()), "control_tests takes a Fuse"),
        (lambda s: run(s, permutations=9), "cannot reach level"),
        (lambda s: run(s, level=2.0), "level"),
    ],
)
def test_wrong_input_is_named(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call(table())


def test_the_default_looks_at_means_shapes_and_spread():
    names = [group.describe() for group in DEFAULT.components]
    assert len(names) == 6


@pytest.mark.heavy
def test_p_values_of_many_null_groups_are_uniform():
    """Other controls in every run, as groups of one control are not independent."""
    found = []
    for seed in range(40):
        samples = table(100, 12, 300, seed=seed, columns=4)
        found.append(control_tests(samples, "control", rng=seed).pvalues)
    pvalues = np.concatenate(found)
    for level in (0.05, 0.01, 0.001):
        levels.check(int((pvalues <= level).sum()), len(pvalues), level)


def test_columns_of_frames_are_matched_by_their_names():
    samples = table(shifted=(2,))
    frames = {name: pd.DataFrame(rows, columns=["u", "v"]) for name, rows in samples.items()}
    turned = {**frames, "control": frames["control"][["v", "u"]]}
    np.testing.assert_array_equal(run(turned).pvalues, run(samples).pvalues)
    with pytest.raises(ValueError, match="group g0 has the columns u, v and group control has w"):
        run({**frames, "control": frames["control"].rename(columns={"u": "w"})})


@pytest.mark.parametrize(
    ("broken", "said"),
    [(np.full((9, 2), np.nan), "group g9 holds 18"), (np.ones((9, 3)), "group g9 has 3 columns")],
)
def test_a_group_that_cannot_be_used_is_named(broken, said):
    with pytest.raises(ValueError, match=said):
        run({**table(), "g9": broken})


def test_one_broken_value_changes_nothing_for_the_other_groups():
    """It rounded the rows that came with it: every group differed from the control, or none."""

    def tests(far):
        samples = table(shifted=(3,))
        samples["g0"][0] = far
        return control_tests(samples, "control", rng=0)

    near = tests(30.0)
    for far in (1e5, 1e14):
        found = tests(far)
        assert found.reject.tolist() == near.reject.tolist() == [i == 3 for i in range(12)]
        np.testing.assert_allclose(found.pvalues[1:], near.pvalues[1:], rtol=0.5)


@pytest.mark.parametrize("far", [1e6, 1e10, 1e14])
def test_one_broken_value_of_the_control_hides_no_group(far):
    """Its powers overflowed if it was not among the rows that features are learnt from: p = 1."""
    rng = np.random.default_rng(3)
    samples = {f"g{i}": rng.normal(size=(40, 2)) + (i == 3) for i in range(8)}
    samples["control"] = rng.normal(size=(6_000, 2))
    samples["control"][5] = far
    found = control_tests(samples, "control", rng=3)
    assert found.reject.tolist() == [i == 3 for i in range(8)]
