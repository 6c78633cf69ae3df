"""RJSD as a loss: bounded, with finite gradients, for batches of any two sizes."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from samelaw.core import linalg
from samelaw.core.array import rows
from samelaw.core.entropies import Entropy, PowerSeries, VonNeumann, as_additive
from samelaw.core.features import FeatureMap
from samelaw.core.kernels import Kernel
from samelaw.core.operators import Covariance, density_divergence
from samelaw.core.types import Sample
from samelaw.estimate.bandwidths import as_kernel
from samelaw.estimate.bias import corrected_divergence
from samelaw.estimate.contract import Weights, priors
from samelaw.estimate.fourier import feature_divergence
from samelaw.estimate.gram import sample_divergence
from samelaw.learn.distributed import gathered, processes, summed
from samelaw.learn.moving_covariance import MovingCovariance
from samelaw.learn.precision import as_batches, full_precision
from samelaw.learn.representations import EmbeddingKernel, seen_together

_MOST_CORRECTED = 6  # degree up to which the correction has gradients


class RJSDLoss(nn.Module):
    """Representation Jensen–Shannon divergence of two batches, to be made small or large.

    Parameters
    ----------
    representation : Kernel, FeatureMap or None
        What the batches are seen through. A kernel gives the Gram form (propositions 3 and 5 of
        the paper), `LearnedKernel` with a learnt bandwidth, `DeepKernel` with a network;
        `FourierLayer` gives the covariance form (proposition 7). By default Gaussian at the
        median distance of the batch (no part of the gradient).
    entropy : Entropy, optional
        ``PowerSeries(3)`` for kernels, ``VonNeumann()`` for features: the value of the kernel
        von Neumann form on a small batch is nearly all bias.
    weights : "proportional", "balanced" or float
        Shares of the two laws in the mixture, as in `samelaw.rjsd`.
    corrected : bool
        Subtract the leading term of the bias (orders up to 5): values near zero when the laws
        agree, some below it.
    keep : float
        For features: how much the covariances of earlier batches count (`MovingCovariance`).
    distributed : bool
        In a distributed run, the loss of the global batch: covariances are summed over the
        processes, rows are gathered for kernels. Gradients come out right after the averaging
        that data parallelism does.

    Returns
    -------
    Tensor ()
        At least 0 and at most log 2 for equal sizes (h(π) for shares π).

    Notes
    -----
    ``loss(x, y)`` takes tensors (n, …) and (m, …) with trailing axes flattened, or tuples of
    tensors (layers) under a product of kernels. Feature maps see both batches as one: layers that
    normalise a batch normalise the mixture. Under autocast it computes in single precision.
    Cost O(N²d + N³) for kernels (N = n + m; products only up to order 5), O(N D² + D³) for D
    features.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> x, y = torch.randn(60, 2, requires_grad=True), torch.randn(40, 2) + 1
    >>> value = RJSDLoss()(x, y)
    >>> value.backward()
    >>> 0 < value.item() < 0.6931, x.grad.shape
    (True, torch.Size([60, 2]))
    """

    def __init__(
        self,
        representation: Kernel | FeatureMap | None = None,
        entropy: Entropy | None = None,
        *,
        weights: Weights = "proportional",
        corrected: bool = False,
        keep: float = 0.0,
        distributed: bool = True,
    ) -> None:
        super().__init__()
        explicit = isinstance(representation, FeatureMap)
        self.representation = representation
        self.entropy = entropy or (VonNeumann() if explicit else PowerSeries(3))
        self.weights = weights
        self.corrected = corrected
        self.distributed = distributed
        self.past = _memory(representation, keep)
        if corrected:
            _check_corrected(self.entropy, keep)

    def forward(self, x: Any, y: Any) -> Tensor:
        x, y = as_batches(x, y)
        if isinstance(self.representation, FeatureMap):
            return self.of_features(*seen_together(self.representation, x, y))
        kernel: Any = self.representation
        if isinstance(kernel, EmbeddingKernel):
            x, y, kernel = kernel.embed(x), kernel.embed(y), kernel.compare
        with full_precision(x):
            x, y = as_batches(x, y)
            if self._shared:
                x, y = gathered(x), gathered(y)
            return self._implicit(x, y, as_kernel(kernel, x, y))

    def of_features(self, x: Tensor, y: Tensor) -> Tensor:
        """The loss from what the feature map made of the batches, (n, D) and (m, D)."""
        with full_precision(x):
            return self._explicit(x, y)

    def extra_repr(self) -> str:
        return f"entropy={self.entropy!r}, weights={self.weights!r}"

    @property
    def _shared(self) -> bool:
        return self.distributed and processes() > 1

    def _implicit(self, x: Sample, y: Sample, kernel: Any) -> Tensor:
        shares = priors(self.weights, (rows(x), rows(y)))
        if self.corrected:
            value: Tensor = corrected_divergence((x, y), kernel, self.entropy, shares)
            return value
        return self._bounded(
            sample_divergence((x, y), kernel, self.entropy, shares, (None, None)), shares
        )

    def _explicit(self, x: Tensor, y: Tensor) -> Tensor:
        if self.corrected:
            if self._shared:
                x, y = gathered(x), gathered(y)
            return self._implicit(x, y, _inner)
        if self.past is None and not self._shared:
            shares = priors(self.weights, (len(x), len(y)))
            return self._bounded(feature_divergence((x, y), self.entropy, shares), shares)
        covariances = [Covariance.of(features) for features in (x, y)]
        if self._shared:
            covariances = _global(covariances)
        if self.past is not None:
            covariances = [past.add(c) for past, c in zip(self.past, covariances, strict=True)]  # type: ignore[operator]
        shares = priors(self.weights, [float(c.weight) for c in covariances])
        densities = [c.density for c in covariances]
        return self._bounded(density_divergence(densities, self.entropy, shares), shares)

    def _bounded(self, value: Tensor, shares: tuple[float, ...]) -> Tensor:
        """Rounding may leave the bounds by a little: the value is put back, the gradient stays."""
        if type(self.entropy).link is not Entropy.link:
            return value
        top = -sum(p * math.log(p) for p in shares)
        inside = value.clamp(0.0, top if isinstance(self.entropy, VonNeumann) else None)
        return value + (inside - value).detach()


def _memory(representation: Any, keep: float) -> nn.ModuleList | None:
    if keep == 0:
        return None
    if not isinstance(representation, FeatureMap):
        raise TypeError("keep needs explicit features: take a FourierLayer, not a kernel.")
    return nn.ModuleList(MovingCovariance(representation.size, keep) for _ in range(2))


def _check_corrected(entropy: Entropy, keep: float) -> None:
    as_additive(entropy)
    coefficients = linalg.polynomial(entropy)
    if coefficients is None or len(coefficients) > _MOST_CORRECTED:
        raise ValueError(f"the corrected loss needs PowerSeries of order 1 to 5, got {entropy!r}.")
    if keep:
        raise ValueError("corrected and keep exclude each other: a memory has no rows to look at.")


def _inner(x: Tensor, y: Tensor) -> Tensor:
    """The kernel of features that have norm 1 already."""
    return x @ y.T


def _global(covariances: list[Covariance]) -> list[Covariance]:
    """The covariances of the batches of all processes, in one message each for both sides."""
    totals = summed(torch.stack([c.total for c in covariances]))
    counts = totals.new_tensor([c.weight for c in covariances])
    return [Covariance(t, float(n)) for t, n in zip(totals, summed(counts).tolist(), strict=True)]
