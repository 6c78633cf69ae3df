"""The trainer: it adapts, it resumes to the same weights, it says what it chose and how."""

import json
import subprocess
import sys
import time
from functools import cache

import numpy as np
import pytest

from optional import need

torch = need("torch")

from samelaw import NumericalError  # noqa: E402
from samelaw.learn.adaptation import checkpoint as store  # noqa: E402
from samelaw.learn.adaptation.datasets import FeatureDomain  # noqa: E402
from samelaw.learn.adaptation.loss import JointAdaptationLoss  # noqa: E402
from samelaw.learn.adaptation.schedule import AdaptationPlan  # noqa: E402
from samelaw.learn.adaptation.trainer import adapt  # noqa: E402
from samelaw.learn.layer_kernels import AdaptiveGaussian  # noqa: E402
from turned_classes import network, run, same_weights, turned_classes  # noqa: E402


@cache
def alone():
    return run(None, plan=ADAPTING)[0]


ADAPTING = AdaptationPlan(steps=80, batch=32, rate=0.05, evaluate=80, trade_off=10.0)


@pytest.mark.parametrize("make", [JointAdaptationLoss, JointAdaptationLoss.mmd])
def test_adaptation_beats_training_on_the_source(make):
    adapted, _ = run(make(), plan=ADAPTING)
    assert adapted.accuracy > alone().accuracy + 0.1
    assert adapted.history[-1]["layers"]["joint"] < alone().history[-1]["layers"]["joint"]


def test_same_seed_gives_the_same_weights_and_leaves_the_global_state_alone():
    torch.manual_seed(7)
    before = torch.get_rng_state()
    models = [network(), network()]
    torch.set_rng_state(before)
    for model in models:
        run(JointAdaptationLoss(), model)
    assert same_weights(*models)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("balance", [pytest.param(False, marks=pytest.mark.heavy), True])
def test_resume_after_an_interruption_gives_the_same_weights(tmp_path, balance):
    plan = AdaptationPlan(steps=30, batch=24, evaluate=10, held_out=0.2, balance=balance)
    loss = lambda: JointAdaptationLoss([AdaptiveGaussian(learnable=True)] * 2)  # noqa: E731
    whole, expected = run(loss(), plan=plan)

    def stop(done, total):
        if done == 27:
            raise KeyboardInterrupt

    file = tmp_path / "run.safetensors"
    with pytest.raises(KeyboardInterrupt):
        run(loss(), plan=plan, checkpoint=file, progress=stop)
    assert store.read(file)[1]["step"] == 20
    again, model = run(loss(), network(seed=1), plan=plan, checkpoint=file)
    assert same_weights(model, expected)
    assert again.history == whole.history


SCRIPT = """
import sys; sys.path.insert(0, {here!r})
from test_trainer import *
run(JointAdaptationLoss(), plan=LONG, checkpoint={file!r}, progress=lambda *_: time.sleep(0.05))
"""
LONG = AdaptationPlan(steps=80, batch=24, evaluate=20)


@pytest.mark.heavy
def test_resume_after_a_kill_gives_the_same_weights(tmp_path):
    from pathlib import Path

    file, here = tmp_path / "run.safetensors", Path(__file__).parent
    script = SCRIPT.format(here=str(here), file=str(file))
    environment = {**__import__("os").environ, "PYTHONPATH": f"{here.parent}:{here.parents[1]}/src"}
    process = subprocess.Popen([sys.executable, "-c", script], env=environment)
    deadline = time.monotonic() + 60
    while not file.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.wait()
    assert 0 < store.read(file)[1]["step"] < LONG.steps
    _, resumed = run(JointAdaptationLoss(), network(seed=5), plan=LONG, checkpoint=file)
    _, expected = run(JointAdaptationLoss(), plan=LONG)
    assert same_weights(resumed, expected)


def test_unlabelled_target_and_unequal_batches():
    source, target = turned_classes()
    plan = AdaptationPlan(steps=10, batch=16, target_batch=40, evaluate=10)
    hidden = FeatureDomain(target.inputs)
    result = adapt(network(), JointAdaptationLoss(), source, hidden, plan=plan, rng=0)
    assert np.isnan(result.history[0]["target_accuracy"])


def test_result_is_json():
    result, _ = run(JointAdaptationLoss())
    read = json.loads(result.to_json())
    assert read["seed"] == 3
    assert len(read["history"]) == 3
    assert read["settings"]["plan"]["steps"] == 21


def test_loss_that_is_not_finite_is_an_error():
    def broken(first, second):
        return first[0].sum() * float("nan")

    module = torch.nn.Module()
    module.forward = broken
    with pytest.raises(NumericalError, match="no longer finite"):
        run(module)


def test_the_loss_may_be_a_function(tmp_path):
    def means_apart(source, target):
        return (source[0].mean(0) - target[0].mean(0)).square().sum()

    file = tmp_path / "run.safetensors"
    first, _ = run(means_apart, checkpoint=file)
    assert first.history == run(means_apart, checkpoint=file)[0].history


def test_some_rows_must_be_left_to_train_on():
    source, target = turned_classes(8)
    with pytest.raises(ValueError, match=r"held_out=0.99 leaves none of the 8 rows"):
        adapt(network(), None, source, target, plan=AdaptationPlan(held_out=0.99), rng=0)
