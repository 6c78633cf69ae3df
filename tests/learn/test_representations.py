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
    assert float(layer.bandwidth) == pytest.approx(samelaw.bandwidths.median_bandwidth(x), rel=1e-6)
    network = torch.nn.Linear(3, 2).double()
    assert FourierLayer.at_median(x, 4, network=network).double()(x).shape == (50, 8)
