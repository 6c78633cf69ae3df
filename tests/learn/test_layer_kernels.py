"""Kernels of layers: their widths follow the batch, are fixed, or are learnt."""

import itertools

import samelaw
from optional import need

torch = need("torch")
from samelaw.adaptation.loss import JointAdaptationLoss  # noqa: E402
from samelaw.learn.layer_kernels import (  # noqa: E402
    FACTORS,
    AdaptiveGaussian,
    FixedKernel,
)


def batches(n=7, m=5, dtype=torch.float64, classes=3, seed=0):
    generator = torch.Generator().manual_seed(seed)

    def batch(rows, shift):
        features = torch.randn(rows, 4, generator=generator, dtype=dtype) + shift
        logits = torch.randn(rows, classes, generator=generator, dtype=dtype)
        return features.requires_grad_(), logits.softmax(1).detach().requires_grad_()

    return batch(n, 0.0), batch(m, 0.7)


def pairs_by_loops(x, y, variances):
    """The joint kernel written with loops: mean over widths times the class kernel."""
    out = torch.zeros(len(x[0]), len(y[0]), dtype=x[0].dtype)
    for i, j in itertools.product(range(len(x[0])), range(len(y[0]))):
        apart = [((a[i] - b[j]) ** 2).sum() for a, b in zip(x, y, strict=True)]
        widths = [torch.exp(-apart[0] / (2 * v)) for v in variances]
        out[i, j] = sum(widths) / len(widths) * torch.exp(-apart[1] / (2 * 0.92**2))
    return out


def published_variances(x, y):
    pool = torch.cat([x[0], y[0]]).detach()
    mean = torch.cdist(pool, pool).square().mean()  # every pair, each row with itself too
    return [factor * mean for factor in FACTORS]


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
    assert len(list(JointAdaptationLoss([kernel]).parameters())) == 1
