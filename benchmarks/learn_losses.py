"""The cost of a training step of `RJSDLoss`, forward and backward, one thread.

Bare cost of the kernel forms: one ``torch.linalg.eigh`` for each of K_Z, K_X and K_Y. The route
of low orders is compared with the eigenvalue route and with powers left to the tape.
"""

from collections.abc import Callable
from typing import Any

import torch
from _common import against, cpu_times, report

from samelaw import Gaussian, PowerSeries, VonNeumann
from samelaw.core import linalg
from samelaw.kernels import spectra
from samelaw.learn import FourierLayer, LearnedKernel, RJSDLoss

N, D = 512, 10
FREQUENCIES = 64


def batches(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(N, D, generator=generator, dtype=dtype)
    return x.requires_grad_(), torch.randn(N, D, generator=generator, dtype=dtype) + 0.3


def step(loss: RJSDLoss, x: torch.Tensor, y: torch.Tensor) -> Callable[[], None]:
    def run() -> None:
        loss.zero_grad()
        x.grad = None
        loss(x, y).backward()

    return run


def bare(x: torch.Tensor, y: torch.Tensor) -> Callable[[], Any]:
    pool = torch.cat([x, y]).detach()
    gram = Gaussian(3.0)(pool, pool) / len(pool)
    matrices = [gram, 2 * gram[:N, :N].clone(), 2 * gram[N:, N:].clone()]
    return lambda: [torch.linalg.eigh(matrix) for matrix in matrices]


def learned_bandwidth() -> list[dict[str, Any]]:
    rows = []
    for dtype in (torch.float32, torch.float64):
        x, y = batches(dtype)
        for entropy in (PowerSeries(10), VonNeumann()):
            loss = RJSDLoss(LearnedKernel(Gaussian(3.0)), entropy).to(dtype)
            case = f"{entropy}, learnt bandwidth, n = m = {N}, {str(dtype)[6:]}"
            rows.append(against(case, step(loss, x, y), bare(x, y), goal=1.3, rounds=11))
    return rows


def naive(matrix: torch.Tensor, order: int) -> torch.Tensor:
    """S_p by the powers of the paper's formula, differentiated by the tape."""
    rest = torch.eye(len(matrix), dtype=matrix.dtype) - matrix
    power, total = rest, torch.zeros((), dtype=matrix.dtype)
    for j in range(1, order + 1):
        total = total + (matrix * power.T).sum() / j
        power = power @ rest
    return total


def routes() -> list[dict[str, Any]]:
    """One entropy of one matrix of 2N rows, with its gradient, by each route."""
    pool = torch.cat([z.detach() for z in batches(torch.float32)])
    matrix = (Gaussian(3.0)(pool, pool) / len(pool)).requires_grad_()
    rows = []
    for order in (1, 3, 5, 10, 20):
        entropy = PowerSeries(order)
        sides = {
            "chosen": lambda entropy=entropy: spectra.spectral_sum(matrix, entropy),
            "eigenvalues": lambda entropy=entropy: entropy(linalg.eigenvalues(matrix)),
            "naive": lambda order=order: naive(matrix, order),
        }
        timed = {name: _with_gradient(value, matrix) for name, value in sides.items()}
        times = cpu_times(timed, rounds=5)
        rows.append({"case": f"order {order}, {2 * N} rows, float32", **times})
    return rows


def _with_gradient(value: Callable[[], torch.Tensor], matrix: torch.Tensor) -> Callable[[], None]:
    def run() -> None:
        matrix.grad = None
        value().backward()

    return run


def forms() -> list[dict[str, Any]]:
    """Milliseconds of a step of each form."""
    rows = []
    for size in (64, 256, N):
        x, y = (z.detach()[:size].requires_grad_() for z in batches(torch.float32))
        losses = {
            "kernel, order 3": RJSDLoss(LearnedKernel(Gaussian(3.0))),
            "kernel, order 10": RJSDLoss(LearnedKernel(Gaussian(3.0)), PowerSeries(10)),
            "Fourier": RJSDLoss(FourierLayer(D, FREQUENCIES)),
            "Fourier, memory": RJSDLoss(FourierLayer(D, FREQUENCIES), keep=0.5),
        }
        times = cpu_times({name: step(loss, x, y) for name, loss in losses.items()}, rounds=7)
        rows.append({"rows": size, **{f"{name} (ms)": 1e3 * t for name, t in times.items()}})
    return rows


def main() -> None:
    torch.set_num_threads(1)
    report(
        "learn_losses",
        "a training step of RJSDLoss over one eigh per matrix (CPU s)",
        learned_bandwidth(),
        routes=routes(),
        forms=forms(),
    )


if __name__ == "__main__":
    main()
