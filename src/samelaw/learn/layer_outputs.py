"""What the layers of a network make of inputs, by forward hooks."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from samelaw.core.checks import as_count
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
        has parameters.
    batch : int
        Rows the network sees at a time.

    Returns
    -------
    dict of str to Tensor

    See Also
    --------
    samelaw.representations.layer_information : what they know of each other.

    Examples
    --------
    >>> import torch
    >>> network = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
    >>> [(name, tuple(z.shape)) for name, z in layer_outputs(network, torch.zeros(5, 4)).items()]
    [('0', (5, 3)), ('2', (5, 2))]
    """
    chosen = _chosen(network, layers)
    seen: dict[str, list[Tensor]] = {name: [] for name in chosen}
    hooks = [module.register_forward_hook(_keep(seen[name])) for name, module in chosen.items()]
    training, place = network.training, next(iter(network.parameters()), torch.zeros(()))
    network.eval()
    try:
        with torch.no_grad():
            for part in _batches(inputs, as_count("batch", batch)):
                network(part.to(place.device))
    finally:
        network.train(training)
        for hook in hooks:
            hook.remove()
    silent = [name for name, parts in seen.items() if not parts]
    if silent:
        raise ValueError(f"the network did not use {', '.join(silent)}: leave them out of layers.")
    return {name: torch.cat(parts) for name, parts in seen.items()}


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


def _keep(parts: list[Tensor]) -> Callable[[nn.Module, Any, Any], None]:
    def hook(module: nn.Module, inputs: Any, output: Any) -> None:
        first = output[0] if isinstance(output, tuple | list) else output
        parts.append(widened(first.detach()).reshape(len(first), -1).cpu())

    return hook


def _batches(inputs: Tensor | Iterable[Any], size: int) -> Iterable[Tensor]:
    if isinstance(inputs, Tensor):
        return torch.split(inputs, size)
    return (part[0] if isinstance(part, tuple | list) else part for part in inputs)
