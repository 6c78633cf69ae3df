"""What a monitor promises about false alarms, as the deposits and the threshold that keep it.

Evidence grows by R_t = (R_{t−1} + c_t) L_t with E[L_t | past] = 1 as long as the law stays. Then

- c_t = 1: R_t − t is a martingale, so the mean number of rows to an alarm at R ≥ A is at least A;
- Σ c_t ≤ 1: R_t + Σ_{j>t} c_j is a martingale that starts below 1, so R ever reaches 1/α with a
  probability of at most α (Ville).

Neither asks anything of the law, of the number of rows, or of when one stops to look.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from samelaw.core.checks import as_count, as_share
from samelaw.core.types import Matrix

PATIENCE = 1_000
"""Rows by which 29 % of all deposits of `Ever` are made; late changes are found the faster."""


class Promise(ABC):
    """A bound on false alarms: deposits c_t and the evidence that raises an alarm."""

    @abstractmethod
    def deposits(self, done: int, count: int) -> Matrix:
        """c_t (count,) of the rows after the first ``done`` of a run."""

    @abstractmethod
    def threshold(self, run: int) -> float:
        """The evidence at which the run, counted from 1, raises its alarm."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The promise in words."""

    @abstractmethod
    def bank(self, banked: float, rows: int) -> float:
        """What waits in a bank after further rows that bet on nothing; before any: ``rows`` 0."""

    @abstractmethod
    def release(self, banked: float, times: int, fresh: bool) -> float:
        """How much of it is bet now.

        Parameters
        ----------
        times : int
            How often bets have begun before.
        fresh : bool
            Whether they begin now.
        """

    @abstractmethod
    def evidence(self, active: Matrix, banked: float) -> Matrix:
        """What counts as evidence of active wealth and of what waits."""

    def to_dict(self) -> dict[str, Any]:
        """Its name and parameter as plain values; `promise_from` is the way back."""
        return {"name": type(self).__name__, **asdict(self)}  # type: ignore[call-overload]


@dataclass(frozen=True)
class Ever(Promise):
    """At most this probability that there is ever a false alarm, restarts included.

    The j-th run, the first included, spends level·2^−j and raises its alarm at 2^j/level.

    Parameters
    ----------
    level : float
        α, between 0 and 1.

    Examples
    --------
    >>> Ever(0.05).threshold(1), Ever(0.05).threshold(2)
    (40.0, 80.0)
    """

    level: float = 0.05

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", as_share("level", self.level))

    def deposits(self, done: int, count: int) -> Matrix:
        """F(t) − F(t − 1) with F = 1 − (1 + t/PATIENCE)^−½, which sum to 1."""
        left = (1.0 + np.arange(done, done + count + 1) / PATIENCE) ** -0.5
        return np.asarray(left[:-1] - left[1:])

    def threshold(self, run: int) -> float:
        return float(2.0**run / self.level)

    def bank(self, banked: float, rows: int) -> float:
        """All deposits from the start, so that active and banked wealth together begin at 1."""
        return banked if rows else 1.0

    def release(self, banked: float, times: int, fresh: bool) -> float:
        return banked / (times + 4) if fresh else 0.0

    def evidence(self, active: Matrix, banked: float) -> Matrix:
        return active + banked

    @property
    def text(self) -> str:
        return f"a false alarm ever with a probability of at most {self.level:g}"


@dataclass(frozen=True)
class RunLength(Promise):
    """At least this many rows on average from a start to a false alarm.

    Parameters
    ----------
    rows : int
        A, the alarm is raised at evidence A.

    Examples
    --------
    >>> RunLength(10_000).threshold(3)
    10000.0
    """

    rows: int = 10_000

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", as_count("rows", self.rows, least=2))

    def deposits(self, done: int, count: int) -> Matrix:
        """1 for every row."""
        return np.ones(count)

    def threshold(self, run: int) -> float:
        return float(self.rows)

    def bank(self, banked: float, rows: int) -> float:
        """A deposit for every row, up to a tenth of the threshold."""
        return min(banked + rows, self.rows / 10)

    def release(self, banked: float, times: int, fresh: bool) -> float:
        return banked

    def evidence(self, active: Matrix, banked: float) -> Matrix:
        """Active wealth alone: what waits grows without a bet, and would reach any threshold."""
        return active

    @property
    def text(self) -> str:
        return f"at least {self.rows:,} rows on average to a false alarm"


def promise_from(plain: Mapping[str, Any]) -> Promise:
    """The promise that `Promise.to_dict` wrote down."""
    if plain["name"] == "Ever":
        return Ever(plain["level"])
    if plain["name"] == "RunLength":
        return RunLength(plain["rows"])
    raise ValueError(f"promise {plain['name']!r} is not known; expected Ever or RunLength.")


def as_promise(promise: object) -> Promise:
    """Check what the user promised."""
    if isinstance(promise, Promise):
        return promise
    raise TypeError(f"promise is {promise!r}; expected Ever(0.05) or RunLength(10_000).")
