"""Lines above the names of columns: titles, dates of export, blank ones."""

from collections.abc import Sequence
from statistics import multimode

from samelaw.results.words import shorten
from samelaw.tables.columns.parse import number
from samelaw.tables.reading.stray_quotes import formal_columns, is_formal

YEARS = range(1900, 2101)
_SHOWN = 40


def titles(records: Sequence[Sequence[object]]) -> int:
    """How many of the first lines stand above the names of columns.

    Titles have fewer cells than most lines. What follows them must be names: words, or years,
    above columns of numbers or dates. Where there are none, nothing tells a title from a name.

    Examples
    --------
    >>> titles([["Sales in May"], ["by Ann"], ["city", "sold", "price"], ["Rome", "3", "1.5"]])
    2
    >>> titles([["price"], ["12", "50"], ["13", "20"]])
    0
    """
    words = [[_word(cell) for cell in record] for record in records]
    reach = [_reach(record) for record in words]
    width = max(multimode(reach), default=0)
    above = next((i for i, end in enumerate(reach) if end >= width), 0)
    return above if above and _are_names(words[above], words[above + 1 :], width) else 0


def title_note(first: Sequence[object], count: int) -> str:
    """What to say of lines that were passed over, the first of them given."""
    text = next((word for word in map(_word, first) if word), "")
    lines = "line is" if count == 1 else f"{count} lines are"
    return (
        f"its first {lines} above the names of columns and no row ({shorten(text, _SHOWN)!r}); "
        "--skip (skip= in Python) says otherwise"
    )


def _word(cell: object) -> str:
    return "" if cell is None else str(cell).strip()


def _reach(record: Sequence[str]) -> int:
    """Cells up to the last one that is filled."""
    return max((i + 1 for i, word in enumerate(record) if word), default=0)


def _are_names(line: Sequence[str], below: Sequence[Sequence[str]], width: int) -> bool:
    formal = [i for i in formal_columns(below, width) if i < len(line)]
    return any(not is_formal(line[i]) or number(line[i]) in YEARS for i in formal)
