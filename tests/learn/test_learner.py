"""The contract of what learns a divergence: honest estimates, seeds, states."""

import copy
import math

import numpy as np
import pytest
from scipy.stats import binom

from optional import need

torch = need("torch")
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

from samelaw import VonNeumann  # noqa: E402
from samelaw.core.registry import members  # noqa: E402
from samelaw.learn import (  # noqa: E402
    Bandwidth,
    FourierLayer,
    Network,
    VariationalJSD,
    critics,
    cross_fit,
)
from samelaw.problems.closed_forms import CauchyPair, GaussianPair  # noqa: E402
from samelaw.problems.density_ratios import CrossedMixture  # noqa: E402

CAUCHY = CauchyPair.with_jsd(0.5 * math.log(2))
CROSSED = CrossedMixture(16, 1.5)


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


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize("runs", [40, pytest.param(400, marks=pytest.mark.heavy)])
@pytest.mark.parametrize(
    "make",
    [VariationalJSD, critics.JSBound],
    ids=["RJSD", "JS"],
)
def test_intervals_cover_what_the_learnt_map_can_see(make, runs):
    """The error is that of the estimate for the map as it is: checked with a huge sample."""
    problem = CAUCHY
    learner = make()
    learner.fit(stream(problem, 40, 256), rng=0)
    target = learner.estimate(*problem.draw(20_000, rng=99)).value
    found = [learner.estimate(*problem.draw(400, rng=1000 + s)) for s in range(runs)]
    inside = sum(low < target < high for low, high in (f.interval_of_bound() for f in found))
    assert binom.ppf(0.001, runs, 0.93) <= inside <= binom.ppf(0.999, runs, 0.96)


def test_several_learners_together_are_one_lower_bound():
    """One that sees nothing, its network constant, does no harm."""
    blind = critics.JSBound(network=Constant())
    x, y = CAUCHY.draw(400, rng=3)
    made = (blind, [blind, VariationalJSD()])
    alone, both = (cross_fit(one, x, y, steps=20, rng=0) for one in made)
    assert abs(alone.value) < 0.01
    assert 0.1 < both.value < CAUCHY.jsd() + 3 * both.standard_error
    assert both.rows == (400, 400)
    assert both.is_lower_bound
    with pytest.raises(ValueError, match="or several"):
        cross_fit([], x, y)


@pytest.mark.long
def test_equal_laws_are_nothing_for_several_learners():
    x, y = np.random.default_rng(0).normal(size=(2, 300, 5))
    found = cross_fit([VariationalJSD(), critics.JSBound()], x, y, steps=60, rng=0)
    assert abs(found.value) < 0.02
    assert found.lower_limit() < 0


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [0, 1])
def test_together_they_see_more_than_the_better_one(seed):
    """Crossed mixtures in 16 columns, 1,024 rows: where taking the better of two fell short."""
    x, y = CROSSED.draw(1024, rng=seed)
    alone = [cross_fit(make(), x, y, rng=0) for make in (VariationalJSD, critics.JSBound)]
    learners = [VariationalJSD(), critics.JSBound(), critics.JSBound()]
    stacked = cross_fit(learners, x, y, folds=4, rng=0)
    assert stacked.value > max(one.value for one in alone)
    assert stacked.lower_limit() < CROSSED.jsd()


LEARNERS = {
    **members("critic"),
    **{n: lambda r=r: VariationalJSD(r()) for n, r in members("recipe").items()},
    "von Neumann kernel": lambda: VariationalJSD(Bandwidth(), VonNeumann()),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_log_ratios_of_rows_are_about_the_true_ones(name):
    laws = GaussianPair.mean_shift(2, 2.0)
    x, y = (torch.tensor(z, dtype=torch.float32) for z in laws.draw(200, rng=0))
    learner = LEARNERS[name]()
    learner.fit(x, y, held_out=0.0, validation=0.0, steps=25, batch=100, rng=0)
    rows = laws.draw(100, rng=1)[0]
    with torch.no_grad():
        found = learner.log_ratio(torch.tensor(rows, dtype=torch.float32), x, y)
    assert found.shape == (100,)
    assert np.corrcoef(found, laws.log_ratio(rows))[0, 1] > 0.6


def test_cross_fit_reads_every_row_once():
    x, y = CAUCHY.draw(600, 500, rng=3)
    learner = VariationalJSD()
    found = cross_fit(learner, x, y, steps=40, rng=0)
    assert found.rows == (600, 500)
    assert not learner.prepared
    assert abs(found.value - CAUCHY.jsd()) < 4 * found.standard_error
    half = VariationalJSD().fit(x, y, steps=40, rng=0).standard_error
    assert found.standard_error < 0.85 * half


def test_state_goes_into_another_learner():
    x, y = CAUCHY.draw(200, rng=0)
    first, second = VariationalJSD(), VariationalJSD()
    first.fit(x, y, steps=20, rng=0)
    second.prepare(x[:50], y[:50], rng=5)
    second.load_state_dict(first.state_dict())
    assert second.estimate(x, y) == first.estimate(x, y)


@pytest.mark.parametrize(
    "learner",
    [
        VariationalJSD(),
        VariationalJSD(Bandwidth(matrix=True)),
        *(cls() for _, cls in sorted(members("critic").items())),
    ],
    ids=repr,
)
def test_a_saved_state_goes_into_a_learner_that_saw_nothing(learner):
    x, y = np.random.default_rng(0).normal(size=(2, 60, 3))
    fresh = copy.deepcopy(learner)
    learner.fit(x, y, steps=5, rng=0)
    fresh.load_state_dict(learner.state_dict())
    assert fresh.estimate(x, y).value == learner.estimate(x, y).value
    old = {name: value for name, value in learner.state_dict().items() if name != "columns"}
    fresh.load_state_dict(old)  # of an earlier version


def test_the_last_few_rows_of_a_loader_are_not_the_estimate():
    rows = TensorDataset(*(torch.as_tensor(z) for z in CAUCHY.draw(200, rng=0)))
    fit = VariationalJSD().fit(DataLoader(rows, batch_size=64), rng=0)
    assert [reading.rows[0] for reading in fit.history.readings] == [64, 64, 64, 8]
    assert fit.required.rows == (72, 72)


def test_frames_are_samples_and_no_streams():
    pandas = need("pandas")
    x, y = CAUCHY.draw(60, rng=0)
    found = [
        VariationalJSD().fit(make(x), make(y), steps=3, rng=0).value
        for make in (np.asarray, pandas.DataFrame)
    ]
    assert found[0] == found[1]


def test_nothing_learnt_yet():
    with pytest.raises(RuntimeError, match="call fit"):
        VariationalJSD().estimate([0.0, 1.0], [0.0, 1.0])
    with pytest.raises(RuntimeError, match="call fit"):
        VariationalJSD()(torch.zeros(2, 1), torch.zeros(2, 1))


def dropping():
    """A network whose layers act otherwise in training."""
    torch.manual_seed(0)
    inner = nn.Linear(2, 16), nn.Dropout(0.5), nn.ReLU(), nn.BatchNorm1d(16), nn.Linear(16, 2)
    return nn.Sequential(*inner)


@pytest.mark.parametrize(
    "learner",
    [critics.JSBound(network=dropping()), VariationalJSD(Network(network=dropping()))],
    ids=lambda v: type(v).__name__,
)
def test_estimates_are_made_in_evaluation_mode(learner):
    x, y = np.random.default_rng(0).normal(size=(2, 60, 2))
    learner.fit(x, y, steps=10, rng=0)
    before = {name: value.clone() for name, value in learner.state_dict().items()}
    assert learner.estimate(x, y) == learner.estimate(x, y)
    assert all(torch.equal(value, before[name]) for name, value in learner.state_dict().items())
    assert learner.training


def images(head):
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(8, head))


@pytest.mark.parametrize(
    "make",
    [
        lambda: critics.JSBound(network=images(2)),
        lambda: VariationalJSD(Network(network=images(3))),
        lambda: VariationalJSD(FourierLayer(3, 8, network=images(3))),
    ],
    ids=["critic", "recipe", "layer"],
)
def test_a_network_of_ones_own_sees_images_as_images(make):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 1, 4, 4)), rng.normal(size=(24, 1, 4, 4))
    learner, fresh = make(), make()
    fit = learner.fit(x, y, steps=3, rng=0)
    assert fit.required.rows == (15, 12)
    fresh.load_state_dict(learner.state_dict())
    assert fresh.estimate(x, y) == learner.estimate(torch.tensor(x), torch.tensor(y))
    assert make().fit(iter([(x, y)]), rng=0).required.rows == (30, 24)
    with pytest.raises(ValueError, match=r"rows have shape \[1, 5, 5\], this .* for \[1, 4, 4\]"):
        learner.estimate(np.zeros((9, 1, 5, 5)), np.zeros((9, 1, 5, 5)))


def test_rows_and_images_together():
    x, y = np.random.default_rng(0).normal(size=(2, 40, 1, 4, 4))
    learners = [critics.JSBound(network=images(2)), critics.JSBound()]
    assert cross_fit(learners, x, y, steps=2, rng=0).rows == (40, 40)


def test_learning_goes_on_in_another_precision():
    x, y = CAUCHY.draw(40, rng=0)
    learner = VariationalJSD()
    learner.fit(x, y, steps=3, rng=0)
    learner.double().fit(x, y, steps=3, rng=0)
    assert learner.representation.frequencies.dtype == torch.float64


def test_a_last_batch_of_one_row_is_learnt_from_but_not_read():
    x, y = CAUCHY.draw(65, rng=0)
    for learner in (VariationalJSD(), critics.JSBound()):
        fit = learner.fit(((x[i : i + 64], y[i : i + 64]) for i in (0, 64)), rng=0)
        assert len(fit.history.objective) == 2
        assert [reading.rows for reading in fit.history.readings] == [(64, 64)]


def test_what_cannot_be_learnt_from_is_said():
    x, y = CAUCHY.draw(40, rng=0)
    loaders = [DataLoader(TensorDataset(torch.tensor(z), torch.zeros(40)), 20) for z in (x, y)]
    with pytest.raises(TypeError, match="inputs and labels say; learning takes the inputs"):
        VariationalJSD().fit(*loaders)
    with pytest.raises(ValueError, match="a generator is used up after one pass"):
        VariationalJSD().fit(((x, y) for _ in range(2)), epochs=2)
    with pytest.raises(TypeError, match="leave out held_out"):
        cross_fit(VariationalJSD(), x, y, held_out=0.5)
