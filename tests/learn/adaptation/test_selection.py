"""Rules that choose a step, and whether they look at labels of the target."""

import pytest

from optional import need

torch = need("torch")
from samelaw.learn.adaptation.datasets import FeatureDomain  # noqa: E402
from samelaw.learn.adaptation.loss import JointAdaptationLoss  # noqa: E402
from samelaw.learn.adaptation.schedule import AdaptationPlan  # noqa: E402
from samelaw.learn.adaptation.selection import (  # noqa: E402
    ImportanceWeighted,
    SourceValidation,
    TargetTest,
    density_ratio,
)
from samelaw.learn.adaptation.trainer import adapt  # noqa: E402
from turned_classes import PLAN, network, run, turned_classes  # noqa: E402


def test_every_rule_is_scored_and_says_whether_it_uses_target_labels():
    result, _ = run(JointAdaptationLoss(), rule=SourceValidation())
    assert set(result.chosen) == {
        "LastStep", "SourceValidation", "ImportanceWeighted", "TargetTest",
    }  # fmt: skip
    assert [n for n, c in result.chosen.items() if not c["label_free"]] == ["TargetTest"]
    best = max(entry["target_accuracy"] for entry in result.history)
    assert result.chosen["TargetTest"]["target_accuracy"] == best
    assert result.chosen["LastStep"]["step"] == PLAN.steps
    assert result.rule == "SourceValidation"


def test_network_holds_the_weights_of_the_step_chosen():
    result, model = run(JointAdaptationLoss(), rule=TargetTest())
    _, target = turned_classes()
    with torch.no_grad():
        hits = model.eval()(target.inputs)[1].argmax(1) == target.labels
    assert hits.double().mean().item() == pytest.approx(result.accuracy)


def test_rules_without_held_out_rows_say_what_to_do():
    plan = AdaptationPlan(steps=5, batch=8, evaluate=5)
    with pytest.raises(ValueError, match="set held_out in the plan"):
        run(None, plan=plan, rule=ImportanceWeighted())


def test_without_labels_of_the_target_no_rule_reads_them():
    source, target = turned_classes()
    unknown = FeatureDomain(target.inputs)
    found = adapt(network(), None, source, unknown, plan=PLAN, rng=0)
    assert set(found.chosen) == {"LastStep", "SourceValidation", "ImportanceWeighted"}
    with pytest.raises(ValueError, match=r"TargetTest\(\) needs labels of the target"):
        adapt(network(), None, source, unknown, plan=PLAN, rule=TargetTest(), rng=0)
    with pytest.raises(TypeError, match="rule must be a Rule such as SourceValidation"):
        adapt(network(), None, source, target, plan=PLAN, rule=TargetTest, rng=0)


def test_density_ratio_recovers_that_of_shifted_normals():
    """q/p of N(1, 1) over N(0, 1) is exp(x − ½)."""
    generator = torch.Generator().manual_seed(0)
    source = torch.randn(4000, 1, generator=generator)
    target = torch.randn(2000, 1, generator=generator) + 1.0
    at = torch.tensor([[-1.0], [0.0], [1.0]])
    ratio = density_ratio(source, target, at, penalty=0.0)
    torch.testing.assert_close(ratio, torch.exp(at[:, 0] - 0.5).double(), rtol=0.12, atol=0.0)
