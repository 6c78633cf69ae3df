"""Deep kernels: the kernel of RJSD-Deep and MMD-Deep."""

from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.array import as_share, is_numpy
from samelaw.core.kernels import Gaussian
from samelaw.core.types import Sample
from samelaw.estimate.bandwidths import median_bandwidth
from samelaw.learn.networks import tabular_network
from samelaw.learn.representations import EmbeddingKernel, LearnedKernel

_CHUNK = 1024  # rows the network sees at a time when nothing is learnt


class DeepKernel(nn.Module, EmbeddingKernel):
    """κ(x, y) = [(1−ε) κ₁(f(x), f(y)) + ε] κ₂(x, y) with a network f and Gaussian κ₁, κ₂.

    The kernel of RJSD-Deep (section 5.2 of the paper; Liu et al. 2020). The part ε κ₂ keeps it
    characteristic whatever the network does. Network, ε and both bandwidths are learnt.

    Parameters
    ----------
    network : Module
        f: rows (n, d) to features (n, k); `tabular_network`, `image_network` or your own. Without
        batch normalisation, which would make κ depend on the company a row is in.
    feature_bandwidth, input_bandwidth : float
        Start of the bandwidths of κ₁ and κ₂; `at_median` takes them from data.
    epsilon : float
        Start of ε, between 0 and 1.

    Notes
    -----
    Tensors in, tensor out, with gradients. NumPy arrays in, NumPy array out, in evaluation mode
    and without gradients: so it serves any test of `samelaw` on rows it was not trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import Fuse, two_sample_test
    >>> from samelaw.learn import fit_kernel
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(200, 3)), rng.normal(size=(200, 3)) * [1, 1, 2]
    >>> kernel = DeepKernel.at_median(x[:100])
    >>> _ = fit_kernel(kernel, x[:100], y[:100], steps=10)
    >>> two_sample_test(x[100:], y[100:], strategy=Fuse(kernels=[kernel]), rng=0).reject
    True
    """

    ready: ClassVar[bool] = True  # in one piece: every call runs the network on its rows again

    def __init__(
        self,
        network: nn.Module,
        feature_bandwidth: float = 1.0,
        input_bandwidth: float = 1.0,
        *,
        epsilon: float = 0.1,
    ) -> None:
        super().__init__()
        self.network = network
        self.features = LearnedKernel(Gaussian(feature_bandwidth))
        self.inputs = LearnedKernel(Gaussian(input_bandwidth))
        self.logit = nn.Parameter(torch.logit(torch.tensor(as_share("epsilon", epsilon))))

    @classmethod
    def at_median(
        cls, sample: Any, network: nn.Module | None = None, *, epsilon: float = 0.1
    ) -> "DeepKernel":
        """With both bandwidths at the median distances of a sample (n, d), for instance a half."""
        rows = as_tensor(sample, torch.get_default_dtype(), torch.device("cpu"))
        network = network or tabular_network(rows.shape[1])
        with torch.no_grad():
            features = network(rows)
        return cls(network, median_bandwidth(features), median_bandwidth(rows), epsilon=epsilon)

    @property
    def epsilon(self) -> float:
        """ε at present."""
        return float(torch.sigmoid(self.logit.detach()))

    def forward(self, x: Any, y: Any) -> Any:
        if is_numpy(x):
            with torch.no_grad():
                left = self._embed_numpy(x)
                right = left if y is x else self._embed_numpy(y)
                return self.compare(left, right).numpy(force=True).astype(x.dtype, copy=False)
        left = self.embed(x)
        return self.compare(left, left if y is x else self.embed(y))

    def embed(self, x: Sample) -> tuple[Tensor, Tensor]:
        """f(x) beside x itself: everything about a row that comparing needs."""
        return self.network(x).flatten(1), x.flatten(1)

    def compare(self, x: Sample, y: Sample) -> Tensor:
        """κ (n, m) from what `embed` gave."""
        share = torch.sigmoid(self.logit)
        near = self.features(x[0], x[0] if y is x else y[0])
        result: Tensor = ((1.0 - share) * near + share) * self.inputs(
            x[1], x[1] if y is x else y[1]
        )
        return result

    def _embed_numpy(self, x: np.ndarray[Any, Any]) -> tuple[Tensor, Tensor]:
        rows = as_tensor(x, self.logit.dtype, self.logit.device)
        training = self.training
        self.eval()
        pieces = [self.embed(piece) for piece in torch.split(rows, _CHUNK)]
        self.train(training)
        first, second = (torch.cat(column) for column in zip(*pieces, strict=True))
        return first, second


def as_tensor(x: Any, dtype: torch.dtype, device: torch.device) -> Tensor:
    """NumPy arrays and tensors as a tensor of this type on this device."""
    rows = torch.as_tensor(np.array(x)) if is_numpy(x) else x
    return rows.to(device=device, dtype=dtype)
