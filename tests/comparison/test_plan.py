"""Streams of their own: a draw more in one stage changes no number of another."""

from copy import deepcopy
from dataclasses import fields, replace

import numpy as np
import pytest

from mixed_tables import pooled, table
from samelaw.comparison.assemble import assemble
from samelaw.comparison.effects.limits import Effects
from samelaw.comparison.joint_test import JointTest
from samelaw.comparison.plan import Plan, Stages, Streams
from samelaw.testing.permuting.group_units import Groups


def plan_of(streams, rows=70, **options):
    rng = np.random.default_rng(0)
    pair = pooled(table(rng, rows), table(rng, rows - 30, rho=0.5))
    return Plan(pair, 0.05, 39, streams, **options)


def numbers(plan):
    """What each stage gave."""
    fresh = replace(plan, streams=deepcopy(plan.streams))
    tests = JointTest.of(plan, Stages(None))
    found = assemble(plan, tests, Stages(None), {}, None)
    return {
        "tests": [found.statistic, found.pvalue, *(m.pvalue for m in found.marginals)],
        "effects": [(m.name, m.effect, m.effect_interval) for m in found.marginals],
        "joint effect": Effects.of(fresh, tests).joint,
        "rows": [(row.row, row.score) for row in found.rows],
        "directions": found.directions,
        "picture": (found.picture.x, found.picture.table),
    }


STAGES = {
    "column_effects": {"effects"},
    "joint_effect": {"joint effect"},
    "witness": {"rows", "picture"},
    "directions": {"directions"},
    "picture": {"picture"},
    "permutations": {"tests", "effects", "joint effect"},
}


@pytest.fixture(scope="module")
def before():
    return numbers(plan_of(Streams.spawned(np.random.default_rng(7))))


@pytest.mark.parametrize(
    "stage",
    [
        pytest.param(s, marks=[pytest.mark.long] * (s not in ("witness", "permutations")))
        for s in STAGES
    ],
)
def test_a_draw_more_in_one_stage_changes_nothing_elsewhere(stage, before):
    """Other draws altogether: after a few more, a long shuffle falls into step with itself."""
    streams = Streams.spawned(np.random.default_rng(7))
    after = numbers(plan_of(replace(streams, **{stage: np.random.default_rng(99)})))
    moved = {part for part in before if before[part] != after[part]}
    assert moved <= STAGES[stage]
    assert moved  # the draws do play a part there


def test_a_stage_added_at_the_end_leaves_the_others_where_they_were():
    one, more = np.random.default_rng(3), np.random.default_rng(3)
    here, there = Streams.spawned(one), more.spawn(len(fields(Streams)) + 1)
    for field, stream in zip(fields(Streams), there, strict=False):
        assert getattr(here, field.name).random() == stream.random()


def test_rows_are_groups_of_their_own_unless_told():
    plan = plan_of(Streams.spawned(np.random.default_rng(0)), rows=40)
    np.testing.assert_array_equal(plan.group_of_row, np.arange(50))
    codes = np.repeat(np.arange(25), 2)
    np.testing.assert_array_equal(replace(plan, groups=Groups(codes)).group_of_row, codes)


def test_progress_of_a_stage_is_progress_of_all():
    seen = []
    stages = Stages(lambda *step: seen.append(step))
    stages.done("read")
    stages.within("joint")(1, 2)
    stages.done("where")
    assert seen == [(8, 100), (34, 100), (100, 100)]
    assert Stages(None).within("joint") is None


def test_rows_of_a_pass_fill_a_stage():
    seen = []
    report = Stages(lambda *step: seen.append(step)).rows("read", 1_000.0)
    for rows in (500, 250, 9_999):  # more than were told
        report(rows)
    assert seen == [(4, 100), (6, 100), (8, 100)]
    Stages(None).rows("read", 10)(5)
