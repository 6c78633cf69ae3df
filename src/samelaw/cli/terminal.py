"""The answer in the terminal: the text of a comparison, its sentence in colour."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from samelaw.comparison import wording
from samelaw.comparison.result import Comparison
from samelaw.comparison.text_report import LONGEST_SENTENCE, WIDTH, details, headline
from samelaw.core.types import Progress

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST = 40
UNKNOWN = 10
_STYLES = {"different": "bold red"}


def shown(comparison: Comparison, *, quiet: bool) -> str:
    """What people see of a comparison; the sentence alone is one line where scripts read it."""
    width = text_width()
    if quiet:
        cells = width if sys.stdout.isatty() else LONGEST_SENTENCE
        return in_colour(headline(comparison, cells), "", _style(comparison))
    below = details(comparison, width, "--rows out.csv")
    return in_colour(headline(comparison, width), below, _style(comparison))


def text_width() -> int:
    """Cells of a line: as many as the terminal has, up to what is easily read.

    A terminal that says it has hardly any does not know (``COLUMNS=0``).
    """
    from rich.console import Console

    cells = Console().width
    return max(min(cells, WIDTH), NARROWEST) if cells >= UNKNOWN else WIDTH


def in_colour(sentence: str, rest: str, style: str) -> str:
    """A sentence in a style, where the terminal has one, and what follows it."""
    from rich.console import Console

    console = Console(highlight=False, width=text_width())
    with console.capture() as captured:  # rich would leave with 1 when a pipe is closed
        _print(console, sentence, style=style)
        if rest:
            _print(console, f"\n{rest}")
    return captured.get().removesuffix("\n")


def _print(console: "Console", text: str, style: str | None = None) -> None:
    """As it is: a name in [brackets] is no markup, and lines are broken already."""
    console.print(text, style=style, markup=False, emoji=False, soft_wrap=True)


def _style(comparison: Comparison) -> str:
    good = comparison.same or comparison.verdict == wording.NO_DIFFERENCE
    return "bold green" if good else _STYLES.get(comparison.verdict, "bold yellow")


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A bar on stderr where someone is looking, else nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    with progress.Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Comparing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
