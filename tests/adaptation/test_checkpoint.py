"""Checkpoints: whole or absent, of one training only."""

import numpy as np
import pytest

from optional import need

torch = need("torch")
from samelaw.adaptation.datasets import FeatureDomain  # noqa: E402
from samelaw.adaptation.loss import JointAdaptationLoss  # noqa: E402
from samelaw.adaptation.network import AdaptationNetwork  # noqa: E402
from samelaw.adaptation.plan import AdaptationPlan  # noqa: E402
from samelaw.adaptation.trainer import adapt  # noqa: E402


def turned_classes(n=240, angle=0.4, seed=0):
    """Four classes at the corners of a square; the target is the source turned and moved."""
    rng = np.random.default_rng(seed)

    def domain(turn, shift):
        labels = rng.integers(0, 4, n)
        corners = np.array([[2, 2], [2, -2], [-2, -2], [-2, 2]])[labels]
        points = corners + 0.5 * rng.standard_normal((n, 2))
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        moved = points @ rotation.T + shift
        return FeatureDomain(torch.tensor(moved, dtype=torch.float32), torch.tensor(labels))

    return domain(0.0, 0.0), domain(angle, 1.8)


def network(seed=0):
    torch.manual_seed(seed)
    return AdaptationNetwork(None, 2, 4, bottleneck=16, dropout=0.2)


PLAN = AdaptationPlan(steps=60, batch=24, rate=0.05, evaluate=20, held_out=0.2)


def run(loss=None, model=None, plan=PLAN, **options):
    source, target = turned_classes()
    model = model or network()
    return adapt(model, loss, source, target, plan=plan, rng=3, **options), model


def same_weights(first, second):
    pairs = zip(first.state_dict().values(), second.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


def test_a_finished_checkpoint_is_not_trained_again(tmp_path):
    file = tmp_path / "run.safetensors"
    first, model = run(None, checkpoint=file)
    steps = []
    second, again = run(
        None, network(seed=9), checkpoint=file, progress=lambda d, _: steps.append(d)
    )
    assert steps == []
    assert second.history == first.history
    assert same_weights(model, again)


def test_checkpoint_of_other_settings_or_of_another_kind_is_refused(tmp_path):
    file = tmp_path / "run.safetensors"
    run(None, checkpoint=file)
    with pytest.raises(ValueError, match="other settings"):
        run(JointAdaptationLoss(), checkpoint=file)
    file.write_bytes(b"not a checkpoint")
    with pytest.raises(ValueError, match="no samelaw checkpoint"):
        run(None, checkpoint=file)
