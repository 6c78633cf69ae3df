"""The contract of what learns a divergence: RJSD in its variational forms, and the critics.

A `Learner` says what is made large (`forward`), what is read off (`read`) and what is built from
the first rows (`build`); fitting, early stopping and honest estimates are the same for all.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.checks import as_progress, as_seed
from samelaw.core.types import Progress, Seed
from samelaw.estimate.uncertainty import Estimate
from samelaw.learn.batches import (
    HeldOut,
    Stream,
    Table,
    as_pair,
    from_samples,
    from_stream,
    is_stream,
)
from samelaw.learn.training import Fit, Loop, Plan, recent

_STEPS = 300
_READ_ELSEWHERE = 10  # steps between readings on a device that would be waited for
_FUSED = ("cpu", "cuda")  # where Adam updates all parameters in one call


class Learner(nn.Module, ABC):
    """A module that learns to tell two laws apart and so estimates their divergence.

    Parameters are made when the first rows are seen (`prepare`): their number of columns and
    their scale are needed. `fit` may be called again, on the same or on another stream: learning
    goes on from where it was, optimiser included (a warm start).
    """

    learning_rate: float
    _place: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.prepared = False
        self._optimiser: torch.optim.Optimizer | None = None
        self.register_buffer("_place", torch.zeros(()), persistent=False)  # type and device

    @abstractmethod
    def build(self, pool: Tensor, rng: np.random.Generator) -> None:
        """Make the parameters for rows like these (N, d)."""

    @abstractmethod
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """What learning makes large, for batches (n, d) and (m, d)."""

    @abstractmethod
    def read(self, x: Tensor, y: Tensor, *, exact: bool = False) -> Estimate:
        """The estimate and its standard error on rows the parameters do not depend on.

        ``exact`` may cost more than a step of learning: once at the end, not for every batch.
        """

    def look(self, x: Tensor, y: Tensor) -> tuple[Tensor, Estimate]:
        """`forward` of a batch, and what `read` finds in it before it is learnt from.

        Learners that can do both in one pass over the rows do.
        """
        with torch.no_grad():
            reading = self.read(x, y)
        return self(x, y), reading

    def score(self, x: Tensor, y: Tensor) -> float:
        """What early stopping looks at; the objective unless stated."""
        return float(self(x, y))

    def prepare(self, x: Table, y: Table, *, rng: Seed = None) -> None:
        """Make the parameters from the first rows (once; `fit` does it if it was not done)."""
        if self.prepared:
            return
        generator, _ = as_seed(rng)
        x, y = as_pair(x, y, self._place)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(generator.integers(2**63)))
            self.build(torch.cat([x, y]), generator)
        self.to(self._place.device, self._place.dtype)
        self.prepared = True

    @torch.no_grad()
    def estimate(self, x: Table, y: Table) -> Estimate:
        """The divergence of samples that were not trained on, (n, d) and (m, d)."""
        if not self.prepared:
            raise RuntimeError(f"{type(self).__name__} has learnt nothing yet: call fit first.")
        return self.read(*as_pair(x, y, self._place), exact=True)

    def fit(
        self,
        x: Table | Stream,
        y: Table | Stream | None = None,
        *,
        steps: int | None = None,
        batch: int = 512,
        held_out: HeldOut = None,
        validation: HeldOut = None,
        patience: int = 10,
        epochs: int = 1,
        read_every: int | None = None,
        decay: bool | None = None,
        learning_rate: float | None = None,
        rng: Seed = None,
        progress: Progress | bool | None = None,
    ) -> Fit:
        """Learn from samples or from a stream of batches, and estimate on rows not learnt from.

        Parameters
        ----------
        x, y : arrays (n, d) and (m, d); or streams
            Samples, or a stream (DataLoader, generator) of pairs, or two streams of batches.
        steps : int, optional
            300 for samples; for streams as many as there are batches.
        batch : int
            Rows of each sample per step.
        held_out : float or pair of samples, optional
            Rows the estimate is made on. Samples: half of the rows by default. Streams: by
            default the batches themselves, each read before it is learnt from; with more than
            one pass, rows must be given here for there to be an estimate.
        validation : float or pair of samples, optional
            Rows for early stopping, besides. Samples: a fifth of what is learnt from by default,
            0 for none. Streams: none by default.
        patience : int
            Looks at the validation rows (every 10 steps) without a better score before stopping.
        epochs : int
            Passes over a stream.
        read_every : int, optional
            Steps between two readings of a stream. A reading costs about as much as a step and is
            made on the host: every step on the CPU, every tenth elsewhere by default.
        decay : bool, optional
            Let the learning rate fall to 0 over the second half. Samples: yes. Streams: no, so
            that a law that changes is followed.
        learning_rate : float, optional
            Of Adam; the learner's own by default.
        rng : int, Generator or None
            Seed of starts, splits and batches; the result records it.
        progress : callable or True, optional
            Called with (steps done, steps in all).

        Returns
        -------
        Fit
            ``fit.value``, ``fit.standard_error``, ``fit.history``, ``fit.seed``. The weights
            kept are those with the best validation score, or the last.
        """
        generator, seed = as_seed(rng)
        if read_every is None:
            read_every = 1 if self._place.device.type == "cpu" else _READ_ELSEWHERE
        given = {"patience": patience, "batch": batch, "epochs": epochs, "read_every": read_every}
        for name, value in (given if steps is None else {**given, "steps": steps}).items():
            _check_whole(name, value)
        if is_stream(x):
            source = from_stream(x, y, epochs, held_out, validation, self._place)
        elif y is None:
            raise TypeError("fit takes two samples, or a stream of pairs of batches.")
        else:
            pair = as_pair(x, y, self._place)
            source = from_samples(pair, batch, held_out, validation, generator)
        self.prepare(*source.first, rng=generator)
        steps = _STEPS if steps is None and source.endless else steps
        plan = Plan(
            steps,
            patience,
            read_every if source.fresh else 0,
            self.learning_rate if learning_rate is None else learning_rate,
            source.endless if decay is None else decay,
            as_progress(progress),
        )
        loop = Loop(self, self.optimiser(plan.learning_rate), plan, source.validation)
        history = loop.run(source.batches)
        found = recent(history.readings) if history.readings else None
        if source.held_out is not None:
            found = self.estimate(*source.held_out)
        return Fit(found, history, seed, type(self).__name__)

    def optimiser(self, learning_rate: float) -> torch.optim.Optimizer:
        """Adam, kept from one fit to the next."""
        if self._optimiser is None:
            fused = self._place.device.type in _FUSED or None
            self._optimiser = torch.optim.Adam(self.parameters(), lr=learning_rate, fused=fused)
        return self._optimiser


def _check_whole(name: str, value: object) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}.")


def cross_fit(
    learner: Learner | Sequence[Learner],
    x: Table,
    y: Table,
    *,
    folds: int = 2,
    rng: Seed = None,
    **options: Any,
) -> Estimate:
    """An estimate on all rows, each read by a copy of the learner that did not learn from it.

    The rows are dealt into folds; a fresh copy learns from the others and reads the fold. The
    mean of the readings uses every row once, so its standard error is that of the whole sample,
    not of the part set aside. Of several learners the one that finds most in the other folds makes
    the estimate: lower bounds of one number, of which the largest is best.

    Parameters
    ----------
    learner : Learner, or sequence of them
        Not fitted yet; they stay as they are. ``[VariationalJSD(), critics.JSBound()]`` costs as
        much as both; which is ahead depends on laws, rows and columns.
    x, y : arrays (n, d) and (m, d)
    folds : int
        More folds leave more rows to learn from, at proportional cost.
    rng : int, Generator or None
    **options
        Of `Learner.fit`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.learn import VariationalJSD
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(300, 1)), rng.normal(size=(300, 1)) + 3
    >>> cross_fit(VariationalJSD(), x, y, steps=30, rng=0).rows
    (300, 300)
    """
    if not isinstance(folds, int) or folds < 2:
        raise ValueError(f"folds must be a whole number of at least 2, got {folds!r}.")
    learners = [learner] if isinstance(learner, Learner) else list(learner)
    if not learners or any(one.prepared for one in learners):
        raise ValueError("cross_fit needs a learner that has not seen rows yet, or several.")
    generator, _ = as_seed(rng)
    samples = as_pair(x, y, learners[0]._place)
    parts = [np.array_split(generator.permutation(len(sample)), folds) for sample in samples]
    fits: list[list[Fit]] = []  # of each fold, one for every learner
    for k in range(folds):
        held = [s[p[k]] for s, p in zip(samples, parts, strict=True)]
        rest = [
            s[np.concatenate([q for j, q in enumerate(p) if j != k])]
            for s, p in zip(samples, parts, strict=True)
        ]
        fits.append(
            [
                copy.deepcopy(one).fit(*rest, held_out=held, rng=generator, **options)
                for one in learners
            ]
        )
    return recent(tuple(_best(fits, k) for k in range(folds)), share=1.0)


def _best(fits: Sequence[Sequence[Fit]], fold: int) -> Estimate:
    """What the learner that sees most in the other folds reads in this one.

    Scores of validation rows would not do: the best of many looks at few rows flatters whichever
    estimate has more noise.
    """
    others = [own for k, own in enumerate(fits) if k != fold]
    seen = [sum(fit.value for fit in own) for own in zip(*others, strict=True)]
    return fits[fold][int(np.argmax(seen))].required
