"""RJSD as a loss: the number of the estimators, bounded, with gradients that stay finite."""

import math

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import Gaussian, Laplace, PowerSeries, Renyi, VonNeumann, rjsd
from samelaw.kernels import FourierFeatures, Mixture, Tsallis

torch = need("torch")

from samelaw.learn import (  # noqa: E402
    DeepKernel,
    FourierLayer,
    LearnedKernel,
    RJSDLoss,
    tabular_network,
)
from samelaw.learn.losses import SCALES  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")

ENTROPIES = [VonNeumann(), *map(PowerSeries, (1, 3, 5, 10, 50)), Tsallis(2.5)]
REPRESENTATIONS = {
    "default": lambda: None,
    "Gaussian": lambda: Gaussian(1.5),
    "learnt": lambda: LearnedKernel(Gaussian(1.5)),
    "learnt per column": lambda: LearnedKernel(Laplace(np.array([1.0, 2.0, 0.5]))),
    "learnt matrix": lambda: LearnedKernel(Gaussian(np.eye(3) + 0.1)),
    "deep": lambda: DeepKernel(tabular_network(3, hidden=5, outputs=4)),
    "Fourier": lambda: FourierLayer(3, 8),
    "Fourier, fixed": lambda: FourierFeatures(np.random.default_rng(0).normal(size=(3, 8))),
    "network": lambda: FourierLayer(2, 4, network=torch.nn.Linear(3, 2)),
}


def batches(n=20, m=14, seed=0, shift=0.7, dtype=torch.float64):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) + shift
    return torch.tensor(x, dtype=dtype), torch.tensor(y, dtype=dtype)


def make(name, entropy=None, dtype=torch.float64, **options):
    torch.manual_seed(0)
    return RJSDLoss(REPRESENTATIONS[name](), entropy, **options).to(dtype)


def widths_of(loss, x, y):
    return loss.representation.variances(x, y).sqrt().tolist()


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


@pytest.mark.parametrize("name", REPRESENTATIONS)
@pytest.mark.parametrize("entropy", [VonNeumann(), PowerSeries(3), PowerSeries(10)], ids=repr)
def test_gradient_in_the_batches_passes_gradcheck(name, entropy):
    x, y = (z.requires_grad_() for z in batches(6, 5))
    loss = make(name, entropy)
    if name == "default":  # its widths follow the batch, outside the gradient
        loss = RJSDLoss(entropy=entropy, bandwidth=widths_of(loss, x, y))
    assert torch.autograd.gradcheck(loss, (x, y), fast_mode=True)


@pytest.mark.parametrize(
    "name", ["learnt", "learnt per column", "learnt matrix", "deep", "network"]
)
def test_gradient_in_the_parameters_passes_gradcheck(name):
    x, y = batches(6, 5)
    loss = make(name, PowerSeries(10), learn=True)
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


@pytest.mark.parametrize("name", REPRESENTATIONS)
@pytest.mark.parametrize("entropy", ENTROPIES[:5], ids=repr)
def test_bounded_with_finite_gradients_on_degenerate_batches(name, entropy):
    for data, samples in DEGENERATE.items():
        x, y = (z.clone().requires_grad_() for z in samples)
        loss = make(name, entropy, torch.float32)
        value = loss(x, y)
        value.backward()
        share = len(x) / (len(x) + len(y))
        most = -share * math.log(share) - (1 - share) * math.log(1 - share)
        assert 0 <= value.item() <= most + 1e-6, data
        for leaf in (x, y, *loss.parameters()):
            assert leaf.grad is None or bool(torch.all(torch.isfinite(leaf.grad))), data


def test_balanced_loss_is_at_most_log_two_in_single_precision():
    x, y = (1e4 * z for z in batches(30, 9, dtype=torch.float32))
    value = RJSDLoss(Gaussian(1e-3), VonNeumann(), weights="balanced")(x, y)
    assert float(value) == pytest.approx(math.log(2), abs=1e-6)
    assert float(value) <= math.log(2) + 1e-8  # the nearest single is above it


def test_power_series_stay_below_the_entropy_of_the_shares():
    """No theorem of the paper for finite orders: checked over random operators."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        frequencies = rng.normal(size=(2, rng.integers(2, 5))) * rng.choice([0.1, 1.0, 5.0])
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


FORMS = {
    **{f"{name}, order 3": {"name": name, "entropy": PowerSeries(3)} for name in REPRESENTATIONS},
    **{f"{name}, von Neumann": {"name": name, "entropy": VonNeumann()} for name in REPRESENTATIONS},
    "corrected": {"name": "Gaussian", "entropy": 3, "corrected": True},
    "memory": {"name": "Fourier", "keep": 0.5},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [20, 150], ids=["on the tape", "written gradient"])
def test_nan_in_nan_out(form, rows):
    """No value of a batch is looked at: a NaN is no error, and no number comes out of it."""
    x, y = batches(rows, 14)
    x[0, 0] = math.nan
    x.requires_grad_()
    value = make(**FORMS[form])(x, y)
    value.backward()
    assert math.isnan(value.item())
    assert bool(x.grad.isnan().any())


@pytest.mark.parametrize("entropy", [Renyi(0.5), Renyi(2.0), Tsallis(0.5)], ids=repr)
def test_the_loss_has_the_bounds_of_the_divergence(entropy):
    """Of disjoint batches, one wide and one narrow: Renyi(2) was below 0."""
    x, y = batches()
    y = 0.05 * y + 50.0
    value = float(RJSDLoss(Gaussian(0.3), entropy, weights="balanced")(x, y))
    plain = rjsd(x, y, kernel=Gaussian(0.3), entropy=entropy, weights="balanced")
    assert value == pytest.approx(float(plain), abs=1e-9)
    assert 0.5 < value <= entropy.bound()


def mean_of_gaussians(widths):
    return Mixture([Gaussian(width) for width in widths])


def test_the_default_is_a_mean_of_gaussians_that_follow_the_batch():
    x, y = batches()
    widths = widths_of(RJSDLoss(), x, y)
    pool = torch.cat([x, y])
    spread = float(torch.cdist(pool, pool).square().mean())
    assert widths == pytest.approx([math.sqrt(f * spread) for f in SCALES], rel=1e-9)
    expected = float(rjsd(x, y, kernel=mean_of_gaussians(widths), entropy=3))
    for loss in (RJSDLoss(), RJSDLoss(bandwidth="batch"), RJSDLoss(bandwidth=widths)):
        assert float(loss(x, y)) == pytest.approx(expected, abs=1e-8)  # widths in single
    assert float(RJSDLoss(bandwidth=0.7)(x, y)) == pytest.approx(
        float(rjsd(x, y, kernel=Gaussian(0.7), entropy=3)), abs=1e-8
    )


@pytest.mark.parametrize("order", [1, 3, 10])
def test_the_second_derivative_is_that_of_differences_also_where_batches_coincide(order):
    loss = RJSDLoss(Gaussian(1.5), entropy=PowerSeries(order))
    x = torch.tensor(np.random.default_rng(0).normal(size=(5, 2)))
    step = torch.tensor(np.random.default_rng(1).normal(size=(5, 2)))
    for y in (x.clone(), x + 0.3 * step):
        slope = torch.func.grad(lambda z, y=y: loss(z, y))
        hessian = torch.func.jacrev(slope)(x)  # (5, 2, 5, 2)
        ahead = (slope(x + 1e-5 * step) - slope(x - 1e-5 * step)) / 2e-5
        found = torch.einsum("ikjl,jl->ik", hessian, step)
        torch.testing.assert_close(found, ahead, rtol=1e-5, atol=1e-8)
        assert float(ahead.abs().max()) > 1e-3


@pytest.mark.parametrize("bandwidth", ["batch", "ema", "frozen", 1.0])
@pytest.mark.parametrize("size", [3e18, 1e20, 1e30])
def test_numbers_whose_squares_overflow_give_a_finite_loss(bandwidth, size):
    """The widths follow the batch, so its unit of measurement does not matter."""
    first, second = (np.random.default_rng(i).normal(size=(12, 3)) + i for i in (0, 1))
    values = []
    for unit in (1.0, size):
        x, y = (torch.tensor(z * unit, dtype=torch.float32) for z in (first, second))
        value = RJSDLoss(bandwidth=bandwidth)(x.requires_grad_(), y)
        value.backward()
        assert torch.isfinite(x.grad).all()
        values.append(float(value))
    if bandwidth == 1.0:  # every row is alone
        alone = RJSDLoss(bandwidth=1e-6)(*(torch.tensor(z) for z in (first, second)))
        values[0] = float(alone)
    assert values[1] == pytest.approx(values[0], rel=1e-5)


def test_layers_under_the_default_have_widths_of_their_own():
    x, y = batches()
    layers = [(z, 100.0 * z[:, :1]) for z in (x, y)]
    factors = [widths_of(RJSDLoss(), a, b) for a, b in zip(*layers, strict=True)]
    kernel = mean_of_gaussians(factors[0]) * mean_of_gaussians(factors[1])
    expected = float(rjsd(*layers, kernel=kernel, entropy=3))
    assert float(RJSDLoss()(*layers)) == pytest.approx(expected, abs=1e-12)
    with pytest.raises(TypeError, match="these have 2 layers"):
        RJSDLoss(bandwidth="ema")(*layers)


def test_a_frozen_scale_is_that_of_the_first_batch():
    x, y = batches()
    loss = RJSDLoss(bandwidth="frozen").double()
    loss(math.nan * x, y)  # leaves no trace
    before = widths_of(RJSDLoss(), x, y)
    loss(x, y)
    assert widths_of(loss, 10 * x, y) == pytest.approx(before)
    copy = RJSDLoss(bandwidth="frozen").double()
    copy.load_state_dict(loss.state_dict())
    assert float(copy(5 * x, y)) == float(loss(5 * x, y))


def test_a_moving_scale_is_the_mean_of_the_batches_and_rests_in_evaluation():
    x, y = batches()
    loss = RJSDLoss(bandwidth="ema").double()
    for scale in (1.0, 2.0, 3.0):
        loss(scale * x, scale * y)
    pool = torch.cat([x, y])
    weights = torch.tensor([0.99**2, 0.99, 1.0]).double()
    spread = (weights * torch.tensor([1.0, 4.0, 9.0]) / weights.sum()).sum()
    expected = [math.sqrt(f * spread * torch.cdist(pool, pool).square().mean()) for f in SCALES]
    loss.eval()
    assert widths_of(loss, 100 * x, y) == pytest.approx(expected)
    assert widths_of(loss, x, y) == pytest.approx(expected)


def transformed(name, loss, x, y):
    if name == "vmap":
        return torch.vmap(loss)(torch.stack([x, 2 * x]), torch.stack([y, y])).sum()
    if name == "func.grad":
        return torch.func.grad(loss)(x, y).sum()
    return torch.export.export(loss, (x, y)).module()(x, y)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", ["vmap", "func.grad", "export"])
def test_the_default_goes_through_every_transform(name):
    x, y = batches()
    leaf = x.clone().requires_grad_()
    plain = {
        "vmap": lambda: RJSDLoss()(x, y) + RJSDLoss()(2 * x, y),
        "func.grad": lambda: torch.autograd.grad(RJSDLoss()(leaf, y), leaf)[0].sum(),
        "export": lambda: RJSDLoss()(x, y),
    }[name]()
    assert float(transformed(name, RJSDLoss(), x, y)) == pytest.approx(float(plain), abs=1e-9)


def inner(x, y):
    return x @ y.T


@pytest.mark.parametrize("corrected", [False, True])
def test_a_kernel_without_unit_diagonal_is_refused_in_the_first_batch(corrected):
    x, y = batches()
    with pytest.raises(ValueError, match=r"κ\(x, x\) = 1, and .*inner.* divide it by √"):
        RJSDLoss(inner, corrected=corrected)(x, y)


def test_only_the_first_batch_that_can_be_looked_at_is_looked_at():
    x, y = batches()
    loss = RJSDLoss(inner)
    assert loss(x.to("meta"), y.to("meta")).is_meta
    assert torch.vmap(loss)(x[None], y[None]).shape == (1,)
    with pytest.raises(ValueError, match="κ"):
        loss(x, y)
    unit = torch.nn.functional.normalize
    loss(unit(x), unit(y))
    assert torch.isfinite(loss(x, y))  # later ones are not waited for


COMPILED = [
    ("default", None),
    ("learnt", PowerSeries(3)),
    ("deep", PowerSeries(10)),
    ("network", VonNeumann()),
]


@pytest.mark.heavy  # the compiler takes seconds for each; tests/contract/test_compiled.py has one
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


def test_an_order_stands_for_its_entropy():
    assert RJSDLoss(Gaussian(1.0), 4).entropy == PowerSeries(4)
    assert RJSDLoss(Gaussian(1.0), math.inf).entropy == VonNeumann()


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


@pytest.mark.parametrize("form", ["features", "kernel"])
def test_the_network_of_a_representation_sees_images_as_images(form):
    network = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 2), torch.nn.Tanh())
    x, y = torch.randn(6, 3, 3, 3), torch.randn(5, 3, 3, 3)
    seen = FourierLayer.at_median(x, 16, network=network) if form == "features" else None
    loss = RJSDLoss(seen or DeepKernel.at_median(x, network))
    loss(x, y).backward()
    assert torch.isfinite(network[0].weight.grad).all()
    with pytest.raises(ValueError, match=r"items of x have shape \(3, 3, 3\), of y \(3, 4, 4\)"):
        loss(x, torch.randn(5, 3, 4, 4))


@pytest.mark.parametrize("kind", ["features", "kernel"])
@pytest.mark.parametrize("weights", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("numbers", [torch.bfloat16, torch.float32, torch.float64])
def test_the_network_of_a_representation_has_a_type_of_its_own(kind, weights, numbers):
    """Weights in half precision, or batches in double, were an error of torch."""
    torch.manual_seed(0)
    network = torch.nn.Linear(3, 2)
    made = {"features": lambda: FourierLayer(2, 8, network=network), "kernel": lambda: None}
    loss = RJSDLoss(made[kind]() or DeepKernel(network))
    x, y = (z.to(numbers) for z in batches())
    expected = loss(x.float(), y.float()).item()
    network.to(weights)
    value = loss(x, y)
    value.backward()
    assert value.item() == pytest.approx(expected, rel=0.05)
    assert network.weight.grad.dtype == weights


def test_a_network_may_take_whole_numbers():
    network = torch.nn.Embedding(9, 2)
    loss = RJSDLoss(FourierLayer(8, 8, network=network))
    assert 0 < loss(torch.randint(9, (6, 4)), torch.randint(9, (5, 4))) < math.log(2)


@pytest.mark.parametrize("widths", [np.array([0.5, 2.0]), torch.tensor([0.5, 2.0])])
def test_bandwidths_come_in_arrays_too(widths):
    x, y = batches()
    assert RJSDLoss(bandwidth=widths)(x, y) == RJSDLoss(bandwidth=[0.5, 2.0])(x, y)


@pytest.mark.parametrize("order", [1, 3, 5])
def test_corrected_loss_is_the_corrected_divergence(order):
    x, y = batches()
    loss = RJSDLoss(Gaussian(1.0), PowerSeries(order), corrected=True)
    expected = samelaw.rjsd(x, y, kernel=Gaussian(1.0), entropy=order, corrected=True)
    assert float(loss(x, y)) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.long
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
    with pytest.raises(ValueError, match="a representation was given"):
        RJSDLoss(Gaussian(1.0), bandwidth="ema")
    with pytest.raises(ValueError, match=r"scale (.*) must be one of .* got 'median'"):
        RJSDLoss(bandwidth="median")
    with pytest.raises(ValueError, match="bandwidth must be positive"):
        RJSDLoss(bandwidth=[1.0, -1.0])
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
    with pytest.raises(ValueError, match="x has no columns"):
        RJSDLoss()(torch.zeros(3, 0), torch.zeros(3, 0))
    with pytest.raises(ValueError, match="x is an empty tuple"):
        RJSDLoss()((), ())
    with pytest.raises(TypeError, match=r"x is sparse: pass x.to_dense\(\)"):
        RJSDLoss()(torch.eye(3).to_sparse(), torch.eye(3))
    with pytest.raises(ValueError, match="bandwidth is empty"):
        RJSDLoss(bandwidth=[])
    with pytest.raises(TypeError, match="with a bandwidth"):
        LearnedKernel(samelaw.kernels.Cosine())
    with pytest.raises(ValueError, match="number or a vector"):
        FourierLayer(2, 4, kernel=Gaussian(np.eye(2)))
    with pytest.raises(ValueError, match="for 3 columns, not 2"):
        FourierLayer(2, np.zeros((3, 4)))


@pytest.mark.parametrize("steps", [300, pytest.param(1_000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("direction", ["apart", pytest.param("together", marks=pytest.mark.heavy)])
@pytest.mark.parametrize(
    "name", ["learnt", *(pytest.param(n, marks=pytest.mark.heavy) for n in ("deep", "network"))]
)
def test_many_steps_without_nan(name, direction, steps):
    """Rows move too, duplicated ones among them; parameters are pushed as far as they go."""
    x, y = batches(16, 12, dtype=torch.float32)
    x[1:4] = x[0]
    x = x.requires_grad_()
    loss = make(name, dtype=torch.float32, learn=True)
    optimizer = torch.optim.Adam([*loss.parameters(), x], lr=0.05)
    sign = -1.0 if direction == "apart" else 1.0
    first = loss(x, y).item()
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss(x, y)
        (sign * value).backward()
        optimizer.step()
        assert math.isfinite(value.item())
    assert all(bool(torch.isfinite(p).all()) for p in (*loss.parameters(), x))
    assert sign * value.item() < sign * first


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(5))
def test_the_default_finds_every_mode_of_a_ring(seed):
    """Eight Gaussians; the Gaussian at the median distance, the default of before, found none."""
    torch.manual_seed(seed)
    angles = 2 * math.pi * torch.arange(8) / 8
    centres = 2.0 * torch.stack([angles.cos(), angles.sin()], dim=1)
    layers = [torch.nn.Linear(2, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU()]
    generator = torch.nn.Sequential(*layers, torch.nn.Linear(64, 2))
    optimizer, loss = torch.optim.Adam(generator.parameters(), lr=2e-3), RJSDLoss()
    for _ in range(600):
        real = centres[torch.randint(8, (192,))] + 0.1 * torch.randn(192, 2)
        optimizer.zero_grad()
        loss(generator(torch.randn(192, 2)), real).backward()
        optimizer.step()
    apart = torch.cdist(generator(torch.randn(4000, 2)), centres)
    near = apart.argmin(dim=1)[apart.min(dim=1).values < 0.3]
    assert int((torch.bincount(near, minlength=8) >= 160).sum()) == 8  # 4 % of the points each


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("gaussian", "must be a kernel or a feature map such as"),
        (Gaussian, "must be a kernel or a feature map such as"),
        (torch.nn.Linear(3, 2), "Linear is a network, no kernel or feature map; wrap it"),
    ],
)
def test_what_is_no_representation_is_refused_at_once(wrong, said):
    with pytest.raises(TypeError, match=said):
        RJSDLoss(wrong)


def test_rows_of_another_width_than_the_layer():
    with pytest.raises(
        ValueError, match=r"rows have 5 columns, the layer takes 4: FourierLayer\(5"
    ):
        RJSDLoss(FourierLayer(4, 8))(torch.zeros(6, 5), torch.zeros(6, 5))
    assert "(representation): FourierLayer(4, frequencies=8)" in repr(RJSDLoss(FourierLayer(4, 8)))


OWN = {
    "LearnedKernel": lambda: LearnedKernel(Gaussian(1.5)),
    "FourierLayer": lambda: FourierLayer.at_median(batches()[0], 8),
    "DeepKernel": lambda: DeepKernel(torch.nn.Identity()),
}


@pytest.mark.parametrize("name", OWN)
def test_a_loss_inside_a_model_does_not_learn_to_be_blind(name):
    """An optimiser of model.parameters() made the widths grow until every law looked alike."""
    x, y = batches(dtype=torch.float32)
    model = torch.nn.ModuleDict({"generator": torch.nn.Linear(3, 3), "loss": RJSDLoss(OWN[name]())})
    before = [p.clone() for p in model["loss"].parameters()]
    optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
    model["loss"](model["generator"](x), y).backward()
    optimiser.step()
    assert all(map(torch.equal, before, model["loss"].parameters()))
    asked = RJSDLoss(OWN[name](), learn=True)
    asked(x, y).backward()
    assert all(p.grad is not None for p in asked.parameters())


def test_a_network_inside_a_loss_is_left_to_its_owner():
    network = torch.nn.Linear(3, 2)
    for seen in (FourierLayer(2, 4, network=network), DeepKernel(network)):
        loss = RJSDLoss(seen)
        assert [p for p in loss.parameters() if p.requires_grad] == list(network.parameters())


def test_fewer_fixed_frequencies_than_columns_are_blind_and_said_to_be():
    layer = FourierLayer(196, 64, kernel=Gaussian(14.0))
    rows = torch.randn(200, 196, generator=torch.Generator().manual_seed(0))
    spanned = torch.linalg.qr(layer.frequencies.detach()).Q
    noise = 3 * torch.randn(200, 196, generator=torch.Generator().manual_seed(1))
    apart = rows + noise - noise @ spanned @ spanned.T
    with pytest.warns(UserWarning, match="64 fixed frequencies see at most 64 of the 196"):
        blind = RJSDLoss(layer)
    assert float(blind(rows, apart)) < 1e-4
    enough = RJSDLoss(FourierLayer(196, 196))
    assert float(enough(rows, apart)) > float(enough(rows, rows)) + 0.05
    with pytest.warns(UserWarning, match="RJSDLoss"):
        RJSDLoss(FourierFeatures(np.ones((3, 2))))
    RJSDLoss(FourierLayer(196, 64), learn=True)  # learnt ones turn where they are needed
