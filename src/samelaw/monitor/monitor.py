"""A stream against a reference, row by row, with a bound on false alarms that always holds."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from samelaw.core.checks import as_count, as_seed
from samelaw.core.container import Container, Format
from samelaw.core.files import write_bytes
from samelaw.core.threads import fitting
from samelaw.core.types import Matrix, Seed
from samelaw.monitor.alarm_panels import panels
from samelaw.monitor.block_history import effects_of
from samelaw.monitor.drift_reading import PUT_AWAY, DriftReading
from samelaw.monitor.gather import Gathered
from samelaw.monitor.martingale import BLOCK
from samelaw.monitor.promises import Ever, Promise, as_promise, promise_from
from samelaw.monitor.reference import LEAST_ROWS, FrozenReference, Rows, as_batch, freeze_reference
from samelaw.monitor.run import Arrived, Run
from samelaw.monitor.shadow_bets import Judge
from samelaw.results.result import plain
from samelaw.results.words import in_a_row
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.kinds import as_kinds
from samelaw.tables.columns.names import as_names
from samelaw.tables.columns.panels import Panel
from samelaw.tables.table import Table

RESERVE_FROM, RESERVED = 300, 1_000
"""Pairing rows left, below which rows of the stream begin to be reserved, and how many then wait.

Of a reference with few pairing rows half of them are used at full speed first.
"""

CHUNK = 100 * BLOCK  # rows judged at a time: features of more would leave the cache
FORMAT = Format("state of a drift monitor", 5)

_PLAIN = (
    "pairs",
    "reserve",
    "reserve_from",
    "reserved",
    "shuffle",
    "seed",
    "rows",
    "unjudged",
    "wanted",
    "ignore",
    "notes",
)


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
    suspicion : bool
        Spend pairing rows only while the stream looks suspicious. The promise stays exact, and a
        reference that is small beside the stream lasts several times as long; take ``pairs=4``.
    reserve : bool
        When pairing rows get few, put every other row of the stream away, by a coin, to pair with
        later ones, instead of ending when all are used. The promise stays exact. From then on the
        stream is held to its own past: changes are found with half of the rows, and one that is
        too slow to be found until its rows pair is never found. False: rows are then counted and
        no longer judged.
    shuffle : bool
        Whether the rows of a batch are judged in random order, as is right when their order means
        nothing (sorted extracts). False if it is the order of time.
    stretch : int or None
        For rows that depend on their neighbours, reference and stream in the order of time: so many
        consecutive rows count as one, and meet as many consecutive reference rows. None: as many as
        it takes until neighbours hardly correlate. The promise is then approximate, and readings
        say so. Nothing is shuffled.
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
    grow. Every reading says for how many rows the pairing rows last before rows of the stream take
    their place.

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
        suspicion: bool = False,
        reserve: bool = True,
        shuffle: bool = True,
        stretch: int | None = 1,
        kinds: Mapping[str, Kind | str] | None = None,
        ignore: Iterable[str] = (),
        rng: Seed = None,
    ) -> None:
        self._promise = as_promise(promise)
        self._pairs = as_count("pairs", pairs)
        self._reserved = 0
        self._reserve_from = 0
        self._wanted_stretch = stretch if stretch is None else as_count("stretch", stretch)
        self._shuffle = bool(shuffle) and stretch == 1
        generator, self._seed = as_seed(rng)
        # A generator of a known sort, so that its state is plain numbers.
        self._rng = np.random.default_rng(int(generator.integers(2**63)))
        self._kinds, self._ignore = as_kinds(kinds), as_names("ignore", ignore)
        self._judge = Judge(bool(suspicion))
        self._reference = self._frozen(reference)
        self._reserve = bool(reserve)
        self._rows = 0
        self._unjudged = 0
        self._wanted = 0
        self._gathered: Gathered | None = None
        self._notes: tuple[str, ...] = ()
        self._run = Run.start(1, self._reference.score.size)
        self._batch: Matrix = np.zeros(3)
        self._waiting = self._reference.pairing.take(slice(0))

    def __repr__(self) -> str:
        state = "alarm" if self.reading.alarm else "no alarm"
        return f"DriftMonitor({self._promise!r}, {self._rows:,} rows seen, {state})"

    def _frozen(self, reference: object) -> FrozenReference:
        found = freeze_reference(
            reference, self._kinds, self._ignore, self._rng, self._wanted_stretch
        )
        found = self._judge.equip(found)
        self._reserve_from = min(RESERVE_FROM * self._pairs, len(found.pairing) // 2)
        return found

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
        self._notes = self._said(table)
        if self._gathered is not None:
            table = self._gather(self._gathered, table)
        rows = self._stretches(self._reference.encode(table))
        total, stretch = self._run.past.total, rows.stretch
        order, before = np.arange(len(rows)), None
        if self._shuffle and len(rows) > 1:
            order, before = self._rng.permutation(len(rows)), self._rows
        seen = self._rows + stretch * np.arange(1, len(rows) + 1)
        arrived = Arrived(rows.take(order), self._rows + stretch * order, seen, before)
        while len(arrived):
            piece = self._piece
            self._meet(arrived.take(slice(piece)))
            arrived = arrived.take(slice(piece, None))
        self._batch = self._run.past.total - total
        return self.reading

    def _stretches(self, rows: Rows) -> Rows:
        """Whole stretches; what is left over waits for the next batch."""
        whole, self._waiting = self._waiting.joined(rows).parted()
        return whole

    def _gather(self, gathered: Gathered, table: Table) -> Table:
        """Put rows away for the new reference; those that are left."""
        some = min(table.rows, self._wanted - gathered.rows)
        self._gathered = gathered.adding(table.taken(np.arange(some)))
        self._rows += some
        self._unjudged += some
        if self._gathered.rows == self._wanted:
            self._begin_with(self._gathered)
        return table.taken(np.arange(some, table.rows))

    def _begin_with(self, gathered: Gathered) -> None:
        """Judge by the rows that were collected; if they are no reference, collect others."""
        self._gathered = Gathered(gathered.names)
        self._reference = self._frozen(gathered.table)
        self._reserved = 0
        self._waiting = self._reference.pairing.take(slice(0))
        self._run = Run.start(self._run.number, self._reference.score.size)
        self._gathered = None

    @property
    def _reserving(self) -> bool:
        wanted = RESERVED * self._pairs if self._reserved else self._reserve_from
        return self._reserve and len(self._reference.pairing) < wanted and not self._alarm

    @property
    def _piece(self) -> int:
        """Rows taken at a time: few of a queue that is to keep its length."""
        room = len(self._reference.pairing) // self._pairs
        return max(BLOCK, min(CHUNK, room // 4)) if self._reserve else CHUNK

    def _meet(self, arrived: Arrived) -> None:
        """Judge rows, or half of them when the other half is to be reserved."""
        if not self._reserving:
            self._judge_rows(arrived)
            return
        # More than are met, so that the queue grows to its length, and with it the lag.
        away = self._rng.random(len(arrived)) < (self._pairs + 1) / (self._pairs + 2)
        self._judge_rows(arrived.take(~away))
        put = arrived.rows.take(away)
        self._reference = self._reference.adding(put)  # nobody has looked at them
        self._reserved += len(put)
        self._rows += len(put.points)
        self._unjudged += len(put.points)

    def _judge_rows(self, arrived: Arrived) -> None:
        """Judge the rows that can be; the others are counted, after an alarm also looked at."""
        judged = 0
        with fitting(len(arrived)):
            while not self._alarm and judged < len(arrived) and self._room:
                some = arrived.take(slice(judged, judged + self._room))
                self._run, count, met = self._run.judging(
                    some, self._reference, self._promise, self._pairs, self._judge
                )
                judged += count
                self._reference = self._reference.without(met)
            if self._alarm and judged < len(arrived):
                rest = arrived.take(slice(judged, None))
                self._run, met = self._run.following(rest, self._reference)
                self._reference = self._reference.without(met)
        self._rows += len(arrived) * arrived.rows.stretch
        self._unjudged += (len(arrived) - judged) * arrived.rows.stretch

    @property
    def _room(self) -> int:
        """Rows that can be judged whatever happens."""
        return self._judge.room(self._reference, self._pairs)

    @property
    def _rows_left(self) -> int | None:
        if self._reserved:
            return None
        kept = self._reserve_from if self._reserve else 0
        left = max(0, len(self._reference.pairing) - kept) // self._pairs
        return self._judge.lasting(left, self._run.memory) * self._reference.stretch

    @property
    def _alarm(self) -> bool:
        return self._run.alarm_row is not None

    @property
    def _approximately(self) -> str:
        known, stretch = self._reference, self._reference.stretch
        if stretch == 1:
            return " if rows are independent: see the notes" if known.dependent else ""
        of = "those" if not known.dependent else f"those of {known.dependent}"
        return (
            f" (approximate: stretches of {stretch} rows are taken for independent; {of} of the "
            f"reference correlate with the next by {known.left_over:.2f} at most)"
        )

    @property
    def _dependence(self) -> list[str]:
        """What to do about rows that are not independent, unless it was done already."""
        known = self._reference
        if not known.dependent or self._wanted_stretch is None:
            return []
        rows = "rows" if known.dependent == 1 else f"stretches of {known.dependent:,} rows"
        return [
            f"{rows} of the reference correlate with the next by {known.left_over:.2f}, as where "
            "rows of one day are alike; if they are in the order of time, false alarms are more "
            "frequent than promised: --stretch 0 (stretch=None) makes them rarer"
        ]

    def _said(self, table: Table) -> tuple[str, ...]:
        """Columns of a batch, or of the reference, that are not watched."""
        names = set(self._reference.rules.names) | set(self._ignore)
        extra = [repr(name) for name in table.names if name not in names]
        known = self._reference.rules.columns
        dates, keys = (
            [repr(column.name) for column in known if column.kind is kind]
            for kind in (Kind.DATETIME, Kind.IDENTIFIER)
        )
        notes = self._dependence
        if self._reserved:
            notes.append(f"{self._reserved:,} rows of the stream {PUT_AWAY}")
        if extra:
            notes.append(f"{in_a_row(extra)} not in the reference, so not watched")
        if dates:
            notes.append(f"{in_a_row(dates)}: dates move on in every stream and are not watched")
        if keys:
            notes.append(f"{in_a_row(keys)}: identifiers are not watched")
        return tuple(notes)

    def before_and_after(self, batch: object, columns: Iterable[str]) -> tuple[Panel, ...]:
        """Some columns of hold-out rows of the reference (A) and of a batch (B), to be drawn.

        Columns of which only missing values are watched are left out.
        """
        table = as_batch(batch, self._reference.rules.names)
        rows = self._reference.encode(table)
        return panels(self._reference.rules, columns, self._reference.holdout, rows)

    def pvalue_since_alarm(self, batch: object) -> float | None:
        """Whether a batch after an alarm still shows the change: it changes nothing.

        Parameters
        ----------
        batch : table
            Rows that came after the alarm.

        Returns
        -------
        float or None
            p-value of the hypothesis that they follow the law of the reference, from the ranks of
            the score of the alarm among hold-out rows: exact for each batch by itself. None
            without an alarm, or with less than a stretch of rows.
        """
        table = as_batch(batch, self._reference.rules.names)
        rows = replace(self._reference.encode(table), stretch=self._reference.stretch)
        return self._run.pvalue(rows.parted()[0], self._reference, self._rows)

    def accept(self, reference: object | None = None, *, collect: int | None = None) -> None:
        """Start a new run: take the change as known and forget the stream so far.

        Parameters
        ----------
        reference : table, optional
            Rows of the new law, collected *after* the alarm: those before were selected for being
            extreme. Without, the stream is held to the old reference and its unused rows.
        collect : int, optional
            Make a reference of the next so many rows of the stream, which are not judged.

        Notes
        -----
        May be called at any time, alarm or not. Under `Ever` the next run spends half of what this
        one spent, so the promise covers all runs together.
        """
        if reference is not None and collect is not None:
            raise ValueError("reference and collect exclude each other; give one of them.")
        self._gathered = None
        if collect is not None:
            self._wanted = as_count("collect", collect, LEAST_ROWS)
            self._gathered = Gathered(self._reference.rules.names)
        kept = max(0, len(self._reference.pairing) - self._reserved)  # none of the stream
        self._reference = self._reference.keeping(kept)
        self._reserved = 0
        if reference is not None:
            self._reference = self._frozen(reference)
        self._waiting = self._reference.pairing.take(slice(0))
        self._run = Run.start(self._run.number + 1, self._reference.score.size)

    @property
    def threshold(self) -> float:
        """The evidence that raises an alarm in this run."""
        return self._promise.threshold(self._run.number)

    @property
    def reading(self) -> DriftReading:
        """What is known now."""
        run = self._run
        found, following = run.description, run.aftermath
        effect = effects_of(np.append(self._rows, self._batch)[None])[0] if self._batch[0] else None
        return DriftReading(
            alarm=self._alarm,
            evidence=run.evidence,
            threshold=self.threshold,
            rows=self._rows + len(self._waiting.points),
            unjudged=self._unjudged,
            rows_left=self._rows_left,
            reserve=self._reserve,
            alarm_row=run.alarm_row,
            since=found.since,
            since_range=found.since_range,
            columns=found.columns,
            changes=found.with_pvalues(following.pvalues if following else None),
            tested=following.tested if following else 0,
            standing_out=found.rows(following.standing) if following else (),
            effect=None if effect is None else float(effect[1]),
            effect_error=None if effect is None else float(effect[2]),
            collecting=0 if self._gathered is None else self._wanted - self._gathered.rows,
            run=run.number,
            promise=self._promise.text + self._approximately,
            trail=run.past.trail,
            effects=effects_of(run.past.bins),
            notes=self._notes,
            seed=self._seed,
        )

    def state_dict(self) -> dict[str, Any]:
        """Everything there is to go on with: ``plain`` values for JSON, and ``arrays``.

        Holds coordinates of the reference rows that are not used yet and, of the stream, nothing
        but rows that are put away to pair with later ones or collected for a new reference.
        """
        reference, arrays = self._reference.state()
        run, kept = self._run.state()
        values = {name: getattr(self, f"_{name}") for name in _PLAIN} | reference | {"run": run}
        values |= {
            "promise": self._promise.to_dict(),
            "suspicion": self._judge.suspicion,
            "rng": self._rng.bit_generator.state,
            "kinds": {name: str(kind) for name, kind in self._kinds.items()},
            "gathered": None,
            "wanted_stretch": self._wanted_stretch,
        }
        if self._gathered is not None:
            values["gathered"], rows = self._gathered.state()
            kept |= rows
        arrays |= kept | {"batch": self._batch} | self._waiting.state("waiting")
        return {"plain": plain(values), "arrays": {n: np.array(v) for n, v in arrays.items()}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "DriftMonitor":
        """The monitor whose `state_dict` this is: it goes on bit for bit."""
        values = state["plain"]
        arrays = {name: np.array(value) for name, value in state["arrays"].items()}
        monitor = cls.__new__(cls)
        for name in _PLAIN:
            setattr(monitor, f"_{name}", values[name])
        monitor._promise = promise_from(values["promise"])
        monitor._judge = Judge(values["suspicion"])
        monitor._rng = np.random.default_rng(0)
        monitor._rng.bit_generator.state = values["rng"]
        monitor._kinds, monitor._ignore = values["kinds"], tuple(values["ignore"])
        monitor._notes = tuple(values["notes"])
        monitor._batch = arrays["batch"]
        monitor._run = Run.from_state(values["run"], arrays)
        gathered = values["gathered"]
        monitor._gathered = gathered and Gathered.from_state(gathered, arrays)
        monitor._reference = FrozenReference.from_state(values, arrays)
        monitor._wanted_stretch = values["wanted_stretch"]
        monitor._waiting = Rows.from_state("waiting", arrays, values["stretch"])
        return monitor

    def to_bytes(self) -> bytes:
        """The state as one block with a checksum, for a file or a database."""
        state = self.state_dict()
        return FORMAT.pack(Container(state["arrays"], state["plain"]))

    @classmethod
    def from_bytes(cls, content: bytes, source: object = "the state") -> "DriftMonitor":
        """The monitor of `to_bytes`; anything else is refused. ``source`` is named in errors."""
        found = FORMAT.unpack(content, source)
        return cls.from_state({"plain": found.facts, "arrays": found.arrays})

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a file that is whole or absent, whenever the process dies."""
        write_bytes(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "DriftMonitor":
        """Go on bit for bit from a file of `save`; a damaged file is refused, no code in it run."""
        found = FORMAT.read(path)
        return cls.from_state({"plain": found.facts, "arrays": found.arrays})
