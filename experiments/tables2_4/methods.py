"""The methods in the tables, and one training of one of them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from experiments.tables2_4.tasks import BENCHMARKS, Task, load_task
from samelaw import Gaussian
from samelaw.learn import AdaptiveGaussian
from samelaw.learn.adaptation import (
    Adaptation,
    AdaptationNetwork,
    FeatureDomain,
    JointAdaptationLoss,
    adapt,
    outputs_of,
)
from samelaw.learn.layer_kernels import CLASS_BANDWIDTH, FACTORS


@dataclass(frozen=True)
class Method:
    """A loss, and the trade-offs β it is tried with on another seed.

    Without any, β is that of order 3 times 3/p: near 0, where the eigenvalues of a batch lie,
    the series of order p bends p/3 times as much as that of order 3.
    """

    loss: Callable[[], JointAdaptationLoss | None]
    trade_offs: Sequence[float] = ()
    order: float = 3


def _order(order: float, trade_offs: Sequence[float] = (), **options: Any) -> Method:
    return Method(lambda: JointAdaptationLoss(entropy=order, **options), trade_offs, order)


WIDER = "RJSD 3, corrected, wider kernels"
FOURIER = "RJSD 3, 256 frequencies"


def _wider() -> JointAdaptationLoss:
    """Twice the variances: to first order RJSD sees the squared kernel, then that of MMD."""
    layers = (
        AdaptiveGaussian([2.0 * factor for factor in FACTORS]),
        Gaussian(math.sqrt(2.0) * CLASS_BANDWIDTH),
    )
    return JointAdaptationLoss(layers, corrected=True)


METHODS = {
    "source only": Method(lambda: None),
    "MMD": Method(JointAdaptationLoss.mmd, (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)),
    "RJSD 3": _order(3, (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)),
    "RJSD 3, corrected": _order(3, (0.3, 1.0, 3.0, 10.0, 30.0, 100.0), corrected=True),
    "RJSD ∞": _order(math.inf, (0.1, 1.0, 3.0)),
    "RJSD 1": _order(1),
    "RJSD 2": _order(2),
    "RJSD 10": _order(10),
    FOURIER: _order(3, frequencies=256),
    WIDER: Method(_wider, (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)),
}


def train(
    benchmark: str,
    task: Task,
    method: str,
    trade_off: float,
    seed: int,
    **changes: Any,
) -> tuple[AdaptationNetwork, Adaptation]:
    """One training: the seed decides the first weights, the batches and dropout."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    network = task.network()
    plan = replace(BENCHMARKS[benchmark].plan, trade_off=trade_off, **changes)
    loss = METHODS[method].loss()
    return network, adapt(network, loss, task.source, task.target, plan=plan, rng=seed)


def accuracy(
    benchmark: str, name: str, method: str, trade_off: float, seed: int, **changes: Any
) -> float:
    """Test accuracy in per cent after the last step: no choice, so no label of the target."""
    task = load_task(benchmark, name)
    network, _ = train(benchmark, task, method, trade_off, seed, **changes)
    return 100.0 * outputs_of(network, task.test).accuracy


@lru_cache(maxsize=64)
def chosen(benchmark: str, name: str, method: str, trade_off: float, seed: int) -> dict[str, float]:
    """Accuracy in per cent at the step each rule keeps; a tenth of the source is held out."""
    task = load_task(benchmark, name)
    _, run = train(benchmark, task, method, trade_off, seed, held_out=0.1, evaluate=50)
    return {rule: 100.0 * kept["target_accuracy"] for rule, kept in run.chosen.items()}


def apart(benchmark: str, name: str, method: str, trade_off: float, seed: int) -> float:
    """p-value of "the domains have the same features" on rows that took no part in training."""
    from samelaw import two_sample_test

    task = load_task(benchmark, name)
    trained, kept = zip(*(_halves(d, seed) for d in (task.source, task.target)), strict=True)
    network, _ = train(benchmark, replace(task, source=trained[0], target=trained[1]), method,
                       trade_off, seed)  # fmt: skip
    rows = [outputs_of(network, d).features[:200].numpy() for d in kept]
    return two_sample_test(*rows, permutations=199, rng=seed).pvalue


def _halves(domain: FeatureDomain, seed: int) -> tuple[FeatureDomain, ...]:
    order = torch.as_tensor(np.random.default_rng(seed).permutation(len(domain)))
    parts = order[: len(order) // 2], order[len(order) // 2 :]
    return tuple(FeatureDomain(domain.inputs[p], domain.labels[p], domain.classes) for p in parts)
