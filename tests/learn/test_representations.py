"""Kernels and feature maps with parameters, and where they start."""

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import (
    Gaussian,
)

torch = need("torch")
from samelaw.learn import (  # noqa: E402
    FourierLayer,
    LearnedKernel,
    RJSDLoss,
)

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")


def batches(n=20, m=14, seed=0, shift=0.7, dtype=torch.float64):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) + shift
    return torch.tensor(x, dtype=dtype), torch.tensor(y, dtype=dtype)


@pytest.mark.parametrize("start", [0.7, np.array([0.5, 1.0, 2.0]), np.diag([1.0, 2.0, 3.0]) + 0.2])
def test_learned_kernel_starts_as_the_kernel_and_freezes_back(start):
    x, y = batches()
    learned = LearnedKernel(Gaussian(start)).double()
    expected = Gaussian(start)(x, y)
    torch.testing.assert_close(learned(x, y), expected, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(learned.frozen()(x, y), learned(x, y).detach(), atol=1e-6, rtol=1e-5)


def test_fourier_layer_at_the_median():
    x, _ = batches(50)
    layer = FourierLayer.at_median(x, 16)
    assert float(layer.bandwidth) == pytest.approx(samelaw.kernels.median_bandwidth(x), rel=1e-6)
    network = torch.nn.Linear(3, 2).double()
    assert FourierLayer.at_median(x, 4, network=network).double()(x).shape == (50, 8)


def test_a_layer_takes_its_width_from_the_first_batch():
    """It was σ = 1 for rows of any scale, which saw nothing in rows a hundred times as large."""
    x, y = batches(60, 50)
    values = [float(RJSDLoss(FourierLayer(3, 16))(k * x, k * y)) for k in (0.01, 1.0, 100.0)]
    assert values == pytest.approx([values[1]] * 3, rel=1e-4)
    layer = FourierLayer(3, 16)
    layer(100 * x)
    assert float(layer.bandwidth) == pytest.approx(
        float(FourierLayer.at_median(100 * x).bandwidth), rel=0.01
    )
    kept = layer(y)
    layer(5 * x)
    assert torch.equal(layer(y), kept)
    set_by_hand = FourierLayer(3, 16)
    with torch.no_grad():
        set_by_hand.log_bandwidth.fill_(2.0)
    set_by_hand(x)
    assert float(set_by_hand.log_bandwidth) == 2.0
    assert float(FourierLayer(3, 16, kernel=Gaussian(1.0)).bandwidth) == 1.0
    assert float(FourierLayer(2, np.ones((2, 3))).bandwidth) == 1.0


@pytest.mark.parametrize("batch", [torch.ones(5, 3), torch.full((5, 3), float("nan"))])
def test_a_first_batch_without_distances_is_waited_out(batch):
    x, _ = batches(60)
    late, prompt = FourierLayer(3, 8), FourierLayer(3, 8)
    late(batch)
    torch.testing.assert_close(late(x), prompt(x))


def test_the_width_of_the_first_batch_is_saved():
    x, _ = batches(60)
    layer, early = FourierLayer(3, 8), FourierLayer(3, 8, rng=1)
    early.load_state_dict(layer.state_dict())  # before either has a width
    layer(x)
    late = FourierLayer(3, 8, rng=1)
    late.load_state_dict(layer.state_dict())
    torch.testing.assert_close(late(9 * x), layer(9 * x))
    torch.testing.assert_close(early(x), layer(x))


def test_the_width_of_the_first_batch_is_compiled_into_one_graph():
    x, y = batches(60, 50)
    compiled = torch.compile(RJSDLoss(FourierLayer(3, 8)), backend="eager", fullgraph=True)
    plain = RJSDLoss(FourierLayer(3, 8))
    for scale in (1.0, 3.0):
        assert float(compiled(scale * x, y)) == pytest.approx(float(plain(scale * x, y)), abs=1e-9)
