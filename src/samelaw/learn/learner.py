"""The contract of what learns a divergence: RJSD in its variational forms, and the critics.

A `Learner` says what is made large (`forward`), what is read off (`read`) and what is built from
the first rows (`build`); fitting, early stopping and honest estimates are the same for all.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.arrays import to_numpy
from samelaw.core.checks import as_count, as_progress, as_seed
from samelaw.core.types import Matrix, Progress, Seed
from samelaw.divergence.uncertainty import Estimate
from samelaw.learn.batches import (
    HeldOut,
    Pair,
    Stream,
    Table,
    as_pair,
    from_samples,
    from_stream,
    is_stream,
)
from samelaw.learn.layers import evaluating
from samelaw.learn.stacking import estimate_from_log_ratios
from samelaw.learn.training import Fit, Loop, Plan, recent

_STEPS = 600
_READ_ELSEWHERE = 10  # steps between readings on a device that would be waited for
_STAND_INS = 64  # rows that parameters are made from when their values are to be loaded
_FUSED = ("cpu", "cuda")  # where Adam updates all parameters in one call


class Learner(nn.Module, ABC):
    """A module that learns to tell two laws apart and so estimates their divergence.

    Parameters are made when the first rows are seen (`prepare`): their number of columns and
    their scale are needed. `fit` may be called again, on the same or on another stream: learning
    goes on from where it was, optimiser included (a warm start). ``load_state_dict`` makes them
    too: a saved state knows the number of columns.
    """

    learning_rate: float
    _place: Tensor
    columns: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.prepared = False
        self._optimiser: torch.optim.Optimizer | None = None
        self.register_buffer("_place", torch.zeros(()), persistent=False)  # type and device
        self.register_buffer("columns", torch.zeros(1, dtype=torch.int64))  # shape of an item

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

    @abstractmethod
    def log_ratio(self, rows: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """What was learnt about log p/q at rows (k, d), on any scale: one number for each (k,).

        ``x`` and ``y`` are the samples that were learnt from, for those that need them again.
        """

    @property
    def flat(self) -> bool:
        """Whether items become rows (n, d); a network of the user's own sees them as they come."""
        return True

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
        self._make(torch.cat(as_pair(x, y, self._place, flat=self.flat)), generator)

    def _make(self, pool: Tensor, rng: np.random.Generator) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(rng.integers(2**63)))
            self.build(pool, rng)
        self.to(self._place.device, self._place.dtype)
        self.columns = torch.tensor(pool.shape[1:], device=self._place.device)
        self.prepared = True

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *arguments: Any
    ) -> None:
        """Make parameters of the shapes that are to be loaded; any rows will do for that."""
        shape = state_dict.setdefault(f"{prefix}columns", self.columns).reshape(-1)
        state_dict[f"{prefix}columns"] = shape
        if bool(shape.any()) and not self.prepared:
            rng = np.random.default_rng(0)
            rows = torch.as_tensor(rng.normal(size=(_STAND_INS, *shape.tolist())))
            self._make(rows.to(self._place.device, self._place.dtype), rng)
        super()._load_from_state_dict(state_dict, prefix, *arguments)

    @torch.no_grad()
    def estimate(self, x: Table, y: Table) -> Estimate:
        """The divergence of samples that were not trained on, (n, d) and (m, d).

        In evaluation mode: layers that drop units or normalise batches are as they were learnt.
        """
        if not self.prepared:
            raise RuntimeError(f"{type(self).__name__} has learnt nothing yet: call fit first.")
        pair = as_pair(x, y, self._place, flat=self.flat)
        self._check_shape(pair[0])
        with evaluating(self):
            return self.read(*pair, exact=True)

    def _check_shape(self, rows: Tensor) -> None:
        known, seen = self.columns.tolist(), list(rows.shape[1:])
        if self.prepared and any(known) and seen != known:
            raise ValueError(
                f"rows have shape {seen}, this {type(self).__name__} was made for {known}: take a "
                "new one for other columns."
            )

    def fit(
        self,
        x: Table | Stream,
        y: Table | Stream | None = None,
        *,
        steps: int | None = None,
        batch: int = 512,
        held_out: HeldOut = None,
        validation: HeldOut = None,
        patience: int = 30,
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
            600 for samples; for streams as many as there are batches.
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
            Looks at the validation rows (every 10 steps) without a better score before stopping. A
            network may see nothing for 100 steps before it learns: fewer looks cost less, and miss
            such differences altogether.
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
            as_count(name, value)
        if is_stream(x):
            source = from_stream(x, y, epochs, held_out, validation, self._place, flat=self.flat)
        elif y is None:
            raise TypeError("fit takes two samples, or a stream of pairs of batches.")
        else:
            pair = as_pair(x, y, self._place, flat=self.flat)
            source = from_samples(pair, batch, held_out, validation, generator)
        self._check_shape(source.first[0])
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
        """Adam, kept from one fit to the next, wherever the parameters have gone since."""
        if self._optimiser is None:
            fused = self._place.device.type in _FUSED or None
            self._optimiser = torch.optim.Adam(self.parameters(), lr=learning_rate, fused=fused)
        else:  # loading brings what it remembers to the type and device of the parameters
            self._optimiser.load_state_dict(self._optimiser.state_dict())
        return self._optimiser


class FitOptions(TypedDict, total=False):
    """What `cross_fit` hands on to `Learner.fit`."""

    steps: int | None
    batch: int
    validation: HeldOut
    patience: int
    decay: bool | None
    learning_rate: float | None
    progress: Progress | bool | None


def cross_fit(
    learner: Learner | Sequence[Learner],
    x: Table,
    y: Table,
    *,
    folds: int = 2,
    rng: Seed = None,
    **options: Unpack[FitOptions],
) -> Estimate:
    """An estimate on all rows, each read by a copy of the learner that did not learn from it.

    The rows are dealt into folds; a fresh copy learns from the others and reads the fold. The
    mean of the readings uses every row once, so its standard error is that of the whole sample,
    not of the part set aside.

    Several learners are stacked: each says of every row what it thinks of log p/q, and the best
    combination of these numbers makes the estimate (`estimate_from_log_ratios`), a lower bound
    again. It sees what any of them sees.

    Parameters
    ----------
    learner : Learner, or sequence of them
        Not fitted yet; they stay as they are. ``[VariationalJSD(), critics.JSBound()]`` is ahead of
        both; the same one several times is an ensemble of networks with other starts.
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
    if "held_out" in options:
        raise TypeError("cross_fit holds out each fold in turn: leave out held_out.")
    generator, _ = as_seed(rng)
    samples = as_pair(x, y, learners[0]._place, flat=all(one.flat for one in learners))
    dealt = _folds(samples, folds, generator)
    if len(learners) == 1:
        fits = [_fresh(learners[0], *fold, generator, options)[1] for fold in dealt]
        return recent(tuple(fit.required for fit in fits), share=1.0)
    scores = [_scores(learners, *fold, generator, options) for fold in dealt]
    return estimate_from_log_ratios(
        *(np.concatenate([fold[side] for fold in scores]) for side in (0, 1))
    )


def _folds(samples: Pair, folds: int, rng: np.random.Generator) -> list[tuple[Pair, Pair]]:
    """For every fold what to learn from and what to read."""
    found = []
    parts = [np.array_split(rng.permutation(len(sample)), folds) for sample in samples]
    for k in range(folds):
        first, second = (
            (s[np.concatenate(p[:k] + p[k + 1 :])], s[p[k]])
            for s, p in zip(samples, parts, strict=True)
        )
        found.append(((first[0], second[0]), (first[1], second[1])))
    return found


def _fresh(
    learner: Learner,
    rest: Pair,
    held: Pair | None,
    rng: np.random.Generator,
    options: FitOptions,
) -> tuple[Learner, Fit]:
    """A copy that has learnt, and what it reads in the rows held out."""
    copied = copy.deepcopy(learner)
    aside = 0.0 if held is None else held
    return copied, copied.fit(*rest, held_out=aside, rng=rng, **options)


def _scores(
    learners: Sequence[Learner],
    rest: Pair,
    held: Pair,
    rng: np.random.Generator,
    options: FitOptions,
) -> tuple[Matrix, Matrix]:
    """Log-ratios (n, k) and (m, k) of the rows held out, by each of the learners."""
    columns = []
    for learner in learners:
        copied, _ = _fresh(learner, rest, None, rng, options)
        seen = [z.flatten(1) if learner.flat else z for z in (torch.cat(held), *rest)]
        with torch.no_grad():
            found = copied.eval().log_ratio(*seen)
        columns.append(to_numpy(found.double()))
    both = np.stack(columns, axis=1)
    return both[: len(held[0])], both[len(held[0]) :]
