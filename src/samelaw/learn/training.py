"""The one training loop of `samelaw.learn`, and what comes out of it."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.errors import NumericalError
from samelaw.core.types import Progress
from samelaw.divergence.uncertainty import Estimate
from samelaw.learn.batches import Pair
from samelaw.learn.layers import evaluating
from samelaw.results.plots import draw_steps
from samelaw.results.result import Facts, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CHECK = 10  # steps between two looks at the validation rows
_WINDOW = 0.1  # last share of a stream whose readings make its estimate
_ROUNDING = 1e-9  # of sums of sizes: a tenth of ten batches is one of them


@dataclass(frozen=True)
class History(Result):
    """What happened step by step.

    Parameters
    ----------
    objective : tuple of float
        What was made large, on the batch of each step, before the step.
    readings : tuple of Estimate
        Of streams: the estimate on each batch before the step, so on rows not seen so far.
    validation : tuple of (int, float)
        Steps done and the score of the validation rows.
    best_step : int
        Steps after which the weights that were kept had been reached.
    stopped_early : bool
    seconds : float
        CPU time of the loop.
    """

    kind: ClassVar[str] = "history"

    objective: tuple[float, ...]
    readings: tuple[Estimate, ...]
    validation: tuple[tuple[int, float], ...]
    best_step: int
    stopped_early: bool
    seconds: float

    def facts(self) -> Facts:
        """How many steps, and how long they took."""
        return [
            ("steps", f"{len(self.objective)}, kept those up to {self.best_step}"),
            ("CPU seconds", f"{self.seconds:.3g}"),
        ]

    def draw(self, ax: "Axes") -> None:
        """What was made large, step by step, with the step that was kept."""
        steps = range(1, len(self.objective) + 1)
        draw_steps(ax, steps, self.objective, kept=self.best_step, name="objective")


@dataclass(frozen=True)
class Fit(Result):
    """The outcome of `Learner.fit`: the estimate, how it came about, and the seed."""

    kind: ClassVar[str] = "fit"

    estimate: Estimate | None
    history: History
    seed: int | None
    method: str

    @property
    def value(self) -> float:
        return self.required.value

    @property
    def standard_error(self) -> float:
        return self.required.standard_error

    @property
    def required(self) -> Estimate:
        """The estimate; an error that says what to do where there is none."""
        if self.estimate is None:
            raise ValueError(
                "no rows were left to estimate on: the stream was passed several times. "
                "Pass held_out=(x, y), or call estimate(x, y) with rows of your own."
            )
        return self.estimate

    def facts(self) -> Facts:
        """The estimate and how long it took."""
        known = [("no estimate", "the stream was passed several times; pass held_out=(x, y)")]
        if self.estimate is not None:
            known = list(self.estimate.facts())
        return [*known, ("method", self.method), *self.history.facts()]

    def draw(self, ax: "Axes") -> None:
        """What was made large, step by step, with the step that was kept."""
        self.history.draw(ax)


def recent(readings: Sequence[Estimate], share: float = _WINDOW) -> Estimate:
    """The mean of the last readings, by rows: they are different ones, so errors average out.

    At least as many rows as the largest batch has: the last of a loader is often a few rows.
    """
    sizes = [_size(reading) for reading in readings]
    wanted = max(share * sum(sizes), max(sizes)) * (1.0 - _ROUNDING)
    held = list(accumulate(reversed(sizes)))
    count = 1 + next(i for i, rows in enumerate(held) if rows >= wanted)
    last, weights = readings[-count:], np.asarray(sizes[-count:]) / held[count - 1]
    value = float(weights @ [r.value for r in last])
    error = float(np.linalg.norm(weights * [r.standard_error for r in last]))
    rows = (sum(r.rows[0] for r in last), sum(r.rows[1] for r in last))
    bound = all(r.is_lower_bound for r in last)
    return Estimate(value, error, rows, is_lower_bound=bound)


def _size(reading: Estimate) -> float:
    """Rows of a pair that say as much as these: nm/(n + m)."""
    n, m = reading.rows
    return n * m / (n + m)


class Learns(Protocol):
    """What the loop needs of a learner (`samelaw.learn.learner.Learner` is one)."""

    def __call__(self, x: Tensor, y: Tensor) -> Tensor: ...
    def look(self, x: Tensor, y: Tensor) -> tuple[Tensor, Estimate]: ...
    def score(self, x: Tensor, y: Tensor) -> float: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: dict[str, Any]) -> object: ...


@dataclass(frozen=True)
class Plan:
    """How long and how fast to learn."""

    steps: int | None  # until the batches end
    patience: int
    read_every: int  # 0: no readings
    learning_rate: float
    decay: bool
    progress: Progress | None

    def rate(self, step: int) -> float:
        """The learning rate: constant, or falling to 0 over the second half of the steps."""
        if not self.decay or self.steps is None:
            return self.learning_rate
        return self.learning_rate * min(1.0, 2.0 * (1.0 - step / self.steps))


class Loop:
    """Gradient steps on batches, with early stopping and the best weights kept."""

    def __init__(
        self,
        learner: Learns,
        optimiser: torch.optim.Optimizer,
        plan: Plan,
        validation: Pair | None = None,
    ) -> None:
        self.learner, self.optimiser = learner, optimiser
        self.plan, self.rows = plan, validation
        self.objective: list[float] = []
        self.unread: list[Tensor] = []  # values of the last steps, still on the device
        self.readings: list[Estimate] = []
        self.validation: list[tuple[int, float]] = []
        self.best: dict[str, Tensor] | None = None
        self.best_step, self.best_score = 0, -math.inf

    def run(self, batches: Iterator[Pair]) -> History:
        """Take a step per batch until the plan, the batches or the patience end."""
        start = time.process_time()
        stopped = False
        for done, (x, y) in enumerate(islice(batches, self.plan.steps), start=1):
            self._step(done - 1, x, y)
            if self.plan.progress is not None:
                self.plan.progress(done, self.plan.steps or done)
            self._look(done)
            stopped = self.best is not None and self._waited(done)
            if stopped:
                break
        self._read()
        if self.best is None:
            self.best_step = len(self.objective)
        else:
            self.learner.load_state_dict(self.best)
        return History(
            objective=tuple(self.objective),
            readings=tuple(self.readings),
            validation=tuple(self.validation),
            best_step=self.best_step,
            stopped_early=stopped,
            seconds=time.process_time() - start,
        )

    def _step(self, step: int, x: Tensor, y: Tensor) -> None:
        if self._reads(step, min(len(x), len(y))):
            value, reading = self.learner.look(x, y)
            self.readings.append(reading)
        else:
            value = self.learner(x, y)
        self.unread.append(value.detach())
        for group in self.optimiser.param_groups:
            group["lr"] = self.plan.rate(step) * group.get("speed", 1.0)
        self.optimiser.zero_grad(set_to_none=True)
        (-value).backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        if len(self.unread) == _CHECK:
            self._read()

    def _reads(self, step: int, rows: int) -> bool:
        """Whether this batch is read; a last one of a single row has no standard error."""
        every = self.plan.read_every
        return every > 0 and step % every == 0 and rows > 1

    def _read(self) -> None:
        """Take over the values of the last steps: one by one, the device would be waited for."""
        numbers = torch.stack(self.unread).tolist() if self.unread else []
        self.unread.clear()
        for number in numbers:
            if not math.isfinite(number):
                raise NumericalError(
                    f"the objective became {number} at step {len(self.objective)}: lower "
                    "learning_rate, or rescale rows of extreme size."
                )
            self.objective.append(number)

    def _look(self, done: int) -> None:
        """Score the validation rows now and then, and copy the weights if they are better."""
        if self.rows is None or done % _CHECK:
            return
        with torch.no_grad(), evaluating(cast(nn.Module, self.learner)):
            score = self.learner.score(*self.rows)
        self.validation.append((done, score))
        if score > self.best_score:
            self.best_score, self.best_step = score, done
            # Copies: the tensors of a state_dict go on changing with every step (erratum 13).
            self.best = {k: v.detach().clone() for k, v in self.learner.state_dict().items()}

    def _waited(self, done: int) -> bool:
        return done - self.best_step >= _CHECK * self.plan.patience
