"""Text in columns that fits a width, for terminals and `print`.

Widths are those of a terminal: letters of East Asian scripts take two cells, marks none.
"""

import unicodedata
from collections.abc import Iterator, Sequence

GAP = "  "
_TIED = "\0"  # a space at which no line ends
_LEAST = 8  # cells that a column of words keeps, however narrow the terminal


def cells(text: str) -> int:
    """How wide a terminal shows a text.

    Examples
    --------
    >>> cells("price"), cells("价格"), cells("e\u0301")
    (5, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(_cells(sign) for sign in text)


def _cells(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` cells, broken at spaces; words that are wider are cut.

    Examples
    --------
    >>> wrapped("two tables differ", 10), wrapped("we are 95 % sure", 9)
    (['two tables', 'differ'], ['we are', '95 % sure'])
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines += _lines(paragraph, max(width, 1))
    return lines


def _lines(paragraph: str, width: int) -> Iterator[str]:
    line = ""
    words = paragraph.replace(" %", _TIED + "%").split(" ")
    for word in (piece for whole in words if whole for piece in _pieces(whole, width)):
        longer = f"{line} {word}" if line else word
        if line and cells(longer) > width:
            yield line.replace(_TIED, " ")
            line = word
        else:
            line = longer
    yield line.replace(_TIED, " ")


def _pieces(word: str, width: int) -> Iterator[str]:
    """The word, or parts of it that fit."""
    if cells(word) <= width:
        yield word
        return
    part = ""
    for sign in word:
        if part and cells(part + sign) > width:
            yield part
            part = ""
        part += sign
    yield part


def columns(rows: Sequence[Sequence[str]], width: int, head: Sequence[str] = ()) -> list[str]:
    """Rows of cells as lines: words left in the first two columns, numbers right in the others.

    The first two share what the others leave: the first takes what it needs, up to a half.

    Examples
    --------
    >>> columns([["price", "median 3 → 4", "0.1"]], 40, ["Changed", "How", "effect"])[2]
    'price    median 3 → 4             0.1'
    """
    every = [tuple(row) for row in ([head, *rows] if head else rows)]
    if not every:
        return []
    widths = _widths(every, width)
    lines = [[*_row(row, widths)] for row in every]
    if head:
        total = sum(widths) + len(GAP) * (len(widths) - 1)
        lines[0].append("─" * total)
    return [line for row in lines for line in row]


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    natural = [
        max(cells(line) for cell in column for line in cell.split("\n"))
        for column in zip(*rows, strict=True)
    ]
    if len(natural) == 1:
        return [min(natural[0], width)]
    space = width - len(GAP) * (len(natural) - 1)
    numbers = _narrowed(natural[2:], space - sum(min(one, _LEAST) for one in natural[:2]))
    room = space - sum(numbers)
    first = min(natural[0], max(room // 2, _LEAST))
    return [first, min(natural[1], max(room - first, _LEAST)), *numbers]


def _narrowed(widths: Sequence[int], room: int) -> list[int]:
    """Widths that fit, the widest made narrower first; none is without need."""
    found = list(widths)
    while sum(found) > room and max(found, default=0) > _LEAST:
        found[found.index(max(found))] -= 1
    return found


def _row(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """The lines of a row, as many as its longest cell has."""
    parts = [wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    for place in range(max(map(len, parts))):
        line = [part[place] if place < len(part) else "" for part in parts]
        padded = [_padded(text, widths[i], left=i < 2) for i, text in enumerate(line)]
        yield GAP.join(padded).rstrip()


def _padded(text: str, width: int, *, left: bool) -> str:
    space = " " * (width - cells(text))
    return text + space if left else space + text
