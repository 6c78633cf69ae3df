"""Compiled by torch's default backend, losses have the gradients they have without it.

Values alone would not show it: the compiler once got gradients of distances wrong by 180 % with
every value right. A case takes many seconds of compiling, so all but one are heavy: that one has
widths of the batch, distances, kernels and a spectrum in it, and must be one graph. It is long; the
quick one stops before machine code is made, which shows whether a loss is one graph at all.
"""

import math
import os
import shutil

import pytest

from optional import need
from samelaw import Gaussian, Laplace, PowerSeries, VonNeumann
from samelaw.core import linalg
from samelaw.core.registry import members

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # a pool costs more than it saves
torch = need("torch")

from samelaw.learn import (  # noqa: E402
    AdaptiveGaussian,
    DeepKernel,
    DivergenceGain,
    FourierLayer,
    LearnedKernel,
    RJSDLoss,
    TestPower,
    VariationalJSD,
    critics,
    tabular_network,
)
from samelaw.learn.adaptation import JointAdaptationLoss  # noqa: E402

COMPILER = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
pytestmark = [
    pytest.mark.skipif(
        not COMPILER and os.environ.get("CI") != "true", reason="torch.compile needs a C++ compiler"
    ),
    pytest.mark.filterwarnings("ignore"),  # of the compiler about itself
]


def distances(x, y):
    pool = torch.cat([x, y])
    apart = linalg.squared_distances(pool, pool)
    return (apart * torch.cos(apart)).mean()  # every pair counts for something else


def of_gram(criterion, shuffles=()):
    def value(x, y):
        pool = torch.cat([x, y])
        return criterion(Gaussian(1.0)(pool, pool), (len(x), len(y)), list(shuffles))

    return value


def prepared(learner):
    learner = learner.double()
    learner.prepare(*batches(), rng=0)
    return learner.double()


CRITICS = {name: getattr(critics, name) for name in critics.__all__ if name != "Critic"}
ORDER = torch.randperm(34, generator=torch.Generator().manual_seed(0))
FULL = {
    "distances": lambda: distances,
    **{
        f"Gaussian, {name}": lambda entropy=entropy: RJSDLoss(Gaussian(2.0), entropy())
        for name, entropy in members("entropy").items()
    },
    **{f"widths {b}": lambda b=b: RJSDLoss(bandwidth=b) for b in ("batch", "ema", "frozen", 2.0)},
    "order 3": lambda: RJSDLoss(Gaussian(2.0)),
    "corrected": lambda: RJSDLoss(Gaussian(2.0), PowerSeries(3), corrected=True),
    "Laplace": lambda: RJSDLoss(Laplace(2.0)),
    "learnt": lambda: RJSDLoss(LearnedKernel(Gaussian(1.5)), 10),
    "deep": lambda: RJSDLoss(DeepKernel(tabular_network(3, hidden=5, outputs=4))),
    "Fourier": lambda: RJSDLoss(FourierLayer(3, 4)),
    "Fourier, few rows": lambda: RJSDLoss(FourierLayer(3, 32)),
    "Fourier, corrected": lambda: RJSDLoss(FourierLayer(3, 4), 3, corrected=True),
    "Fourier, memory": lambda: RJSDLoss(FourierLayer(3, 4), keep=0.5),
    "joint": JointAdaptationLoss,
    "joint, von Neumann": lambda: JointAdaptationLoss(entropy=math.inf),
    "joint, corrected": lambda: JointAdaptationLoss(corrected=True),
    "joint, learnt": lambda: JointAdaptationLoss([AdaptiveGaussian(learnable=True)]),
    "joint, frequencies": lambda: JointAdaptationLoss(frequencies=8),
    "joint MMD": JointAdaptationLoss.mmd,
    "joint MMD, frequencies": lambda: JointAdaptationLoss.mmd(unbiased=False, frequencies=8),
    "gain": lambda: of_gram(DivergenceGain(), [ORDER]),
    "divergence": lambda: of_gram(DivergenceGain(permutations=0)),
    "power": lambda: of_gram(TestPower()),
    **{f"critic {n}": lambda c=c: prepared(c(hidden=4)) for n, c in CRITICS.items()},
    **{
        f"variational {n}": lambda r=r: prepared(VariationalJSD(r()))
        for n, r in members("recipe").items()
    },
}


def batches():
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randn(n, 3, generator=generator, dtype=torch.float64) for n in (20, 14))
    return x, y + 0.7


def gradients(function, inputs, parameters):
    leaves = [z.clone().requires_grad_() for z in inputs]
    torch.manual_seed(0)  # of critics that shuffle
    value = function(*leaves)
    return [value.detach(), *torch.autograd.grad(value, [*leaves, *parameters])]


def check(loss, **options):
    torch._dynamo.reset()
    if isinstance(loss, torch.nn.Module):
        loss = loss.double().eval()
    parameters = [p for p in getattr(loss, "parameters", list)() if p.requires_grad]
    plain = gradients(loss, batches(), parameters)
    compiled = gradients(torch.compile(loss, **options), batches(), parameters)
    for ours, theirs in zip(plain, compiled, strict=True):
        most = float(ours.abs().max())  # of a gradient that is 0 all is rounding
        torch.testing.assert_close(theirs, ours, rtol=1e-6, atol=1e-6 * most + 1e-12)


def test_a_loss_is_one_graph_with_its_gradients():
    check(RJSDLoss(Gaussian(2.0), 1), fullgraph=True, backend="aot_eager")


@pytest.mark.long
@pytest.mark.parametrize(
    ("loss", "sizes"),
    [
        (lambda: RJSDLoss(Gaussian(2.0), 1), [(8, 6), (5, 3)]),  # as at the end of a loader
        (lambda: RJSDLoss(DeepKernel(torch.nn.Linear(3, 2)), 1), [(300, 220)]),  # block by block
    ],
    ids=["sizes that change", "many rows"],
)
def test_a_loss_is_one_graph_whatever_the_sizes(loss, sizes):
    torch._dynamo.reset()
    loss = loss().eval()
    compiled = torch.compile(loss, fullgraph=True, backend="eager")
    for n, m in sizes:
        x, y = torch.randn(n, 3), torch.randn(m, 3) + 0.7
        assert compiled(x, y).item() == pytest.approx(loss(x, y).item(), abs=1e-6)


@pytest.mark.long
def test_gradients_under_the_default_backend():
    check(RJSDLoss(entropy=VonNeumann()), fullgraph=True)


@pytest.mark.heavy
@pytest.mark.parametrize("name", FULL)
def test_gradients_of_every_loss_under_the_default_backend(name):
    torch.manual_seed(0)
    check(FULL[name]())
