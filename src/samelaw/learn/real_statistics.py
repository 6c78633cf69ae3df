"""The real side of a metric as a file: sums of blocks and what they were seen through, no rows."""

import hashlib
import os
from dataclasses import dataclass, fields, is_dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from samelaw.core.array import is_array, to_numpy
from samelaw.core.features import FeatureMap
from samelaw.core.kernels import Gaussian
from samelaw.learn.representations import FourierLayer

_FORMAT = "samelaw real statistics 1"


@dataclass(frozen=True, eq=False)
class RealStatistics:
    """Sums of blocks (G, D, D), their rows (G,), and digests of what made the features."""

    total: Tensor
    rows: Tensor
    layer: dict[str, Tensor]  # of a plain Fourier layer, which can be made again
    map_digest: str
    feature_digest: str
    dealt: int

    @classmethod
    def of(
        cls, total: Tensor, rows: Tensor, feature_map: FeatureMap, feature: object, dealt: int
    ) -> "RealStatistics":
        """What a metric holds, as it is now."""
        plain = isinstance(feature_map, FourierLayer) and feature_map.network is None
        layer = dict(feature_map.state_dict()) if plain else {}  # type: ignore[attr-defined]
        digests = digest(feature_map), digest(feature)
        return cls(total.cpu(), rows.cpu(), layer, *digests, dealt)

    def write(self, path: str | PathLike[str]) -> None:
        """Write a file that is whole or absent; of symmetric matrices the upper half."""
        upper = torch.triu_indices(*self.total.shape[1:])
        arrays = {"total": self.total[:, upper[0], upper[1]].contiguous(), "rows": self.rows}
        arrays |= {f"map.{name}": value.cpu().contiguous() for name, value in self.layer.items()}
        content = {
            "format": _FORMAT,
            "size": str(self.total.shape[1]),
            "dealt": str(self.dealt),
            "map": self.map_digest,
            "feature": self.feature_digest,
            "sha256": _of_arrays(arrays),
        }
        partial = Path(f"{os.fspath(path)}.partial")
        save_file(arrays, partial, metadata=content)
        partial.replace(path)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "RealStatistics":
        """Read a file, refusing what is damaged or of another kind."""
        try:
            with safe_open(path, framework="pt") as file:
                content: dict[str, str] = file.metadata() or {}
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except SafetensorError as error:
            raise ValueError(f"{path} cannot be read as safetensors: {error}.") from error
        if content.get("format") != _FORMAT:
            raise ValueError(f"{path} holds no real statistics of this version of samelaw.")
        if _of_arrays(arrays) != content["sha256"]:
            raise ValueError(f"{path} is damaged: its numbers do not match its checksum.")
        layer = {name[4:]: value for name, value in arrays.items() if name.startswith("map.")}
        total = _squares(arrays["total"], int(content["size"]))
        digests = content["map"], content["feature"]
        return cls(total, arrays["rows"], layer, *digests, int(content["dealt"]))

    def matched(
        self,
        path: str | PathLike[str],
        feature_map: FeatureMap | None,
        feature: object,
        blocks: int,
    ) -> FeatureMap:
        """The feature map to go on with; an error if the file was made with another one."""
        if len(self.rows) != blocks:
            raise ValueError(f"{path} has {len(self.rows)} blocks: use blocks={len(self.rows)}.")
        if digest(feature) != self.feature_digest:
            raise ValueError(f"{path} was made with another feature network than this metric's.")
        if feature_map is None:
            feature_map = self._layer(path)
        if digest(feature_map) != self.map_digest:
            raise ValueError(
                f"{path} was made with another feature map: load it into a metric without one, or "
                "with the same (bandwidth and frequencies)."
            )
        return feature_map

    def _layer(self, path: str | PathLike[str]) -> FourierLayer:
        if not self.layer:
            raise ValueError(f"{path} does not hold its feature map: give feature_map= as well.")
        frequencies = self.layer["frequencies"]
        layer = FourierLayer(frequencies.shape[0], frequencies, kernel=Gaussian(1.0))
        layer.log_bandwidth = nn.Parameter(self.layer["log_bandwidth"])
        return layer.to(frequencies.dtype).requires_grad_(False)


def _squares(upper: Tensor, size: int) -> Tensor:
    first, second = torch.triu_indices(size, size)
    total = upper.new_zeros(len(upper), size, size)
    total[:, first, second] = upper
    total[:, second, first] = upper
    return total


def digest(thing: object) -> str:
    """A short name for the numbers that define a feature map or network; its class for a function.

    Another bandwidth, other frequencies or other weights give another name.
    """
    if thing is None:
        return ""
    if isinstance(thing, nn.Module):
        return _of_arrays(dict(thing.state_dict()))
    if is_dataclass(thing):
        held = {field.name: getattr(thing, field.name) for field in fields(thing)}
        return f"{type(thing).__name__} {_of_arrays(held)}"
    return str(getattr(thing, "__qualname__", type(thing).__qualname__))


def _of_arrays(named: dict[str, Any]) -> str:
    found = hashlib.sha256()
    for name, value in sorted(named.items()):
        array = (
            to_numpy(value.cpu() if isinstance(value, Tensor) else value)
            if is_array(value)
            else None
        )
        content = repr(value).encode() if array is None else array.tobytes()
        shape = "" if array is None else f"{array.dtype} {array.shape}"
        found.update(f"{name} {shape} ".encode() + content)
    return found.hexdigest()
