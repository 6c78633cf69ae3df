"""The training loop: early stopping, the best weights, what it says when it fails."""

import json
import math

import numpy as np
import pytest

from optional import need

torch = need("torch")
import samelaw  # noqa: E402
from samelaw.learn import (  # noqa: E402
    Network,
    VariationalJSD,
    critics,
)
from samelaw.problems.closed_forms import CauchyPair  # noqa: E402

CAUCHY = CauchyPair.with_jsd(0.5 * math.log(2))


def test_best_weights_are_kept():
    x, y = CAUCHY.draw(120, rng=0)
    learner = VariationalJSD(Network((64,), 8, 32))
    fit = learner.fit(x, y, held_out=(x[:2], y[:2]), validation=(x[:60], y[:60]), steps=60, rng=0)
    rows = (torch.tensor(s[:60], dtype=torch.float32) for s in (x, y))
    best = max(score for _, score in fit.history.validation)
    with torch.no_grad():
        assert learner.score(*rows) == pytest.approx(best, abs=1e-6)
    assert dict(fit.history.validation)[fit.history.best_step] == best


def test_early_stopping_waits_for_its_patience():
    x, y = np.random.default_rng(0).normal(size=(2, 60, 30))  # equal laws: nothing to learn
    fit = VariationalJSD().fit(x, y, steps=400, patience=2, rng=0)
    assert fit.history.stopped_early
    assert len(fit.history.objective) == fit.history.best_step + 20


def test_result_goes_to_json():
    fit = critics.NWJ().fit(*CAUCHY.draw(60, rng=0), steps=10, rng=3)
    content = json.loads(fit.to_json())
    assert content["seed"] == 3
    assert content["method"] == "NWJ"
    assert content["estimate"]["value"] == fit.value
    assert len(content["history"]["objective"]) == 10


def test_progress_is_told():
    seen = []
    VariationalJSD().fit(
        *CAUCHY.draw(60, rng=0), steps=5, rng=0, progress=lambda d, t: seen.append((d, t))
    )
    assert seen == [(k, 5) for k in range(1, 6)]


def test_exploding_objective_says_at_which_step():
    fine = CAUCHY.draw(8, rng=0)
    wild = (np.full((8, 1), math.nan), fine[1])
    with pytest.raises(samelaw.NumericalError, match="step 1"):
        critics.NWJ().fit(iter([fine, wild]), rng=0, read_every=100)
