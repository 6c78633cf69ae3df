"""Checkpoints: what a training needs to go on, in a `core.container`."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from samelaw.core.arrays import to_numpy
from samelaw.core.container import Container, Format, digest
from samelaw.learn.adaptation.datasets import Domain, FeatureDomain

FORMAT = Format("checkpoint", 3)


def write(path: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, object]) -> None:
    """Write tensors by name and JSON-like facts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    FORMAT.write(path, Container({name: _array(t) for name, t in tensors.items()}, facts))


def _array(tensor: Tensor) -> Any:
    """As numpy, which has no bfloat16: single precision holds it, and it is rounded back."""
    found = tensor.detach().cpu()
    return to_numpy(found.float() if found.dtype == torch.bfloat16 else found)


def read(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and facts of a checkpoint; a clear error for any other file."""
    found = FORMAT.read(path)
    return {name: torch.tensor(value) for name, value in found.arrays.items()}, dict(found.facts)


def pack(prefix: str, state: Mapping[str, object]) -> dict[str, Tensor]:
    """A state dictionary under a prefix."""
    return {f"{prefix}.{name}": value for name, value in state.items() if isinstance(value, Tensor)}


def unpack(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What `pack` put under the prefix."""
    start = f"{prefix}."
    return {name[len(start) :]: t for name, t in tensors.items() if name.startswith(start)}


def pack_optimiser(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Tensors an optimiser remembers, by number of the parameter (momentum, say)."""
    state = optimiser.state_dict()["state"]
    return {
        f"optimiser.{number}.{name}": value
        for number, memory in state.items()
        for name, value in memory.items()
        if torch.is_tensor(value)
    }


def unpack_optimiser(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Give an optimiser its memory back."""
    whole = optimiser.state_dict()
    memory: dict[int, dict[str, Tensor]] = {}
    for name, tensor in unpack("optimiser", tensors).items():
        number, _, key = name.partition(".")
        memory.setdefault(int(number), {})[key] = tensor
    whole["state"] = memory
    optimiser.load_state_dict(whole)


def digest_of(domain: Domain) -> str:
    """What tells a domain from another: its numbers if they are in memory, else how many."""
    if not isinstance(domain, FeatureDomain):
        return str(len(domain))  # type: ignore[arg-type]
    return digest({"inputs": to_numpy(domain.inputs), "labels": to_numpy(domain.labels)})


def refuse_other(
    facts: Mapping[str, Any], settings: Mapping[str, object], domains: Sequence[str]
) -> None:
    """Raise unless a checkpoint is of a training with these settings on these domains."""
    if other := _differences(facts["settings"], json.loads(json.dumps(settings))):
        raise ValueError(
            f"the checkpoint belongs to a training with other settings: {', '.join(other)}. "
            "Take another file."
        )
    if facts["domains"] != domains:
        raise ValueError(
            "the checkpoint belongs to a training on other rows or labels. Take another file."
        )


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> list[str]:
    """Settings that differ, each with what it is in the file and what was asked for."""
    both = [{**settings.pop("plan"), **settings} for settings in (dict(there), dict(here))]
    return [
        f"{name} is {both[0].get(name)!r} there, {value!r} here"
        for name, value in both[1].items()
        if both[0].get(name) != value
    ]
