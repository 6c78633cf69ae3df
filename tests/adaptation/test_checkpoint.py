"""Checkpoints: whole or absent, of one training only."""

import pytest

from optional import need

need("torch")
from samelaw.adaptation.loss import JointAdaptationLoss  # noqa: E402
from turned_classes import network, run, same_weights  # noqa: E402


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
