"""Inputs, target, or the relation between them: what changed is what is said."""

import numpy as np
import pytest

from levels import check
from samelaw import compare
from samelaw.comparison.target import _relation_words

LEVEL = 0.1


def tables(kind, run, rows=200):
    """Two tables in which inputs, the mix of the label, or the relation changed, and no more."""
    rng = np.random.default_rng([run, 3])
    sides = []
    for second in (False, True):
        if kind == "mix":
            yes = rng.random(rows) < (0.6 if second else 0.3)
            x = rng.normal(size=(rows, 2)) + yes[:, None]
        else:
            x = rng.normal(size=(rows, 2))
            x[:, 0] += 0.8 * (second and kind == "inputs")
            turn = -1.0 if second and kind == "relation" else 1.0
            yes = rng.random(rows) < 1 / (1 + np.exp(-x[:, 0] - 1.5 * turn * x[:, 1]))
        label = np.where(yes, "yes", "no")
        sides.append({"u": x[:, 0], "v": x[:, 1], "label": label})
    return sides


def told(kind, run=0):
    a, b = tables(kind, run)
    return compare(a, b, target="label", level=LEVEL, permutations=39, rng=run)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("inputs", "; the relation between them is not shown to have changed (approximate)"),
        ("mix", "label itself did; given label, no change of the inputs is shown"),
        ("relation", "the relation between them changed (approximate)"),
    ],
)
def test_what_changed_is_what_is_said(kind, words):
    found = told(kind)
    assert words in found.target.sentence
    assert found.sentence.endswith(found.target.sentence)
    assert found.target.mix_only is (kind == "mix")
    assert found.to_dict()["target"]["column"] == "label"


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["inputs", "mix"])
def test_what_did_not_change_is_named_about_at_the_level(kind):
    runs = 200
    finding = [told(kind, run).target for run in range(runs)]
    pvalues = [
        f.relation_pvalue if kind == "inputs" else f.inputs_given_target_pvalue for f in finding
    ]
    check(sum(p <= LEVEL for p in pvalues), runs, 1.5 * LEVEL, exact=False)


def test_few_rows_say_nothing_of_a_relation_and_numbers_are_targets_too():
    rng = np.random.default_rng(0)
    few = [{"x": rng.normal(size=40), "y": rng.normal(size=40)} for _ in range(2)]
    found = compare(*few, target="y", rng=0, permutations=39).target
    assert found.relation_pvalue is None
    assert "too few rows" in found.sentence
    many = [{"x": rng.normal(size=90), "y": rng.normal(size=90)} for _ in range(2)]
    assert compare(*many, target="y", rng=0, permutations=39).target.relation_pvalue > 0.05


def leaking(rows, run=0):
    """In B a score knows who will be late; it stands behind columns of many categories."""
    rng = np.random.default_rng([run, 5])
    sides = []
    for second in (False, True):
        late = rng.random(rows) < 0.25
        table = {
            "carrier": rng.choice(list("ABCDEFGHIJKLMNOP"), rows),
            "origin": rng.choice(["EWR", "JFK", "LGA"], rows),
            "hour": rng.integers(5, 24, rows),
            "score": rng.normal(size=rows) + 0.9 * (second & late),
        }
        sides.append({**table, "late": np.where(late, "yes", "no")})
    return sides


def test_a_leak_is_found_behind_many_other_inputs():
    """Products were weighed with the first eleven coordinates only: the score had none."""
    a, b = leaking(400)
    found = compare(a, b, target="late", permutations=39, rng=0).target
    assert found.relation_pvalue < 0.01
    assert found.relation_changed
    assert "the relation between them changed (approximate)" in found.sentence


def test_a_pair_with_the_target_that_changed_is_never_denied():
    """Too few rows for predictions, enough for the pair: u and label turned, u did not move."""
    rng = np.random.default_rng(1)
    sides = []
    for turn in (1, -1):
        u = rng.normal(size=45)
        label = np.where(turn * u + 0.3 * rng.normal(size=45) > 0, "yes", "no")
        sides.append({"u": u, "v": rng.normal(size=45), "label": label})
    found = compare(*sides, target="label", rng=0, permutations=99).target
    assert (found.relation_pvalue, found.pairs_changed) == (None, ("u",))
    assert found.relation_changed
    assert "the relation between them changed (approximate)" in found.sentence


def test_where_inputs_moved_a_pair_alone_is_no_proof_and_not_denied_either():
    words = _relation_words("late", True, 0.4, False, False, ("score", "hour"))
    assert words == (
        "it no longer goes together with score and hour as before, which changed inputs may "
        "explain (approximate)"
    )


def test_a_target_must_be_compared_and_have_inputs():
    x = {"x": [1.5, 2.5] * 20, "same": ["k"] * 40}
    with pytest.raises(ValueError, match=r"cannot be compared \(every value is the same"):
        compare(x, x, target="same", permutations=39)
    with pytest.raises(ValueError, match="a target needs inputs"):
        compare(x, x, target="x", permutations=39)
