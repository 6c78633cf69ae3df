"""Findings from tests and effects: order, pairs worth a sentence, missing values, notes."""

import numpy as np
import pytest

from mixed_tables import pooled, table
from samelaw import compare
from samelaw.comparison import assemble
from samelaw.comparison.assemble import Assembly
from samelaw.comparison.joint_test import JointTest
from samelaw.comparison.plan import Plan, Stages, Streams


@pytest.fixture(scope="module")
def parts():
    rng = np.random.default_rng(0)
    b = table(rng, 150) | {"x": rng.normal(2, 1, 150)}
    b["holes"][:60] = np.nan
    plan = Plan(pooled(table(rng, 180), b), 0.05, 39, Streams.spawned(np.random.default_rng(1)))
    return Assembly(plan, JointTest.of(plan, Stages(None)))


def test_the_clearest_change_comes_first(parts):
    found = parts.marginals()
    assert {m.name for m in found[:2]} == {"x", "holes (missing)"}
    assert len(found) == len(parts.views)
    assert [m.pvalue for m in found] == sorted(m.pvalue for m in found)


def test_missing_values_have_the_pvalue_of_their_view(parts):
    marginals = parts.marginals()
    (missing,) = parts.missing(marginals)
    (view,) = [m for m in marginals if m.missing]
    assert (missing.column, missing.pvalue, missing.changed) == ("holes", view.pvalue, view.changed)
    assert missing.share_b > missing.share_a


def test_only_pairs_worth_a_sentence_are_kept(parts, monkeypatch):
    every = parts.pairs()
    monkeypatch.setattr(assemble, "PAIRS_KEPT", 3)
    kept = parts.pairs()
    assert len(kept) == max(3, sum(p.pvalue <= 0.05 for p in every)) < len(every)
    assert max(p.pvalue for p in kept) <= sorted(p.pvalue for p in every)[len(kept)]
    assert all(p.sentence for p in kept[:3])


def test_findings_come_by_effect_and_what_changed_first(parts):
    for found in (parts.marginals(), parts.pairs()):
        order = [(not f.changed, -f.effect) for f in found]
        assert order == sorted(order)
        assert len({effect for _, effect in order}) > 1


def test_pairs_that_are_too_many_are_told(parts, monkeypatch):
    assert parts._too_many() == []
    monkeypatch.setattr(parts.tests.columns, "most_pairs", 5)
    assert "27 pairs of columns are too many" in parts._too_many()[0]


def test_panels_are_of_values_only(parts):
    whole = [v.name for v in parts.views if not (v.missing or v.part)]
    assert [p.column for p in parts.panels()] == whole
    assert "10 columns alone" in parts.method()  # one has holes, one has hours and weekdays
    assert parts.method().endswith("39 permutations")


def test_a_shuffled_column_matters_in_a_job():
    """Its effect was that of all columns together: `min_effect=0.02` let it pass."""
    rng = np.random.default_rng(0)
    sides = []
    for _ in range(2):
        side = {f"x{i}": rng.normal(size=300) for i in range(3)}
        side["y"] = side["x0"] + 0.5 * rng.normal(size=300)
        sides.append(side)
    sides[1]["y"] = rng.permutation(sides[1]["y"])
    found = compare(*sides, min_effect=0.02, rng=0, permutations=99)
    assert found.verdict == "different"
    assert found.effect_of == "x0 × y"
    assert found.effect == found.pairs[0].effect > 0.1
    assert found.effect_interval[0] > 0.05
    assert compare(*sides, same_within=0.05, rng=0, permutations=99).same is False


def test_a_column_of_rare_values_leaves_the_limits_of_the_others_alone():
    rng = np.random.default_rng(7)
    sides = [{name: rng.normal(size=300) for name in "xy"} for _ in range(2)]
    plain = compare(*sides, rng=0, permutations=99)
    for side in sides:
        side["city"] = np.array([f"c{i}" for i in np.minimum(rng.zipf(1.3, 300), 2_000)])
    rare = compare(*sides, rng=0, permutations=99)
    assert rare.effect_of == "all columns"
    assert rare.effect_interval[1] < 2 * plain.effect_interval[1]
    assert rare.detectable_effect < 2 * plain.detectable_effect
    assert (rare.effect_limit_of, rare.detectable_worst_of) == ("city", "city")
    assert rare.effect_limit > 2 * rare.effect_interval[1]
    assert rare.detectable_worst > rare.detectable_effect
