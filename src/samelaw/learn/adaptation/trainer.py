"""A small trainer for domain adaptation: cross-entropy on the source plus β times a divergence."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypedDict

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.checks import as_progress, as_seed, shown
from samelaw.core.errors import NumericalError
from samelaw.core.types import Progress, Seed
from samelaw.learn.adaptation import checkpoint as store
from samelaw.learn.adaptation.batches import batches, few_rows, hold_out, outputs_of
from samelaw.learn.adaptation.datasets import Domain
from samelaw.learn.adaptation.diagnostics import layer_divergences
from samelaw.learn.adaptation.loss import class_weights
from samelaw.learn.adaptation.network import AdaptationNetwork, check_labels, check_rows
from samelaw.learn.adaptation.schedule import AdaptationPlan, new_optimiser
from samelaw.learn.adaptation.selection import Evidence, LastStep, Rule, all_rules
from samelaw.results.plots import draw_steps
from samelaw.results.result import Facts, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Divergence: TypeAlias = Callable[..., Tensor]
"""A module or function called as ``loss((features, probabilities), (features, …))``."""

_READ = 100  # steps after which a loss that is no longer finite is noticed
_MEMORY = 0.9  # of the class shares predicted for the target, from batch to batch


class Evaluation(TypedDict):
    """What was seen after some steps."""

    step: int
    cross_entropy: float
    divergence: float
    source_accuracy: float
    held_out_accuracy: float | None
    target_accuracy: float
    layers: dict[str, float]
    scores: dict[str, float | None]


class Choice(TypedDict):
    """The step a rule keeps."""

    step: int
    target_accuracy: float
    label_free: bool


@dataclass(frozen=True, eq=False)
class Adaptation(Result):
    """What a training did: never computes, only shows itself.

    Attributes
    ----------
    history : sequence of mappings
        One per evaluation: step, losses since the last one, accuracies, divergences per layer,
        the score of every rule.
    chosen : mapping
        For every rule: the step it keeps, the accuracy on the target there, and whether the rule
        does without labels of the target.
    rule : str
        The rule whose step the network holds now.
    settings : mapping
    seed : int
    seconds : float
        Wall-clock time of this call (not of the part before a resume).
    """

    kind: ClassVar[str] = "adaptation"

    history: Sequence[Evaluation] = field(repr=False)
    chosen: Mapping[str, Choice]
    rule: str
    settings: Mapping[str, object] = field(repr=False)
    seed: int
    seconds: float

    @property
    def accuracy(self) -> float:
        """On the target, at the step kept."""
        return float(self.chosen[self.rule]["target_accuracy"])

    def facts(self) -> Facts:
        """The step that was kept and how good it is."""
        return [
            ("target accuracy", f"{self.accuracy:.4g}"),
            ("rule", self.rule),
            ("step kept", str(self.chosen[self.rule]["step"])),
            ("evaluations", str(len(self.history))),
            ("seconds", f"{self.seconds:.3g}"),
            ("seed", str(self.seed)),
        ]

    def draw(self, ax: "Axes") -> None:
        """The accuracy on the target by step, with the step that was kept."""
        steps = [seen["step"] for seen in self.history]
        found = [seen["target_accuracy"] for seen in self.history]
        kept = float(self.chosen[self.rule]["step"])
        draw_steps(ax, steps, found, kept=kept, name="accuracy on the target")


def adapt(
    network: AdaptationNetwork,
    loss: Divergence | None,
    source: Domain,
    target: Domain,
    *,
    plan: AdaptationPlan | None = None,
    rule: Rule | None = None,
    rng: Seed = None,
    checkpoint: str | Path | None = None,
    progress: Progress | bool | None = None,
) -> Adaptation:
    """Train a network on a labelled source and an unlabelled target.

    Minimises cross-entropy(source) + β · loss(source layers, target layers), the layers being
    the bottleneck features and the class probabilities (section 5.4 of the paper).

    Parameters
    ----------
    network : AdaptationNetwork
        Or any module that returns (features, logits) and has its method ``groups``. Trained in
        place; holds the weights of the step chosen at the end.
    loss : Module, callable or None
        `JointAdaptationLoss`, ``JointAdaptationLoss.mmd()`` or anything called as
        ``loss((features, probabilities), (features, probabilities))``; None trains on the source
        only.
    source, target : Dataset
        Pairs of input and class. Labels of the target serve to report accuracy and the rule
        `TargetTest`, never to train; −1 where unknown.
    plan : AdaptationPlan, optional
    rule : Rule, optional
        Which step to keep: `LastStep` by default, `SourceValidation` or `ImportanceWeighted`
        (both without target labels; need ``held_out`` in the plan), or `TargetTest` as in
        published results. All are scored in every run.
    rng : int, optional
        Seed of batches and dropout. Same seed, same weights, also after a resume (with random
        views of images only for ``workers=0``).
    checkpoint : str or Path, optional
        File to write at every evaluation and to go on from if it exists; one of other settings,
        another network or other rows is refused.
    progress : callable(done, total) or True, optional

    Returns
    -------
    Adaptation

    Examples
    --------
    >>> import torch
    >>> from samelaw.learn.adaptation import AdaptationNetwork, FeatureDomain, JointAdaptationLoss
    >>> _ = torch.manual_seed(0)
    >>> x, y = torch.randn(60, 4), torch.arange(60) % 3
    >>> source, target = FeatureDomain(x + y[:, None], y), FeatureDomain(x + y[:, None] + 1, y)
    >>> run = adapt(AdaptationNetwork(None, 4, 3), JointAdaptationLoss(), source, target,
    ...             plan=AdaptationPlan(steps=20), rng=0)
    >>> len(run.history), run.rule
    (1, 'LastStep')
    """
    start = time.perf_counter()
    _, seed = as_seed(rng)
    if seed is None:
        raise TypeError("rng must be a seed: a resumed training draws the same batches again.")
    chosen = plan or AdaptationPlan()
    if not isinstance(rule, Rule | NoneType):
        raise TypeError(f"rule must be a Rule such as SourceValidation(), got {shown(rule)}.")
    training = _Training(network, loss, source, target, chosen, rule or LastStep(), seed)
    file = None if checkpoint is None else Path(checkpoint)
    show = as_progress(progress)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if file is not None and file.exists():
            training.restore(*store.read(file))
        for done in training.steps():
            if done % chosen.evaluate == 0 or done == chosen.steps:
                training.evaluate(done)
                if file is not None:
                    store.write(file, *training.state(done))
            if show is not None:
                show(done, chosen.steps)
    return training.finish(time.perf_counter() - start)


class _Training:
    """The moving parts of `adapt`."""

    def __init__(
        self,
        network: AdaptationNetwork,
        loss: Divergence | None,
        source: Domain,
        target: Domain,
        plan: AdaptationPlan,
        rule: Rule,
        seed: int,
    ) -> None:
        self.network, self.loss, self.plan, self.rule, self.seed = (
            network, loss, plan, rule, seed,
        )  # fmt: skip
        for name, domain in (("source", source), ("target", target)):
            check_rows(network, name, domain)
        check_labels(network, source)
        self.whole, self.target = (source, target), target
        self.source, self.held_out = hold_out(source, plan.held_out, seed)
        self.device = next(network.parameters()).device
        if isinstance(loss, nn.Module):
            loss.to(self.device)  # before the optimiser takes its parameters
        self.optimiser = new_optimiser(network, loss, plan)
        self.start = 0
        self.shares: Tensor | None = None  # classes as predicted for the target
        self.sums = torch.zeros(2, device=self.device)  # of cross-entropy and divergence
        self.counted = 0
        self.history: list[Evaluation] = []
        self.best: dict[str, Tensor] = {}
        self.best_score = -np.inf

    def steps(self) -> Iterator[int]:
        """Train; yields the number of steps done after each."""
        plan = self.plan
        sizes = (plan.batch, plan.target_batch or plan.batch)
        span = range(self.start, plan.steps)
        streams = [
            batches(domain, size, [self.seed, side], span, plan.workers)
            for side, (domain, size) in enumerate(
                zip((self.source, self.target), sizes, strict=True)
            )
        ]
        for step, (source, target) in zip(span, zip(*streams, strict=True), strict=True):
            self.network.train()
            inputs, labels = source
            self._step(step / plan.steps, inputs, labels, target[0])
            yield step + 1

    def _step(self, share: float, inputs: Tensor, labels: Tensor, others: Tensor) -> None:
        inputs, labels, others = (t.to(self.device) for t in (inputs, labels, others))
        for group in self.optimiser.param_groups:
            group["lr"] = self.plan.rate_at(share) * group["scale"]
        features, logits = self.network(torch.cat([inputs, others]))
        count = len(inputs)
        entropy = nn.functional.cross_entropy(logits[:count], labels)
        divergence = entropy.new_zeros(())
        if self.loss is not None:
            layers = (features, logits.softmax(1))
            first, second = (tuple(layer[part] for layer in layers) for part in _split(count))
            divergence = self.loss(first, second, **self._row_weights(labels, second[1]))
        total = entropy + self.plan.weight_at(share) * divergence
        self.optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        self._note(entropy, divergence)

    def _row_weights(self, labels: Tensor, predicted: Tensor) -> dict[str, Tensor]:
        if not self.plan.balance:
            return {}
        now = predicted.detach().mean(0)
        self.shares = now if self.shares is None else torch.lerp(now, self.shares, _MEMORY)
        return {"source_weights": class_weights(labels, self.shares)}

    def _note(self, entropy: Tensor, divergence: Tensor) -> None:
        """Add to the sums, where the network is: a number read in every step would wait for it."""
        self.sums += torch.stack([entropy.detach(), divergence.detach()])
        self.counted += 1
        if self.counted % _READ == 0:
            self._means()

    def _means(self) -> tuple[float, float]:
        """Cross-entropy and divergence per step since the last evaluation."""
        entropy, divergence = (self.sums / max(1, self.counted)).tolist()
        if not np.isfinite(entropy + divergence):
            raise NumericalError(
                f"the loss is no longer finite (cross-entropy {entropy}, divergence {divergence}): "
                "lower rate or trade_off, or look for extreme inputs."
            )
        return entropy, divergence

    def evaluate(self, step: int) -> None:
        """Outputs on both domains, the score of every rule, the divergence of every layer."""
        evidence = Evidence(
            step,
            outputs_of(self.network, few_rows(self.source)),
            None if self.held_out is None else outputs_of(self.network, self.held_out),
            outputs_of(self.network, self.target),
        )
        scores = {name: rule.score(evidence) for name, rule in all_rules().items()}
        entropy, divergence = self._means()
        held_out = evidence.held_out
        self.history.append(
            {
                "step": step,
                "cross_entropy": entropy,
                "divergence": divergence,
                "source_accuracy": evidence.source.accuracy,
                "held_out_accuracy": None if held_out is None else held_out.accuracy,
                "target_accuracy": evidence.target.accuracy,
                "layers": layer_divergences(evidence.source, evidence.target),
                "scores": scores,
            }
        )
        self.sums, self.counted = torch.zeros_like(self.sums), 0
        score = self.rule.score(evidence)
        if score is None:
            raise ValueError(f"{self.rule} needs {self.rule.needs}.")
        if score >= self.best_score:
            self.best_score = score
            self.best = {k: v.detach().clone() for k, v in self.network.state_dict().items()}

    def state(self, step: int) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Everything a resume needs."""
        tensors = {
            **store.pack("network", self.network.state_dict()),
            **store.pack("best", self.best),
            **store.pack_optimiser(self.optimiser),
            "rng": torch.get_rng_state(),
        }
        if isinstance(self.loss, nn.Module):
            tensors |= store.pack("loss", self.loss.state_dict())
        if self.shares is not None:
            tensors["shares"] = self.shares
        facts = {"step": step, "history": self.history, "best_score": self.best_score}
        return tensors, {**facts, "settings": self.settings, "domains": self.domains}

    def restore(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """Go on from a checkpoint of the same settings."""
        store.refuse_other(facts, self.settings, self.domains)
        weights = store.unpack("network", tensors)
        own = {name: value.shape for name, value in self.network.state_dict().items()}
        if {name: value.shape for name, value in weights.items()} != own:
            raise ValueError("the checkpoint belongs to another network. Take another file.")
        self.network.load_state_dict(weights)
        if isinstance(self.loss, nn.Module):
            self.loss.load_state_dict(store.unpack("loss", tensors))
        store.unpack_optimiser(self.optimiser, tensors)
        self.best = {k: v.to(self.device) for k, v in store.unpack("best", tensors).items()}
        self.shares = tensors["shares"].to(self.device) if "shares" in tensors else None
        self.start, self.history = facts["step"], facts["history"]
        self.best_score = facts["best_score"]
        torch.set_rng_state(tensors["rng"])

    @cached_property
    def domains(self) -> list[str]:
        """What tells both domains from others, for checkpoints."""
        return [store.digest_of(domain) for domain in self.whole]

    @property
    def settings(self) -> dict[str, object]:
        return {
            "plan": asdict(self.plan),
            "rule": repr(self.rule),
            "loss": getattr(self.loss, "__qualname__", repr(self.loss)),  # no address in memory
            "seed": self.seed,
        }

    def finish(self, seconds: float) -> Adaptation:
        self.network.load_state_dict(self.best)
        return Adaptation(
            tuple(self.history), _chosen(self.history), type(self.rule).__name__,
            self.settings, self.seed, seconds,
        )  # fmt: skip


def _chosen(history: Sequence[Evaluation]) -> dict[str, Choice]:
    """For every rule: the later of the steps with the highest score."""
    found: dict[str, Choice] = {}
    for name, rule in all_rules().items():
        scored = [entry for entry in history if entry["scores"].get(name) is not None]
        if scored:
            best = max(reversed(scored), key=lambda entry: entry["scores"][name] or 0.0)
            found[name] = {
                "step": best["step"],
                "target_accuracy": best["target_accuracy"],
                "label_free": rule.label_free,
            }
    return found


def _split(count: int) -> tuple[slice, slice]:
    return slice(None, count), slice(count, None)
