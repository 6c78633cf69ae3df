"""RJSD as a loss: bounded, with finite gradients, for batches of any two sizes.

`DivergenceLoss` is the skeleton of every such loss; `RJSDLoss` sees batches through one kernel or
feature map, `samelaw.learn.adaptation.JointAdaptationLoss` through the kernels of several layers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor, nn

from samelaw.core.arrays import full_precision, is_array, parts, rows
from samelaw.core.checks import check_positive, shown
from samelaw.core.types import Array
from samelaw.divergence.bias import corrected_divergence
from samelaw.divergence.contract import Weights, priors
from samelaw.divergence.fourier import feature_divergence
from samelaw.divergence.gram import sample_divergence
from samelaw.kernels import grams, spectra
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel
from samelaw.kernels.entropies import Entropy, PowerSeries, VonNeumann, as_additive, as_entropy
from samelaw.kernels.features import FeatureMap
from samelaw.kernels.operators import Covariance, density_divergence
from samelaw.learn.batches import Batch, Rows, as_batches, as_inputs, as_row_weights
from samelaw.learn.distributed import gathered, kept_alike, processes, summed
from samelaw.learn.layer_kernels import (
    AdaptiveGaussian,
    LayerKernel,
    joint_kernel,
    warn_of_blindness,
)
from samelaw.learn.moving_covariance import MovingCovariance
from samelaw.learn.representations import EmbeddingKernel, seen_together

_MOST_CORRECTED = 6  # degree up to which the correction has gradients

SCALES = (1 / 32, 1 / 8, 1 / 2, 2.0)
"""σ² over the mean squared distance, from the width of a cluster to that of the whole.

Two octaves finer than joint adaptation networks, which see no cluster of a dozen; finer still, and
in many columns some kernels see nothing but single rows (benchmarks/learn_generators.py).
"""

Widths: TypeAlias = Literal["batch", "ema", "frozen"] | float | Sequence[float]
"""What ``bandwidth=`` takes: how widths follow the batches, or σ, one or several."""

RowWeights = tuple[Tensor | None, Tensor | None]
"""Weights of the rows of both batches, each summing to one; None where they are equal."""

UNWEIGHTED: RowWeights = (None, None)

Compare = Callable[[Rows, Rows], Tensor]


class DivergenceLoss(nn.Module, ABC):
    """What every RJSD loss does with two batches, whatever it sees them through.

    Rows are flattened and brought to single precision or more, autocast is off, a distributed run
    counts as one batch; the value is plain and within its bounds, or corrected for its bias. The
    values of a batch are not looked at (that would wait for the device): NaN in, NaN out. The first
    batch is the exception: there, outside of graphs, a kernel is checked to have κ(x,x) = 1.
    """

    _looked = False

    def __init__(
        self,
        entropy: Entropy | float,
        weights: Weights,
        *,
        corrected: bool,
        distributed: bool,
    ) -> None:
        super().__init__()
        self.entropy = as_entropy(entropy)
        self.weights = weights
        self.corrected = corrected
        self.distributed = distributed
        if corrected:
            _check_corrected(self.entropy)

    @abstractmethod
    def divergence(self, x: Rows, y: Rows, row_weights: RowWeights) -> Tensor:
        """The value for whole batches in full precision."""

    def evaluate(
        self, x: Batch, y: Batch, row_weights: dict[str, Tensor | None] | None = None
    ) -> Tensor:
        """Prepare two batches and hand them to `divergence`; weights come with their names."""
        first, second = as_batches(x, y)
        if self._shared:
            kept_alike(self)
        with full_precision(first):
            if self._shared:
                first, second = gathered(first), gathered(second)
            named = row_weights or {"weights of x": None, "weights of y": None}
            found = [
                None if w is None else as_row_weights(name, self._whole(w), batch)
                for (name, w), batch in zip(named.items(), (first, second), strict=True)
            ]
            return self.divergence(first, second, (found[0], found[1]))

    def through_kernel(
        self, x: Rows, y: Rows, kernel: Compare, row_weights: RowWeights = UNWEIGHTED
    ) -> Tensor:
        """RJSD from Gram matrices."""
        shares = priors(self.weights, (rows(x), rows(y)))
        kernel = self.trusted(kernel, x, y)
        value: Tensor
        if not self.corrected:
            value = sample_divergence((x, y), kernel, self.entropy, shares, row_weights)
            return value
        if any(w is not None for w in row_weights):
            raise ValueError("the corrected loss takes no weights of rows: use corrected=False.")
        value = corrected_divergence((x, y), kernel, self.entropy, shares)
        return value

    def trusted(self, kernel: Compare, x: Rows, y: Rows) -> Compare:
        """The kernel, which is checked in the first batch that can be looked at."""
        if not self._looked:
            with torch.no_grad():
                self._looked = all([grams.check_unit(kernel, batch) for batch in (x, y)])
        return grams.Trusted(kernel)

    def through_features(
        self, x: Tensor, y: Tensor, row_weights: RowWeights = UNWEIGHTED
    ) -> Tensor:
        """RJSD from features (n, D) and (m, D) with rows of norm 1."""
        if self.corrected:
            return self.through_kernel(x, y, _inner, row_weights)
        shares = priors(self.weights, (len(x), len(y)))
        value: Tensor
        if all(w is None for w in row_weights):
            value = feature_divergence((x, y), self.entropy, shares)
            return value
        both = zip((x, y), row_weights, strict=True)
        densities = [Covariance.of(features, weights).density for features, weights in both]
        value = density_divergence(densities, self.entropy, shares)
        return value

    @property
    def _shared(self) -> bool:
        return self.distributed and processes() > 1

    def _whole(self, weights: Tensor) -> Tensor:
        """Weights of the rows of all processes; scaled only then, or each process counts alike."""
        return gathered(weights[:, None])[:, 0] if self._shared else weights


def _check_seen_through(representation: object) -> None:
    """A name, a class or a network in place of a kernel or a feature map."""
    known = isinstance(representation, Kernel | FeatureMap | LayerKernel | NoneType)
    if isinstance(representation, nn.Module) and not known:
        raise TypeError(
            f"{type(representation).__name__} is a network, no kernel or feature map; wrap it: "
            "RJSDLoss(FourierLayer.at_median(rows, 64, network=network)), or compare its outputs: "
            "RJSDLoss()(network(x), network(y))."
        )
    if not known and (isinstance(representation, type) or not callable(representation)):
        raise TypeError(
            "representation must be a kernel or a feature map such as Gaussian(1.0) or "
            f"FourierLayer(columns, 64), got {shown(representation)}."
        )


class RJSDLoss(DivergenceLoss):
    """Representation Jensen–Shannon divergence of two batches, to be made small or large.

    Parameters
    ----------
    representation : Kernel, FeatureMap, LayerKernel or None
        What the batches are seen through. A kernel gives the Gram form (propositions 8 and 10 of
        the paper), `LearnedKernel` with a learnt bandwidth, `DeepKernel` with a network;
        `FourierLayer` gives the covariance form (proposition 12). By default the mean of four
        Gaussians whose widths follow the batch, from fine to coarse (`AdaptiveGaussian`).
    entropy : Entropy or order, optional
        Order 3 for kernels, ``VonNeumann()`` for features: the value of the kernel von Neumann
        form on a small batch is nearly all bias.
    bandwidth : "batch", "ema", "frozen", float or sequence of float
        Of the default kernel: widths from each batch, from a moving average over the batches, from
        the first batch; or σ itself, one or several. Not with a representation.
    weights : "proportional", "balanced" or float
        Shares of the two laws in the mixture, as in `samelaw.rjsd`.
    corrected : bool
        Subtract the leading term of the bias (orders up to 5): values near zero when the laws
        agree, some below it. Two rows or more on either side.
    keep : float
        For features: how much the covariances of earlier batches count (`MovingCovariance`). The
        gradient goes through the newest batch, scaled up to the size it has without a memory.
    learn : bool
        Leave the bandwidths and frequencies of the representation to be learnt, for a loss that you
        make large. By default they are frozen (``requires_grad_(False)``): an optimiser that makes
        the loss small would learn to be blind. A ``network`` in it stays as it is: freeze your own.
    distributed : bool
        In a distributed run, the loss of the global batch: covariances are summed over the
        processes, rows are gathered for kernels. Gradients come out right after the averaging
        that data parallelism does; parameters of the loss itself start and stay the same in all
        processes, wrapped or not.

    Returns
    -------
    Tensor ()
        At least 0 unless corrected, and at most ``entropy.bound(shares)``: log 2 for von Neumann
        and equal sizes.

    Notes
    -----
    ``loss(x, y)`` takes tensors (n, …) and (m, …) with trailing axes flattened, or tuples of
    tensors (layers) under a product of kernels. The network of a `FourierLayer` or `DeepKernel`
    sees batches as they come, images as images. Feature maps see both batches as one: layers that
    normalise a batch normalise the mixture. Under autocast it computes in single precision. NaN in,
    NaN out: a gradient scaler can skip the step. `torch.compile` (one graph), `torch.export`,
    `torch.vmap` and `torch.func.grad` take the default as it is ("ema" and "frozen", which keep a
    state, only the first two).
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
        representation: Kernel | FeatureMap | LayerKernel | None = None,
        entropy: Entropy | float | None = None,
        *,
        bandwidth: Widths | None = None,
        weights: Weights = "proportional",
        corrected: bool = False,
        keep: float = 0.0,
        learn: bool = False,
        distributed: bool = True,
    ) -> None:
        natural = VonNeumann() if isinstance(representation, FeatureMap) else PowerSeries(3)
        super().__init__(
            natural if entropy is None else entropy,
            weights,
            corrected=corrected,
            distributed=distributed,
        )
        if representation is not None and bandwidth is not None:
            raise ValueError(
                f"bandwidth={bandwidth!r} is one of the default kernel, but a representation was "
                "given, which has its own: leave out one of the two."
            )
        _check_seen_through(representation)
        self.representation = gaussians(bandwidth) if representation is None else representation
        if not learn:
            freeze(self.representation)
        warn_of_blindness(
            getattr(self.representation, "frequencies", None),
            "Take as many frequencies as columns, or RJSDLoss().",
        )
        self.past = _memory(representation, keep)
        if corrected and keep:
            raise ValueError(
                "corrected and keep exclude each other: a memory has no rows to look at."
            )

    def forward(self, x: Batch, y: Batch) -> Tensor:
        network = getattr(self.representation, "network", None)  # sees batches as they come
        x, y = as_batches(x, y) if network is None else as_inputs(x, y)
        if self._shared:
            kept_alike(self)
        if isinstance(self.representation, FeatureMap):
            return self.of_features(*seen_together(self.representation, x, y))
        if isinstance(self.representation, EmbeddingKernel):
            x, y = self.representation.embed(x), self.representation.embed(y)
        return self.evaluate(x, y)

    def divergence(self, x: Rows, y: Rows, row_weights: RowWeights = UNWEIGHTED) -> Tensor:
        if isinstance(self.representation, FeatureMap):
            features = seen_together(self.representation, x, y)
            return self.through_features(*features, row_weights)
        return self.through_kernel(x, y, _compare(self.representation, x, y), row_weights)

    def of_features(self, x: Tensor, y: Tensor) -> Tensor:
        """The loss from what the feature map made of the batches, (n, D) and (m, D)."""
        with full_precision(x):
            if self.past is None and not self._shared:
                return self.through_features(x, y)
            if self.corrected:
                return self.through_features(gathered(x), gathered(y))
            return self._through_covariances(x, y)

    def extra_repr(self) -> str:
        return f"entropy={self.entropy!r}, weights={self.weights!r}"

    def _through_covariances(self, x: Tensor, y: Tensor) -> Tensor:
        """Sums over rows instead of the rows: over the processes, and over earlier batches."""
        covariances = [Covariance.of(features) for features in (x, y)]
        if self._shared:
            covariances = _global(covariances)
        if self.past is not None:
            both = zip(self.past, covariances, strict=True)
            covariances = [_as_steep(past.add(batch), batch) for past, batch in both]  # type: ignore[operator]
        densities = [c.density for c in covariances]
        value: Tensor = density_divergence(densities, self.entropy, self._shares(covariances))
        return value

    def _shares(self, covariances: list[Covariance]) -> Sequence[Array]:
        """Shares of the laws; of weights on the device they stay there, where nothing waits."""
        counts = [c.weight for c in covariances]
        if self.weights == "proportional" and isinstance(counts[0], Tensor):
            return [count / sum(counts) for count in counts]
        return priors(self.weights, (1, 1) if self.weights != "proportional" else counts)


def freeze(representation: object) -> None:
    """Freeze the bandwidths and frequencies of a kernel or feature map, but no network of its.

    `AdaptiveGaussian` keeps the factors it learns: their gradient is reversed.
    """
    if not isinstance(representation, nn.Module) or isinstance(representation, AdaptiveGaussian):
        return
    inside = [getattr(module, "network", None) for module in representation.modules()]
    spared = {p for network in inside if network is not None for p in network.parameters()}
    for parameter in set(representation.parameters()) - spared:
        parameter.requires_grad_(False)


def gaussians(bandwidth: Widths | None) -> AdaptiveGaussian:
    """The default kernel: widths that follow the batches by a policy, or fixed ones."""
    if bandwidth is None or isinstance(bandwidth, str):
        return AdaptiveGaussian(SCALES, scale=bandwidth or "batch")
    given: Any = bandwidth
    given = given.tolist() if is_array(given) else given
    widths = given if isinstance(given, Sequence) else [given]
    if not widths:
        raise ValueError("bandwidth is empty; expected σ, one or several.")
    for width in widths:
        check_positive("bandwidth", width)
    return AdaptiveGaussian([float(width) ** 2 for width in widths], scale=1.0)


def _memory(
    representation: Kernel | FeatureMap | LayerKernel | None, keep: float
) -> nn.ModuleList | None:
    if keep == 0:
        return None
    if not isinstance(representation, FeatureMap):
        raise TypeError("keep needs explicit features: take a FourierLayer, not a kernel.")
    return nn.ModuleList(MovingCovariance(representation.size, keep) for _ in range(2))


def _compare(kernel: Kernel | LayerKernel, x: Rows, y: Rows) -> Compare:
    """The kernel for a pair of batches, whose rows are embedded already."""
    if isinstance(kernel, EmbeddingKernel):
        return kernel.compare
    if isinstance(kernel, LayerKernel):
        depth = len(parts(x))
        if depth > 1 and getattr(kernel, "remembers", False):
            raise TypeError(
                f"one scale is remembered, for batches of one tensor; these have {depth} layers: "
                'take bandwidth="batch", or JointAdaptationLoss with a kernel for each layer.'
            )
        return joint_kernel([kernel] * depth, x, y)
    return as_kernel(kernel, x, y)


def _check_corrected(entropy: Entropy) -> None:
    as_additive(entropy)
    coefficients = spectra.polynomial(entropy)
    if coefficients is None or len(coefficients) > _MOST_CORRECTED:
        raise ValueError(f"the corrected loss needs PowerSeries of order 1 to 5, got {entropy!r}.")


def _inner(x: Rows, y: Rows) -> Tensor:
    """The kernel of features that have norm 1 already."""
    product: Tensor = parts(x)[0] @ parts(y)[0].T
    return product


def _as_steep(seen: Covariance, batch: Covariance) -> Covariance:
    """An average of batches; its gradient in the newest is as if all of them moved alike."""
    fixed = seen.total.detach()
    return Covariance(fixed + seen.weight / batch.weight * (seen.total - fixed), seen.weight)


def _global(covariances: list[Covariance]) -> list[Covariance]:
    """The covariances of the batches of all processes, in one message each for both sides."""
    totals = summed(torch.stack([c.total for c in covariances]))
    counts = totals.new_tensor([c.weight for c in covariances])
    return [Covariance(t, n) for t, n in zip(totals, summed(counts), strict=True)]
