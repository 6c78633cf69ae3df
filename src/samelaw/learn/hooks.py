"""What the layers of a network make of inputs, by forward hooks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from samelaw.core.arrays import is_array
from samelaw.core.checks import as_count, shown
from samelaw.learn.batches import as_input
from samelaw.learn.layers import evaluating
from samelaw.learn.precision import widened


def layer_outputs(
    network: nn.Module,
    inputs: Tensor | Iterable[Any],
    *,
    layers: Sequence[str] | None = None,
    batch: int = 256,
) -> dict[str, Tensor]:
    """The outputs of layers for inputs, as rows (n, d) on the host, by the names of the layers.

    The network runs in evaluation mode and without gradients; then it is as it was.

    Parameters
    ----------
    network : Module
    inputs : tensor (n, …), or iterable of batches
        A tensor is cut into batches; of a loader's pairs (inputs, labels) the first is taken.
    layers : sequence of str, optional
        Names as in ``network.named_modules()``; by default every layer without layers inside that
        has parameters, takes part and gives one row per input.
    batch : int
        Rows the network sees at a time.

    Returns
    -------
    dict of str to Tensor
        Of a layer that is used several times in one pass, its outputs side by side.

    See Also
    --------
    samelaw.extras.layers.layer_information : what they know of each other.

    Examples
    --------
    >>> import torch
    >>> network = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
    >>> [(name, tuple(z.shape)) for name, z in layer_outputs(network, torch.zeros(5, 4)).items()]
    [('0', (5, 3)), ('2', (5, 2))]
    """
    chosen = _chosen(network, layers)
    calls: dict[str, list[object]] = {name: [] for name in chosen}  # of one batch
    found: dict[str, list[Tensor]] = {name: [] for name in chosen}
    hooks = [module.register_forward_hook(_keep(calls[name])) for name, module in chosen.items()]
    place = next(iter(network.parameters()), torch.zeros(()))
    try:
        with torch.no_grad(), evaluating(network):
            for part in _batches(inputs, as_count("batch", batch)):
                network(part.to(place.device, copy=True))  # which a first layer may write over
                for name, outputs in calls.items():
                    if name in found:
                        _add(found, name, outputs, len(part), wanted=layers is not None)
                    outputs.clear()
    finally:
        for hook in hooks:
            hook.remove()
    if not any(found.values()):
        raise ValueError("no layer gave anything: inputs are empty, or no layer has parameters.")
    return {name: torch.cat(parts) for name, parts in found.items()}


def _add(
    found: dict[str, list[Tensor]], name: str, outputs: list[object], rows: int, *, wanted: bool
) -> None:
    """Add the outputs of a batch; a layer without a row per input is left out, or an error."""
    wrong = _wrong(name, outputs, rows)
    if not wrong:
        sides = [widened(t).reshape(rows, -1) for t in outputs if isinstance(t, Tensor)]
        found[name].append(torch.cat(sides, dim=1).cpu())
    elif wanted:
        raise ValueError(f"{wrong}: leave it out of layers.")
    else:
        del found[name]


def _wrong(name: str, outputs: list[object], rows: int) -> str:
    if not outputs:
        return f"the network did not use {name}"
    for output in outputs:
        if not isinstance(output, Tensor):
            return f"the layer {name} gives {type(output).__name__}, no tensor"
        if not output.ndim or len(output) != rows:
            return f"the layer {name} gives shape {tuple(output.shape)} for {rows} inputs"
    return ""


def _chosen(network: nn.Module, layers: Sequence[str] | None) -> dict[str, nn.Module]:
    named = dict(network.named_modules())
    if layers is None:
        return {
            name: module
            for name, module in named.items()
            if not list(module.children()) and list(module.parameters())
        }
    unknown = [name for name in layers if name not in named]
    if unknown:
        known = ", ".join(name for name in named if name)
        raise ValueError(f"the network has no layer {', '.join(unknown)}; its layers are {known}.")
    return {name: named[name] for name in layers}


def _keep(calls: list[object]) -> Callable[[nn.Module, Any, Any], None]:
    """A hook that keeps copies: what follows may write over an output (``ReLU(inplace=True)``)."""

    def hook(module: nn.Module, inputs: Any, output: Any) -> None:
        found = output[0] if isinstance(output, tuple | list) else output
        calls.append(found.clone() if isinstance(found, Tensor) else found)

    return hook


def _batches(inputs: Tensor | Iterable[Any], size: int) -> Iterator[Tensor]:
    if isinstance(inputs, Tensor):
        as_input("inputs", inputs)
        yield from torch.split(inputs, size)
        return
    if is_array(inputs):
        raise TypeError(f"inputs must be a tensor or batches, got {shown(inputs)}.")
    for part in inputs:
        first = part[0] if isinstance(part, tuple | list) else part
        if not isinstance(first, Tensor):
            raise TypeError(f"a batch of inputs must be a tensor, got {shown(first)}.")
        yield first
