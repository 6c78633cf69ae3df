"""Quotes of a CSV file that swallow the rows after them.

A field in quotes may hold line breaks, so a stray quote makes one long field of all lines up to the
next quote, and rows vanish without a word. Three signs tell it from a field that was meant: it is
never closed; the closing quote stands before more text, so it was the opening quote of another
field; or its lines are cut by separators exactly as rows are.
"""

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, TextIO

from samelaw.tables.columns import dates, parse

LONGEST_FIELD = 2**24
"""Characters of one field: a longer one is a quote that was never closed."""

CHUNK = 2**20
FORMAL = 3
"""Numbers or dates in the columns of numbers or dates, from which on lines are rows."""

SEPARATORS = 50
"""The same for tables of words: separators that all stand where those of rows do."""

_BREAK = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class Field:
    """A quoted field: the line it begins in, its column from 0, what it holds and what follows."""

    line: int
    column: int
    text: str
    closed: bool
    after: str


def stray_quote(
    file: BinaryIO, encoding: str, separator: str, records: Sequence[Sequence[str]]
) -> str | None:
    """What is wrong with the first quoted field that swallows rows, or None.

    Parameters
    ----------
    file : bytes to be read from the start
    records : the first lines, the names among them, split by the separator
    """
    width = len(records[0])
    formal = formal_columns(records[1:], width)
    text = io.TextIOWrapper(file, encoding, errors="replace", newline="")
    try:
        for field in _Scan(text, separator):
            if said := _complaint(field, separator, width, formal):
                return f"line {field.line}: {said}"
    finally:
        text.detach()
    return None


def _complaint(field: Field, separator: str, width: int, formal: frozenset[int]) -> str:
    remedy = "close or remove it; a quote inside a quoted value is written twice"
    if not field.closed:
        return f"the quote that opens a field here is never closed; {remedy}."
    loose = field.after not in ("", "\r", "\n", separator) and not field.after.isspace()
    if not loose and field.text.count(separator) % max(width - 1, 1):
        return ""  # the separators of some rows are a multiple; most fields end here
    lines = _BREAK.split(field.text)
    if loose or _are_rows(lines, field.column, separator, width, formal):
        rows = len(lines) - 1
        return f"the quote that opens a field here swallows {rows} row{'s' * (rows > 1)}; {remedy}."
    return ""


def _are_rows(
    lines: Sequence[str], column: int, separator: str, width: int, formal: frozenset[int]
) -> bool:
    """Whether the lines are cut as rows are, and hold what rows hold."""
    within = [line.split(separator) for line in lines[1:-1] if line.strip()]
    first, last = lines[0].split(separator), lines[-1].split(separator)
    cuts = len(first) - 1 == width - 1 - column and len(last) - 1 == column
    if width == 1 or not cuts or any(len(cells) != width for cells in within):
        return False
    if (len(within) + 1) * (width - 1) >= SEPARATORS:
        return True
    cells = [*enumerate(first[1:], column + 1), *enumerate(last[:-1])]
    cells += [cell for row in within for cell in enumerate(row)]
    known = [word for place, word in cells if place in formal and not parse.is_missing(word)]
    return len(known) >= FORMAL and all(map(is_formal, known))


def formal_columns(records: Sequence[Sequence[str]], width: int) -> frozenset[int]:
    """The columns of numbers or dates in the first lines; some of these may be broken."""
    found = set()
    for place in range(width):
        words = [record[place] for record in records if place < len(record)]
        known = [word for word in words if not parse.is_missing(word)]
        if known and sum(map(is_formal, known)) > len(known) / 2:
            found.add(place)
    return frozenset(found)


def is_formal(word: str) -> bool:
    rules = (parse.number, parse.comma_number, dates.seconds)
    return bool(dates.orders(word)) or not all(math.isnan(rule(word)) for rule in rules)


class _Scan:
    """Every quoted field with a line break or without an end.

    A field starts with its quote, as Arrow reads them; elsewhere a quote is a sign.
    """

    closing = re.compile(r'[^"]*+(?:""[^"]*+)*+"')

    def __init__(self, text: TextIO, separator: str) -> None:
        ends = f"{re.escape(separator)}\\r\\n"
        # Whatever holds no line break inside of quotes, at the speed of the engine.
        one_line = r'"[^"\r\n]*+(?:""[^"\r\n]*+)*+"(?!")'
        self.skip = re.compile(rf'(?:[^"]++|(?<![^{ends}]){one_line}|(?<=[^{ends}])")*+')
        self.text, self.separator = text, separator
        self.buffer = text.read(CHUNK).removeprefix("\ufeff")
        self.place = self.column = self.feeds = self.returns = 0
        self.ended = False

    def __iter__(self) -> Iterator[Field]:
        while (start := self._find()) is not None:
            self._pass_by(start)
            end = self.closing.match(self.buffer, start + 1)
            stop = end.end() if end else len(self.buffer)
            inner = self.buffer[start + 1 : stop - bool(end)]
            after = self.buffer[stop : stop + 1]
            line = 1 + max(self.feeds, self.returns)  # whichever sign ends lines here
            yield Field(line, self.column, inner, end is not None, after)
            self._count_lines(inner)
            self.place = stop

    def _find(self) -> int | None:
        """Where the next such field starts; the buffer then holds all of it and what follows."""
        while True:
            start = self._skip()
            if self.ended or (start < len(self.buffer) and self._is_whole(start)):
                return start if start < len(self.buffer) else None
            if start == len(self.buffer):  # the last line may go on: look at all of it again
                start = 1 + max(self.buffer.rfind(sign, self.place) for sign in "\r\n")
            self._pass_by(max(start, self.place))
            self._read_on()

    def _skip(self) -> int:
        found = self.skip.match(self.buffer, self.place)
        return found.end() if found else self.place

    def _is_whole(self, start: int) -> bool:
        end = self.closing.match(self.buffer, start + 1)
        # One more character is needed: it may double the quote, or say what follows.
        return len(self.buffer) > (end.end() if end else start + LONGEST_FIELD)

    def _read_on(self) -> None:
        more = self.text.read(CHUNK)
        before = self.buffer[max(self.place - 1, 0) : self.place]  # tells whether a field starts
        self.buffer = before + self.buffer[self.place :] + more
        self.place, self.ended = len(before), not more

    def _pass_by(self, place: int) -> None:
        """Go on to a place with no such field before it."""
        gap = self.buffer[self.place : place]
        last = max(gap.rfind("\n"), gap.rfind("\r"))
        self.column = self._cuts(gap[last + 1 :]) + (self.column if last < 0 else 0)
        self._count_lines(gap)
        self.place = place

    def _cuts(self, part: str) -> int:
        """Separators outside of quotes in a part of a line."""
        with suppress(csv.Error, StopIteration):
            return max(len(next(csv.reader([part], delimiter=self.separator))) - 1, 0)
        return part.count(self.separator)

    def _count_lines(self, text: str) -> None:
        self.feeds += text.count("\n")
        self.returns += text.count("\r")
