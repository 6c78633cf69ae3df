"""Divergence and diversity as torchmetrics: running sums, mergeable, with a standard error."""

import math
import warnings
from os import PathLike
from typing import Any

from torch import Tensor

from samelaw.divergence.contract import Weights, priors
from samelaw.divergence.jackknife import divergence_of_blocks, entropy_of_blocks
from samelaw.kernels.entropies import EntropyLike, VonNeumann
from samelaw.kernels.features import FeatureMap
from samelaw.learn.metrics.block_metric import BlockMetric, Extractor, used_blocks
from samelaw.learn.metrics.real_statistics import RealStatistics

_VON_NEUMANN = VonNeumann()
_COPIED = -4.0  # standard errors: samples of one distribution stay above, copies fall below


class RepresentationEntropy(BlockMetric):
    """Representation entropy of a stream of rows, or the number of different rows it amounts to.

    S(C) of the covariance of the features. Its exponential is the Vendi score (Friedman and Dieng
    2023) on explicit features; with ``Renyi(q)`` that of order q (Pasarkar and Dieng 2024), at 2
    the RKE mode count (Jalali et al. 2023).

    Parameters
    ----------
    feature_map : FeatureMap, optional
        `FourierLayer` (``at_median`` of some reference rows) or `samelaw.kernels.FourierFeatures`;
        by default made at the median distance of the first 1,000 rows, which wait until then, or
        of those there are when you ask for the value. One with parameters is copied and frozen.
    entropy : Entropy or order
    feature : Module or callable, optional
        From a batch to rows (n, d), such as the features of a network; put in evaluation mode.
    effective_number : bool
        exp(S) instead of S.
    frequencies : int, optional
        Of the default feature map: by default as many as columns, but at least 128 and at most 256;
        fewer than the columns cannot see all directions, and a warning says so.
    images_to_unit : bool
        Turn uint8 images into numbers from 0 to 1 before ``feature`` sees them.
    with_error : bool
        ``compute()`` gives (value, standard error); the error is in ``standard_error`` anyway.
    blocks : int
        For the jackknife; the standard error is known to about 1/√(2·blocks) of itself.
    **kw
        Options of `torchmetrics.Metric`.

    Notes
    -----
    At most 2D different rows can be told apart with D frequencies: take D well above the number
    of modes. State: blocks·(2D)² numbers. NaN in, NaN out, until ``reset()``.

    Examples
    --------
    >>> import torch
    >>> from samelaw import Gaussian
    >>> from samelaw.learn import FourierLayer
    >>> rows = 100.0 * torch.arange(4.0).repeat(64)[:, None]
    >>> layer = FourierLayer(1, 128, kernel=Gaussian(1.0))  # rows 100 apart have nothing in common
    >>> metric = RepresentationEntropy(layer, effective_number=True)
    >>> metric.update(rows)
    >>> bool(abs(metric.compute() - 4) < 0.5)
    True
    """

    higher_is_better: bool | None = True
    sample_total: Tensor
    sample_rows: Tensor

    def __init__(
        self,
        feature_map: FeatureMap | None = None,
        entropy: EntropyLike = _VON_NEUMANN,
        *,
        feature: Extractor | None = None,
        effective_number: bool = False,
        frequencies: int | None = None,
        images_to_unit: bool = True,
        with_error: bool = False,
        blocks: int = 32,
        **kw: object,
    ) -> None:
        super().__init__(
            feature_map,
            entropy,
            names=("sample",),
            feature=feature,
            frequencies=frequencies,
            images_to_unit=images_to_unit,
            with_error=with_error,
            blocks=blocks,
            **kw,
        )
        self.effective_number = effective_number

    def update(self, sample: Tensor) -> None:
        """Add rows (n, …), or whatever ``feature`` takes."""
        self._add("sample", sample)

    def compute(self) -> Tensor | tuple[Tensor, Tensor]:
        """The bias-corrected value, with its standard error if that was asked for."""
        self._settle_for_value()
        if self._unknown([self.sample_rows], [self.sample_total]):
            return self._given(*_nothing(self.sample_rows))
        waiting = self._waiting("sample")
        blocks = used_blocks("sample", self.sample_total, self.sample_rows, waiting)
        value, error = self._answer(lambda: entropy_of_blocks(blocks, self.entropy))
        if not self.effective_number:
            return self._given(value, error)
        return self._given(value.exp(), value.exp() * error)


class RepresentationJSD(BlockMetric):
    """RJSD between real and generated rows, batch by batch, without keeping any.

    Parameters
    ----------
    feature_map : FeatureMap, optional
        One for both; `FourierLayer.at_median` of some real rows. By default made at the median
        distance of the first 1,000 real rows, or of those there are when you ask for the value, and
        kept from then on; rows of both sides wait until then. One with parameters is copied and
        frozen.
    entropy : Entropy or order
    feature : Module or callable, optional
        From a batch to rows (n, d), such as the Inception network of torchmetrics' FID; put in
        evaluation mode.
    weights : "balanced", "proportional" or float
        Shares in the mixture; balanced, so that the value does not depend on how many rows each
        side has.
    keep_real : bool
        Keep the real side on ``reset()``: it is the same for every model.
    frequencies : int, optional
        Of the default feature map: by default as many as columns, but at least 128 and at most 256;
        fewer than the columns cannot see all directions, and a warning says so.
    images_to_unit : bool
        Turn uint8 images into numbers from 0 to 1 before ``feature`` sees them; False for a network
        that wants bytes, as torchmetrics' Inception does.
    with_error : bool
        ``compute()`` gives (value, standard error); the error is in ``standard_error`` anyway.
    blocks : int
        For the jackknife.
    **kw
        Options of `torchmetrics.Metric`.

    Notes
    -----
    In nats. The correction may make values of equal laws slightly negative; the standard error is
    one for laws that differ. Called on a batch (``metric(batch, real=False)``) it adds the batch
    and gives its own value, against all real rows with ``keep_real``. `save_real` and `load_real`
    spare the real side in later runs. NaN in, NaN out, until ``reset()``. A value more than four
    standard errors below 0 comes with a warning: generated rows are copies of real ones.

    Examples
    --------
    >>> import torch
    >>> from samelaw.learn import FourierLayer
    >>> _ = torch.manual_seed(0)
    >>> metric = RepresentationJSD(FourierLayer(2, 32))
    >>> metric.update(torch.randn(500, 2), real=True)
    >>> metric.update(torch.randn(400, 2) + 2, real=False)
    >>> bool(0.4 < metric.compute() < 0.6), bool(metric.standard_error < 0.05)
    (True, True)
    """

    higher_is_better: bool | None = False
    real_total: Tensor
    real_rows: Tensor
    generated_total: Tensor
    generated_rows: Tensor

    def __init__(
        self,
        feature_map: FeatureMap | None = None,
        entropy: EntropyLike = _VON_NEUMANN,
        *,
        feature: Extractor | None = None,
        weights: Weights = "balanced",
        keep_real: bool = False,
        frequencies: int | None = None,
        images_to_unit: bool = True,
        with_error: bool = False,
        blocks: int = 32,
        **kw: object,
    ) -> None:
        super().__init__(
            feature_map,
            entropy,
            names=("real", "generated"),
            feature=feature,
            frequencies=frequencies,
            images_to_unit=images_to_unit,
            with_error=with_error,
            blocks=blocks,
            **kw,
        )
        self.weights = weights
        self.keep_real = keep_real
        self._kept: tuple[Tensor, Tensor] | None = None

    def update(self, sample: Tensor, real: bool) -> None:
        """Add rows (n, …), or whatever ``feature`` takes, of the real or of the generated law."""
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
        waiting = list(self._waiting("real"))
        super().reset()
        self.real_total, self.real_rows, self._dealt["real"] = total, count, dealt
        self._waiting("real").extend(waiting)

    def compute(self) -> Tensor | tuple[Tensor, Tensor]:
        """The bias-corrected value, with its standard error if that was asked for."""
        self._settle_for_value()
        totals, counts = zip(self._real(), (self.generated_total, self.generated_rows), strict=True)
        if self._unknown(counts, totals):
            return self._given(*_nothing(self.real_rows))
        names = ("real", "generated")
        waiting = [self._waiting(name) for name in names]
        sides = [used_blocks(*side) for side in zip(names, totals, counts, waiting, strict=True)]
        shares = priors(self.weights, [side.count for side in sides])
        found = self._answer(lambda: divergence_of_blocks(sides, self.entropy, shares))
        if not self._within_forward:
            _check_copies(*found)
        return self._given(*found)

    def save_real(self, path: str | PathLike[str]) -> None:
        """Write the real side and the feature map to a file (safetensors); no rows are in it."""
        self._settle(2)
        if self.feature_map is None or not float(self.real_rows.sum()):
            raise ValueError("there are no real rows to save: update(batch, real=True) first.")
        RealStatistics.of(
            self.real_total, self.real_rows, self.feature_map, self.feature, self._dealt["real"]
        ).write(path)

    def load_real(self, path: str | PathLike[str]) -> None:
        """Take the real side from a file of `save_real`, and keep it on ``reset()``.

        A metric without a feature map takes that of the file as well. Another map, another
        ``feature`` network or another number of blocks is an error.
        """
        found = RealStatistics.read(path)
        self.feature_map = found.matched(path, self.feature_map, self.feature, self.blocks)
        self._resize()
        self._waiting("real").clear()
        self.keep_real = True
        self.real_total = found.total.to(self.real_total.device)
        self.real_rows = found.rows.to(self.real_rows.device)
        self._dealt["real"] = found.dealt
        self._computed = None

    def _real(self) -> tuple[Tensor, Tensor]:
        """The real side; within `forward`, which resets the states, with what was kept."""
        if self._kept is None:
            return self.real_total, self.real_rows
        return self.real_total + self._kept[0], self.real_rows + self._kept[1]


def _check_copies(value: Tensor, error: Tensor) -> None:
    """Warn where the samples are more alike than two of one distribution are."""
    if bool(value < _COPIED * error):
        warnings.warn(
            f"the value {float(value):.3g} is {float(-value / error):.0f} standard errors below 0: "
            "generated rows are copies of real ones (memorised, or the same rows given twice).",
            stacklevel=3,
        )


def _nothing(rows: Tensor) -> tuple[Tensor, Tensor]:
    return rows.new_tensor(math.nan), rows.new_tensor(math.nan)
