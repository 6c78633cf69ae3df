"""The cost of learning the Jensen–Shannon divergence: a step of RJSD over a step of InfoNCE.

Bare cost of RJSD-NN: a step of InfoNCE with the same hidden layer on the same rows. The bare cost
of RJSD-p is one ``torch.linalg.eigh`` for each of its three matrices.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from _common import against, cpu_times, report

from samelaw.kernels import Kernel
from samelaw.learn import Bandwidth, Learner, VariationalJSD, critics
from samelaw.problems.closed_forms import CauchyPair

N = 512


def stepper(
    learner: Learner, x: torch.Tensor, y: torch.Tensor, *, read: bool = False
) -> Callable[[], None]:
    """One step of learning: forward, backward, Adam; with the reading of a stream if asked."""
    learner.prepare(x, y, rng=0)
    optimiser = learner.optimiser(learner.learning_rate)

    def step() -> None:
        optimiser.zero_grad(set_to_none=True)
        value = learner.look(x, y)[0] if read else learner(x, y)
        (-value).backward()
        optimiser.step()

    return step


def all_pairs(network: torch.nn.Module, x: torch.Tensor, y: torch.Tensor) -> None:
    """NWJ as published code has it: every row with every label, (2n)² scores."""
    rows, labels = torch.cat([x, y]), torch.cat([torch.ones(len(x)), torch.zeros(len(y))])
    pairs = torch.cat(
        [rows.repeat_interleave(len(rows), 0), labels.repeat(len(rows))[:, None]], dim=1
    )
    joint = network(torch.cat([rows, labels[:, None]], dim=1)).mean()
    (torch.exp(network(pairs) - 1.0).mean() - joint).backward()


def main() -> None:
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    x, y = (torch.tensor(s, dtype=torch.float32) for s in CauchyPair(4.0).draw(N, rng=rng))
    infonce = stepper(critics.InfoNCE(), x, y)
    goals = {
        "RJSD-NN": (VariationalJSD(warm_up=0), 2.0),
        "RJSD-NN, while warmed up": (VariationalJSD(warm_up=10**9), 3.0),
    }
    rows = [
        against(
            f"{name} over InfoNCE, n = {N}", stepper(learner, x, y), infonce, goal=goal, rounds=60
        )
        for name, (learner, goal) in goals.items()
    ]
    kernel = VariationalJSD(Bandwidth())
    step = stepper(kernel, x, y)
    pool = torch.cat([x, y])
    assert isinstance(kernel.representation, Kernel)
    gram = kernel.representation(pool, pool).detach()
    matrices = [gram, gram[:N, :N].clone(), gram[N:, N:].clone()]

    def spectra() -> None:
        for matrix in matrices:
            torch.linalg.eigh(matrix)

    rows.append(against(f"RJSD-p over its three eigh, n = {N}", step, spectra, goal=1.3, rounds=15))
    nwj = stepper(critics.NWJ(), x, y)
    network = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    times = cpu_times({"exact labels": nwj, "all pairs": lambda: all_pairs(network, x, y)}, 3)
    makers: dict[str, Callable[[], Any]] = {
        "NWJ": critics.NWJ,
        "InfoNCE": critics.InfoNCE,
        "CLUB": critics.CLUB,
        "MINE": critics.MINE,
        "DonskerVaradhan": critics.DonskerVaradhan,
        "JSBound": critics.JSBound,
        "SMILE": critics.SMILE,
        "RJSD-NN": lambda: VariationalJSD(warm_up=0),
    }
    rivals = {name: stepper(make(), x, y) for name, make in makers.items()}
    epochs = {
        "InfoNCE": stepper(critics.InfoNCE(), x, y, read=True),
        "RJSD-NN": stepper(VariationalJSD(warm_up=0), x, y, read=True),
    }
    report(
        "learn_critics",
        "a step of learning, n = m = 512, one thread (CPU s)",
        rows,
        all_pairs={**times, "ratio": times["all pairs"] / times["exact labels"]},
        steps=cpu_times(rivals, 40),
        epochs=cpu_times(epochs, 40),  # a step and the reading before it
    )


if __name__ == "__main__":
    main()
