"""A stream against a reference, row by row, with a bound on false alarms that always holds."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from samelaw.core.checks import as_count, as_seed
from samelaw.core.threads import fitting
from samelaw.core.types import Matrix, Seed
from samelaw.data.kinds import Kind, Table
from samelaw.monitor.description import Description, describe
from samelaw.monitor.evidence import BLOCK, grow
from samelaw.monitor.judging import Layout, block_sums, pair_factors
from samelaw.monitor.past import Past
from samelaw.monitor.promises import Ever, Promise, as_promise, promise_from
from samelaw.monitor.reading import DriftReading
from samelaw.monitor.reference import FrozenReference, Rows, as_batch, freeze_reference
from samelaw.monitor.score import EXPERTS
from samelaw.show.result import plain
from samelaw.show.words import in_a_row

CHUNK = 100 * BLOCK  # rows judged at a time: features of more would leave the cache
STATE_VERSION = 1

_COUNTS = ("pairs", "shuffle", "seed", "rows", "unjudged", "run", "judged", "evidence", "alarm_row")


class DriftMonitor:
    """Watch a stream for a change of its law, with false alarms bounded for its whole life.

    Every row that arrives meets ``pairs`` reference rows that nobody has looked at before. A score
    learnt from other reference rows and from the stream so far says how much more the new row
    looks like a change than they do, and the evidence grows or shrinks by

        L = (k + 1) e^{h(y)} / (e^{h(y)} + Σ_j e^{h(x_j)}),

    whose mean is exactly 1 while the rows follow the law of the reference.

    Parameters
    ----------
    reference : table
        Rows as they should be: a frame, an array, a dict of columns or a path. They are dealt at
        random to preparation (scales, categories), training (features), pairing and hold-out.
    promise : Ever or RunLength
        The bound on false alarms. ``Ever(0.05)``: a false alarm ever, over all restarts, with a
        probability of at most .05. ``RunLength(10_000)``: at least 10,000 rows on average to one.
    pairs : int
        k, reference rows met by each row. More find changes sooner and are used up sooner.
    shuffle : bool
        Whether the rows of a batch are judged in random order, as is right when their order means
        nothing (sorted extracts). False if it is the order of time.
    kinds : {name: kind}, optional
        Kinds of columns that should not be found by looking.
    ignore : names
        Columns not to watch.
    rng : int, Generator or None
        Deals the reference, draws features, shuffles batches.

    Notes
    -----
    The promise holds exactly for any law and any number of columns, provided that, while nothing
    has changed, the rows of the stream are independent of each other and follow the law of the
    reference rows. Rows that depend on their neighbours may raise false alarms.

    A row takes about ten microseconds in batches of a thousand (ten columns), and memory does not
    grow. When all pairing rows are used, rows are counted and no longer judged; every reading says
    how long they last.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> monitor = DriftMonitor(rng.normal(size=(4000, 3)), promise=Ever(0.05), rng=0)
    >>> monitor.update(rng.normal(size=(500, 3))).alarm
    False
    >>> reading = monitor.update(rng.normal(size=(500, 3)) + [0, 0, 1])
    >>> reading.alarm, reading.columns
    (True, ('x3',))
    """

    def __init__(
        self,
        reference: object,
        *,
        promise: Promise = Ever(),
        pairs: int = 1,
        shuffle: bool = True,
        kinds: Mapping[str, Kind | str] | None = None,
        ignore: Iterable[str] = (),
        rng: Seed = None,
    ) -> None:
        self._promise = as_promise(promise)
        self._pairs = as_count("pairs", pairs)
        self._shuffle = bool(shuffle)
        generator, self._seed = as_seed(rng)
        # A generator of a known sort, so that its state is plain numbers.
        self._rng = np.random.default_rng(int(generator.integers(2**63)))
        self._kinds, self._ignore = dict(kinds or {}), tuple(ignore)
        self._reference = self._frozen(reference)
        self._rows = 0
        self._unjudged = 0
        self._run = 0
        self._notes: tuple[str, ...] = ()
        self._restart()

    def _frozen(self, reference: object) -> FrozenReference:
        return freeze_reference(reference, self._kinds, self._ignore, self._rng)

    def _restart(self) -> None:
        self._run += 1
        self._judged = 0
        self._evidence = 0.0
        self._wealth: Matrix = np.zeros(EXPERTS)
        self._past = Past.empty(self._reference.score.size)
        self._alarm_row: int | None = None
        self._description = Description()

    def update(self, batch: object) -> DriftReading:
        """Judge further rows of the stream.

        Parameters
        ----------
        batch : table
            Rows with the columns of the reference, as anything a table can be read from; one row
            also as an array (columns,) or a dict of single values.

        Returns
        -------
        DriftReading
        """
        table = as_batch(batch, self._reference.rules.names)
        rows = self._reference.encode(table)
        self._notes = self._said(table)
        before = None
        if self._shuffle and len(rows) > 1:
            rows, before = rows.take(self._rng.permutation(len(rows))), self._rows
        for start in range(0, len(rows), CHUNK):
            self._judge(rows.take(slice(start, start + CHUNK)), before)
        return self.reading

    def _judge(self, rows: Rows, batch_start: int | None) -> None:
        """Judge the rows that can be; the others are counted."""
        room = 0 if self._alarm_row is not None else len(self._reference.pairing) // self._pairs
        judged, some = 0, rows.take(slice(room))
        if len(some):
            with fitting(len(some)):
                judged = self._judge_some(some, batch_start)
        self._rows += len(rows)
        self._unjudged += len(rows) - judged

    def _judge_some(self, rows: Rows, batch_start: int | None) -> int:
        """Rows that all have partners: the number judged, less than all at an alarm."""
        score, layout = self._reference.score, Layout(self._judged % BLOCK, len(rows))
        features = rows.features(score)
        starts = self._starts(layout, batch_start)
        sums, starts = self._past.with_open(block_sums(score, features, layout), starts)
        partners = self._reference.pairing.take(slice(len(rows) * self._pairs))
        factors = pair_factors(score, sums, features, partners, layout)
        deposits = self._promise.deposits(self._judged, len(rows))[:, None]
        wealth = grow(self._wealth, factors, layout.place(deposits))[layout.present]
        evidence = wealth.sum(axis=1)
        over = np.flatnonzero(evidence >= self.threshold)
        used = int(over[0]) + 1 if len(over) else len(rows)
        self._wealth, self._evidence = wealth[used - 1].copy(), float(evidence[used - 1])
        self._past = self._past.closing(sums, starts, layout.part + used).recording(
            self._rows + np.arange(1, used + 1), evidence[:used]
        )
        self._judged += used
        self._reference = self._reference.without(used * self._pairs)
        if len(over):
            self._raise_alarm(self._rows + used)
        return used

    def _starts(self, layout: Layout, batch_start: int | None) -> Matrix:
        """Row of the stream (blocks,) since which each block may have changed."""
        starts = self._rows + layout.edges
        if batch_start is not None:
            starts[:] = batch_start
        if layout.part:
            starts[0] = self._past.open_start
        return starts

    def _raise_alarm(self, row: int) -> None:
        self._alarm_row = row
        score, holdout = self._reference.score, self._reference.holdout
        standard = score.standard(*holdout.features(score), np.ones(len(holdout)))
        rules = self._reference.rules
        self._description = describe(score, rules, self._past, self._wealth, standard)

    def _said(self, table: Table) -> tuple[str, ...]:
        """Columns of a batch, or of the reference, that are not watched."""
        names = set(self._reference.rules.names) | set(self._ignore)
        extra = [repr(name) for name in table.names if name not in names]
        dates = [repr(c.name) for c in self._reference.rules.columns if c.kind is Kind.DATETIME]
        notes = []
        if extra:
            notes.append(f"{in_a_row(extra)} not in the reference, so not watched")
        if dates:
            notes.append(f"{in_a_row(dates)}: dates move on in every stream and are not watched")
        return tuple(notes)

    def accept(self, reference: object | None = None) -> None:
        """Start a new run: take the change as known and forget the stream so far.

        Parameters
        ----------
        reference : table, optional
            Rows of the new law, collected *after* the alarm: those before were selected for being
            extreme. Without, the stream is held to the old reference and its unused rows.

        Notes
        -----
        May be called at any time, alarm or not. Under `Ever` the next run spends half of what this
        one spent, so the promise covers all runs together.
        """
        if reference is not None:
            self._reference = self._frozen(reference)
        self._restart()

    @property
    def threshold(self) -> float:
        """The evidence that raises an alarm in this run."""
        return self._promise.threshold(self._run)

    @property
    def reading(self) -> DriftReading:
        """What is known now."""
        found = self._description
        return DriftReading(
            alarm=self._alarm_row is not None,
            evidence=self._evidence,
            threshold=self.threshold,
            rows=self._rows,
            unjudged=self._unjudged,
            rows_left=len(self._reference.pairing) // self._pairs,
            alarm_row=self._alarm_row,
            since=found.since,
            since_range=found.since_range,
            columns=found.columns,
            changes=found.changes,
            run=self._run,
            promise=self._promise.text,
            trail=self._past.trail,
            notes=self._notes,
            seed=self._seed,
        )

    def state_dict(self) -> dict[str, Any]:
        """Everything there is to go on with: ``plain`` values for JSON, and ``arrays``.

        Holds coordinates of the reference rows that are not used yet, and no row of the stream.
        """
        reference, arrays = self._reference.state()
        values = {name: getattr(self, f"_{name}") for name in _COUNTS} | reference
        values |= {
            "version": STATE_VERSION,
            "promise": self._promise.to_dict(),
            "rng": self._rng.bit_generator.state,
            "kinds": {name: str(kind) for name, kind in self._kinds.items()},
            "ignore": self._ignore,
            "notes": self._notes,
            "description": self._description,
        }
        arrays |= self._past.state() | {"wealth": self._wealth}
        return {"plain": plain(values), "arrays": {n: np.array(v) for n, v in arrays.items()}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "DriftMonitor":
        """The monitor whose `state_dict` this is: it goes on bit for bit."""
        values = state["plain"]
        if values.get("version") != STATE_VERSION:
            raise ValueError(
                f"the state is of version {values.get('version')!r}; expected {STATE_VERSION}: "
                "start a new monitor."
            )
        arrays = {name: np.array(value) for name, value in state["arrays"].items()}
        monitor = cls.__new__(cls)
        for name in _COUNTS:
            setattr(monitor, f"_{name}", values[name])
        monitor._promise = promise_from(values["promise"])
        monitor._rng = np.random.default_rng(0)
        monitor._rng.bit_generator.state = values["rng"]
        monitor._kinds, monitor._ignore = values["kinds"], tuple(values["ignore"])
        monitor._notes = tuple(values["notes"])
        monitor._description = Description.from_dict(values["description"])
        monitor._past, monitor._wealth = Past.from_state(arrays), arrays["wealth"]
        monitor._reference = FrozenReference.from_state(values, arrays)
        return monitor
