"""Two processes with half of the batch each have the loss, gradients and metric of one."""

import subprocess
import sys

from optional import need

need("torch")
need("torchmetrics")

SCRIPT = '''
import sys
import torch
from torch import distributed as dist, nn
from torch.nn.parallel import DistributedDataParallel
from samelaw import Gaussian, PowerSeries, VonNeumann
from samelaw.learn import (
    DeepKernel, FourierLayer, LearnedKernel, RJSDLoss, RepresentationJSD, tabular_network
)

rank, folder = int(sys.argv[1]), sys.argv[2]
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
generator = torch.Generator().manual_seed(0)
x = torch.randn(30, 3, generator=generator, dtype=torch.float64)
y = torch.randn(21, 3, generator=generator, dtype=torch.float64) + 0.5
parts = [z[:9] if rank == 0 else z[9:] for z in (x, y)]  # unequal on purpose


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
    return RJSDLoss(representation, distributed=distributed, **options).double()


class Whole(nn.Module):
    """A network and a loss with parameters of its own, trained together."""

    def __init__(self, name, distributed):
        super().__init__()
        self.network, self.loss = network(), loss_of(name, distributed)

    def forward(self, x, y):
        return self.loss(self.network(x), self.network(y))


for name in ("fourier", "balanced", "memory", "corrected", "kernel", "median", "deep"):
    alone, whole = Whole(name, False), Whole(name, True)
    shared = DistributedDataParallel(whole)
    for _ in range(2):  # the second time with a memory
        for module, pair in ((alone, (x, y)), (shared, parts)):
            module.zero_grad()
            module(*pair).backward()
    alone.eval(), shared.eval()
    first, second = alone(x, y).item(), shared(*parts).item()
    assert abs(first - second) < 1e-12, (name, first, second)
    for (key, a), b in zip(alone.named_parameters(), whole.parameters()):
        assert torch.allclose(a.grad, b.grad, atol=1e-12), (name, key, a.grad, b.grad)

def learnt(representation, samples, steps=3):
    """The parameters of a loss that nobody wraps, after some steps."""
    loss = RJSDLoss(representation, distributed=len(samples[0]) < 30).double()
    optimizer = torch.optim.SGD(loss.parameters(), lr=0.5)
    for _ in range(steps):
        optimizer.zero_grad()
        (-loss(*samples)).backward()
        optimizer.step()
    return torch.cat([p.detach().flatten() for p in loss.parameters()])


for make in (
    lambda seed: FourierLayer(3, 6, rng=seed),
    lambda seed: LearnedKernel(Gaussian(1.0 + seed)),
    lambda seed: (torch.manual_seed(seed), DeepKernel(tabular_network(3, hidden=3, outputs=2)))[1],
):
    mine = learnt(make(rank), parts)  # every process starts elsewhere
    assert torch.allclose(mine, learnt(make(0), (x, y)), atol=1e-12), (mine, rank)

layer = FourierLayer(3, 4).double()
metric, single = RepresentationJSD(layer), RepresentationJSD(layer, sync_on_compute=False)
for real, part, sample in ((True, parts[0], x), (False, parts[1], y)):
    metric.update(part, real=real)
    single.update(sample, real=real)
mine, theirs = metric.compute(), single.compute()
assert abs(float(mine - theirs)) < 0.02, (mine, theirs)
with metric.sync_context():
    assert torch.allclose(metric.real_total.sum(0), single.real_total.sum(0), atol=1e-12)
    assert float(metric.real_rows.sum()) == 30
dist.destroy_process_group()
print("same")
'''


def test_two_processes_agree_with_one(tmp_path):
    script = tmp_path / "worker.py"
    script.write_text(SCRIPT)
    workers = [
        subprocess.Popen(
            [sys.executable, script, str(rank), str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    for worker in workers:
        try:
            out, err = worker.communicate(timeout=180)
        except subprocess.TimeoutExpired:
            for other in workers:
                other.kill()
            raise
        assert worker.returncode == 0, err
        assert out.strip().endswith("same")
