"""Domain adaptation: divergences between the joint laws of several layers of a network."""

from collections.abc import Sequence
from typing import Self

import torch
from torch import Tensor, nn

from samelaw.core import linalg
from samelaw.core.arrays import parts, rows, stack_rows
from samelaw.core.checks import as_count, as_rng, check_rows, shown
from samelaw.divergence.contract import Weights
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel, Product
from samelaw.kernels.entropies import Entropy
from samelaw.kernels.formulas import Gaussian
from samelaw.learn.batches import Batch, Rows, as_batches
from samelaw.learn.layer_kernels import (
    CLASS_BANDWIDTH,
    AdaptiveGaussian,
    LayerKernel,
    as_layer_kernel,
    joint_kernel,
    warn_of_blindness,
)
from samelaw.learn.losses import DivergenceLoss, RowWeights, freeze

Layers = tuple[Tensor, ...]


class JointAdaptationLoss(DivergenceLoss):
    """RJSD between the joint laws of layers of a network on two domains (section 5.4, tables 2–4).

    The kernel of a pair of rows is the product of the kernels of their layers, so the operator
    lives on the tensor product of the layers' spaces and sees how the layers vary together.

    Parameters
    ----------
    layers : sequence of LayerKernel or Kernel, optional
        One per layer. By default those of joint adaptation networks for (features, class
        probabilities): `AdaptiveGaussian` and ``Gaussian(0.92)``; for a single tensor the first.
        Bandwidths that are parameters are frozen, or training would learn to be blind; those of
        ``AdaptiveGaussian(learnable=True)`` climb instead.
    entropy : Entropy or order
        Order 3 of the power series is the paper's. 1 is MMD with squared kernels, ``math.inf``
        von Neumann, whose value on a small batch is nearly all bias.
    corrected : bool
        Subtract the leading term of the bias of the batch (orders up to 5). The value may then
        be negative, and no part of the gradient pulls the features together for the bias' sake.
    weights : "balanced", "proportional" or float
        Shares of the domains; balanced, so that unequal batches count the same.
    frequencies : int, optional
        D: use that many Fourier frequencies of the joint kernel instead of Gram matrices. For
        batches of several hundred rows and more. Fewer than the columns of all layers together
        cannot see all directions, and a warning says so.
    rng : int
        Seed of the frequencies, which stay the same through a training.
    distributed : bool
        In a distributed run, the loss of the global batch.

    Returns
    -------
    Tensor ()
        At least 0 unless corrected; at most log 2.

    Notes
    -----
    ``loss(source, target)`` takes tensors (n, …) and (m, …), or tuples or lists of them, one per
    layer, batches of any two sizes. Cost O(N²d) and two products of N × N up to order 3 (forward
    and backward), memory O(N² + Nd); with frequencies O(N(d + D)D) and O(N(d + D) + D²).

    See Also
    --------
    JointAdaptationLoss.mmd : the loss of joint adaptation networks as published.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> source = torch.randn(32, 8, requires_grad=True), torch.rand(32, 3).softmax(1)
    >>> target = torch.randn(24, 8) + 1, torch.rand(24, 3).softmax(1)
    >>> value = JointAdaptationLoss()(source, target)
    >>> value.backward(); 0 < value.item() < 0.6931
    True
    """

    def __init__(
        self,
        layers: Sequence[LayerKernel | Kernel] | None = None,
        entropy: Entropy | float = 3,
        *,
        corrected: bool = False,
        weights: Weights = "balanced",
        frequencies: int | None = None,
        rng: int = 0,
        distributed: bool = True,
    ) -> None:
        super().__init__(entropy, weights, corrected=corrected, distributed=distributed)
        given = (AdaptiveGaussian(), Gaussian(CLASS_BANDWIDTH)) if layers is None else layers
        if not isinstance(given, Sequence):
            raise TypeError(f"layers must be a list of kernels, one per layer, got {shown(given)}.")
        self.layers = nn.ModuleList(as_layer_kernel(layer) for layer in given)
        for layer in self.layers:
            freeze(layer)
        self.any_depth = layers is None
        self.mean_embeddings = False  # MMD: no entropy plays a part
        self.frequencies = None if frequencies is None else as_count("frequencies", frequencies)
        self.rng = rng
        self._drawn: list[Tensor] = []
        if corrected and frequencies is not None:
            raise ValueError(
                f"the corrected loss takes Gram matrices, got frequencies={frequencies}: "
                "leave out one of the two."
            )

    @classmethod
    def mmd(
        cls,
        layers: Sequence[LayerKernel | Kernel] | None = None,
        *,
        unbiased: bool = True,
        frequencies: int | None = None,
        rng: int = 0,
        distributed: bool = True,
    ) -> Self:
        """MMD² of the joint laws: the loss of joint adaptation networks (Long et al. 2017).

        Published code sums the kernels of a layer and adds a constant: for equal batches of n
        rows and the default layers its value is 5 × this + 2/(n − 1).

        Parameters
        ----------
        layers, frequencies, rng, distributed
            As for the class.
        unbiased : bool
            Leave out the pairs (i, i), as published; the value may be negative.

        Examples
        --------
        >>> import torch
        >>> rows = torch.randn(5, 2)
        >>> JointAdaptationLoss.mmd(unbiased=False)(rows, rows).abs().item() < 1e-6
        True
        """
        loss = cls(layers, corrected=unbiased, rng=rng, distributed=distributed)
        loss.mean_embeddings = True
        loss.frequencies = None if frequencies is None else as_count("frequencies", frequencies)
        return loss

    def forward(
        self,
        source: Batch,
        target: Batch,
        *,
        source_weights: Tensor | None = None,
        target_weights: Tensor | None = None,
    ) -> Tensor:
        """The loss; weights of rows (n,) and (m,) even out classes (`class_weights`)."""
        given = {"source_weights": source_weights, "target_weights": target_weights}
        return self.evaluate(source, target, given)

    def divergence(self, x: Rows, y: Rows, row_weights: RowWeights) -> Tensor:
        if self.mean_embeddings and self.corrected:
            check_rows("unbiased MMD", (rows(x), rows(y)))
        first, second = _as_layers(x), _as_layers(y)
        if self.frequencies is None:
            kernel = self.kernel(first, second)
            if not self.mean_embeddings:
                return self.through_kernel(first, second, kernel, row_weights)
            trusted = self.trusted(kernel, first, second)
            gram = grams.gram(trusted, stack_rows((first, second)))
            sides = _weight_columns(row_weights, (rows(x), rows(y)), gram)
            return self._from_means(sides.T @ gram @ sides, sides)
        features = self._features(first, second)
        if not self.mean_embeddings:
            return self.through_features(*features, row_weights)
        sides = _weight_columns(row_weights, (rows(x), rows(y)), features[0])
        embedded = sides.T @ torch.cat(features)
        return self._from_means(embedded @ embedded.T, sides)

    def kernel(self, source: Batch, target: Batch) -> Product:
        """The joint kernel for a pair of batches: one factor per layer."""
        x, y = (_as_layers(batch) for batch in as_batches(source, target))
        chosen = self._for(x)
        return joint_kernel(chosen, x, y)

    def extra_repr(self) -> str:
        measure = "MMD" if self.mean_embeddings else repr(self.entropy)
        form = "Gram" if self.frequencies is None else f"{self.frequencies} frequencies"
        return f"{measure}, corrected={self.corrected}, {form}"

    def _for(self, x: Layers) -> list[LayerKernel]:
        """The layer kernels for a sample of this depth."""
        count = len(self.layers)
        if len(x) != count and not (self.any_depth and len(x) < count):
            raise ValueError(
                f"the batch has {len(x)} layers, the loss kernels for {count}; name one for each, "
                "as in JointAdaptationLoss([AdaptiveGaussian(), Gaussian(0.92)])."
            )
        return list(self.layers)[: len(x)]  # type: ignore[return-value]

    def _from_means(self, means: Tensor, sides: Tensor) -> Tensor:
        """MMD² from the mean similarities (2, 2) within and across the domains.

        They come from WᵀKW, W (N, 2) the weights of the rows in each domain.
        """
        within = torch.stack([means[0, 0], means[1, 1]])
        if self.corrected:
            alone = (sides * sides).sum(dim=0)  # the share of the pairs (i, i), where κ = 1
            within = (within - alone) / (1.0 - alone)
        return within.sum() - 2.0 * means[0, 1]

    def _features(self, x: Layers, y: Layers) -> tuple[Tensor, Tensor]:
        """Fourier features of the joint kernel: a product kernel's frequencies are stacked."""
        stacked = torch.cat(
            [
                kernel.frequencies(drawn, a, b)
                for kernel, drawn, a, b in zip(self._for(x), self._draws(x), x, y, strict=True)
            ]
        )
        first, second = (linalg.waves(torch.cat(layers, dim=1) @ stacked) for layers in (x, y))
        return first, second

    def _draws(self, x: Layers) -> list[Tensor]:
        """What is random about the frequencies: the same for every batch of this shape."""
        widths = [layer.shape[1] for layer in x]
        if [len(drawn) for drawn in self._drawn] != widths:
            rng = as_rng(self.rng)
            count = int(self.frequencies or 0)
            self._drawn = [
                kernel.draw(width, count, rng)
                for kernel, width in zip(self._for(x), widths, strict=True)
            ]
            warn_of_blindness(
                torch.cat(self._drawn), f"Take frequencies={sum(widths)} or more, or none."
            )
        self._drawn = [drawn.to(layer) for drawn, layer in zip(self._drawn, x, strict=True)]
        return self._drawn


def class_weights(labels: Tensor, priors: Tensor) -> Tensor:
    """Weights of source rows that give their classes the shares wanted, as the target has them.

    w_i = π(y_i) / (share of class y_i in the batch), scaled to mean 1. Without it a divergence
    between domains with other class shares pulls target rows into the wrong classes.

    Parameters
    ----------
    labels : integer tensor (n,)
        Classes of the source rows.
    priors : tensor (classes,) or (m, classes)
        The shares wanted, or class probabilities of target rows to be averaged.

    Examples
    --------
    >>> import torch
    >>> class_weights(torch.tensor([0, 0, 0, 1]), torch.tensor([0.5, 0.5]))
    tensor([0.6667, 0.6667, 0.6667, 2.0000])
    """
    wanted = priors.detach().reshape(-1, priors.shape[-1]).mean(dim=0)
    counts = torch.zeros_like(wanted).index_add(0, labels, torch.ones_like(wanted[labels]))
    share = counts / len(labels)
    weights = wanted[labels] / share[labels]
    return weights / weights.mean()


def _as_layers(batch: Rows) -> Layers:
    layers: Layers = parts(batch)
    return layers


def _weight_columns(row_weights: RowWeights, sizes: tuple[int, int], like: Tensor) -> Tensor:
    """Weights of all rows in each domain (N, 2): zero in the other one."""
    columns = like.new_zeros((sum(sizes), 2))
    for side, (weights, size) in enumerate(zip(row_weights, sizes, strict=True)):
        start = side * sizes[0]
        columns[start : start + size, side] = 1.0 / size if weights is None else weights
    return columns
