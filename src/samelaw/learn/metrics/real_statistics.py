"""The real side of a metric as a file: sums of blocks and what they were seen through, no rows."""

from dataclasses import dataclass, is_dataclass
from os import PathLike
from typing import Any

import torch
from torch import Tensor, nn

from samelaw.core import container
from samelaw.core.arrays import is_array, to_numpy
from samelaw.core.container import Container, Format
from samelaw.kernels.features import FeatureMap
from samelaw.kernels.fingerprint import fingerprint
from samelaw.kernels.formulas import Gaussian
from samelaw.learn.representations import FourierLayer

FORMAT = Format("real statistics", 2)


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
        tensors = {"total": self.total[:, upper[0], upper[1]], "rows": self.rows}
        tensors |= {f"map.{name}": value for name, value in self.layer.items()}
        facts = {
            "size": self.total.shape[1],
            "dealt": self.dealt,
            "map": self.map_digest,
            "feature": self.feature_digest,
        }
        FORMAT.write(path, Container({name: _plain(t) for name, t in tensors.items()}, facts))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "RealStatistics":
        """Read a file, refusing what is damaged or of another kind."""
        found = FORMAT.read(path)
        tensors = {name: torch.tensor(value) for name, value in found.arrays.items()}
        layer = {name[4:]: value for name, value in tensors.items() if name.startswith("map.")}
        total = _squares(tensors["total"], found.facts["size"])
        digests = found.facts["map"], found.facts["feature"]
        return cls(total, tensors["rows"], layer, *digests, found.facts["dealt"])

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
        return fingerprint(thing)
    return str(getattr(thing, "__qualname__", type(thing).__qualname__))


def _of_arrays(named: dict[str, Any]) -> str:
    return container.digest({name: _plain(value) for name, value in named.items()})


def _plain(value: Any) -> Any:
    """A tensor of any device as numpy; what is no array as it is."""
    value = value.detach().cpu() if isinstance(value, Tensor) else value
    return to_numpy(value) if is_array(value) else value
