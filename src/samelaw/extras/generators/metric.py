"""The classical measures of a generator as one torchmetric, in one pass over the features."""

from typing import Any

from samelaw.core.optional import require

require(__name__, "torch", "torchmetrics")

import torch
from torch import Tensor, nn
from torchmetrics import Metric
from torchmetrics.utilities import dim_zero_cat

from samelaw.core.arrays import to_numpy
from samelaw.core.threads import fitting
from samelaw.extras.generators.measures import GeneratorScores
from samelaw.extras.generators.table import generator_scores
from samelaw.kernels.algebra import Kernel
from samelaw.learn.metrics.block_metric import Extractor, extracted


class GeneratorMetrics(Metric):
    """RJSD, Fréchet distance, KID, Vendi scores, precision, recall, density and coverage at once.

    Every batch goes through the extractor once; what comes out is kept, for distances between rows
    are needed. For RJSD and Vendi scores alone, without keeping rows, take `RepresentationJSD` and
    `RepresentationEntropy`.

    Parameters
    ----------
    feature : Module or callable, optional
        From a batch to rows (n, d); put in evaluation mode. Without it batches are features.
    kernel : Gaussian, Laplace, Matern or RationalQuadratic, optional
        Of RJSD; at the median distance of the real rows by default.
    neighbours : int
        Of precision, recall, density and coverage.
    images_to_unit : bool
        Turn uint8 images into numbers from 0 to 1 before ``feature`` sees them.
    **kw
        Options of `torchmetrics.Metric`.

    Notes
    -----
    ``compute()`` gives a dict of scalars, `scores` the table with standard errors. Cost at the end
    O(N² d) on the host; NaN in, NaN out. Called on a batch, which has one side only, it adds the
    batch and gives NaN.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> metric = GeneratorMetrics()
    >>> metric.update(torch.randn(200, 3), real=True)
    >>> metric.update(0.2 * torch.randn(200, 3), real=False)
    >>> bool(metric.compute()["precision"] > 0.9 > metric.compute()["recall"])
    True
    """

    full_state_update: bool | None = False
    is_differentiable: bool | None = False
    higher_is_better: bool | None = None
    real: list[Tensor]
    generated: list[Tensor]

    def __init__(
        self,
        feature: Extractor | None = None,
        *,
        kernel: Kernel | None = None,
        neighbours: int = 5,
        images_to_unit: bool = True,
        **kw: object,
    ) -> None:
        super().__init__(**kw)
        self.feature = feature.eval() if isinstance(feature, nn.Module) else feature
        self.kernel = kernel
        self.neighbours = neighbours
        self.images_to_unit = images_to_unit
        self._within_forward = False
        for name in ("real", "generated"):
            self.add_state(name, [], dist_reduce_fx="cat")

    def train(self, mode: bool = True) -> "GeneratorMetrics":
        """Nothing here learns: the extractor stays as it is for evaluation."""
        super().train(False)
        return self

    def forward(self, *args: Any, **kw: Any) -> Any:
        """Add a batch; by itself it has one side only, so its own values are NaN.

        Not an error: torchmetrics takes the rows of before away meanwhile, and they would be lost.
        """
        self._within_forward = True
        try:
            return super().forward(*args, **kw)
        finally:
            self._within_forward = False

    def update(self, sample: Tensor, real: bool) -> None:
        """Add a batch of the real or of the generated law."""
        with torch.no_grad():
            rows = extracted(sample, self.feature, self.images_to_unit)
        (self.real if real else self.generated).append(rows)

    def scores(self) -> GeneratorScores:
        """All measures with their standard errors, of the rows this process has seen."""
        sides = [to_numpy(dim_zero_cat(side)) for side in self._seen()]
        with fitting(0):
            return generator_scores(*sides, kernel=self.kernel, neighbours=self.neighbours)

    def compute(self) -> dict[str, Tensor]:
        """All measures by name."""
        known = [side for side in (self.real, self.generated) if len(side)]
        whole = [dim_zero_cat(side) for side in (known if self._within_forward else self._seen())]
        place = whole[0]
        if len(whole) < 2 or not all(bool(torch.isfinite(side).all()) for side in whole):
            return {name: place.new_tensor(float("nan")) for name in GeneratorScores.names}
        return {name: place.new_tensor(score.value) for name, score in self.scores().scores.items()}

    def _seen(self) -> list[Any]:
        for name, side in (("real", self.real), ("generated", self.generated)):
            if isinstance(side, list) and not side:
                raise ValueError(f"the metric has seen no {name} rows.")
        return [self.real, self.generated]
