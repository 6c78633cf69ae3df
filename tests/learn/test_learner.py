"""The contract of what learns a divergence: honest estimates, seeds, states."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from optional import need

torch = need("torch")
from torch import nn  # noqa: E402

from samelaw.learn import (  # noqa: E402
    VariationalJSD,
    critics,
    cross_fit,
)
from samelaw.problems.closed_forms import CauchyPair  # noqa: E402

CAUCHY = CauchyPair.with_jsd(0.5 * math.log(2))


def stream(problem, count, size=128, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield problem.draw(size, rng=rng)


def test_seed_is_recorded_and_repeats_everything():
    x, y = CAUCHY.draw(200, rng=0)
    before = torch.random.get_rng_state()
    fit = VariationalJSD().fit(x, y, steps=20)
    assert torch.equal(before, torch.random.get_rng_state())  # the user's own stream is untouched
    again = VariationalJSD().fit(x, y, steps=20, rng=fit.seed)
    other = VariationalJSD().fit(x, y, steps=20, rng=fit.seed + 1)
    assert again.value == fit.value != other.value
    assert again.history.objective == fit.history.objective


@pytest.mark.parametrize(
    "learner", [VariationalJSD(), critics.JSBound()], ids=lambda v: type(v).__name__
)
def test_equal_laws_give_nearly_nothing_on_rows_not_seen(learner):
    x, y = np.random.default_rng(0).normal(size=(2, 600, 5))
    fit = learner.fit(x, y, rng=0)
    assert abs(fit.value) < 0.03


class Constant(nn.Module):
    """Scores that say nothing about the row."""

    def __init__(self):
        super().__init__()
        self.level = nn.Parameter(torch.zeros(2))

    def forward(self, z):
        return self.level.expand(len(z), 2)


@pytest.mark.parametrize("runs", [40, pytest.param(400, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("make", [VariationalJSD, critics.JSBound], ids=["RJSD", "JS"])
def test_intervals_cover_what_the_learnt_map_can_see(make, runs):
    """The error is that of the estimate for the map as it is: checked with a huge sample."""
    problem = CAUCHY
    learner = make()
    learner.fit(stream(problem, 100, 256), rng=0)
    target = learner.estimate(*problem.draw(20_000, rng=99)).value
    found = [learner.estimate(*problem.draw(400, rng=1000 + s)) for s in range(runs)]
    inside = sum(low < target < high for low, high in (f.interval_of_bound() for f in found))
    assert binom.ppf(0.001, runs, 0.93) <= inside <= binom.ppf(0.999, runs, 0.96)


def test_of_several_learners_the_one_that_sees_more_elsewhere_reads():
    """A critic that sees nothing, its network constant, is not chosen."""
    blind = critics.JSBound(network=Constant())
    x, y = CAUCHY.draw(400, rng=3)
    made = (blind, [blind, VariationalJSD()])
    alone, both = (cross_fit(one, x, y, steps=20, rng=0) for one in made)
    assert abs(alone.value) < 0.01
    assert both.value > 0.1
    with pytest.raises(ValueError, match="or several"):
        cross_fit([], x, y)


def test_cross_fit_reads_every_row_once():
    x, y = CAUCHY.draw(600, 500, rng=3)
    learner = VariationalJSD()
    found = cross_fit(learner, x, y, steps=60, rng=0)
    assert found.rows == (600, 500)
    assert not learner.prepared
    assert abs(found.value - CAUCHY.jsd) < 4 * found.standard_error
    half = VariationalJSD().fit(x, y, steps=60, rng=0).standard_error
    assert found.standard_error < 0.85 * half


def test_state_goes_into_another_learner():
    x, y = CAUCHY.draw(200, rng=0)
    first, second = VariationalJSD(), VariationalJSD()
    first.fit(x, y, steps=20, rng=0)
    second.prepare(x[:50], y[:50], rng=5)
    second.load_state_dict(first.state_dict())
    assert second.estimate(x, y) == first.estimate(x, y)


def test_nothing_learnt_yet():
    with pytest.raises(RuntimeError, match="call fit"):
        VariationalJSD().estimate([0.0, 1.0], [0.0, 1.0])
    with pytest.raises(RuntimeError, match="call fit"):
        VariationalJSD()(torch.zeros(2, 1), torch.zeros(2, 1))
