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
from samelaw.learn.training import Estimate, Fit, History, recent  # noqa: E402
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


def test_the_last_readings_count_by_their_rows():
    sizes, values = (50, 50, 10), (0.1, 0.2, 0.8)
    readings = [Estimate(v, 0.1, (n, n)) for n, v in zip(sizes, values, strict=True)]
    found = recent(readings)
    assert found.rows == (60, 60)
    assert found.value == pytest.approx((50 * 0.2 + 10 * 0.8) / 60)
    assert found.standard_error == pytest.approx(0.1 * math.hypot(50, 10) / 60)
    equal = [Estimate(float(i), 0.1, (7, 7)) for i in range(20)]
    assert recent(equal).value == 18.5  # the last tenth
    assert recent(equal, share=1.0).rows == (140, 140)


def test_a_fit_without_an_estimate_says_why():
    history = History((0.5,), (), (), 1, stopped_early=False, seconds=0.1)
    assert "no estimate: the stream was passed several times" in str(Fit(None, history, 0, "NWJ"))
