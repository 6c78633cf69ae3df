"""Covariances that remember earlier minibatches."""

import numpy as np
import pytest

from optional import need
from samelaw import (
    Gaussian,
)

torch = need("torch")
from samelaw.learn import (  # noqa: E402
    FourierLayer,
    MovingCovariance,
    RJSDLoss,
)

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")


def batches(n=20, m=14, seed=0, shift=0.7, dtype=torch.float64):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) + shift
    return torch.tensor(x, dtype=dtype), torch.tensor(y, dtype=dtype)


def features(n, seed=0):
    return FourierLayer(3, 4, kernel=Gaussian(1.0)).double()(batches(n, 2, seed)[0]).detach()


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
    assert 0.5 < float(own.abs().sum() / x.grad.abs().sum()) < 2.0  # it was a fifteenth


def test_memory_is_saved_with_the_loss():
    loss = RJSDLoss(FourierLayer(3, 4), keep=0.5)
    loss(*batches(dtype=torch.float32))
    twin = RJSDLoss(FourierLayer(3, 4, rng=1), keep=0.5)
    twin.load_state_dict(loss.state_dict())
    pair = batches(seed=1, dtype=torch.float32)
    assert torch.equal(loss.eval()(*pair), twin.eval()(*pair))


def test_a_batch_with_nan_leaves_no_trace():
    moving, other = MovingCovariance(8, keep=0.5), MovingCovariance(8, keep=0.5)
    for part in (features(5), features(7, 1)):
        moving(part)
        other(part)
        assert bool(moving(part * float("nan")).density.isnan().all())
    torch.testing.assert_close(moving.past.density, other.past.density)
