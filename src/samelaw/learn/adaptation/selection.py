"""Which step of a training to keep: rules without target labels, and the published one with them.

Differences between adaptation methods are often smaller than those between ways of choosing the
step (Musgrave et al. 2021), so every rule is scored in every run and says whether it looks at the
labels of the target.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from samelaw.core.registry import members, register
from samelaw.learn.adaptation.datasets import UNKNOWN


@dataclass(frozen=True, eq=False)
class Outputs:
    """What a network gives for the rows of a domain."""

    features: Tensor  # (n, k)
    logits: Tensor  # (n, classes)
    labels: Tensor  # (n,)

    @property
    def hits(self) -> Tensor:
        """1 where the prediction is right, of the rows whose class is known."""
        known = self.labels != UNKNOWN
        return (self.logits.argmax(1)[known] == self.labels[known]).double()

    @property
    def accuracy(self) -> float:
        """Share of right predictions; NaN without labels."""
        return float(self.hits.mean())


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a rule may look at after some step."""

    step: int
    source: Outputs  # rows trained on
    held_out: Outputs | None  # rows of the source kept out of training
    target: Outputs


class Rule(ABC):
    """A score of a step; the highest is kept, the later of two equal ones."""

    label_free: ClassVar[bool] = True
    needs: ClassVar[str] = "held-out rows: set held_out in the plan"

    @abstractmethod
    def score(self, evidence: Evidence) -> float | None:
        """The score; None if this rule cannot be computed."""


@register("selection rule")
@dataclass(frozen=True)
class LastStep(Rule):
    """No choice: the end of the schedule."""

    def score(self, evidence: Evidence) -> float | None:
        return float(evidence.step)


@register("selection rule")
@dataclass(frozen=True)
class SourceValidation(Rule):
    """Accuracy on rows of the source that were kept out of training."""

    def score(self, evidence: Evidence) -> float | None:
        return None if evidence.held_out is None else evidence.held_out.accuracy


@register("selection rule")
@dataclass(frozen=True)
class ImportanceWeighted(Rule):
    """The same with rows weighted by how much they look like the target.

    Deep embedded validation (You et al. 2019): weights w from a classifier of the domain on the
    features, and a control variate that takes out most of their variance:
    mean(w·hit) − η (mean(w) − 1), η = Cov(w·hit, w) / Var(w).
    """

    penalty: float = 1e-2

    def score(self, evidence: Evidence) -> float | None:
        if evidence.held_out is None:
            return None
        ratio = density_ratio(
            evidence.source.features,
            evidence.target.features,
            evidence.held_out.features,
            penalty=self.penalty,
        )
        hits = evidence.held_out.hits
        weighted = ratio * hits
        moments = torch.cov(torch.stack([weighted, ratio]))
        slope = moments[0, 1] / moments[1, 1].clamp(min=1e-12)
        return float(weighted.mean() - slope * (ratio.mean() - 1.0))


@register("selection rule")
@dataclass(frozen=True)
class TargetTest(Rule):
    """Accuracy on the target: published practice, but it uses the labels that are to be predicted.

    The accuracy it reports is the best of all steps, not what a user without labels gets.
    """

    label_free: ClassVar[bool] = False
    needs: ClassVar[str] = "labels of the target"

    def score(self, evidence: Evidence) -> float | None:
        return evidence.target.accuracy if len(evidence.target.hits) else None


def all_rules() -> dict[str, Rule]:
    """Every rule by name."""
    return {name: rule() for name, rule in members("selection rule").items()}


def density_ratio(source: Tensor, target: Tensor, at: Tensor, *, penalty: float) -> Tensor:
    """q(x)/p(x) of target over source features, from logistic regression, at rows (k, d)."""
    with torch.enable_grad():  # scores are computed while gradients are off
        return _density_ratio(source, target, at, penalty)


def _density_ratio(source: Tensor, target: Tensor, at: Tensor, penalty: float) -> Tensor:
    rows = torch.cat([source, target]).double()
    centre, spread = rows.mean(0), rows.std(0).clamp(min=1e-6)
    rows, at = (rows - centre) / spread, (at.double() - centre) / spread
    sides = torch.cat([torch.zeros(len(source)), torch.ones(len(target))]).to(rows)
    slope = torch.zeros(rows.shape[1] + 1, dtype=rows.dtype, device=rows.device, requires_grad=True)
    optimiser = torch.optim.LBFGS([slope], max_iter=25, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimiser.zero_grad()
        odds = rows @ slope[1:] + slope[0]
        loss = nn.functional.binary_cross_entropy_with_logits(odds, sides)
        loss = loss + penalty * (slope[1:] * slope[1:]).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimiser.step(closure)  # type: ignore[no-untyped-call]
    odds = (at @ slope[1:] + slope[0]).detach()
    return torch.exp(odds) * len(source) / len(target)
