"""The Jensen–Shannon divergence by learning how to see two laws."""

import math
from functools import partial

import numpy as np
import pytest

from optional import need

torch = need("torch")

import samelaw  # noqa: E402
from samelaw.core.registry import members  # noqa: E402
from samelaw.learn import (  # noqa: E402
    Bandwidth,
    DeepKernel,
    FourierLayer,
    Frequencies,
    LearnedKernel,
    Network,
    VariationalJSD,
    critics,
    cross_fit,
    tabular_network,
)
from samelaw.problems.closed_forms import CauchyPair, FiniteFeatures, GaussianPair  # noqa: E402
from samelaw.problems.density_ratios import StudentPair, oracle_jsd, sampled_jsd  # noqa: E402

RECIPES = members("recipe")
CAUCHY = CauchyPair.with_jsd(0.5 * math.log(2))


def stream(problem, count, size=128, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield problem.draw(size, rng=rng)


def small(name):
    return {"Bandwidth": Bandwidth(), "Frequencies": Frequencies(8)}.get(name, Network((4,), 2, 4))


@pytest.mark.parametrize("name", RECIPES)
def test_objective_is_balanced_rjsd(name):
    learner = VariationalJSD(small(name)).double()
    x, y = CAUCHY.draw(30, 20, rng=0)
    learner.prepare(x, y, rng=0)
    seen = learner.representation
    value = learner(*map(torch.as_tensor, (x, y))).item()
    if isinstance(seen, FourierLayer):
        features = [seen(torch.as_tensor(s)).detach().numpy() for s in (x, y)]
        expected = samelaw.divergence.estimate_from_features(*features, weights="balanced").value
    else:
        kernel, ten = seen.frozen(), samelaw.PowerSeries(10)
        expected = float(samelaw.rjsd(x, y, kernel=kernel, entropy=ten, weights="balanced"))
    assert value == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("entropy", [None, samelaw.VonNeumann(), samelaw.PowerSeries(4)], ids=repr)
def test_gradcheck(name, entropy):
    learner = VariationalJSD(small(name), entropy, warm_up=0).double()
    x, y = GaussianPair.mean_shift(2, 1.0).draw(7, 6, rng=0)
    learner.prepare(x, y, rng=0)
    names = dict(learner.named_parameters())
    rows = tuple(map(torch.as_tensor, (x, y)))

    def objective(*values):
        return torch.func.functional_call(learner, dict(zip(names, values, strict=True)), rows)

    assert torch.autograd.gradcheck(objective, tuple(names.values()), atol=1e-6)


def test_gradcheck_of_the_bandwidth_matrix():
    learner = VariationalJSD(Bandwidth(matrix=True)).double()
    x, y = map(torch.as_tensor, GaussianPair.mean_shift(3, 1.0).draw(6, 5, rng=0))
    learner.prepare(x, y, rng=0)
    assert learner.representation.inverse.shape == (3, 3)
    names = dict(learner.named_parameters())
    assert torch.autograd.gradcheck(
        lambda *v: torch.func.functional_call(learner, dict(zip(names, v, strict=True)), (x, y)),
        tuple(names.values()),
        atol=1e-6,
    )


def test_warm_up_changes_the_gradient_not_the_value():
    x, y = (torch.tensor(s, dtype=torch.float32) for s in CAUCHY.draw(50, rng=0))
    gradients, values = [], []
    for warm_up in (0, 1):
        learner = VariationalJSD(small("Network"), warm_up=warm_up)
        learner.prepare(x, y, rng=0)
        for _ in range(2):  # guided in the first step only
            learner.zero_grad()
            value = learner(x, y)
            value.backward()
            values.append(value.item())
            gradients.append(torch.cat([p.grad.flatten() for p in learner.parameters()]))
    assert len(set(values)) == 1
    assert not torch.allclose(gradients[0], gradients[2])
    assert torch.equal(gradients[0], gradients[1])
    assert torch.equal(gradients[1], gradients[3])


def test_default_finds_the_divergence_of_samples():
    x, y = CAUCHY.draw(2000, rng=1)
    fit = VariationalJSD().fit(x, y, rng=0)
    assert fit.estimate.rows == (1000, 1000)
    assert abs(fit.value - CAUCHY.jsd()) < 3.5 * fit.standard_error
    assert fit.standard_error < 0.025
    assert fit.estimate.lower_limit() < CAUCHY.jsd()
    low, high = fit.estimate.interval_of_bound(0.9)
    assert low < fit.value < high
    assert high - low < 4 * fit.standard_error


@pytest.mark.long
def test_lower_limits_hold_where_intervals_of_the_bound_do_not():
    """Heavy tails in five columns, 500 rows: estimates were called intervals, and far too low."""
    problem = StudentPair(5, 2.0)
    truth, error = sampled_jsd(problem, 1 << 16)
    for seed in (1, 2):
        found = VariationalJSD().fit(*problem.draw(500, rng=seed), steps=60, rng=seed).estimate
        assert 0 < found.lower_limit() < truth - 3 * error
        assert "a lower bound" in str(found)
        assert "at least" in str(found)


def test_follows_a_stream_that_jumps():
    learner = VariationalJSD()
    before, after = CauchyPair.with_jsd(0.2 * math.log(2)), CauchyPair.with_jsd(0.8 * math.log(2))
    learner.fit(stream(before, 80, 512), rng=0)
    fit = learner.fit(stream(after, 10, 512, seed=1), rng=0)  # warm start
    values = [r.value for r in fit.history.readings]
    assert abs(np.mean(values[:5]) - after.jsd()) < 0.06


@pytest.mark.long
def test_correction_takes_the_bias_away():
    problem = CAUCHY
    learner = VariationalJSD()
    learner.fit(stream(problem, 60, 512), rng=0)
    target = learner.estimate(*problem.draw(20_000, rng=99)).value
    pairs = [problem.draw(256, rng=s) for s in range(16)]
    noise = np.array([oracle_jsd(problem, *p) for p in pairs]) - problem.jsd()
    corrected = np.array([learner.estimate(*p).value for p in pairs]) - noise
    learner.corrected = False
    plain = np.array([learner.estimate(*p).value for p in pairs]) - noise
    assert plain.mean() - target > 0.015
    assert abs(corrected.mean() - target) < 0.35 * (plain.mean() - target)


def test_power_series_is_no_lower_bound():
    """Erratum 14: two points, orthonormal features, order 2: above the JSD."""
    laws = FiniteFeatures(np.eye(2), [0.6, 0.4], [0.4, 0.6])
    assert laws.rjsd(samelaw.PowerSeries(2)) > laws.rjsd() == pytest.approx(0.02014, abs=1e-5)


def test_kernel_form_learns_a_bandwidth():
    x, y = CauchyPair.with_jsd(0.6 * math.log(2)).draw(160, rng=0)
    learner = VariationalJSD(Bandwidth(start=0.1))
    fit = learner.fit(x, y, steps=40, rng=0)
    assert isinstance(learner.representation, LearnedKernel)
    assert learner.representation.bandwidth.item() > 0.3
    assert 0.2 < fit.value < 0.6


def test_published_von_neumann_kernel_saturates():
    x, y = CauchyPair.with_jsd(0.2 * math.log(2)).draw(64, rng=0)
    learner = VariationalJSD.published("RJSD")
    learner.fit(x, y, steps=150, validation=0.0, rng=0)
    rows = (torch.tensor(s, dtype=torch.float32) for s in (x, y))
    assert learner(*rows).item() > 0.9 * math.log(2)


@pytest.mark.parametrize("name", ["RJSD-NN", "RJSD-FF", "RJSD-p"])
def test_published_configurations_by_name(name):
    learner = VariationalJSD.published(name)
    learner.prepare(*CAUCHY.draw(50, rng=0), rng=0)
    assert not learner.corrected
    if name != "RJSD-p":
        assert learner.representation.size == 128
    with pytest.raises(ValueError, match="RJSD-NN, RJSD-FF"):
        VariationalJSD.published("RJSD-XX")


def test_a_module_of_ones_own():
    layer = FourierLayer(1, 16)
    fit = VariationalJSD(layer).fit(*CAUCHY.draw(300, rng=0), steps=20, rng=0)
    assert fit.value > 0.1
    with pytest.raises(TypeError, match="representation must be"):
        VariationalJSD("network")


@pytest.mark.parametrize("steps", [150, pytest.param(1_000, marks=pytest.mark.heavy)])
def test_heavy_tails_and_many_steps_stay_finite(steps):
    rng = np.random.default_rng(0)
    wild = CauchyPair(1.0, (1e-3, 1e3))
    fit = VariationalJSD().fit((wild.draw(64, rng=rng) for _ in range(steps)), read_every=50, rng=0)
    assert all(map(math.isfinite, fit.history.objective))
    assert all(map(math.isfinite, (fit.value, fit.standard_error)))


def test_a_deep_kernel_of_ones_own_is_learnt_and_read():
    x, y = np.random.default_rng(0).normal(size=(2, 40, 3))
    make = partial(DeepKernel.at_median, x, tabular_network(3, hidden=4, outputs=2))
    fit = VariationalJSD(make()).fit(x, y + 3, steps=2, rng=0)
    assert 0.1 < fit.value < math.log(2)
    assert cross_fit([VariationalJSD(make()), critics.JSBound()], x, y, steps=2, rng=0).rows == (
        40,
        40,
    )
