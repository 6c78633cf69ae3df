"""A stream against a reference, row by row, with a bound on false alarms that always holds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samelaw.core.array import is_array, to_numpy
from samelaw.core.checks import as_count, as_seed
from samelaw.core.threads import fitting
from samelaw.core.types import Matrix, Seed
from samelaw.data.frozen import FrozenTable, freeze, take_rows
from samelaw.data.kinds import Kind, Table
from samelaw.data.names import check_names
from samelaw.data.read import read_table
from samelaw.monitor.description import Description, describe
from samelaw.monitor.evidence import BLOCK, grow, pair_evidence
from samelaw.monitor.past import Past
from samelaw.monitor.promises import Ever, Promise, as_promise, promise_from
from samelaw.monitor.reading import DriftReading
from samelaw.monitor.score import EXPERTS, STAKES, Score, fit_score, window_means
from samelaw.show.result import plain
from samelaw.show.words import in_a_row

LEAST_ROWS = 100
CHUNK = 100 * BLOCK  # rows judged at a time: features of more would leave the cache
STATE_VERSION = 1

SHARES = {"preparation": (0.1, 2_000), "training": (0.4, 5_000), "holdout": (0.05, 1_000)}
"""Of the reference, and the most rows it is worth; all others pair."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows as coordinates (n, k), and which of their values (n, columns) are new."""

    points: Matrix
    new: Matrix

    def __len__(self) -> int:
        return len(self.points)

    def take(self, places: Matrix | slice) -> "Rows":
        return Rows(self.points[places], self.new[places])


@dataclass(frozen=True, eq=False)
class FrozenReference:
    """A reference dealt out and fitted: rules, scores, and the rows that were not looked at."""

    rules: FrozenTable
    score: Score
    pairing: Rows
    holdout: Rows


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
        self._kinds = dict(kinds or {})
        self._ignore = tuple(ignore)
        self._reference = self._frozen(reference)
        self._rows = 0
        self._unjudged = 0
        self._run = 0
        self._notes: tuple[str, ...] = ()
        self._restart()

    def _restart(self) -> None:
        self._run += 1
        self._run_start = self._rows
        self._judged = 0
        self._evidence = 0.0
        self._wealth: Matrix = np.zeros(EXPERTS)
        self._past = Past.empty(self._reference.score.size)
        self._alarm_row: int | None = None
        self._description = Description()

    def _frozen(self, reference: object) -> FrozenReference:
        """Deal the rows, find the rules on some, fit the scores on others, put the rest away."""
        table = _without(read_table(reference), self._ignore)
        if table.rows < LEAST_ROWS:
            raise ValueError(
                f"reference has {table.rows} rows; a monitor needs at least {LEAST_ROWS}, and lasts "
                "for about half as many rows of the stream as the reference has."
            )
        parts = deal(table.rows, self._rng)
        rules = freeze(take_rows(table, parts["preparation"]), self._kinds)
        if not rules.coordinates:
            raise ValueError(
                f"{table.source} has no column to watch: expected numbers, categories or missing "
                "values; a column of another kind than it looks can be told so by kinds=."
            )
        rows = Rows(*rules.encode(table))
        training = rows.take(parts["training"])
        score = fit_score(training.points, training.new, rules.coordinates, self._rng)
        return FrozenReference(
            rules, score, rows.take(parts["pairing"]), rows.take(parts["holdout"])
        )

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
        rules = self._reference.rules
        table = as_batch(batch, rules.names)
        rows = Rows(*rules.encode(table))
        self._notes = self._said(table)
        order = np.arange(len(rows))
        shuffled = self._shuffle and len(rows) > 1
        if shuffled:
            order = self._rng.permutation(len(rows))
        before = self._rows
        for start in range(0, len(rows), CHUNK):
            self._judge(rows.take(order[start : start + CHUNK]), before if shuffled else None)
        return self.reading

    def _judge(self, rows: Rows, batch_start: int | None) -> None:
        """The rows that can be judged; the others are counted."""
        room = 0 if self._alarm_row is not None else len(self._reference.pairing) // self._pairs
        seen = len(rows)
        rows = rows.take(slice(room))
        judged = 0
        if len(rows):
            with fitting(len(rows)):
                judged = self._judge_some(rows, batch_start)
        self._rows += seen
        self._unjudged += seen - judged

    def _judge_some(self, rows: Rows, batch_start: int | None) -> int:
        """Rows that all have partners: the number judged, less than all at an alarm."""
        score, pairing = self._reference.score, self._reference.pairing
        done, count = self._judged, len(rows)
        part, blocks = done % BLOCK, _blocks(done, count)
        features = score.features(rows.points, rows.new)
        edges = np.maximum(np.arange(blocks) * BLOCK - part, 0)
        touched = score.standard(
            np.add.reduceat(features.moments, edges, axis=1),
            np.add.reduceat(features.waves, edges, axis=1),
            np.diff(edges, append=count),
        ).T
        sums, starts = self._past.with_open(touched, self._starts(edges, batch_start))
        kept = len(self._past.sums)
        weights = score.weights(*window_means(sums, kept, blocks))
        # Only here do pairing rows come in: after everything that will judge them is fixed.
        partners = pairing.take(slice(count * self._pairs))
        apart = _differences(score, partners, features.moments, features.waves, part, blocks)
        factors = self._factors(score.contrasts(weights, *apart))
        present = _present(part, blocks, count)
        factors[~present] = 1.0
        deposits: Matrix = np.zeros((blocks, BLOCK))
        deposits[present] = self._promise.deposits(done, count)
        wealth = grow(self._wealth, factors, deposits)[present]  # (count, experts)
        evidence = wealth.sum(axis=1)
        over = np.flatnonzero(evidence >= self.threshold)
        used = int(over[0]) + 1 if len(over) else count
        self._judged += used
        self._wealth = wealth[used - 1].copy()
        self._evidence = float(evidence[used - 1])
        closed = kept + (part + used) // BLOCK
        past = self._past.closing(sums, starts, closed, (part + used) % BLOCK)
        self._past = past.recording(self._rows + np.arange(1, used + 1), evidence[:used])
        self._reference = replace(self._reference, pairing=pairing.take(slice(used * self._pairs, None)))
        if len(over):
            self._alarm_row = self._rows + used
            self._description = self._describe()
        return used

    def _starts(self, edges: Matrix, batch_start: int | None) -> Matrix:
        """Row of the stream since which each block may have changed."""
        own = self._rows + edges if batch_start is None else np.full(len(edges), batch_start)
        if self._judged % BLOCK:
            own[0] = self._past.open_start
        return np.asarray(own, dtype=np.int64)

    def _factors(self, contrasts: Matrix) -> Matrix:
        """L (blocks, BLOCK, experts) from h(x) − h(y) (blocks, scores, BLOCK · k)."""
        blocks, scores, _ = contrasts.shape
        apart = contrasts.reshape(blocks, scores, BLOCK, self._pairs).transpose(3, 0, 2, 1)
        staked = apart[..., None] * np.array(STAKES)
        return pair_evidence(staked.reshape(self._pairs, blocks, BLOCK, EXPERTS))

    def _describe(self) -> Description:
        score, holdout = self._reference.score, self._reference.holdout
        features = score.features(holdout.points, holdout.new)
        standard = score.standard(*features, np.ones(len(holdout)))
        return describe(score, self._reference.rules, self._past, self._wealth, standard)

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

    _COUNTS = ("_pairs", "_shuffle", "_seed", "_rows", "_unjudged", "_run", "_run_start", "_judged",
               "_evidence", "_alarm_row")

    def state_dict(self) -> dict[str, Any]:
        """Everything there is to go on with: ``plain`` values for JSON, and ``arrays``.

        Holds coordinates of the reference rows that are not used yet, none of the stream.
        """
        reference = self._reference
        rules, columns = reference.rules.state()
        score, features = reference.score.state()
        values = {name[1:]: getattr(self, name) for name in self._COUNTS}
        values |= {
            "version": STATE_VERSION,
            "promise": self._promise.to_dict(),
            "rng": self._rng.bit_generator.state,
            "kinds": {name: str(kind) for name, kind in self._kinds.items()},
            "ignore": self._ignore,
            "notes": self._notes,
            "rules": rules,
            "score": score,
            "description": self._description,
        }
        arrays = columns | features | self._past.state() | {"wealth": self._wealth}
        for name, rows in (("pairing", reference.pairing), ("holdout", reference.holdout)):
            arrays |= {f"{name}.points": rows.points, f"{name}.new": rows.new}
        return {"plain": plain(values), "arrays": {n: np.array(v) for n, v in arrays.items()}}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "DriftMonitor":
        """The monitor whose `state_dict` this is: it goes on bit for bit."""
        values, arrays = state["plain"], state["arrays"]
        if values.get("version") != STATE_VERSION:
            raise ValueError(
                f"the state is of version {values.get('version')!r}; expected {STATE_VERSION}: "
                "start a new monitor."
            )
        arrays = {name: np.array(value) for name, value in arrays.items()}
        monitor = cls.__new__(cls)
        for name in cls._COUNTS:
            setattr(monitor, name, values[name[1:]])
        monitor._promise = promise_from(values["promise"])
        monitor._rng = np.random.default_rng(0)
        monitor._rng.bit_generator.state = values["rng"]
        monitor._kinds, monitor._ignore = values["kinds"], tuple(values["ignore"])
        monitor._notes = tuple(values["notes"])
        monitor._description = Description.from_dict(values["description"])
        monitor._past, monitor._wealth = Past.from_state(arrays), arrays["wealth"]
        rows = [Rows(arrays[f"{n}.points"], arrays[f"{n}.new"]) for n in ("pairing", "holdout")]
        rules = FrozenTable.from_state(values["rules"], arrays)
        monitor._reference = FrozenReference(rules, Score.from_state(values["score"], arrays), *rows)
        return monitor


def deal(rows: int, rng: np.random.Generator) -> dict[str, Matrix]:
    """Numbers of the rows of each part of a reference, dealt without a look at them.

    Examples
    --------
    >>> {part: len(rows) for part, rows in deal(1000, np.random.default_rng(0)).items()}
    {'preparation': 100, 'training': 400, 'holdout': 50, 'pairing': 450}
    """
    order = rng.permutation(rows)
    parts, start = {}, 0
    for name, (share, most) in SHARES.items():
        count = min(int(share * rows), most)
        parts[name] = order[start : start + count]
        start += count
    return parts | {"pairing": order[start:]}


def as_batch(batch: object, names: tuple[str, ...]) -> Table:
    """A table of any source; a single row may come as a flat array or a dict of values."""
    if isinstance(batch, Mapping) and not any(_is_column(value) for value in batch.values()):
        return read_table({name: [value] for name, value in batch.items()})
    if is_array(batch) and getattr(batch, "ndim", 0) == 1 and len(names) > 1:
        values = to_numpy(batch)
        if values.dtype.names is None:
            return read_table(values[None])
    return read_table(batch)


def _is_column(value: object) -> bool:
    return not isinstance(value, str | bytes) and (
        hasattr(value, "__len__") or bool(getattr(value, "ndim", 0))
    )


def _without(table: Table, ignore: tuple[str, ...]) -> Table:
    check_names(ignore, table.names, table.source)
    return replace(table, raw={n: c for n, c in table.raw.items() if n not in ignore})


def _blocks(done: int, count: int) -> int:
    """Blocks that so many rows touch, after ``done`` rows."""
    return (done % BLOCK + count - 1) // BLOCK + 1


def _present(part: int, blocks: int, count: int) -> Matrix:
    """Which places (blocks, BLOCK) have a row."""
    places = np.arange(blocks * BLOCK).reshape(blocks, BLOCK)
    return np.asarray((places >= part) & (places < part + count))


def _differences(
    score: Score, partners: Rows, moments: Matrix, wave: Matrix, part: int, blocks: int
) -> tuple[Matrix, Matrix]:
    """Raw features of the partners less those of their row, (features, blocks, BLOCK · k)."""
    found = []
    for theirs, ours in zip(score.features(partners.points, partners.new), (moments, wave), strict=True):
        count = ours.shape[1]
        k = theirs.shape[1] // count
        placed: Matrix = np.zeros((len(ours), blocks * BLOCK, k), dtype=np.float32)
        np.subtract(
            theirs.reshape(len(ours), count, k), ours[..., None], out=placed[:, part : part + count]
        )
        found.append(placed.reshape(len(ours), blocks, BLOCK * k))
    return found[0], found[1]
