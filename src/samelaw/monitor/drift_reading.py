"""What a monitor reads: numbers and a description that never compute, only show themselves."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from samelaw.core.types import Matrix
from samelaw.results.drift_plots import draw_evidence
from samelaw.results.escape_controls import legible
from samelaw.results.result import Facts, Result
from samelaw.results.words import in_a_row, listed, percent, pvalue_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes


PUT_AWAY = "were put away to pair with later ones"
"""What became of rows that a reading counts among those it did not judge."""


@dataclass(frozen=True)
class ChangeTerm:
    """One thing about one or two columns that moved before an alarm.

    Attributes
    ----------
    columns : tuple of str
    what : str
        Level, spread, share of a category, and so on.
    change : float
        Mean after less mean before, in standard deviations of the reference.
    share : float
        Of what was learnt about the change.
    pvalue : float or None
        From rows after the alarm alone, valid at any time one looks, for all names together
        (Holm): of the hypothesis that these columns follow the law they had in the reference.
    """

    columns: tuple[str, ...]
    what: str
    change: float
    share: float
    pvalue: float | None = None


@dataclass(frozen=True)
class StandingRow:
    """A row of the stream that looks like the change more than others do.

    Attributes
    ----------
    row : int
        Of the stream, counted from 0.
    score : float
        How much it looks like the change as the alarm saw it; rows of the reference average 0.
    """

    row: int
    score: float


@dataclass(frozen=True, eq=False)
class DriftReading(Result):
    """What a `DriftMonitor` knows after a batch.

    Attributes
    ----------
    alarm : bool
        Whether the evidence has reached the threshold in this run; stays until ``accept()``.
    evidence, threshold : float
        Evidence after the last row that was judged.
    rows : int
        Rows of the stream so far.
    unjudged : int
        Rows that met no reference row: those after an alarm, after the last pairing row, and those
        put away to pair with later ones.
    rows_left : int or None
        Further rows that the pairing rows last for while nothing looks suspicious; None: rows of
        the stream have taken their place.
    reserve : bool
        Whether rows of the stream take the place of pairing rows when those get few.
    alarm_row : int or None
        Rows of the stream that had been judged when the alarm was raised.
    since : int or None
        Estimated number of rows before the change; the first of its batch if that was shuffled.
    since_range : (int, int) or None
        Where else the change may have been, roughly.
    columns : tuple of str
        Columns behind the alarm, the largest share first. A description: rows up to an alarm were
        selected for being extreme, so no probability of error belongs to these names.
    changes : tuple of ChangeTerm
        What about them moved, with p-values from rows after the alarm.
    tested : int
        Rows after the alarm behind these p-values.
    standing_out : tuple of StandingRow
        Rows of the batch of the alarm and of those since that look most like the change.
    effect, effect_error : float or None
        Mean over the rows of the last update, and its standard error; None if none was judged or
        looked at.
    effects : array (c, 3)
        Effect over time: rows seen, mean effect of the rows since the line before, its standard
        error. An effect is the number of bits by which a score learnt before tells a row of the
        stream from a reference row: 0 the same law, 1 nothing in common; chance may take it below
        0. While it lasts the evidence doubles every 1/effect rows.
    collecting : int
        Rows that a new reference still needs; while there are any, rows are not judged.
    run : int
        1, and one more after each ``accept()``.
    promise : str
    trail : array (m, 2)
        Rows seen and the evidence then, in this run, thinned.
    notes : tuple of str
        What a reader should know about the columns.
    seed : int or None
        None when a Generator was passed.
    """

    kind: ClassVar[str] = "drift"

    alarm: bool
    evidence: float
    threshold: float
    rows: int
    unjudged: int
    rows_left: int | None
    reserve: bool
    alarm_row: int | None
    since: int | None
    since_range: tuple[int, int] | None
    columns: tuple[str, ...]
    changes: Sequence[ChangeTerm]
    tested: int
    standing_out: Sequence[StandingRow]
    effect: float | None
    effect_error: float | None
    collecting: int
    run: int
    promise: str
    trail: Matrix = field(repr=False)
    effects: Matrix = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    seed: int | None = None

    @property
    def sentence(self) -> str:
        """The reading in words."""
        if self.collecting:
            return f"Collecting a new reference: {self.collecting:,} more rows are needed."
        if self.alarm:
            since = "" if self.since is None else f" since about row {self.since:,}"
            columns = f", most in {listed(self.columns)}" if self.columns else ""
            return f"The law of the stream has changed{since}{columns}."
        if self.blind:
            return (
                f"No alarm, but the pairing rows are used up: {self.unjudged:,} of {self.rows:,} "
                "rows were not judged; accept() a new reference, or let rows of the stream take "
                "their place (reserve)."
            )
        return f"No alarm after {self.rows:,} rows."

    def facts(self) -> Facts:
        """Verdict, evidence, and how long the reference lasts."""
        found = [
            ("verdict", self.sentence),
            ("evidence", f"{self.evidence:.3g} (alarm at {self.threshold:g})"),
            ("rows", f"{self.rows:,}, {self.unjudged:,} of them not judged"),
            ("effect", self._effect_words),
            ("pairing rows last for", self.lasting),
            ("promise", self.promise),
        ]
        found += [("change", _words(change)) for change in self.changes]
        if self.standing_out:
            found.append(("rows that stand out", in_a_row([str(r.row) for r in self.standing_out])))
        return found + [("note", note) for note in self.notes]

    @property
    def blind(self) -> bool:
        """Whether rows are counted and no longer judged, for want of pairing rows."""
        return self.rows_left == 0 and not self.reserve

    @property
    def lasting(self) -> str:
        """How long the reference lasts, in words."""
        if self.reserve and not self.rows_left:
            return "any number of rows, as rows of the stream take their place"
        then = ", then rows of the stream take their place" if self.reserve else ""
        return f"{self.rows_left or 0:,} more rows{then}"

    @property
    def _effect_words(self) -> str:
        if self.effect is None:
            return "not known: no row was judged"
        return f"{self.effect:.3f} ± {self.effect_error:.3f} (0 the same law, 1 nothing in common)"

    def __str__(self) -> str:
        lines = [
            self.sentence,
            f"evidence {self.evidence:.3g}, alarm at {self.threshold:g}: {self.promise}; "
            f"pairing rows last for {self.lasting}",
            *self._unjudged_words,
            *map(_words, self.changes),
            *(f"note: {note}" for note in self.notes if not note.endswith(PUT_AWAY)),
        ]
        return "\n".join(map(legible, lines))

    @property
    def _unjudged_words(self) -> list[str]:
        if not self.unjudged or self.blind:  # the sentence has it then
            return []
        some = f"{self.unjudged:,} of {self.rows:,} rows"
        if not self.alarm and self.run == 1 and not self.collecting:
            return [f"{some} were not judged: they {PUT_AWAY}"]
        others = "those after an alarm, for a new reference, or put away to pair with later ones"
        return [f"{some} added no evidence: {others}"]

    def draw(self, ax: "Axes") -> None:
        """Evidence over the rows of the stream, with the line of the alarm."""
        rows, evidence = np.asarray(self.trail).reshape(-1, 2).T
        draw_evidence(ax, rows, evidence, self.threshold, self.since)


def _words(change: ChangeTerm) -> str:
    names = " and ".join(change.columns)
    pvalue = "" if change.pvalue is None else f"; {pvalue_words(change.pvalue)} on rows since"
    share = f"{percent(change.share)} of the change"
    return f"{names}: {change.what} {change.change:+.2f} sd ({share}{pvalue})"
