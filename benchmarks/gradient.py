"""The cost of a gradient in torch.

Bare cost: one ``torch.linalg.eigh`` for each of K_Z, K_X and K_Y, which a forward and backward
pass through the spectrum cannot do without.
"""

from functools import partial

import numpy as np
import torch
from _common import against, report

import samelaw

N, BANDWIDTH = 512, 11.0
ENTROPIES = {"order 10": samelaw.PowerSeries(10), "von Neumann": samelaw.VonNeumann()}


def main() -> None:
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    x = torch.tensor(rng.normal(size=(N, 64)), requires_grad=True)
    y = torch.tensor(rng.normal(0.1, size=(N, 64)), requires_grad=True)
    kernel = samelaw.Gaussian(BANDWIDTH)
    pool = torch.concat([x, y]).detach()
    gram = kernel(pool, pool)
    matrices = [gram, gram[:N, :N].clone(), gram[N:, N:].clone()]

    def bare() -> None:
        for matrix in matrices:
            torch.linalg.eigh(matrix)

    def ours(entropy: samelaw.kernels.Entropy) -> None:
        x.grad = y.grad = None
        samelaw.rjsd(x, y, kernel=kernel, entropy=entropy).backward()

    rows = [
        against(
            f"{name}, n = m = {N}, forward and backward",
            partial(ours, entropy),
            bare,
            goal=1.3,
            rounds=21,
        )
        for name, entropy in ENTROPIES.items()
    ]
    report("gradient", "rjsd with its gradient in torch over one eigh per matrix (CPU s)", rows)


if __name__ == "__main__":
    main()
