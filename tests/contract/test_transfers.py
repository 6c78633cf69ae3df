"""A step of training asks the device for no number: nothing waits, nothing is copied to the host.

Reading one value of a tensor (`item`, `bool`, `float`, `tolist`, `numpy`, `cpu`) makes the host
wait until an accelerator has done everything before it. Here it is an error, on the CPU, so that
no accelerator is needed to find it. Three things look on purpose and are not here: a loss at the
diagonal of its kernel in the first batch, widths that are frozen at batches on the host
(tests/contract/test_devices.py has them elsewhere), and a Fourier layer without a bandwidth, once.
"""

import pytest

from optional import need
from samelaw import Gaussian, VonNeumann
from samelaw.core.registry import members

torch = need("torch")
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from samelaw.learn import (  # noqa: E402
    AdaptiveGaussian,
    DeepKernel,
    FourierLayer,
    LearnedKernel,
    RJSDLoss,
    tabular_network,
)
from samelaw.learn.adaptation import (  # noqa: E402
    AdaptationNetwork,
    AdaptationPlan,
    FeatureDomain,
    JointAdaptationLoss,
    LastStep,
)
from samelaw.learn.adaptation.trainer import _Training  # noqa: E402

COPIES = ("numpy", "cpu", "__array__", "tolist")


class NothingRead(TorchDispatchMode):
    """Stops at what reads a value."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert "_local_scalar_dense" not in str(func), "a value was read"
        assert "nonzero" not in str(func), "a number of entries was read"
        return func(*args, **(kwargs or {}))


class NothingCopied(TorchFunctionMode):
    """Stops at what gives a tensor to the host."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        assert getattr(func, "__name__", "") not in COPIES, f"{func.__name__} was called"
        return func(*args, **(kwargs or {}))


def layers(rows, shift):
    features = torch.randn(rows, 3) + shift
    return features, torch.randn(rows, 4).softmax(1)


X, Y = layers(20, 0.0), layers(14, 1.0)
LOSSES = {
    **{f"widths {b}": (RJSDLoss(bandwidth=b), False) for b in ("batch", "ema", 0.5)},
    **{n: (RJSDLoss(Gaussian(1.0), e()), False) for n, e in members("entropy").items()},
    "corrected": (RJSDLoss(corrected=True), False),
    "layers": (RJSDLoss(), True),
    "learnt": (RJSDLoss(LearnedKernel(Gaussian(1.0)), 10), False),
    "deep": (RJSDLoss(DeepKernel(tabular_network(3))), False),
    "Fourier": (RJSDLoss(FourierLayer.at_median(X[0], 8)), False),
    "memory": (RJSDLoss(FourierLayer.at_median(X[0], 8), keep=0.5), False),
    "joint": (JointAdaptationLoss(), True),
    "joint, von Neumann": (JointAdaptationLoss(entropy=VonNeumann()), True),
    "joint, learnt": (JointAdaptationLoss([AdaptiveGaussian(learnable=True)]), False),
    "joint, corrected": (JointAdaptationLoss(corrected=True), True),
    "joint MMD": (JointAdaptationLoss.mmd(), True),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_step_reads_no_value(name):
    loss, joint = LOSSES[name]
    leaf = X[0].clone().requires_grad_()
    batches = ((leaf, X[1]), Y) if joint else (leaf, Y[0])
    loss(*batches)
    with NothingCopied(), NothingRead():
        loss(*batches).backward()
    assert bool(leaf.grad.isfinite().all())


def test_the_guards_notice():
    with pytest.raises(AssertionError, match="read"), NothingRead():
        float(X[0].sum())
    with pytest.raises(AssertionError, match="numpy"), NothingCopied():
        X[0].numpy()


def test_a_step_of_the_adaptation_trainer_reads_no_value():
    network = AdaptationNetwork(None, 3, 2)
    domain = FeatureDomain(torch.randn(8, 3), torch.arange(8) % 2)
    plan = AdaptationPlan(steps=10_000, batch=4)
    training = _Training(network, JointAdaptationLoss(), domain, domain, plan, LastStep(), 0)
    network.train()
    batch = torch.randn(4, 3), torch.tensor([0, 1, 0, 1]), torch.randn(4, 3)
    training._step(0.5, *batch)
    with NothingCopied(), NothingRead():
        training._step(0.5, *batch)
    assert bool(training.sums.isfinite().all())
