"""Checkpoints in one safetensors file: tensors, and everything else as JSON in its header.

Nothing is pickled, so opening a file runs no code. It is written beside the old one and put in its
place in one step: whenever the process dies, one whole checkpoint is there.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

VERSION = 1


def write(path: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, object]) -> None:
    """Write tensors by name and JSON-like facts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    own = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps({"version": VERSION, **facts})
    save_file({name: t.clone() for name, t in own.items()}, draft, {"facts": text})
    draft.replace(path)


def read(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and facts of a checkpoint; a clear error for any other file."""
    try:
        with safe_open(path, framework="pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, KeyError, ValueError) as error:
        raise ValueError(f"{path} is no checkpoint of samelaw: {error}.") from error
    if facts.get("version") != VERSION:
        raise ValueError(f"{path} has version {facts.get('version')}, expected {VERSION}.")
    return tensors, facts


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
