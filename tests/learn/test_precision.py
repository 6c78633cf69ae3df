"""Losses and functions compute in single precision or more, whatever is done around them."""

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import Gaussian, Laplace, Permutation
from samelaw.core.registry import members
from samelaw.divergence import contributions
from samelaw.kernels import Covariance, FourierFeatures, NystromFeatures

torch = need("torch")
from samelaw.learn import (  # noqa: E402
    DeepKernel,
    FourierLayer,
    LearnedKernel,
    RJSDLoss,
    tabular_network,
)

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")


REPRESENTATIONS = {
    "median": lambda: None,
    "Gaussian": lambda: Gaussian(1.5),
    "learnt": lambda: LearnedKernel(Gaussian(1.5)),
    "learnt per column": lambda: LearnedKernel(Laplace(np.array([1.0, 2.0, 0.5]))),
    "learnt matrix": lambda: LearnedKernel(Gaussian(np.eye(3) + 0.1)),
    "deep": lambda: DeepKernel(tabular_network(3, hidden=5, outputs=4)),
    "Fourier": lambda: FourierLayer(3, 8),
    "Fourier, fixed": lambda: FourierFeatures(np.random.default_rng(0).normal(size=(3, 8))),
    "network": lambda: FourierLayer(2, 4, network=torch.nn.Linear(3, 2)),
}


def batches(n=20, m=14, seed=0, shift=0.7, dtype=torch.float64):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) + shift
    return torch.tensor(x, dtype=dtype), torch.tensor(y, dtype=dtype)


def make(name, entropy=None, dtype=torch.float64, **options):
    torch.manual_seed(0)
    return RJSDLoss(REPRESENTATIONS[name](), entropy, **options).to(dtype)


@pytest.mark.parametrize("name", ["Gaussian", "learnt", "deep", "Fourier", "network"])
def test_autocast_changes_nothing_but_the_network(name):
    x, y = batches(64, 48, dtype=torch.float32)
    loss = make(name, dtype=torch.float32)
    plain = loss(x, y)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = loss(x, y)
    assert cast.dtype == torch.float32
    exact = name in ("Gaussian", "learnt", "Fourier")
    assert float(cast) == pytest.approx(float(plain), abs=1e-7 if exact else 5e-3)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_precision_comes_out_in_single(dtype):
    x, y = (z.to(dtype).requires_grad_() for z in batches())
    value = RJSDLoss(Gaussian(1.0))(x, y)
    value.backward()
    assert value.dtype == torch.float32
    assert x.grad.dtype == dtype
    assert bool(torch.isfinite(x.grad).all())


X, Y = batches(60, 50, dtype=torch.float32)
SPLIT = np.arange(60)[None] < 20


def prepared(estimator):
    return estimator.evaluate(estimator.prepare(X), SPLIT)


FUNCTIONS = {
    "rjsd": lambda: samelaw.rjsd(X, Y),
    "rjsd, by name": lambda: samelaw.rjsd(x=X, y=Y, corrected=True),
    "rjsd of order 3": lambda: samelaw.rjsd(X, Y, entropy=3),
    "rjsd of layers": lambda: samelaw.rjsd((X, X), (Y, Y)),
    "pairs": lambda: samelaw.pairwise_divergence([X, Y, X]),
    "mmd": lambda: samelaw.mmd(X, Y),
    "entropy": lambda: samelaw.entropy(X),
    "information": lambda: samelaw.mutual_information(X[:50], Y),
    "kernel_kl": lambda: samelaw.kernel_kl(X, Y),
    "standard error": lambda: torch.tensor(samelaw.standard_error(X, Y)),
    "contributions": lambda: contributions(X, Y)[0],
    "Fourier features": lambda: REPRESENTATIONS["Fourier, fixed"]()(X),
    "Nyström features": lambda: NystromFeatures(Gaussian(2.0), Y[:10])(X),
    "covariance": lambda: Covariance.of(X).density,
    "two-sample test": lambda: torch.tensor(
        samelaw.two_sample_test(X, Y, strategy=Permutation(), permutations=99, rng=0).statistic
    ),
    **{f"kernel {n}": lambda k=k: k()(X, Y) for n, k in members("kernel").items()},
    **{f"{n}": lambda e=e: e()(X, Y) for n, e in members("estimator").items()},
    **{f"{n}, prepared": lambda e=e: prepared(e()) for n, e in members("estimator").items()},
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_autocast_does_not_reach_the_functions(name):
    plain = FUNCTIONS[name]()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = FUNCTIONS[name]()
        assert torch.is_autocast_enabled("cpu")  # again
    assert cast.dtype == plain.dtype
    torch.testing.assert_close(cast, plain, rtol=1e-6, atol=1e-6)
