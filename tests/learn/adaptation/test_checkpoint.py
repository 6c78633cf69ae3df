"""Checkpoints: whole or absent, of one training only."""

from dataclasses import replace

import pytest

from optional import need

need("torch")
from samelaw.learn.adaptation import AdaptationNetwork, adapt  # noqa: E402
from samelaw.learn.adaptation.loss import JointAdaptationLoss  # noqa: E402
from turned_classes import PLAN, network, run, same_weights, turned_classes  # noqa: E402


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


def test_checkpoint_of_other_rows_or_another_network_is_refused(tmp_path):
    file = tmp_path / "run.safetensors"
    run(None, checkpoint=file)
    with pytest.raises(ValueError, match=r"settings: trade_off is 1\.0 there, 2\.0 here\. Take"):
        run(None, plan=replace(PLAN, trade_off=2.0), checkpoint=file)
    with pytest.raises(ValueError, match="another network"):
        run(None, AdaptationNetwork(None, 2, 4, bottleneck=8), checkpoint=file)
    source, target = turned_classes(seed=1)
    with pytest.raises(ValueError, match="other rows or labels"):
        adapt(network(), None, source, target, plan=PLAN, rng=3, checkpoint=file)
