"""Critics: the Jensen–Shannon divergence through a learnt score of (row, label).

Give every row a label L with P(L = 1) = ½, rows of X label 1 and rows of Y label 0. Then
JSD(P, Q) = I(Z; L), so every estimator of mutual information is one of the JSD. A critic is a
score T(z, l). Write, with the two samples in balance,

    J     = E over the joint law of (Z, L)     = ½ mean_x T(x, 1) + ½ mean_y T(y, 0)
    E⊗ g  = E over the product of its marginals = mean_z ½ [g(z, 0) + g(z, 1)]

Labels are averaged exactly: with a binary label the product law needs 2N scores, not the N² pairs
that shuffling stands for. Every critic is a `Learner`: ``NWJ().fit(x, y)``.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypedDict, Unpack

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid, softplus

from samelaw.core.checks import check_rows
from samelaw.core.registry import register
from samelaw.divergence.uncertainty import Estimate
from samelaw.learn.layers import LabelNetwork, RobustScale, perceptron
from samelaw.learn.learner import Learner

__all__ = ["CLUB", "MINE", "NWJ", "SMILE", "Critic", "DonskerVaradhan", "InfoNCE", "JSBound"]

LOG2 = math.log(2.0)


@dataclass(frozen=True, eq=False)
class Scores:
    """Two numbers for every row of both samples, and how much each row counts.

    ``x`` (n, 2) and ``y`` (m, 2) hold T(z, 0) and T(z, 1) unless a critic says otherwise;
    ``weights`` sum to one for each sample, so that laws on finitely many points are exact and
    the derivative towards a row can be taken.
    """

    x: Tensor
    y: Tensor
    weights: tuple[Tensor, Tensor]

    def joint(self, g: Callable[[Tensor], Tensor]) -> Tensor:
        """The mean of g(T(Z, L)) over the joint law."""
        return self.mean(g(self.x[:, 1]), g(self.y[:, 0]))

    def mean(self, of_x: Tensor, of_y: Tensor) -> Tensor:
        """½ mean over X + ½ mean over Y of one number per row."""
        return 0.5 * (self.weights[0] @ of_x) + 0.5 * (self.weights[1] @ of_y)

    def log_mean_exp(self, label: int | None = None) -> Tensor:
        """log E⊗ e^T, or log E_Z e^T(Z, l) at one label."""
        columns = [0, 1] if label is None else [label]
        terms = [
            t[:, c] + torch.log(0.5 * w / len(columns))
            for t, w in zip((self.x, self.y), self.weights, strict=True)
            for c in columns
        ]
        return torch.logsumexp(torch.cat(terms), dim=0)


def _same(score: Tensor) -> Tensor:
    return score


class _Options(TypedDict, total=False):
    scaled: bool
    network: nn.Module | None
    learning_rate: float


class Critic(Learner):
    """The contract of a critic: `bound` from scores, and if it differs what is learnt.

    Parameters
    ----------
    hidden : int
        Width of the tanh layer (64 in the paper).
    scaled : bool
        Scale the columns robustly first; the paper does not.
    network : Module, optional
        A network (n, …) → (n, 2) of your own: T(z, 0) and T(z, 1). It sees items as they come,
        images as images.
    learning_rate : float
        Of Adam; .0075 in the paper.
    """

    is_lower_bound: ClassVar[bool] = True
    """Whether the value is in population no more than the divergence."""

    def __init__(
        self,
        *,
        hidden: int = 64,
        scaled: bool = True,
        network: nn.Module | None = None,
        learning_rate: float = 0.0075,
    ) -> None:
        super().__init__()
        self.hidden, self.scaled, self.learning_rate = hidden, scaled, learning_rate
        self.network = network
        self._own = network is not None

    @property
    def flat(self) -> bool:
        return not self._own

    @abstractmethod
    def bound(self, scores: Scores) -> Tensor:
        """The estimate of the divergence from scores."""

    def objective(self, scores: Scores) -> Tensor:
        """What learning makes large; the bound itself unless stated."""
        return self.bound(scores)

    def build(self, pool: Tensor, rng: np.random.Generator) -> None:
        if self.network is None:
            inner = self._inner(pool.shape[1])
            self.network = nn.Sequential(RobustScale(pool), inner) if self.scaled else inner

    def _inner(self, dimension: int) -> nn.Module:
        return LabelNetwork(dimension, self.hidden)

    def scores(self, x: Tensor, y: Tensor) -> Scores:
        """The scores of two samples, every row of a sample counting alike."""
        if self.network is None:
            raise RuntimeError("there are no parameters yet: call fit, or prepare(x, y).")
        both = self.network(torch.cat([x, y]))
        if both.ndim != 2 or both.shape[1] != 2:
            raise ValueError(f"a critic's network must give (n, 2), got {tuple(both.shape)}.")
        equal = tuple(both.new_full((len(z),), 1.0 / len(z)) for z in (x, y))
        return Scores(both[: len(x)], both[len(x) :], (equal[0], equal[1]))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.objective(self.scores(x, y))

    def read(self, x: Tensor, y: Tensor, *, exact: bool = False) -> Estimate:
        return self._reading(self.scores(x, y))

    def log_ratio(self, rows: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """T(z, 1) − T(z, 0): log p/q where T is best."""
        scores = self.scores(rows, rows[:1]).x
        return scores[:, 1] - scores[:, 0]

    def look(self, x: Tensor, y: Tensor) -> tuple[Tensor, Estimate]:
        scores = self.scores(x, y)
        reading = self._reading(scores)
        return self.objective(scores), reading

    def _reading(self, found: Scores) -> Estimate:
        """The bound and its standard error from its derivative towards every row's weight."""
        x, y = found.x.detach().double(), found.y.detach().double()
        check_rows("a standard error", (len(x), len(y)))
        with torch.enable_grad():
            weights = tuple(w.double().requires_grad_() for w in found.weights)
            value = self.bound(Scores(x, y, (weights[0], weights[1])))
            towards = torch.autograd.grad(value, weights)
        variance = sum(float(t.var(correction=1)) / len(t) for t in towards)
        return Estimate(
            value.item(),
            math.sqrt(variance),
            (len(x), len(y)),
            is_lower_bound=self.is_lower_bound,
        )

    def extra_repr(self) -> str:
        return f"hidden={self.hidden}, learning_rate={self.learning_rate}"


@register("critic")
class NWJ(Critic):
    """J − E⊗ e^{T−1} (Nguyen, Wainwright and Jordan 2010): a lower bound.

    For every u > 0: log u ≤ u/e, so KL(joint ‖ product) ≥ J − E⊗ e^T / e, with equality at
    T = 1 + log of the density ratio = 1 + log 2p(l | z).
    """

    def bound(self, scores: Scores) -> Tensor:
        return scores.joint(_same) - torch.exp(scores.log_mean_exp() - 1.0)


@register("critic")
class DonskerVaradhan(Critic):
    """J − log E⊗ e^T (Donsker and Varadhan 1983): a lower bound in population.

    Equality at T = log 2p(l | z) + any constant. On a sample the logarithm of a mean is biased
    upwards, by half the variance of that mean over its square.
    """

    def bound(self, scores: Scores) -> Tensor:
        return scores.joint(_same) - scores.log_mean_exp()


@register("critic")
class InfoNCE(Critic):
    """½[mean_x T(x,1) − log E_Z e^T(Z,1)] + ½[mean_y T(y,0) − log E_Z e^T(Z,0)].

    Contrast with the rows of the batch as negatives for each label (van den Oord et al. 2018, in
    the orientation of the CLUB code the paper uses): the mean of the Donsker–Varadhan bounds of
    KL(P ‖ M) and KL(Q ‖ M), M = (P + Q)/2, which is the JSD at the optimum. The negatives hold
    the row itself, so the value stays below log 2N of the batch.
    """

    def bound(self, scores: Scores) -> Tensor:
        partition = 0.5 * scores.log_mean_exp(1) + 0.5 * scores.log_mean_exp(0)
        return scores.joint(_same) - partition


@register("critic")
class JSBound(Critic):
    """log 2 − ½ mean_x softplus(−t(x)) − ½ mean_y softplus(t(y)), t = T(z,1) − T(z,0).

    The GAN discriminator's bound (Goodfellow et al. 2014; Nowozin et al. 2016), which is InfoNCE
    with the two labels as negatives: log 2 minus the cross entropy of telling the samples apart.
    A lower bound for every t, equality at t = log p/q. No exponential, so little variance.
    """

    def bound(self, scores: Scores) -> Tensor:
        x, y = (t[:, 1] - t[:, 0] for t in (scores.x, scores.y))
        return LOG2 - scores.mean(softplus(-x), softplus(y))


@register("critic")
class SMILE(JSBound):
    """Donsker–Varadhan with a clipped ratio, learnt through the JS bound (Song and Ermon 2020).

    The ratio r_l = log 2 + log σ(±t) comes from the discriminator; the value is
    J_r − log E⊗ clip(e^r, e^−τ, e^τ). Here r ≤ log 2 always and E⊗ e^r = 1 exactly, so without
    clipping it equals the JS bound; clipping below lifts the mean and so lowers the value.

    Parameters
    ----------
    clip : float
        τ.
    """

    def __init__(self, clip: float = 5.0, *, hidden: int = 64, **options: Unpack[_Options]) -> None:
        super().__init__(hidden=hidden, **options)
        if not clip > 0:
            raise ValueError(f"clip must be positive, got {clip!r}.")
        self.clip = clip

    def bound(self, scores: Scores) -> Tensor:
        ratios = Scores(_ratio(scores.x), _ratio(scores.y), scores.weights)
        x, y = (t.clamp(-self.clip, self.clip) for t in (ratios.x, ratios.y))
        return ratios.joint(_same) - Scores(x, y, scores.weights).log_mean_exp()

    def objective(self, scores: Scores) -> Tensor:
        return JSBound.bound(self, scores)


def _ratio(scores: Tensor) -> Tensor:
    """log 2p(l | z) of a discriminator whose logit is T(z,1) − T(z,0)."""
    logit = scores[:, 1] - scores[:, 0]
    return LOG2 + torch.stack([logsigmoid(-logit), logsigmoid(logit)], dim=1)


@register("critic")
class MINE(DonskerVaradhan):
    """Donsker–Varadhan learnt with a moving average of the partition (Belghazi et al. 2018).

    The gradient of log E⊗ e^T on a batch is biased, because the batch mean stands in the
    denominator. Its moving average over batches takes that place: what is learnt is
    J − E⊗ e^T / average; what is read off is the Donsker–Varadhan value.

    Parameters
    ----------
    keep : float
        Share of the past in the moving average.
    shuffled : bool
        Labels for E⊗ drawn at random, one per row, as published, for learning and for reading:
        the standard deviation is then nearly twice that of the exact average.
    """

    average: Tensor

    def __init__(
        self,
        keep: float = 0.99,
        *,
        shuffled: bool = False,
        hidden: int = 64,
        **options: Unpack[_Options],
    ) -> None:
        super().__init__(hidden=hidden, **options)
        self.keep, self.shuffled = keep, shuffled
        self.register_buffer("average", torch.zeros(()))  # of the logarithm's argument, 0: none
        self._random: torch.Generator | None = None

    def build(self, pool: Tensor, rng: np.random.Generator) -> None:
        super().build(pool, rng)
        self._random = torch.Generator().manual_seed(int(rng.integers(2**63)))

    def bound(self, scores: Scores) -> Tensor:
        return scores.joint(_same) - self._log_partition(scores)

    def objective(self, scores: Scores) -> Tensor:
        log_partition = self._log_partition(scores)
        value = scores.joint(_same) - log_partition
        if not (torch.is_grad_enabled() and log_partition.requires_grad):
            return value
        now = log_partition.detach().exp()
        past = torch.where(self.average > 0, self.average, now)
        average = self.keep * past + (1.0 - self.keep) * now
        self.average.copy_(average)
        # The value of Donsker and Varadhan with the gradient of E⊗ e^T / average.
        share = torch.exp(log_partition) / average
        return scores.joint(_same) - (log_partition.detach() + share - share.detach())

    def _log_partition(self, scores: Scores) -> Tensor:
        if not self.shuffled:
            return scores.log_mean_exp()
        terms = []
        for t, w in zip((scores.x, scores.y), scores.weights, strict=True):
            label = torch.randint(2, (len(t), 1), generator=self._random).to(t.device)
            terms.append(t.gather(1, label)[:, 0] + torch.log(0.5 * w))
        return torch.logsumexp(torch.cat(terms), dim=0)


@register("critic")
class CLUB(Critic):
    """E_joint log q(L | Z) − E⊗ log q(L | Z), q a fitted law of the label (Cheng et al. 2020).

    With the true posterior it is an *upper* bound, I + KL(product ‖ joint), far above the JSD. As
    in the paper q is Gaussian, N(μ(z), e^v(z)) with v in [−1, 1], fitted by its likelihood; with
    the label averaged exactly the value is the mean of
    [½(μ − 1)² + ½μ² − (μ − l)²] / 2e^v: no bound in either direction.

    The network gives (μ, v) instead of two scores.
    """

    is_lower_bound = False

    def __init__(self, *, hidden: int = 32, **options: Unpack[_Options]) -> None:
        super().__init__(hidden=hidden, **options)

    def _inner(self, dimension: int) -> nn.Module:
        return perceptron([dimension, self.hidden, 2])

    def log_ratio(self, rows: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """log q(1 | z) − log q(0 | z) of the fitted law: (μ − ½) e^−v."""
        mean, log_variance = self.scores(rows, rows[:1]).x.unbind(dim=1)
        return (mean - 0.5) * torch.exp(-torch.tanh(log_variance))

    def bound(self, scores: Scores) -> Tensor:
        def gap(t: Tensor, label: float) -> Tensor:
            mean, log_variance = t[:, 0], torch.tanh(t[:, 1])
            across = 0.5 * ((mean - 1.0) ** 2 + mean**2)
            return (across - (mean - label) ** 2) / (2.0 * log_variance.exp())

        return scores.mean(gap(scores.x, 1.0), gap(scores.y, 0.0))

    def objective(self, scores: Scores) -> Tensor:
        def likelihood(t: Tensor, label: float) -> Tensor:
            mean, log_variance = t[:, 0], torch.tanh(t[:, 1])
            return -((mean - label) ** 2) / log_variance.exp() - log_variance

        return scores.mean(likelihood(scores.x, 1.0), likelihood(scores.y, 0.0))
