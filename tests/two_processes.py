"""One of two processes that share a batch: its losses, gradients and metric are those of one.

`tests/end_to_end/test_distributed.py` is the other one.
"""

import os
import sys
from datetime import timedelta

import torch
from torch import distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from samelaw import Gaussian, PowerSeries, VonNeumann
from samelaw.learn import (
    DeepKernel,
    FourierLayer,
    LearnedKernel,
    RJSDLoss,
    tabular_network,
)

PATIENCE = timedelta(seconds=180)


def network():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh()).double()


def loss_of(name, distributed):
    torch.manual_seed(2)
    representation, options = {
        "fourier": lambda: (FourierLayer(4, 6), {}),
        "balanced": lambda: (FourierLayer(4, 6), {"weights": "balanced"}),
        "memory": lambda: (FourierLayer(4, 6), {"keep": 0.5}),
        "corrected": lambda: (FourierLayer(4, 6), {"entropy": PowerSeries(3), "corrected": True}),
        "kernel": lambda: (LearnedKernel(Gaussian(1.0)), {}),
        "median": lambda: (None, {"entropy": VonNeumann()}),
        "deep": lambda: (DeepKernel(tabular_network(4, hidden=3, outputs=2)), {}),
    }[name]()
    return RJSDLoss(representation, learn=True, distributed=distributed, **options).double()


class Whole(nn.Module):
    """A network and a loss with parameters of its own, trained together."""

    def __init__(self, name, distributed):
        super().__init__()
        self.network, self.loss = network(), loss_of(name, distributed)

    def forward(self, x, y):
        return self.loss(self.network(x), self.network(y))


def check(rank, folder, what):
    """Meet the other process in a folder, and compare what both have with what one would."""
    meet = f"file://{folder}/meet"
    dist.init_process_group("gloo", init_method=meet, rank=rank, world_size=2, timeout=PATIENCE)
    try:
        check_batch(rank, what)
    finally:
        dist.destroy_process_group()


def check_batch(rank, what):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(30, 3, generator=generator, dtype=torch.float64)
    y = torch.randn(21, 3, generator=generator, dtype=torch.float64) + 0.5
    parts = [z[:9] if rank == 0 else z[9:] for z in (x, y)]  # unequal on purpose
    if what == "metric":
        check_metric(x, y, parts)
    else:
        check_losses(x, y, parts)
        check_learning(rank, x, y, parts)


def check_losses(x, y, parts):
    for name in ("fourier", "balanced", "memory", "corrected", "kernel", "median", "deep"):
        alone, whole = Whole(name, False), Whole(name, True)
        shared = DistributedDataParallel(whole)
        for _ in range(2):  # the second time with a memory
            for module, pair in ((alone, (x, y)), (shared, parts)):
                module.zero_grad()
                module(*pair).backward()
        alone.eval()
        shared.eval()
        first, second = alone(x, y).item(), shared(*parts).item()
        assert abs(first - second) < 1e-12, (name, first, second)
        for (key, a), b in zip(alone.named_parameters(), whole.parameters(), strict=True):
            assert torch.allclose(a.grad, b.grad, atol=1e-12), (name, key, a.grad, b.grad)


def learnt(representation, samples, steps=3):
    """The parameters of a loss that nobody wraps, after some steps."""
    loss = RJSDLoss(representation, learn=True, distributed=len(samples[0]) < 30).double()
    optimizer = torch.optim.SGD(loss.parameters(), lr=0.5)
    for _ in range(steps):
        optimizer.zero_grad()
        (-loss(*samples)).backward()
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in loss.parameters()])


def deep(seed):
    torch.manual_seed(seed)
    return DeepKernel(tabular_network(3, hidden=3, outputs=2))


def check_learning(rank, x, y, parts):
    """Every process starts elsewhere, and all learn what one with the start of the first does."""
    for make in (
        lambda seed: FourierLayer(3, 6, rng=seed),
        lambda seed: LearnedKernel(Gaussian(1.0 + seed)),
        deep,
    ):
        mine = learnt(make(rank), parts)
        assert torch.allclose(mine, learnt(make(0), (x, y)), atol=1e-12), (mine, rank)

    fixed = [
        RJSDLoss(FourierLayer(3, 6, rng=r), distributed=d) for r, d in ((rank, True), (0, False))
    ]
    shared, alone = fixed[0].double()(*parts), fixed[1].double()(x, y)
    assert abs(float(shared - alone)) < 1e-12, (rank, shared, alone)


def check_metric(x, y, parts):
    from samelaw.learn import RepresentationJSD  # takes torchmetrics, which takes seconds to load

    layer = FourierLayer(3, 4, kernel=Gaussian(1.0)).double()
    metric, single = RepresentationJSD(layer), RepresentationJSD(layer, sync_on_compute=False)
    for real, part, sample in ((True, parts[0], x), (False, parts[1], y)):
        metric.update(part, real=real)
        single.update(sample, real=real)
    mine, theirs = metric.compute(), single.compute()
    assert abs(float(mine - theirs)) < 0.02, (mine, theirs)
    with metric.sync_context():
        assert torch.allclose(metric.real_total.sum(0), single.real_total.sum(0), atol=1e-12)
        assert float(metric.real_rows.sum()) == 30


if __name__ == "__main__":
    torch.set_num_threads(1)
    check(int(sys.argv[1]), *sys.argv[2:])
    # Threads of the connection may outlive it, and the interpreter's end now and then aborts on
    # them: all that was to be checked has been.
    os._exit(0)
