"""Kernels of layers: their widths follow the batch, are fixed, or are learnt."""

import pytest

import samelaw
from optional import need

torch = need("torch")
from joint_batches import batches, pairs_by_loops, published_variances  # noqa: E402
from samelaw.learn.adaptation.loss import JointAdaptationLoss  # noqa: E402
from samelaw.learn.layer_kernels import (  # noqa: E402
    AdaptiveGaussian,
    FixedKernel,
)
from samelaw.learn.losses import RJSDLoss  # noqa: E402


def test_kernel_is_the_published_one_averaged():
    x, y = batches()
    kernel = JointAdaptationLoss().kernel(x, y)
    expected = pairs_by_loops(x, y, published_variances(x, y))
    torch.testing.assert_close(kernel(x, y), expected)
    torch.testing.assert_close(kernel(x, x).diagonal(), torch.ones(7, dtype=torch.float64))


def test_learnt_widths_climb_what_the_network_descends():
    x, y = batches(30, 20)
    loss = JointAdaptationLoss([AdaptiveGaussian(learnable=True), samelaw.Gaussian(0.92)])
    torch.testing.assert_close(loss(x, y), JointAdaptationLoss()(x, y))
    before = loss(x, y)
    optimiser = torch.optim.SGD(loss.parameters(), lr=5.0)
    for _ in range(3):
        optimiser.zero_grad()
        loss(x, y).backward()
        optimiser.step()
    assert loss(x, y) > before


def test_a_bandwidth_that_is_a_parameter_is_registered():
    kernel = FixedKernel(samelaw.Gaussian(torch.nn.Parameter(torch.tensor(1.0))))
    (parameter,) = JointAdaptationLoss([kernel]).parameters()
    assert not parameter.requires_grad  # training would make it as wide as it can


def test_it_prints_without_values():
    assert "meta" in repr(AdaptiveGaussian().to("meta"))


@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_a_frozen_scale_out_of_reach_is_taken_anew(factor):
    """Widths of a first batch of another scale saw nothing for ever, and the gradient was 0."""
    x, y = (batch[0] for batch in batches(30, 20))
    loss, fresh = RJSDLoss(bandwidth="frozen"), RJSDLoss(bandwidth="frozen")
    loss(factor * x, factor * y)
    with pytest.warns(UserWarning, match="the widths are taken anew"):
        value = loss(x, y)
    torch.testing.assert_close(value, fresh(x, y))
    torch.testing.assert_close(loss(2 * x, y), fresh(2 * x, y))  # frozen again, without a word


def test_evaluation_leaves_a_frozen_scale_alone():
    x, y = (batch[0] for batch in batches(30, 20))
    loss = RJSDLoss(bandwidth="frozen")
    value = loss(x, y)
    loss.eval()
    loss(1e4 * x, y)
    torch.testing.assert_close(loss(x, y), value)
