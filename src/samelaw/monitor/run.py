"""A run of a monitor: from a start, through rows that are judged, to an alarm and what follows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.block_history import Past
from samelaw.monitor.blocks import Layout, block_sums
from samelaw.monitor.description import Description, describe
from samelaw.monitor.every_row import Scene
from samelaw.monitor.martingale import BLOCK
from samelaw.monitor.promises import Promise
from samelaw.monitor.reference import FrozenReference, Rows
from samelaw.monitor.score import EXPERTS, Features, Score
from samelaw.monitor.shadow_bets import Judge
from samelaw.monitor.tests_after_alarm import Aftermath, centred, pvalue_of_higher

_MEMORY = "memory."
_PLAIN = ("number", "judged", "evidence", "alarm_row", "description")


@dataclass(frozen=True, eq=False)
class Arrived:
    """Rows that have arrived, in the order in which they are judged.

    Parameters
    ----------
    rows : Rows
    numbers : array (n,)
        Of the stream, counted from 0.
    seen : array (n,)
        Rows of the stream there have been once each of them is judged.
    batch_start : int, optional
        Where their batch began, if it was shuffled: no row of it can be dated closer.
    """

    rows: Rows
    numbers: Matrix
    seen: Matrix
    batch_start: int | None

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, part: Matrix | slice) -> "Arrived":
        rows, numbers, seen = self.rows.take(part), self.numbers[part], self.seen[part]
        return replace(self, rows=rows, numbers=numbers, seen=seen)


@dataclass(frozen=True, eq=False)
class Run:
    """What a run knows.

    Parameters
    ----------
    number : int
        Counted from 1.
    wealth : array (experts,)
    past : Past
    judged : int
        Rows.
    evidence : float
    alarm_row : int, optional
        Rows of the stream at the alarm.
    description : Description
    aftermath : Aftermath, optional
        What has followed the alarm.
    memory : {name: array}
        What is remembered of the rows before for those to come.
    """

    number: int
    wealth: Matrix
    past: Past
    judged: int = 0
    evidence: float = 0.0
    alarm_row: int | None = None
    description: Description = field(default_factory=Description)
    aftermath: Aftermath | None = None
    memory: Mapping[str, Matrix] = field(default_factory=dict)

    @classmethod
    def start(cls, number: int, size: int) -> "Run":
        return cls(number, np.zeros(EXPERTS), Past.empty(size))

    def judging(
        self,
        arrived: Arrived,
        reference: FrozenReference,
        promise: Promise,
        pairs: int,
        judge: Judge,
    ) -> tuple["Run", int, int]:
        """After rows that all have partners; how many were judged, and pairing rows they met."""
        score, rows = reference.score, arrived.rows
        layout = Layout(self.judged % BLOCK, len(rows))
        features = rows.features(score)
        sums, starts = self._blocks(score, features, layout, arrived)
        found = judge.grown(
            Scene(
                reference,
                features,
                sums,
                layout,
                promise,
                pairs,
                self.judged,
                self.evidence,
                self.wealth,
                self.memory,
            )
        )
        over = np.flatnonzero(found.evidence >= promise.threshold(self.number))
        used = int(over[0]) + 1 if len(over) else len(rows)
        if len(over):  # rows after an alarm test what it says, and have no part in it
            known, layout = features.first(used), Layout(layout.part, used)
            sums, starts = self._blocks(score, known, layout, arrived)
        seen, effects = arrived.seen[:used], found.effects[:used]
        past = self.past.closing(sums, starts, layout.part + used)
        past = past.recording(seen, found.evidence[:used])
        after = replace(
            self,
            wealth=found.wealth[used - 1].copy(),
            past=past.measuring(int(seen[-1]), effects[~np.isnan(effects)]),
            judged=self.judged + used,
            evidence=float(found.evidence[used - 1]),
            memory=found.memory,
        )
        after = after._alarmed(arrived, used, reference) if len(over) else after
        return after, used, int(found.met[used - 1])

    def _blocks(
        self, score: Score, features: Features, layout: Layout, arrived: Arrived
    ) -> tuple[Matrix, Matrix]:
        """Sums and starts of past blocks and of those of rows with these features."""
        touched = block_sums(score, features, layout)
        return self.past.with_open(touched, self._starts(layout, arrived))

    def _starts(self, layout: Layout, arrived: Arrived) -> Matrix:
        """Row of the stream (blocks,) since which each block may have changed."""
        starts = arrived.seen[layout.edges] - 1
        if arrived.batch_start is not None:
            starts[:] = arrived.batch_start
        if layout.part:
            starts[0] = self.past.open_start
        return starts

    def _alarmed(self, arrived: Arrived, used: int, reference: FrozenReference) -> "Run":
        score, holdout = reference.score, centred(reference.score, reference.holdout)
        blocks = self.past.until_now(self.judged % BLOCK)
        found, following = describe(score, reference.rules, blocks, self.wealth, holdout)
        scores = following.lead @ centred(score, arrived.rows.take(slice(used)))
        return replace(
            self,
            alarm_row=int(arrived.seen[used - 1]),
            description=found,
            aftermath=following.noticing(arrived.numbers[:used], scores),
        )

    def following(self, arrived: Arrived, reference: FrozenReference) -> tuple["Run", int]:
        """After rows that came after the alarm, and how many pairing rows they have met."""
        assert self.aftermath is not None
        score, rows = reference.score, arrived.rows
        scores = self.aftermath.lead @ centred(score, rows)
        others = self.aftermath.lead @ centred(score, reference.holdout)
        measured, effects = self.aftermath.measuring(scores, others)
        room = self.aftermath.room(len(rows), len(reference.pairing))
        partners = reference.pairing.take(slice(room))
        tested = measured.testing(score, rows.take(slice(room)), partners)
        after = replace(
            self,
            past=self.past.measuring(int(arrived.seen[-1]), effects),
            aftermath=tested.noticing(arrived.numbers, scores),
        )
        return after, tested.tested - self.aftermath.tested

    def pvalue(self, rows: Rows, reference: FrozenReference, first: int) -> float | None:
        """Of rows after the alarm, the first of them so many rows into the stream.

        That they follow the law of the reference, by the score of the alarm.
        """
        if self.aftermath is None or not len(rows):
            return None
        scores, holdout = (
            self.aftermath.lead @ centred(reference.score, some)
            for some in (rows, reference.holdout)
        )
        rng = np.random.default_rng([self.alarm_row or 0, first])  # its own: nothing else moves
        return pvalue_of_higher(scores, holdout, rng)

    def state(self) -> tuple[dict[str, Any], dict[str, Matrix]]:
        """All of it as plain values and arrays; `from_state` is the way back."""
        arrays = self.past.state() | {"wealth": self.wealth}
        arrays |= {f"{_MEMORY}{name}": value for name, value in self.memory.items()}
        if self.aftermath is not None:
            arrays |= self.aftermath.state()
        return {name: getattr(self, name) for name in _PLAIN}, arrays

    @classmethod
    def from_state(cls, plain: Mapping[str, Any], arrays: Mapping[str, Matrix]) -> "Run":
        values = {name: plain[name] for name in _PLAIN}
        values["description"] = Description.from_dict(values["description"])
        return cls(
            wealth=arrays["wealth"],
            past=Past.from_state(arrays),
            aftermath=Aftermath.from_state(arrays),
            memory={n.removeprefix(_MEMORY): v for n, v in arrays.items() if _MEMORY in n},
            **values,
        )
