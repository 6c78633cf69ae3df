"""Divergence and diversity as torchmetrics: running sums, mergeable, with a standard error.

A metric keeps covariances of explicit features, never rows. Rows are dealt to a few blocks, whose
covariances are kept apart: leaving out one block at a time (the jackknife) removes the leading
term of the bias and gives the standard error. Sums over processes are sums of blocks.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torchmetrics import Metric

from samelaw.core.entropies import Entropy, VonNeumann
from samelaw.core.features import FeatureMap
from samelaw.estimate.contract import Weights, priors
from samelaw.learn.batches import Batch, as_batch
from samelaw.learn.precision import full_precision

_VON_NEUMANN = VonNeumann()
_EXACT = torch.float64  # sums over millions of rows
# Row i goes to block ⌊G frac(φi)⌋: even whatever the period of the data, where i mod G is not.
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


class _BlockMetric(Metric):
    """Σ φφᵀ and the number of rows of every block, for one or more samples."""

    full_state_update: bool | None = False
    is_differentiable: bool | None = False
    higher_is_better: bool | None = None

    def __init__(
        self,
        feature_map: FeatureMap,
        entropy: Entropy,
        blocks: int,
        names: Sequence[str],
        **kw: object,
    ) -> None:
        super().__init__(**kw)
        if blocks < 2:
            raise ValueError(f"a standard error needs at least two blocks, got {blocks}.")
        self.feature_map = feature_map
        self.entropy = entropy
        self.blocks = blocks
        self._dealt = dict.fromkeys(names, 0)  # rows dealt to blocks, here and not in a state
        self._within_forward = False
        shape = (blocks, feature_map.size, feature_map.size)
        for name in names:
            self.add_state(f"{name}_total", torch.zeros(shape, dtype=_EXACT), dist_reduce_fx="sum")
            self.add_state(f"{name}_rows", torch.zeros(blocks, dtype=_EXACT), dist_reduce_fx="sum")

    def _add(self, name: str, sample: Batch) -> None:
        """Add rows to their blocks: the same ones however the rows are cut into batches."""
        batch = as_batch("the batch", sample)
        with torch.no_grad(), full_precision(batch):
            features = self.feature_map.features(batch).to(_EXACT)
            total, count = getattr(self, f"{name}_total"), getattr(self, f"{name}_rows")
            number = self._dealt[name] + torch.arange(len(features), device=features.device)
            self._dealt[name] += len(features)
            block = (self.blocks * torch.frac(_GOLDEN * number)).long()
            for index in torch.unique(block).tolist():
                part = features[block == index]
                total[index] += part.T @ part
                count[index] += len(part)

    def forward(self, *args: Any, **kw: Any) -> Any:
        """Add a batch and give its own value, NaN while a sample has fewer than two rows.

        Within, torchmetrics resets the states, adds the batch, and adds the states of before.
        """
        self._within_forward = True
        try:
            return super().forward(*args, **kw)
        finally:
            self._within_forward = False

    def reset(self) -> None:
        """Forget all rows."""
        super().reset()
        if not self._within_forward:
            self._dealt = dict.fromkeys(self._dealt, 0)

    def _too_few(self, *counts: Tensor) -> bool:
        """Whether a batch alone has no value, which is no error: more may follow."""
        return self._within_forward and any(int((rows > 0).sum()) < 2 for rows in counts)

    def _entropies(self, covariances: Tensor) -> Tensor:
        """Entropies (…) of unit-trace operators (…, D, D)."""
        value: Tensor = self.entropy(torch.linalg.eigvalsh(covariances))
        return value


class RepresentationEntropy(_BlockMetric):
    """Representation entropy of a stream of rows, or the number of different rows it amounts to.

    S(C) of the covariance of the features. Its exponential is the Vendi score (Friedman and Dieng
    2023) on explicit features; with ``Renyi(2)`` that is the RKE mode count (Jalali et al. 2023).

    Parameters
    ----------
    feature_map : FeatureMap
        `FourierLayer` (``at_median`` of some reference rows) or `samelaw.kernels.FourierFeatures`.
    entropy : Entropy
    effective_number : bool
        exp(S) instead of S.
    blocks : int
        For the jackknife; the standard error is known to about 1/√(2·blocks) of itself.
    **kw
        Options of `torchmetrics.Metric`.

    Notes
    -----
    ``compute()`` gives (value, standard error). At most 2D different rows can be told apart with
    D frequencies: take D well above the number of modes. State: blocks·(2D)² numbers.

    Examples
    --------
    >>> import torch
    >>> from samelaw.learn import FourierLayer
    >>> rows = 100.0 * torch.arange(4.0).repeat(64)[:, None]
    >>> metric = RepresentationEntropy(FourierLayer(1, 128), effective_number=True)
    >>> metric.update(rows)
    >>> bool(abs(metric.compute()[0] - 4) < 0.5)
    True
    """

    higher_is_better: bool | None = True
    sample_total: Tensor
    sample_rows: Tensor

    def __init__(
        self,
        feature_map: FeatureMap,
        entropy: Entropy = _VON_NEUMANN,
        *,
        effective_number: bool = False,
        blocks: int = 32,
        **kw: object,
    ) -> None:
        super().__init__(feature_map, entropy, blocks, ("sample",), **kw)
        self.effective_number = effective_number

    def update(self, sample: Tensor) -> None:
        """Add rows (n, …)."""
        self._add("sample", sample)

    def compute(self) -> tuple[Tensor, Tensor]:
        """The bias-corrected value and its standard error."""
        if self._too_few(self.sample_rows):
            return _nothing(self.sample_rows)
        blocks = _used(self.sample_total, self.sample_rows)
        value, correction, error = _jackknife(
            self._entropies(_whole(*blocks)), self._entropies(_without_one(*blocks))
        )
        if not self.effective_number:
            return value + correction, error
        number = torch.exp(value + correction)
        return number, number * error


class RepresentationJSD(_BlockMetric):
    """RJSD between real and generated rows, batch by batch, without keeping any.

    Parameters
    ----------
    feature_map : FeatureMap
        One for both; `FourierLayer.at_median` of some real rows.
    entropy : Entropy
    weights : "balanced", "proportional" or float
        Shares in the mixture; balanced, so that the value does not depend on how many rows each
        side has.
    keep_real : bool
        Keep the real side on ``reset()``: it is the same for every model.
    blocks : int
        For the jackknife.
    **kw
        Options of `torchmetrics.Metric`.

    Notes
    -----
    ``compute()`` gives (value, standard error), in nats. The correction may make values of equal
    laws slightly negative; the standard error is one for laws that differ.

    Examples
    --------
    >>> import torch
    >>> from samelaw.learn import FourierLayer
    >>> _ = torch.manual_seed(0)
    >>> metric = RepresentationJSD(FourierLayer(2, 32))
    >>> metric.update(torch.randn(500, 2), real=True)
    >>> metric.update(torch.randn(400, 2) + 2, real=False)
    >>> value, error = metric.compute()
    >>> bool(0.4 < value < 0.6), bool(error < 0.05)
    (True, True)
    """

    higher_is_better: bool | None = False
    real_total: Tensor
    real_rows: Tensor
    generated_total: Tensor
    generated_rows: Tensor

    def __init__(
        self,
        feature_map: FeatureMap,
        entropy: Entropy = _VON_NEUMANN,
        *,
        weights: Weights = "balanced",
        keep_real: bool = False,
        blocks: int = 32,
        **kw: object,
    ) -> None:
        super().__init__(feature_map, entropy, blocks, ("real", "generated"), **kw)
        self.weights = weights
        self.keep_real = keep_real
        self._kept: tuple[Tensor, Tensor] | None = None

    def update(self, sample: Tensor, real: bool) -> None:
        """Add rows (n, …) of the real or of the generated law."""
        self._add("real" if real else "generated", sample)

    def forward(self, *args: Any, **kw: Any) -> Any:
        """Add a batch and give its own value; a generated one is held against all real rows kept.

        NaN while a sample has fewer than two rows.
        """
        if self.keep_real:  # copies: the sums are added to in place
            self._kept = (self.real_total.clone(), self.real_rows.clone())
        try:
            return super().forward(*args, **kw)
        finally:
            self._kept = None

    def reset(self) -> None:
        """Forget the generated rows, and the real ones unless they are to be kept."""
        if not self.keep_real or self._within_forward:
            super().reset()
            return
        total, count, dealt = self.real_total, self.real_rows, self._dealt["real"]
        super().reset()
        self.real_total, self.real_rows, self._dealt["real"] = total, count, dealt

    def compute(self) -> tuple[Tensor, Tensor]:
        """The bias-corrected value and its standard error."""
        real, generated = self._real(), (self.generated_total, self.generated_rows)
        if self._too_few(real[1], generated[1]):
            return _nothing(real[1])
        sides = [_used(*real), _used(*generated)]
        shares = priors(self.weights, [float(rows.sum()) for _, rows in sides])
        whole = [_whole(*side) for side in sides]
        value = self._divergence(whole, shares)
        correction, variance = torch.zeros_like(value), torch.zeros_like(value)
        for index, side in enumerate(sides):
            pair = list(whole)
            pair[index] = _without_one(*side)
            _, own, error = _jackknife(value, self._divergence(pair, shares))
            correction, variance = correction + own, variance + error**2
        return value + correction, torch.sqrt(variance)

    def _real(self) -> tuple[Tensor, Tensor]:
        """The real side; within `forward`, which resets the states, with what was kept."""
        if self._kept is None:
            return self.real_total, self.real_rows
        return self.real_total + self._kept[0], self.real_rows + self._kept[1]

    def _divergence(self, pair: Sequence[Tensor], shares: Sequence[float]) -> Tensor:
        """RJSD of covariances, either of them a stack (G, D, D)."""
        mixed = shares[0] * pair[0] + shares[1] * pair[1]
        inner = [self._entropies(c) for c in pair]
        value: Tensor = self._entropies(mixed) - self.entropy.mean(inner, shares)
        return value


def _nothing(rows: Tensor) -> tuple[Tensor, Tensor]:
    return rows.new_tensor(math.nan), rows.new_tensor(math.nan)


def _used(total: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """The blocks that have rows."""
    seen = rows > 0
    if int(seen.sum()) < 2:
        raise ValueError(
            f"the metric has seen {int(rows.sum())} row(s) of a sample; it needs at least two."
        )
    return total[seen], rows[seen]


def _whole(total: Tensor, rows: Tensor) -> Tensor:
    return total.sum(dim=0) / rows.sum()


def _without_one(total: Tensor, rows: Tensor) -> Tensor:
    """The covariance of all rows but those of one block, for every block (G, D, D)."""
    return (total.sum(dim=0) - total) / (rows.sum() - rows)[:, None, None]


def _jackknife(value: Tensor, without: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The value, what to add for its bias, and its standard error, from leave-one-out values."""
    count = len(without)
    correction = (count - 1) * (value - without.mean())
    error = math.sqrt((count - 1) ** 2 / count) * without.std()
    return value, correction, error
