"""Covariances that remember earlier minibatches."""

import torch
from torch import Tensor, nn

from samelaw.core.checks import as_share
from samelaw.kernels.operators import Covariance


class MovingCovariance(nn.Module):
    """The covariance of a stream of minibatches, the past fading by ``keep`` with every batch.

    Total Σ w φφᵀ and weight Σ w fade alike, so their quotient is a weighted mean of all rows from
    the first batch on, whatever the sizes of the batches: the paper's moving average of
    covariances without its start-up bias. Gradients flow through the newest batch only.

    Parameters
    ----------
    size : int
        D, the number of features.
    keep : float
        Between 0 (no memory) and 1 (nothing fades: the covariance of all rows seen).

    Notes
    -----
    State is kept in double precision, so that long sums stay exact; `merge` adds the streams of
    two workers. Evaluation mode leaves the state alone, and so do batches with NaN, whose own
    covariance is NaN.

    Examples
    --------
    >>> import torch
    >>> moving = MovingCovariance(2, keep=1.0)
    >>> _ = moving(torch.eye(2)[:1])
    >>> moving(torch.eye(2)[1:]).density
    tensor([[0.5000, 0.0000],
            [0.0000, 0.5000]])
    """

    total: Tensor
    weight: Tensor

    def __init__(self, size: int, keep: float = 0.5) -> None:
        super().__init__()
        self.keep = float(keep) if keep in (0, 1) else as_share("keep", keep)
        self.register_buffer("total", torch.zeros(size, size, dtype=torch.float64))
        self.register_buffer("weight", torch.zeros((), dtype=torch.float64))

    @property
    def past(self) -> Covariance:
        """What is remembered, without gradient."""
        return Covariance(self.total, self.weight)

    def forward(self, features: Tensor) -> Covariance:
        """The covariance of the past and these features (n, D)."""
        return self.add(Covariance.of(features))

    def add(self, batch: Covariance) -> Covariance:
        """The same for a batch that comes as its covariance."""
        dtype = batch.total.dtype
        faded = self.past.faded(self.keep)
        seen = Covariance(faded.total.to(dtype), faded.weight.to(dtype)) + batch
        if self.training:
            with torch.no_grad():  # in place: buffers keep their identity for distributed runs
                sound = batch.total.sum().isfinite()  # a batch with NaN leaves no trace
                total = self.keep * self.total + batch.total
                weight = self.keep * self.weight + batch.weight
                self.total.copy_(torch.where(sound, total, self.total))
                self.weight.copy_(torch.where(sound, weight, self.weight))
        return seen

    def merge(self, other: "MovingCovariance") -> None:
        """Add what another worker has seen: exactly as if its rows had come here."""
        if other.total.shape != self.total.shape:
            raise ValueError(
                f"covariances of {self.total.shape[0]} and {other.total.shape[0]} features "
                "do not merge: use one feature map."
            )
        self.total.add_(other.total.to(self.total.device))
        self.weight.add_(other.weight.to(self.weight.device))

    def reset(self) -> None:
        """Forget everything."""
        self.total.zero_()
        self.weight.zero_()
