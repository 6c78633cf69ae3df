"""What deep kernels are trained to make large."""

import numpy as np
import pytest

from optional import need
from samelaw import (
    Gaussian,
    PowerSeries,
    rjsd,
)

torch = need("torch")
from samelaw.learn import (  # noqa: E402
    DivergenceGain,
    TestPower,
)

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")


def rows(n=20, d=3, seed=0, shift=0.0):
    return np.random.default_rng(seed).normal(size=(n, d)) + shift


@pytest.mark.parametrize(
    "criterion", [DivergenceGain(), DivergenceGain(permutations=0), TestPower()]
)
def test_criteria_pass_gradcheck(criterion):
    x, y = (torch.tensor(rows(6, 2, seed), requires_grad=True) for seed in (0, 1))
    shuffles = [torch.randperm(12, generator=torch.Generator().manual_seed(0))]
    shuffles *= bool(criterion.permutations)

    def value(x, y):
        pool = torch.cat([x, y])
        return criterion(Gaussian(1.0)(pool, pool), (6, 6), shuffles)

    assert torch.autograd.gradcheck(value, (x, y), fast_mode=True)


def test_divergence_without_permutations_is_rjsd():
    x, y = (torch.tensor(rows(n, 2, n)) for n in (8, 5))
    pool = torch.cat([x, y])
    value = DivergenceGain(PowerSeries(10), 0)(Gaussian(1.0)(pool, pool), (8, 5), [])
    expected = rjsd(x, y, kernel=Gaussian(1.0), entropy=PowerSeries(10))
    assert float(value) == pytest.approx(float(expected), abs=1e-12)
