"""RJSD-Deep as one call: split the rows, learn a kernel with a network, test on the others."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from samelaw.core.as_typed import as_typed
from samelaw.core.checks import as_share
from samelaw.core.types import Matrix
from samelaw.kernels.entropies import EntropyLike, PowerSeries, as_entropy
from samelaw.learn.deep_kernel import Criterion, DeepKernel, DivergenceGain, TestPower, fit_kernel
from samelaw.learn.layers import tabular_network


@as_typed
@dataclass(frozen=True)
class Deep:
    """A strategy that learns a `DeepKernel` on one part of the rows and tests on the other.

    Section 5.3 of the paper (RJSD-Deep; MMD-Deep of Liu et al. 2020 as `Deep.mmd`). It is a
    strategy by what it does: ``two_sample_test(x, y, strategy=Deep())``.

    Parameters
    ----------
    network : callable, optional
        From the number of columns to a new network (n, d) → (n, k); `tabular_network` by default.
        For images, whose pixels are the columns: ``lambda columns: image_network((3, 32, 32))``.
    entropy : Entropy or order
        Of learning and testing.
    criterion : Criterion, optional
        What learning makes large; `DivergenceGain` of the entropy by default.
    share : float
        Of the rows, used for learning.
    steps, batch, learning_rate
        As for `fit_kernel`.

    Notes
    -----
    Exact as every test here: what is learnt does not depend on the rows of the test. It pays where
    rows are many and only a network finds the difference; `samelaw.Fuse` needs no rows to learn
    from and is usually ahead. Needs the extra ``torch``.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(200, 3)), rng.normal(size=(200, 3)) * [1, 1, 2]
    >>> two_sample_test(x, y, strategy=Deep(steps=20), rng=0).reject
    True
    """

    network: Callable[[int], nn.Module] = tabular_network
    entropy: EntropyLike = 4
    criterion: Criterion | None = None
    share: float = 0.5
    steps: int = 200
    batch: int = 250
    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        as_share("share", self.share)
        if isinstance(self.network, nn.Module):
            raise TypeError(
                "network must make a new network for a number of columns, such as "
                f"lambda columns: network; got the network {type(self.network).__name__} itself."
            )
        as_entropy(self.entropy)

    @classmethod
    def published(cls, entropy: int = 10) -> "Deep":
        """RJSD-Deep as in the paper: the plain divergence of this order is made large.

        On small batches that is mostly bias. The published runs stopped on freshly drawn data,
        which no user has; here a quarter of the rows for learning stops it.
        """
        plain = DivergenceGain(PowerSeries(entropy), permutations=0)
        return cls(entropy=entropy, criterion=plain, learning_rate=2e-4)

    @classmethod
    def mmd(cls) -> "Deep":
        """MMD-Deep: the kernel with the best estimated power, tested by unbiased MMD²."""
        return cls(entropy=1, criterion=TestPower())

    @property
    def by_mmd(self) -> bool:
        """Whether the rows that are left are tested by unbiased MMD²."""
        return self.criterion is not None and self.criterion.mmd

    def learn(self, x: Matrix, y: Matrix, seed: int = 0) -> DeepKernel:
        """The kernel learnt from these rows (n, d) and (m, d); torch's generator stays as it is."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = self.network(x.shape[1])
            kernel = DeepKernel.at_median(np.concatenate([x, y]), network)
            criterion = self.criterion or DivergenceGain(as_entropy(self.entropy))
            fit_kernel(
                kernel,
                x,
                y,
                criterion=criterion,
                steps=self.steps,
                batch=self.batch,
                learning_rate=self.learning_rate,
                rng=seed,
            )
        return kernel
