"""The cost of a loss of joint adaptation, forward and backward.

Three questions: RJSD of order 3 over the MMD loss of the same kernels (goal 2); at batch 1,024 the
Fourier form over the Gram form (goal 1); the memory held for the backward pass when features
widen, in numbers per entry of the batch (goal 16: a table of N²d numbers would hold N per entry).
"""

from collections.abc import Callable
from typing import Any

import torch
from _common import against, cpu_times, report
from torch import Tensor

from samelaw.learn.adaptation import JointAdaptationLoss

SHAPES = ((32, 256, 31), (64, 128, 10), (128, 256, 65), (128, 2048, 200))  # batch, width, classes
LARGE = (1024, 256, 31)
FREQUENCIES = 256
MOST_NUMBERS_PER_ENTRY = 16


def batch(rows: int, width: int, classes: int) -> tuple[Tensor, Tensor]:
    features = torch.randn(rows, width, requires_grad=True)
    return features, torch.randn(rows, classes).softmax(1).requires_grad_()


def step(loss: JointAdaptationLoss, shape: tuple[int, int, int]) -> Callable[[], Any]:
    torch.manual_seed(0)
    source, target = batch(*shape), batch(*shape)
    return lambda: loss(source, target).backward()


def held(loss: JointAdaptationLoss, shape: tuple[int, int, int]) -> int:
    """Numbers the tape keeps for the backward pass, each tensor once."""
    sizes: dict[int, int] = {}

    def note(tensor: Tensor) -> Tensor:
        sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes() // 4
        return tensor

    source, target = batch(*shape), batch(*shape)
    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        loss(source, target)
    return sum(sizes.values())


def memory() -> dict[str, object]:
    rows, narrow, wide = 128, 256, 2048
    loss = JointAdaptationLoss()
    grown = held(loss, (rows, wide, 65)) - held(loss, (rows, narrow, 65))
    each = grown / (2 * rows * (wide - narrow))
    return {
        "case": f"numbers held per entry of the batch, {rows} rows",
        "ratio": each,
        "goal": MOST_NUMBERS_PER_ENTRY,
        "met": each <= MOST_NUMBERS_PER_ENTRY,
    }


def main() -> None:
    torch.set_num_threads(1)
    rows = [
        against(
            f"RJSD-3 over MMD, batch {shape[0]} × {shape[1]}",
            step(JointAdaptationLoss(), shape),
            step(JointAdaptationLoss.mmd(), shape),
            goal=2.0,
            rounds=60,
        )
        for shape in SHAPES
    ]
    rows.append(
        against(
            f"Fourier form over Gram form, batch {LARGE[0]} × {LARGE[1]}, D = {FREQUENCIES}",
            step(JointAdaptationLoss(frequencies=FREQUENCIES), LARGE),
            step(JointAdaptationLoss(), LARGE),
            goal=1.0,
            rounds=3,
        )
    )
    rows.append(memory())
    forms = {
        "MMD": JointAdaptationLoss.mmd(),
        **{f"order {order}": JointAdaptationLoss(entropy=order) for order in (1, 2, 3, 10)},
        "von Neumann": JointAdaptationLoss(entropy=float("inf")),
        "order 3, corrected": JointAdaptationLoss(corrected=True),
    }
    each = {
        f"{shape[0]} × {shape[1]}": cpu_times({n: step(f, shape) for n, f in forms.items()}, 20)
        for shape in SHAPES
    }
    report(
        "adaptation", "Losses of joint adaptation, forward and backward (CPU s)", rows, seconds=each
    )


if __name__ == "__main__":
    main()
