"""RJSD as a loss: the number of the estimators, bounded, with gradients that stay finite."""

import math

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import Gaussian, Laplace, PowerSeries, Renyi, Tsallis, VonNeumann, rjsd
from samelaw.kernels import FourierFeatures

torch = need("torch")

from samelaw.learn import (  # noqa: E402
    DeepKernel,
    FourierLayer,
    LearnedKernel,
    MovingCovariance,
    RJSDLoss,
    tabular_network,
)

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")

ENTROPIES = [VonNeumann(), *map(PowerSeries, (1, 3, 5, 10, 50)), Tsallis(2.5)]
REPRESENTATIONS = {
    "median": lambda: None,
    "Gaussian": lambda: Gaussian(1.5),
    "learnt": lambda: LearnedKernel(Gaussian(1.5)),
    "learnt per column": lambda: LearnedKernel(Laplace(np.array([1.0, 2.0, 0.5]))),
    "learnt matrix": lambda: LearnedKernel(Gaussian(np.eye(3) + 0.1)),
    "deep": lambda: DeepKernel(tabular_network(3, hidden=5, outputs=4)),
    "Fourier": lambda: FourierLayer(3, 8),
    "Fourier, fixed": lambda: FourierFeatures(np.random.default_rng(0).normal(size=(3, 8))),
    "network": lambda: FourierLayer(2, 4, network=torch.nn.Linear(3, 2)),
}
LEARNING = ["learnt", "learnt per column", "learnt matrix", "deep", "Fourier", "network"]


def batches(n=20, m=14, seed=0, shift=0.7, dtype=torch.float64):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) + shift
    return torch.tensor(x, dtype=dtype), torch.tensor(y, dtype=dtype)


def make(name, entropy=None, dtype=torch.float64, **options):
    torch.manual_seed(0)
    return RJSDLoss(REPRESENTATIONS[name](), entropy, **options).to(dtype)


@pytest.mark.parametrize("weights", ["proportional", "balanced", 0.3])
@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
def test_kernel_loss_is_rjsd(entropy, weights):
    x, y = batches()
    loss = make("Gaussian", entropy, weights=weights)
    expected = rjsd(x, y, kernel=Gaussian(1.5), entropy=entropy, weights=weights)
    assert float(loss(x, y)) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("sizes", [(20, 14), (3, 4)], ids=["covariances", "few rows"])
def test_fourier_loss_is_the_fourier_estimator(sizes):
    x, y = batches(*sizes)
    layer = FourierLayer(3, 8, kernel=Gaussian(2.0)).double()
    frequencies = (layer.frequencies / layer.bandwidth).detach()
    estimator = samelaw.FourierEstimator(frequencies=frequencies)
    value = RJSDLoss(layer)(x, y).detach()
    assert float(value) == pytest.approx(float(estimator(x, y)), abs=1e-12)


@pytest.mark.parametrize("start", [0.7, np.array([0.5, 1.0, 2.0]), np.diag([1.0, 2.0, 3.0]) + 0.2])
def test_learned_kernel_starts_as_the_kernel_and_freezes_back(start):
    x, y = batches()
    learned = LearnedKernel(Gaussian(start)).double()
    expected = Gaussian(start)(x, y)
    torch.testing.assert_close(learned(x, y), expected, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(learned.frozen()(x, y), learned(x, y).detach(), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("name", REPRESENTATIONS)
@pytest.mark.parametrize("entropy", [VonNeumann(), PowerSeries(3), PowerSeries(10)], ids=repr)
def test_gradient_in_the_batches_passes_gradcheck(name, entropy):
    x, y = (z.requires_grad_() for z in batches(6, 5))
    kernel = (
        None
        if name != "median"
        else Gaussian(samelaw.bandwidths.median_bandwidth(torch.cat([x, y])))
    )
    loss = make(name, entropy) if kernel is None else RJSDLoss(kernel, entropy)
    assert torch.autograd.gradcheck(loss, (x, y), fast_mode=True)


@pytest.mark.parametrize(
    "name", ["learnt", "learnt per column", "learnt matrix", "deep", "network"]
)
def test_gradient_in_the_parameters_passes_gradcheck(name):
    x, y = batches(6, 5)
    loss = make(name, PowerSeries(10))
    names, values = zip(*loss.named_parameters(), strict=True)

    def value(*parameters):
        return torch.func.functional_call(loss, dict(zip(names, parameters, strict=True)), (x, y))

    leaves = [v.detach().clone().requires_grad_() for v in values]
    assert torch.autograd.gradcheck(value, leaves, fast_mode=True)


DEGENERATE = {
    "equal": (torch.ones(6, 3), torch.ones(5, 3)),
    "duplicated": (torch.eye(3).repeat(4, 1), torch.eye(3).repeat(2, 1)),
    "strangers": (
        1e3 * torch.arange(18.0).reshape(6, 3),
        -1e3 * torch.arange(1.0, 16).reshape(5, 3),
    ),
    "one row each": (torch.zeros(1, 3), torch.ones(1, 3)),
    "tight": (1e-6 * torch.arange(18.0).reshape(6, 3), torch.zeros(4, 3)),
}


@pytest.mark.parametrize("data", DEGENERATE)
@pytest.mark.parametrize("name", REPRESENTATIONS)
@pytest.mark.parametrize("entropy", ENTROPIES[:5], ids=repr)
def test_bounded_with_finite_gradients_on_degenerate_batches(name, entropy, data):
    x, y = (z.clone().requires_grad_() for z in DEGENERATE[data])
    loss = make(name, entropy, torch.float32)
    value = loss(x, y)
    value.backward()
    share = len(x) / (len(x) + len(y))
    assert 0 <= value.item() <= -share * math.log(share) - (1 - share) * math.log(1 - share) + 1e-6
    for leaf in (x, y, *loss.parameters()):
        assert leaf.grad is None or bool(torch.all(torch.isfinite(leaf.grad)))


def test_balanced_loss_is_at_most_log_two_in_single_precision():
    x, y = (1e4 * z for z in batches(30, 9, dtype=torch.float32))
    value = RJSDLoss(Gaussian(1e-3), VonNeumann(), weights="balanced")(x, y)
    assert float(value) == pytest.approx(math.log(2), abs=1e-6)
    assert float(value) <= math.log(2) + 1e-8  # the nearest single is above it


def test_power_series_stay_below_the_entropy_of_the_shares():
    """No theorem of the paper for finite orders: checked over random operators."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        frequencies = rng.normal(size=(2, rng.integers(1, 5))) * rng.choice([0.1, 1.0, 5.0])
        x, y = rng.normal(size=(rng.integers(1, 9), 2)), rng.normal(size=(rng.integers(1, 9), 2))
        share = len(x) / (len(x) + len(y))
        top = -share * math.log(share) - (1 - share) * math.log(1 - share)
        for order in (1, 2, 5, 10):
            loss = RJSDLoss(FourierFeatures(frequencies), PowerSeries(order))
            assert float(loss(torch.tensor(x), torch.tensor(y))) <= top + 1e-12


def test_rounding_never_makes_the_value_negative_nor_takes_the_gradient():
    x, _ = batches(dtype=torch.float32)
    for seed in range(20):
        a = (x + 1e-4 * torch.tensor(np.random.default_rng(seed).normal(size=x.shape))).float()
        leaf = a.clone().requires_grad_()
        value = RJSDLoss(Gaussian(50.0), VonNeumann())(leaf, x)
        value.backward()
        assert float(value) >= 0
        assert float(leaf.grad.abs().max()) > 0


def test_divergences_without_bounds_are_left_alone():
    x, y = batches()
    loss = RJSDLoss(Gaussian(1.0), Renyi(2.0))
    expected = rjsd(x, y, kernel=Gaussian(1.0), entropy=Renyi(2.0))
    assert float(loss(x, y)) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("name", ["Gaussian", "learnt", "deep", "Fourier", "network"])
def test_autocast_changes_nothing_but_the_network(name):
    x, y = batches(64, 48, dtype=torch.float32)
    loss = make(name, dtype=torch.float32)
    plain = loss(x, y)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = loss(x, y)
    assert cast.dtype == torch.float32
    exact = name in ("Gaussian", "learnt", "Fourier")
    assert float(cast) == pytest.approx(float(plain), abs=1e-7 if exact else 5e-3)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_precision_comes_out_in_single(dtype):
    x, y = (z.to(dtype).requires_grad_() for z in batches())
    value = RJSDLoss(Gaussian(1.0))(x, y)
    value.backward()
    assert value.dtype == torch.float32
    assert x.grad.dtype == dtype
    assert bool(torch.isfinite(x.grad).all())


COMPILED = [("learnt", PowerSeries(3)), ("deep", PowerSeries(10)), ("network", VonNeumann())]


@pytest.mark.filterwarnings("ignore:.*autograd.function.Function.*instantiated:DeprecationWarning")
@pytest.mark.parametrize(("name", "entropy"), COMPILED)
def test_compiles_in_one_graph(name, entropy):
    torch._dynamo.reset()
    x, y = batches(dtype=torch.float32)
    loss = make(name, entropy, torch.float32)
    leaf, twin = x.clone().requires_grad_(), x.clone().requires_grad_()
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    value, plain = compiled(leaf, y), loss(twin, y)
    value.backward()
    plain.backward()
    assert float(value) == pytest.approx(float(plain), abs=1e-6)
    torch.testing.assert_close(leaf.grad, twin.grad, atol=1e-6, rtol=1e-4)


def test_layers_under_a_product_of_kernels():
    x, y = batches()
    layers = [(z, z[:, :1]) for z in (x, y)]
    loss = RJSDLoss(Gaussian(1.0) * Laplace(2.0))
    expected = rjsd(*layers, kernel=Gaussian(1.0) * Laplace(2.0), entropy=PowerSeries(3))
    assert float(loss(*layers)) == pytest.approx(float(expected), abs=1e-12)


def test_trailing_axes_are_flattened():
    x, y = torch.randn(5, 3, 2, 2), torch.randn(4, 3, 2, 2)
    loss = RJSDLoss(Gaussian(2.0))
    assert torch.equal(loss(x, y), loss(x.flatten(1), y.flatten(1)))


@pytest.mark.parametrize("order", [1, 3, 5])
def test_corrected_loss_is_the_corrected_divergence(order):
    x, y = batches()
    loss = RJSDLoss(Gaussian(1.0), PowerSeries(order), corrected=True)
    expected = samelaw.rjsd(x, y, kernel=Gaussian(1.0), entropy=order, corrected=True)
    assert float(loss(x, y)) == pytest.approx(float(expected), abs=1e-12)


def test_corrected_fourier_loss_has_hardly_any_bias():
    layer = FourierLayer(3, 8).double()
    plain, corrected = (RJSDLoss(layer, PowerSeries(3), corrected=c) for c in (False, True))
    pairs = [batches(40, 40, seed, shift=0.0) for seed in range(200)]
    values = torch.tensor([[float(f(*pair)) for f in (plain, corrected)] for pair in pairs])
    mean, error = values.mean(dim=0), values.std(dim=0) / len(pairs) ** 0.5
    assert float(mean[0]) > 10 * float(error[0])
    assert abs(float(mean[1])) < 4 * float(error[1])


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="order 1 to 5"):
        RJSDLoss(Gaussian(1.0), PowerSeries(10), corrected=True)
    with pytest.raises(TypeError, match="FourierLayer"):
        RJSDLoss(Gaussian(1.0), keep=0.5)
    with pytest.raises(ValueError, match="exclude each other"):
        RJSDLoss(FourierLayer(3, 4), PowerSeries(2), corrected=True, keep=0.5)
    with pytest.raises(TypeError, match="x must be a tensor, got ndarray"):
        RJSDLoss()(np.zeros((3, 2)), torch.zeros(3, 2))
    with pytest.raises(ValueError, match=r"x has \[2\] columns, y has \[3\]"):
        RJSDLoss()(torch.zeros(3, 2), torch.zeros(3, 3))
    with pytest.raises(TypeError, match="floating point"):
        RJSDLoss()(torch.zeros(3, 2, dtype=torch.int64), torch.zeros(3, 2))
    with pytest.raises(ValueError, match="no rows"):
        RJSDLoss()(torch.zeros(0, 2), torch.zeros(3, 2))
    with pytest.raises(TypeError, match="with a bandwidth"):
        LearnedKernel(samelaw.kernels.Cosine())
    with pytest.raises(ValueError, match="number or a vector"):
        FourierLayer(2, 4, kernel=Gaussian(np.eye(2)))
    with pytest.raises(ValueError, match="for 3 columns, not 2"):
        FourierLayer(2, np.zeros((3, 4)))


def test_fourier_layer_at_the_median():
    x, _ = batches(50)
    layer = FourierLayer.at_median(x, 16)
    assert float(layer.bandwidth) == pytest.approx(samelaw.bandwidths.median_bandwidth(x), rel=1e-6)
    network = torch.nn.Linear(3, 2).double()
    assert FourierLayer.at_median(x, 4, network=network).double()(x).shape == (50, 8)


@pytest.mark.parametrize("direction", ["apart", pytest.param("together", marks=pytest.mark.heavy)])
@pytest.mark.parametrize(
    "name", ["learnt", *(pytest.param(n, marks=pytest.mark.heavy) for n in ("deep", "network"))]
)
def test_a_thousand_steps_without_nan(name, direction):
    """Rows move too, duplicated ones among them; parameters are pushed as far as they go."""
    x, y = batches(16, 12, dtype=torch.float32)
    x[1:4] = x[0]
    x = x.requires_grad_()
    loss = make(name, dtype=torch.float32)
    optimizer = torch.optim.Adam([*loss.parameters(), x], lr=0.05)
    sign = -1.0 if direction == "apart" else 1.0
    first = loss(x, y).item()
    for _ in range(1000):
        optimizer.zero_grad()
        value = loss(x, y)
        (sign * value).backward()
        optimizer.step()
        assert math.isfinite(value.item())
    assert all(bool(torch.isfinite(p).all()) for p in (*loss.parameters(), x))
    assert sign * value.item() < sign * first


# --- covariances that remember ------------------------------------------------------------------


def features(n, seed=0):
    return FourierLayer(3, 4).double()(batches(n, 2, seed)[0]).detach()


def test_nothing_fades_is_the_covariance_of_all_rows():
    moving = MovingCovariance(8, keep=1.0)
    parts = [features(n, seed) for seed, n in enumerate((5, 1, 17))]
    for part in parts:
        seen = moving(part)
    whole = torch.cat(parts)
    torch.testing.assert_close(seen.density, whole.T @ whole / len(whole))


def test_moving_average_has_no_start_up_bias():
    moving = MovingCovariance(8, keep=0.5)
    parts = [features(10, seed) for seed in range(3)]
    for part in parts:
        seen = moving(part)
    weights = torch.tensor([0.25, 0.5, 1.0]).double() / 1.75
    expected = sum(w * p.T @ p / 10 for w, p in zip(weights, parts, strict=True))
    torch.testing.assert_close(seen.density, expected)
    assert float(seen.density.trace()) == pytest.approx(1.0)


def test_merging_workers_is_exact():
    parts = [features(n, seed) for seed, n in enumerate((7, 4, 9))]
    alone, first, second = (MovingCovariance(8, keep=1.0) for _ in range(3))
    for part in parts:
        alone(part)
    first(parts[0])
    second(parts[1])
    second(parts[2])
    first.merge(second)
    torch.testing.assert_close(first.past.density, alone.past.density, atol=1e-15, rtol=0)
    with pytest.raises(ValueError, match="one feature map"):
        first.merge(MovingCovariance(6))


def test_evaluation_leaves_the_memory_alone():
    moving = MovingCovariance(8, keep=0.5)
    moving(features(5))
    before = moving.total.clone()
    moving.eval()(features(6, seed=1))
    assert torch.equal(moving.total, before)
    moving.reset()
    assert float(moving.weight) == 0


def test_memory_lowers_the_variance_and_passes_gradients_of_the_new_batch_only():
    layer = FourierLayer(3, 8, kernel=Gaussian(2.0)).double()
    plain, moving = RJSDLoss(layer), RJSDLoss(layer, keep=0.9)
    pairs = [batches(64, 64, seed) for seed in range(60)]
    with torch.no_grad():
        values = torch.tensor([[float(f(*pair)) for f in (plain, moving)] for pair in pairs])
    spread = values[20:].std(dim=0)
    assert float(spread[1]) < 0.5 * float(spread[0])
    x, y = (z.requires_grad_() for z in pairs[0])
    moving(x, y).backward()
    own = x.grad.clone()
    x.grad = None
    plain(x, y).backward()
    assert 0 < float(own.abs().sum()) < float(x.grad.abs().sum())


def test_memory_is_saved_with_the_loss():
    loss = RJSDLoss(FourierLayer(3, 4), keep=0.5)
    loss(*batches(dtype=torch.float32))
    twin = RJSDLoss(FourierLayer(3, 4, rng=1), keep=0.5)
    twin.load_state_dict(loss.state_dict())
    pair = batches(seed=1, dtype=torch.float32)
    assert torch.equal(loss.eval()(*pair), twin.eval()(*pair))
