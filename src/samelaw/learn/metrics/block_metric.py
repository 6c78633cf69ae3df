"""The skeleton of metrics that keep sums over blocks of rows, never rows.

Rows are seen through a feature extractor (optional) and a feature map with rows of norm 1, then
dealt to blocks whose covariances are kept apart, so that leaving out one block at a time (the
jackknife) removes the leading term of the bias and gives the standard error. Sums over processes
are sums of blocks.
"""

import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn
from torchmetrics import Metric

from samelaw.core.arrays import full_precision, to_numpy
from samelaw.core.checks import as_count
from samelaw.core.threads import fitting
from samelaw.core.types import Matrix
from samelaw.divergence.jackknife import Blocks, Jackknifed
from samelaw.kernels.entropies import Entropy, EntropyLike, as_entropy
from samelaw.kernels.features import FeatureMap
from samelaw.learn.batches import Batch, as_batch
from samelaw.learn.distributed import processes
from samelaw.learn.layer_kernels import warn_of_blindness
from samelaw.learn.representations import FourierLayer

_EXACT = torch.float64  # sums over millions of rows
_WHITE = 255.0
_FEATURES_PER_ROW = 2  # runs of D/2 rows: adding to a sum is then a small part of the product
_CHEAP = 64  # features up to which it is anyway
_ENOUGH = 1_000  # rows of the first sample for the width of the default map
_FEWEST, _MOST = 128, 256  # default frequencies: as many as columns, where that is affordable

Extractor = Callable[[Tensor], Tensor]
"""A network or function from a batch, as it comes, to rows (n, d)."""


class BlockMetric(Metric):
    """Σ φφᵀ and the number of rows of every block, for one or more samples."""

    full_state_update: bool | None = False
    is_differentiable: bool | None = False
    higher_is_better: bool | None = None
    plot_lower_bound: float | None = 0.0
    feature_map: FeatureMap | None

    def __init__(
        self,
        feature_map: FeatureMap | None,
        entropy: EntropyLike,
        *,
        names: Sequence[str],
        feature: Extractor | None,
        frequencies: int | None,
        images_to_unit: bool,
        with_error: bool,
        blocks: int,
        **kw: object,
    ) -> None:
        super().__init__(**kw)
        if blocks < 2:
            raise ValueError(f"a standard error needs at least two blocks, got {blocks}.")
        self.feature_map = _frozen(feature_map)
        self.feature = feature.eval() if isinstance(feature, nn.Module) else feature
        self.entropy: Entropy = as_entropy(entropy)
        self.blocks = blocks
        self.images_to_unit = images_to_unit
        self.with_error = with_error
        self._dealt = dict.fromkeys(names, 0)  # rows dealt to blocks, here and not in a state
        self._before = dict(self._dealt)
        self._within_forward = False
        self._error: Tensor | None = None
        self.frequencies = None if frequencies is None else as_count("frequencies", frequencies)
        size = 2 * (frequencies or _FEWEST) if feature_map is None else feature_map.size
        for name in names:
            zeros = torch.zeros((blocks, size, size), dtype=_EXACT)
            self.add_state(f"{name}_total", zeros, dist_reduce_fx="sum")
            self.add_state(f"{name}_rows", torch.zeros(blocks, dtype=_EXACT), dist_reduce_fx="sum")
            if self._waits:
                self.add_state(f"{name}_waiting", [], dist_reduce_fx="cat")
        if feature_map is not None:
            self._check_sight()

    @property
    def standard_error(self) -> Tensor:
        """The standard error of what `compute` gives."""
        self.compute()
        assert self._error is not None
        return self._error

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Draw a value, or several one after the other; needs matplotlib."""
        if val is None:
            val = self.compute()
        return self._plot(val[0] if self.with_error and isinstance(val, tuple) else val, ax)

    def forward(self, *args: Any, **kw: Any) -> Any:
        """Add a batch and give its own value, NaN while a sample has fewer than two rows.

        Within, torchmetrics resets the states, adds the batch, and adds the states of before.
        """
        self._settle()  # not within: the states of before are put aside there
        self._within_forward, self._before = True, dict(self._dealt)
        try:
            return super().forward(*args, **kw)
        finally:
            self._within_forward = False
            self._settle()

    def reset(self) -> None:
        """Forget all rows."""
        super().reset()
        # `forward` may add a batch twice, with a reset in between: its rows keep their numbers
        clean = dict.fromkeys(self._dealt, 0)
        self._dealt = dict(self._before) if self._within_forward else clean

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *arguments: Any
    ) -> None:
        """Make the default map, which comes with the first batch, if one is to be loaded."""
        found = state_dict.get(f"{prefix}feature_map.frequencies")
        wanted = self.frequencies or (0 if found is None else found.shape[1])
        if self.feature_map is None and found is not None and found.shape[1] == wanted:
            layer = FourierLayer(len(found), found)
            self.feature_map = layer.to(self.device, found.dtype).requires_grad_(False)
            self._resize()
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    def merge_state(self, incoming_state: dict[str, Any] | Metric) -> None:
        """Add what another metric has seen; one whose rows wait takes over its feature map."""
        if isinstance(incoming_state, BlockMetric) and self._waits and not incoming_state._waits:
            self.feature_map = incoming_state.feature_map
            self._resize()
        super().merge_state(incoming_state)

    def train(self, mode: bool = True) -> Self:
        """Nothing here learns: the extractor stays as it is for evaluation."""
        return super().train(False)

    @property
    def _waits(self) -> bool:
        """Whether there is no feature map yet, or one without a bandwidth."""
        return self.feature_map is None or getattr(self.feature_map, "waits", False)

    def _waiting(self, name: str) -> list[Tensor]:
        return getattr(self, f"{name}_waiting", [])

    def _add(self, name: str, sample: Batch) -> None:
        """Add rows to their blocks, or let them wait for the feature map."""
        with torch.no_grad():
            rows = extracted(sample, self.feature, self.images_to_unit)
            if not self._waits:
                self._add_rows(name, rows)
                return
            if processes() > 1:
                raise ValueError(
                    "in a distributed run all processes must share one feature map: pass "
                    "feature_map=FourierLayer.at_median(rows) of rows that are the same for all."
                )
            self._waiting(name).append(rows.clone())  # a loader may write over its batch
            if not self._within_forward:
                self._settle()

    def _add_rows(self, name: str, rows: Tensor) -> None:
        """Add rows to their blocks: the same ones however the rows are cut into batches."""
        assert self.feature_map is not None
        with full_precision(rows):
            features = self.feature_map.features(rows)
        total, count = getattr(self, f"{name}_total"), getattr(self, f"{name}_rows")
        sizes, order = self._deal(name, features)
        start = 0
        for block in np.flatnonzero(sizes).tolist():
            index = order[start : start + sizes[block]]
            part = _taken(features, index).to(total.dtype)
            total[block].addmm_(part.T, part)
            start += sizes[block]
        count += torch.as_tensor(sizes).to(count)

    @torch.no_grad()
    def _settle(self, least: int = _ENOUGH) -> None:
        """Make the feature map once enough rows of the first sample wait, and deal all that do."""
        if self._waits:
            waiting = self._waiting(next(iter(self._dealt)))
            if sum(map(len, waiting)) < least:
                return
            rows = torch.cat(waiting)
            sound = rows[rows.isfinite().all(dim=1)]
            if len(sound) < 2:  # NaN for now
                return
            self._make_map(sound)
        for name in self._dealt:
            self._deal_waiting(name)

    def _settle_for_value(self) -> None:
        """Go on with the rows that wait, but not for the value of one batch within `forward`."""
        if not self._within_forward:
            self._settle(2)

    def _deal_waiting(self, name: str) -> None:
        waiting = self._waiting(name)
        if not len(waiting):
            return
        for state in ("total", "rows"):  # copies: a collection lends its states to other metrics
            setattr(self, f"{name}_{state}", getattr(self, f"{name}_{state}").clone())
        setattr(self, f"{name}_waiting", [])
        for rows in waiting:
            self._add_rows(name, rows)

    def _make_map(self, rows: Tensor) -> None:
        """The default map for rows like these, or the bandwidth of one that waits for it."""
        if self.feature_map is not None:
            self.feature_map.features(rows)
            return
        count = self.frequencies or min(max(_FEWEST, rows.shape[1]), _MOST)
        layer = FourierLayer.at_median(rows, count).to(rows.device)
        self.feature_map = layer.requires_grad_(False)
        self._resize()
        self._check_sight()

    def _resize(self) -> None:
        """Sums of the size of the feature map, which was not known before."""
        assert self.feature_map is not None
        size = self.feature_map.size
        for name in self._dealt:
            total = getattr(self, f"{name}_total")
            if total.shape[1] != size:
                empty = total.new_zeros((self.blocks, size, size))
                setattr(self, f"{name}_total", empty)
                self._defaults[f"{name}_total"] = empty.clone()

    def _check_sight(self) -> None:
        frequencies = getattr(self.feature_map, "frequencies", None)
        warn_of_blindness(
            frequencies, f"Take {type(self).__name__}(frequencies=…), or features of fewer columns."
        )

    def _deal(self, name: str, features: Tensor) -> tuple[Matrix, Matrix]:
        """How many of the rows go to each block (G,), and their numbers, block by block."""
        start, self._dealt[name] = self._dealt[name], self._dealt[name] + len(features)
        size = features.shape[1]
        most = size // _FEATURES_PER_ROW if size > _CHEAP else 1
        block = blocks_of_rows(start, len(features), self.blocks, most)
        return np.bincount(block, minlength=self.blocks), np.argsort(block, kind="stable")

    def _answer(self, evaluate: Callable[[], Jackknifed]) -> tuple[Tensor, Tensor]:
        """The corrected value and its standard error, as tensors."""
        with fitting(0):
            found = evaluate()
        first = getattr(self, f"{next(iter(self._dealt))}_rows")
        return first.new_tensor(found.corrected), first.new_tensor(found.standard_error)

    def _given(self, value: Tensor, error: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        self._error = error
        return (value, error) if self.with_error else value

    def _unknown(self, counts: Sequence[Tensor], totals: Sequence[Tensor]) -> bool:
        """Whether there is no value: NaN came in, or a batch alone has too few rows for one."""
        waiting = [rows for name in self._dealt for rows in self._waiting(name)]
        if not all(bool(torch.isfinite(rows).all()) for rows in waiting):
            return True
        if not all(bool(torch.isfinite(total).all()) for total in totals):
            return True
        return self._within_forward and any(int((rows > 0).sum()) < 2 for rows in counts)


def _frozen(feature_map: FeatureMap | None) -> FeatureMap | None:
    """A map as it is now: sums need one that stays, and data parallelism none that could learn."""
    if not isinstance(feature_map, nn.Module):
        return feature_map
    if not any(parameter.requires_grad for parameter in feature_map.parameters()):
        return feature_map
    return deepcopy(feature_map).requires_grad_(False)


def extracted(sample: Batch, feature: Extractor | None, images_to_unit: bool) -> Tensor:
    """Rows (n, d) of a batch: what the extractor makes of it, or its numbers one by one."""
    if isinstance(sample, Tensor) and sample.dtype == torch.uint8 and images_to_unit:
        sample = sample.float() / _WHITE
    if feature is not None:
        sample = feature(sample)  # type: ignore[arg-type]
    rows = as_batch("the batch", sample)
    if not isinstance(rows, Tensor):
        raise TypeError("the batch is a tuple of layers; a metric takes one tensor.")
    return rows


def blocks_of_rows(start: int, count: int, blocks: int, most: int) -> Matrix:
    """The blocks of rows start, start + 1, …: a function of their numbers alone.

    Rows go to blocks in runs, which grow from 1 to ``most`` as there are more rows: a batch then
    touches few of the sums. Every cycle of runs visits each block once, in an order that turns, so
    that no period of the data falls on one block.
    """
    number = np.arange(start, start + count)
    last = max(most, 1).bit_length() - 1
    phase = np.minimum(np.log2(number / (2 * blocks) + 1).astype(int), last)
    run = phase * 2 * blocks + ((number - 2 * blocks * (2**phase - 1)) >> phase)
    cycle, place = run // blocks, run % blocks
    return np.asarray((place * _coprime(blocks, 0.618) + cycle * _coprime(blocks, 0.382)) % blocks)


def _taken(features: Tensor, index: Matrix) -> Tensor:
    """Some rows; a view of them if they follow each other."""
    if index[-1] - index[0] + 1 == len(index):
        return features[int(index[0]) : int(index[-1]) + 1]
    return features[torch.as_tensor(index, device=features.device)]


def _coprime(blocks: int, share: float) -> int:
    """The number closest to this share of the blocks that has no factor in common with them."""
    near = sorted(range(1, blocks + 1), key=lambda k: abs(k - share * blocks))
    return next(k for k in near if math.gcd(k, blocks) == 1)


def used_blocks(name: str, total: Tensor, rows: Tensor, waiting: Sequence[Tensor] = ()) -> Blocks:
    """The blocks that have rows, where numpy can see them if they are on the host."""
    seen = rows > 0
    if int(seen.sum()) < 2:
        count = int(rows.sum()) + sum(map(len, waiting))
        raise ValueError(f"the metric has seen {count} {name} row(s); it needs at least two.")
    chosen = total if bool(seen.all()) else total[seen]
    held = chosen if total.device.type != "cpu" else chosen.detach().numpy()
    return Blocks(held, to_numpy(rows[seen]))
