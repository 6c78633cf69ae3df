"""Why the methods are alike: the directions of their gradients on one batch, and its spectrum."""

import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from experiments.common import versions, write_json
from experiments.tables2_4 import methods
from experiments.tables2_4.tasks import load_task
from samelaw.learn import AdaptiveGaussian, FixedKernel
from samelaw.learn.adaptation import JointAdaptationLoss

BATCHES = (32, 64, 256)
TASK = ("office31", "A→D")
ORDERS = {"RJSD 1": 1, "RJSD 3": 3, "RJSD 10": 10, "RJSD ∞": math.inf}


class _Squared(AdaptiveGaussian):
    """The squared kernel of the features: what order 1 sees."""

    def bind(self, x: Tensor, y: Tensor) -> Any:
        kernel = super().bind(x, y)
        return kernel * kernel


def _losses() -> dict[str, JointAdaptationLoss]:
    classes: Any = JointAdaptationLoss().layers[1].kernel
    squared = [_Squared(), FixedKernel(classes * classes)]
    return {
        "MMD": JointAdaptationLoss.mmd(),
        "MMD, squared kernels": JointAdaptationLoss.mmd(squared),
        **{name: JointAdaptationLoss(entropy=order) for name, order in ORDERS.items()},
        "RJSD 3, corrected": JointAdaptationLoss(corrected=True),
    }


def _gradient(loss: JointAdaptationLoss, layers: list[Tensor], size: int) -> tuple[float, Tensor]:
    leaves = [layer.clone().requires_grad_() for layer in layers]
    value = loss(tuple(x[:size] for x in leaves), tuple(x[size:] for x in leaves))
    return value.item(), torch.cat([g.flatten() for g in torch.autograd.grad(value, leaves)])


def measure(size: int, seed: int = 0) -> dict[str, Any]:
    """Cosines to MMD and to MMD with squared kernels, for a network that MMD has adapted."""
    task = load_task(*TASK)
    network, _ = methods.train(TASK[0], task, "MMD", 3.0, seed)
    network.train()
    torch.manual_seed(seed)
    rows = [torch.randperm(len(d))[:size] for d in (task.source, task.target)]
    inputs = torch.cat([d.inputs[r] for d, r in zip((task.source, task.target), rows, strict=True)])
    features, logits = network(inputs)
    layers = [features.detach(), logits.softmax(1).detach()]
    found = {name: _gradient(loss, layers, size) for name, loss in _losses().items()}
    pool = tuple(layers)
    gram = JointAdaptationLoss().kernel(*(tuple(x[p] for x in layers) for p in _parts(size)))
    spectrum = torch.linalg.eigvalsh(gram(pool, pool) / len(inputs)).flip(0)
    bases = {name: found[name][1] for name in ("MMD", "MMD, squared kernels")}
    return {
        "largest_eigenvalues": [round(v, 4) for v in spectrum[:3].tolist()],
        "values": {name: value for name, (value, _) in found.items()},
        **{
            f"cosine to {base}": {
                name: torch.cosine_similarity(one, other, 0).item()
                for name, (_, other) in found.items()
            }
            for base, one in bases.items()
        },
    }


def _parts(size: int) -> tuple[slice, slice]:
    return slice(None, size), slice(size, None)


def run(folder: Path) -> None:
    """Write gradients.json."""
    torch.set_num_threads(1)
    found = {str(size): measure(size) for size in BATCHES}
    task = f"{TASK[0]} {TASK[1]}"
    write_json(folder / "gradients.json", {"task": task, "batches": found, "versions": versions()})
