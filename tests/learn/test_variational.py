import json
import math

import numpy as np
import pytest
from scipy.stats import binom

from optional import need

torch = need("torch")

import samelaw  # noqa: E402
from samelaw.core.registry import members  # noqa: E402
from samelaw.learn import (  # noqa: E402
    Bandwidth,
    FourierLayer,
    Frequencies,
    LearnedKernel,
    Network,
    VariationalJSD,
    critics,
    cross_fit,
)
from samelaw.problems.closed_forms import CauchyPair, FiniteFeatures, GaussianPair  # noqa: E402
from samelaw.problems.density_ratios import oracle_jsd  # noqa: E402

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
        expected = samelaw.estimate_from_features(*features, weights="balanced").value
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
    x, y = CAUCHY.draw(3000, rng=1)
    fit = VariationalJSD().fit(x, y, rng=0)
    assert fit.estimate.rows == (1500, 1500)
    assert abs(fit.value - CAUCHY.jsd) < 3.5 * fit.standard_error
    assert fit.standard_error < 0.02
    low, high = fit.estimate.interval(0.9)
    assert low < fit.value < high
    assert high - low < 4 * fit.standard_error


def test_follows_a_stream_that_jumps():
    learner = VariationalJSD()
    before, after = CauchyPair.with_jsd(0.2 * math.log(2)), CauchyPair.with_jsd(0.8 * math.log(2))
    learner.fit(stream(before, 80, 512), rng=0)
    fit = learner.fit(stream(after, 10, 512, seed=1), rng=0)  # warm start
    values = [r.value for r in fit.history.readings]
    assert abs(np.mean(values[:5]) - after.jsd) < 0.06


def test_stream_estimate_comes_from_batches_before_their_step():
    pairs = list(stream(CAUCHY, 30, 256))
    fit = VariationalJSD().fit(iter(pairs), rng=0)
    assert len(fit.history.readings) == len(fit.history.objective) == 30
    untouched = VariationalJSD()
    untouched.prepare(*(np.float32(p) for p in pairs[0]), rng=np.random.default_rng(0))
    with torch.no_grad():
        first = untouched.read(*(torch.as_tensor(np.float32(p)) for p in pairs[0]))
    assert fit.history.readings[0].value == pytest.approx(first.value, abs=1e-5)
    last = fit.history.readings[-3:]
    assert fit.value == pytest.approx(np.mean([r.value for r in last]))
    assert fit.estimate.rows == (768, 768)


def test_data_loaders_of_pairs_and_side_by_side():
    data = torch.utils.data
    x, y = (torch.tensor(s, dtype=torch.float32) for s in CAUCHY.draw(200, rng=0))
    together = data.DataLoader(data.TensorDataset(x, y), batch_size=50)
    assert len(VariationalJSD().fit(together, rng=0).history.objective) == 4
    first, second = (data.DataLoader(data.TensorDataset(s), batch_size=50) for s in (x, y))
    fit = VariationalJSD().fit(first, second, epochs=2, held_out=(x, y), rng=0)
    assert len(fit.history.objective) == 8
    assert fit.estimate.rows == (200, 200)


def test_a_stream_passed_twice_has_no_honest_estimate():
    x, y = (torch.tensor(s, dtype=torch.float32) for s in CAUCHY.draw(100, rng=0))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=50)
    fit = VariationalJSD().fit(loader, epochs=2, rng=0)
    assert fit.estimate is None
    with pytest.raises(ValueError, match="held_out"):
        _ = fit.value


def test_seed_is_recorded_and_repeats_everything():
    x, y = CAUCHY.draw(200, rng=0)
    before = torch.random.get_rng_state()
    fit = VariationalJSD().fit(x, y, steps=20)
    assert torch.equal(before, torch.random.get_rng_state())  # the user's own stream is untouched
    again = VariationalJSD().fit(x, y, steps=20, rng=fit.seed)
    other = VariationalJSD().fit(x, y, steps=20, rng=fit.seed + 1)
    assert again.value == fit.value != other.value
    assert again.history.objective == fit.history.objective


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


@pytest.mark.parametrize(
    "learner", [VariationalJSD(), critics.JSBound()], ids=lambda v: type(v).__name__
)
def test_equal_laws_give_nearly_nothing_on_rows_not_seen(learner):
    x, y = np.random.default_rng(0).normal(size=(2, 600, 5))
    fit = learner.fit(x, y, rng=0)
    assert abs(fit.value) < 0.03


@pytest.mark.parametrize("runs", [60, pytest.param(400, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("make", [VariationalJSD, critics.JSBound], ids=["RJSD", "JS"])
def test_intervals_cover_what_the_learnt_map_can_see(make, runs):
    """The error is that of the estimate for the map as it is: checked with a huge sample."""
    problem = CAUCHY
    learner = make()
    learner.fit(stream(problem, 100, 256), rng=0)
    target = learner.estimate(*problem.draw(50_000, rng=99)).value
    found = [learner.estimate(*problem.draw(400, rng=1000 + s)) for s in range(runs)]
    inside = sum(low < target < high for low, high in (f.interval() for f in found))
    assert binom.ppf(0.001, runs, 0.93) <= inside <= binom.ppf(0.999, runs, 0.96)


def test_correction_takes_the_bias_away():
    problem = CAUCHY
    learner = VariationalJSD()
    learner.fit(stream(problem, 60, 512), rng=0)
    target = learner.estimate(*problem.draw(50_000, rng=99)).value
    pairs = [problem.draw(256, rng=s) for s in range(30)]
    noise = np.array([oracle_jsd(problem, *p) for p in pairs]) - problem.jsd
    corrected = np.array([learner.estimate(*p).value for p in pairs]) - noise
    learner.corrected = False
    plain = np.array([learner.estimate(*p).value for p in pairs]) - noise
    assert plain.mean() - target > 0.015
    assert abs(corrected.mean() - target) < 0.35 * (plain.mean() - target)


def test_cross_fit_reads_every_row_once():
    x, y = CAUCHY.draw(600, 500, rng=3)
    learner = VariationalJSD()
    found = cross_fit(learner, x, y, steps=60, rng=0)
    assert found.rows == (600, 500)
    assert not learner.prepared
    assert abs(found.value - CAUCHY.jsd) < 4 * found.standard_error
    half = VariationalJSD().fit(x, y, steps=60, rng=0).standard_error
    assert found.standard_error < 0.85 * half


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


def test_state_goes_into_another_learner():
    x, y = CAUCHY.draw(200, rng=0)
    first, second = VariationalJSD(), VariationalJSD()
    first.fit(x, y, steps=20, rng=0)
    second.prepare(x[:50], y[:50], rng=5)
    second.load_state_dict(first.state_dict())
    assert second.estimate(x, y) == first.estimate(x, y)


def test_heavy_tails_and_a_thousand_steps_stay_finite():
    rng = np.random.default_rng(0)
    wild = CauchyPair(1.0, (1e-3, 1e3))
    fit = VariationalJSD().fit((wild.draw(64, rng=rng) for _ in range(1000)), read_every=50, rng=0)
    assert all(map(math.isfinite, fit.history.objective))
    assert all(map(math.isfinite, (fit.value, fit.standard_error)))


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


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"steps": 0}, ValueError, "steps"),
        ({"batch": 0}, ValueError, "batch"),
        ({"held_out": 1.5}, ValueError, "held_out"),
        ({"held_out": 0.001}, ValueError, "too few"),
        ({"y": None}, TypeError, "two samples"),
        ({"x": [[math.nan], [1.0]]}, ValueError, "NaN"),
        ({"x": iter(())}, ValueError, "no batch"),
        ({"x": iter([torch.ones(3, 1)]), "y": None}, TypeError, "pairs"),
        ({"progress": 3}, TypeError, "progress"),
    ],
)
def test_what_cannot_be_used_is_named(change, error, message):
    x, y = CAUCHY.draw(40, rng=0)
    arguments = {"x": x, "y": y, "steps": 2, "rng": 0, **change}
    with pytest.raises(error, match=message):
        VariationalJSD().fit(arguments.pop("x"), arguments.pop("y"), **arguments)


def test_exploding_objective_says_at_which_step():
    fine = CAUCHY.draw(8, rng=0)
    wild = (np.full((8, 1), math.nan), fine[1])
    with pytest.raises(samelaw.NumericalError, match="step 1"):
        critics.NWJ().fit(iter([fine, wild]), rng=0, read_every=100)


def test_nothing_learnt_yet():
    with pytest.raises(RuntimeError, match="call fit"):
        VariationalJSD().estimate([0.0, 1.0], [0.0, 1.0])
    with pytest.raises(RuntimeError, match="call fit"):
        VariationalJSD()(torch.zeros(2, 1), torch.zeros(2, 1))
