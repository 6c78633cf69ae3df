"""Terminals and pipes as they are: closed, not of Unicode, or left by the reader.

What was found must arrive as far as it can, and the exit code always.
"""

import codecs
import os
import shutil
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

from samelaw.results.text_columns import cells, wrapped

_COPIED = ("Run it again: ", "$ ")

# Signs of ours that a terminal may lack; others are written as their numbers.
_PLAIN = {
    "→": "->",
    "×": "x",
    "–": "-",
    "−": "-",
    "≤": "<=",
    "…": "...",
    "•": "*",
    "─": "-",
    "≥": ">=",
    "“": '"',
    "”": '"',
    "√": "sqrt ",
}


def steady() -> None:
    """Open what is closed, and write what a terminal cannot show in other signs."""
    _fill_descriptors()
    codecs.register_error("samelaw", _other_signs)
    for name in ("stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if stream is None or stream.closed:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="samelaw")


def _fill_descriptors() -> None:
    """Take the first three numbers: else the next file gets one, and messages end up in it."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _other_signs(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    place = error.start
    sign = error.object[place]
    return _PLAIN.get(sign) or sign.encode("ascii", "backslashreplace").decode(), place + 1


def speaks_unicode() -> bool:
    """Whether every sign can be printed as it is."""
    return (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "").startswith("utf")


def say(text: str) -> None:
    """One line on stderr, if anyone is there; as many as it takes in a terminal."""
    with suppress(OSError, ValueError):
        print(folded(text, sys.stderr), file=sys.stderr, flush=True)


def tell(text: str) -> None:
    """Print sentences: broken at spaces in a terminal, a line each in a pipe or a file."""
    show(folded(text, sys.stdout))


def folded(text: str, stream: TextIO) -> str:
    """A text whose long lines are broken for a terminal; a command to copy stays in one piece."""
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(
        line if line.startswith(_COPIED) else _broken(line, width) for line in text.split("\n")
    )


def _broken(line: str, width: int) -> str:
    return "\n".join(wrapped(line, width)) if cells(line) > width else line


def show(text: str) -> None:
    """Print, unless the reader has left."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        silence()


def flush() -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def silence() -> None:
    """Send what is still to be printed nowhere, so that leaving raises nothing."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
