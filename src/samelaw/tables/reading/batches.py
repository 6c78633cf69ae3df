"""Tables piece by piece, as often as asked for: what is larger than memory is read twice.

A source says what it knows of itself before a row is read, then gives Arrow tables of some rows at
a time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from samelaw.tables.reading import frames
from samelaw.tables.reading.arrow_batches import Part, stack
from samelaw.tables.table import Table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Batches:
    """A table that is read piece by piece.

    Parameters
    ----------
    source : str
    names : tuple of str
        Of the columns that are read.
    pieces : callable
        Begins to read: Arrow tables of these columns, in the order of the rows.
    rows : float
        How many there are, about; infinite if nobody says.
    about : Part
        What is known of the source; its table has no rows.
    open_ended : bool
        Whether a row may leave out names, as in JSON.
    """

    source: str
    names: tuple[str, ...]
    pieces: Callable[[], Iterator["pa.Table"]] = field(repr=False)
    rows: float
    about: Part = field(repr=False)
    open_ended: bool = False

    def table(self, piece: "pa.Table") -> Table:
        """Some rows as a table, with all that is known of the source."""
        found = frames.from_arrow(piece, self.source, comma=self.about.comma)
        return replace(
            found,
            notes=self.about.notes,
            unread=self.about.unread,
            typed=self.about.typed,
            first_line=self.about.first_line,
            open_ended=self.open_ended,
        )


def read_whole(found: Batches) -> Table:
    """All rows as one table, for those that are few."""
    pieces = list(found.pieces())
    if not pieces:
        raise ValueError(f"{found.source} has no rows that were asked for; expected at least one.")
    return found.table(stack(pieces))
