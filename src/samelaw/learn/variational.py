"""The Jensen–Shannon divergence as the largest RJSD over learnt representations."""

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from samelaw.divergence.divergences import rjsd
from samelaw.divergence.uncertainty import Estimate, estimate_from_features, standard_error
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.entropies import Entropy, PowerSeries, VonNeumann
from samelaw.kernels.features import FeatureMap, NystromFeatures
from samelaw.learn.layer_kernels import LayerKernel
from samelaw.learn.learner import Learner
from samelaw.learn.losses import RJSDLoss
from samelaw.learn.representations import (
    Bandwidth,
    Frequencies,
    Network,
    Recipe,
    seen_together,
)

_NETWORK = Network()
_GUIDE = 10.0  # weight of the JS bound at the first step
_LOGIT = 2.0  # log p/q per unit of output: with 1 the output outgrows its bandwidth
_LANDMARKS = 256  # rows that stand for a kernel in its log-ratio
_SETTLED = 2 / 3  # of the learning rate after the warm-up: less noise in the weights


def js_bound(of_x: Tensor, of_y: Tensor) -> Tensor:
    """log 2 − ½ mean softplus(−t(x)) − ½ mean softplus(t(y)): the bound of a discriminator."""
    return math.log(2.0) - 0.5 * softplus(-of_x).mean() - 0.5 * softplus(of_y).mean()


class VariationalJSD(Learner):
    """The classical Jensen–Shannon divergence of two laws, by learning how to see them.

    JSD(P, Q) ≥ sup_θ D(C_P^θ, C_Q^θ): RJSD with the von Neumann entropy is in population a lower
    bound for every kernel κ_θ (theorem 7 of the paper), so the kernel is learnt to make it large
    (section 5.2). A finite power series has no such bound: RJSD-p may lie above the JSD, as
    diag(.6, .4) v diag(.4, .6) shows for every order (.0250 at order 2, JSD .0201).

    Parameters
    ----------
    representation : Recipe, Kernel or FeatureMap
        `Network` (RJSD-NN, the default), `Frequencies` (RJSD-FF), `Bandwidth` (RJSD-p), or a
        module of your own such as `FourierLayer` or `DeepKernel`.
    entropy : Entropy, optional
        ``VonNeumann()`` for features, ``PowerSeries(10)`` for kernels, where von Neumann would
        drive the bandwidth to 0 and the value to log 2.
    corrected : bool
        Read off the value minus the leading term of its bias. What is learnt is the plain one.
    warm_up : int
        Steps in which a network is guided besides: its first output learns to tell the samples
        apart by the JS bound, with a weight that falls to 0. RJSD alone finds no slope where
        neither marginal laws nor small networks show a difference (two crossed mixtures among 62
        columns of noise). The value is that of RJSD throughout.

    See Also
    --------
    samelaw.learn.critics : estimates of the same number through density ratios.
    samelaw.learn.learner.cross_fit : every row used for the estimate.

    Notes
    -----
    Cost of a step O(n D² + D³) for D features beside the network's; O((n+m)³) for kernels.
    Corrected values may be negative when the laws are alike.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(1000, 1)), rng.normal(size=(1000, 1)) + 2  # JSD .337
    >>> fit = VariationalJSD().fit(x, y, rng=0)
    >>> abs(fit.value - 0.337) < 3 * fit.standard_error < 0.1
    True
    """

    steps: Tensor

    def __init__(
        self,
        representation: Recipe | Kernel | FeatureMap = _NETWORK,
        entropy: Entropy | None = None,
        *,
        corrected: bool = True,
        warm_up: int = 150,
    ) -> None:
        super().__init__()
        self.recipe = representation
        self.entropy = entropy or _natural_entropy(representation)
        self.corrected = corrected
        self.learning_rate = getattr(representation, "learning_rate", _NETWORK.learning_rate)
        self.loss: RJSDLoss | None = None
        self.warm_up = warm_up
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    @classmethod
    def published(cls, name: str) -> "VariationalJSD":
        """A configuration of figure 3 of the paper by the name it has there.

        ``"RJSD-NN"``: 64 tanh units, then 64 frequencies at bandwidth 1. ``"RJSD-FF"``: 64
        frequencies at the fixed bandwidth 2. ``"RJSD-p"``: order 10, learnt bandwidth. ``"RJSD"``:
        von Neumann with a learnt bandwidth, shown there to saturate at log 2. All read plainly.

        Examples
        --------
        >>> VariationalJSD.published("RJSD-p").entropy
        PowerSeries(order=10)
        """
        wide = Network((64,), None, 64, start=1.0, scaled=False, learning_rate=0.0075)
        known: dict[str, tuple[Recipe, Entropy]] = {
            "RJSD-NN": (wide, VonNeumann()),
            "RJSD-FF": (Frequencies(64, start=2.0, learn_bandwidth=False), VonNeumann()),
            "RJSD-p": (Bandwidth(start=2.0), PowerSeries(10)),
            "RJSD": (Bandwidth(start=2.0), VonNeumann()),
        }
        if name not in known:
            raise ValueError(f"name must be one of {', '.join(known)}, got {name!r}.")
        recipe, entropy = known[name]
        return cls(recipe, entropy, corrected=False, warm_up=0)

    @property
    def flat(self) -> bool:
        own = getattr(self.recipe, "network", None) is not None
        return not (own and isinstance(self.recipe, FeatureMap | Network))

    def build(self, pool: Tensor, rng: np.random.Generator) -> None:
        seen = self.recipe
        made = seen.build(pool, rng) if isinstance(seen, Recipe) else seen
        self.loss = RJSDLoss(made, self.entropy, weights="balanced", learn=True)

    @property
    def representation(self) -> Kernel | FeatureMap | LayerKernel:
        """The kernel or feature map as learnt so far."""
        return self._built.representation

    @property
    def _built(self) -> RJSDLoss:
        if self.loss is None:
            raise RuntimeError("there are no parameters yet: call fit, or prepare(x, y).")
        return self.loss

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """RJSD of two batches (n, d) and (m, d), balanced: what learning makes large."""
        return self._guided(self._built(x, y), x, y)

    def look(self, x: Tensor, y: Tensor) -> tuple[Tensor, Estimate]:
        if not isinstance(self.representation, FeatureMap):
            return super().look(x, y)
        features = seen_together(self.representation, x, y)
        reading = self._from_features(*(f.detach() for f in features))
        return self._guided(self._built.of_features(*features), x, y), reading

    def _guided(self, value: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """The value of RJSD, and in the warm-up the gradient of the JS bound besides."""
        network = getattr(self.representation, "network", None)
        if network is None or not (self.training and torch.is_grad_enabled()):
            return value
        weight = self._guidance()
        if weight == 0:
            return value
        of_x, of_y = seen_together(network, x, y)
        guide = weight * js_bound(_LOGIT * of_x[:, 0], _LOGIT * of_y[:, 0])
        return value + (guide - guide.detach())

    def _guidance(self) -> float:
        """The weight of the JS bound in this step; after the warm-up 0, and smaller steps."""
        done = int(self.steps)
        self.steps += 1
        if done >= self.warm_up > 0 and self._optimiser is not None:
            for group in self._optimiser.param_groups:
                group["speed"] = _SETTLED
        return _GUIDE * (1.0 - done / self.warm_up) if done < self.warm_up else 0.0

    def read(self, x: Tensor, y: Tensor, *, exact: bool = False) -> Estimate:
        if isinstance(self.representation, FeatureMap):
            features = seen_together(self.representation, x, y)
            return self._from_features(*features, exact=exact)
        error = standard_error(x.double(), y.double(), **self._options)
        value = float(rjsd(x.double(), y.double(), corrected=self.corrected, **self._options))
        return Estimate(value, error, (len(x), len(y)), is_lower_bound=self._bounds)

    def log_ratio(self, rows: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """⟨φ(z), (s′(C_Y) − s′(C_X)) φ(z)⟩: for von Neumann ⟨φ, (log C_X − log C_Y) φ⟩."""
        seen = self._features_of(x, y)
        slopes = [_slope(seen(sample).double(), self.entropy) for sample in (y, x)]
        of_rows = seen(rows).double()
        result: Tensor = ((of_rows @ (slopes[0] - slopes[1])) * of_rows).sum(dim=1)
        return result

    def _features_of(self, x: Tensor, y: Tensor) -> Callable[[Tensor], Tensor]:
        """The feature map that was learnt, or one of the kernel that was, from some of the rows."""
        seen = self.representation
        if isinstance(seen, FeatureMap):
            return seen.features
        half = _LANDMARKS // 2
        spread = [sample[:: -(-len(sample) // half)] for sample in (x, y)]
        features = NystromFeatures(cast(Kernel, seen), torch.cat(spread).double()).features
        return lambda z: features(z.double())

    def _from_features(self, x: Tensor, y: Tensor, *, exact: bool = False) -> Estimate:
        found = self._with_correction(x, y, exact=exact)
        value = found.centre if self.corrected else found.value
        return Estimate(
            value, found.standard_error, found.rows, is_lower_bound=found.is_lower_bound
        )

    @property
    def _bounds(self) -> bool:
        return isinstance(self.entropy, VonNeumann)

    def _with_correction(self, x: Tensor, y: Tensor, *, exact: bool = False) -> Estimate:
        return estimate_from_features(x, y, entropy=self.entropy, weights="balanced", exact=exact)

    def score(self, x: Tensor, y: Tensor) -> float:
        """The corrected value, whatever is read off: the bias would reward complicated maps."""
        if isinstance(self.representation, FeatureMap):
            features = seen_together(self.representation, x, y)
            return self._with_correction(*features).centre
        return float(rjsd(x.double(), y.double(), corrected=True, **self._options))

    @property
    def _options(self) -> dict[str, Any]:
        return {"kernel": self.representation, "entropy": self.entropy, "weights": "balanced"}

    def extra_repr(self) -> str:
        return f"{self.recipe!r}, {self.entropy!r}, corrected={self.corrected}"


def _slope(features: Tensor, entropy: Entropy) -> Tensor:
    """s′(C) of the covariance of features (n, D), with a row of nothing in particular added."""
    rows, size = features.shape
    even = torch.eye(size, dtype=features.dtype, device=features.device) / size
    values, vectors = torch.linalg.eigh((features.T @ features + even) / (rows + 1))
    slope: Tensor = (vectors * entropy.derivative(values)) @ vectors.T
    return slope


def _natural_entropy(representation: object) -> Entropy:
    if isinstance(representation, Recipe):
        return representation.entropy
    if isinstance(representation, FeatureMap):
        return VonNeumann()
    if isinstance(representation, Kernel):
        return PowerSeries(10)
    raise TypeError(
        "representation must be a recipe such as Network(), a kernel or a feature map, "
        f"got {representation!r}."
    )
