"""The answer in the terminal: a sentence, the numbers, the columns.

It fits 80 columns and needs no colour.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from samelaw.comparison.findings import ColumnFinding, RowFinding
from samelaw.comparison.plain_measures import measure_words
from samelaw.comparison.result import Comparison
from samelaw.core.types import Progress
from samelaw.present import wording
from samelaw.show.legible import legible_lines
from samelaw.show.words import decimal, in_a_row, percent, shorten

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

WIDTH = 80
MOST_LINES = 20
MOST_ROWS = 5
LONGEST_SENTENCE = 1_000
_STYLES = {"different": "bold red"}


def answer(comparison: Comparison) -> "RenderableType":
    """Everything worth reading in a terminal, for ``rich.console.Console.print``."""
    from rich.console import Group

    parts: list[list[RenderableType]] = [
        [headline(comparison)],
        [_numbers(comparison)],
        _changed(comparison),
        _unchanged(comparison),
        _rows(comparison),
        _missing(comparison),
        _bullets("Schema", (change.text for change in comparison.schema_changes)),
        _bullets("Not compared", (f"{out.column}: {out.reason}" for out in comparison.left_out)),
        _bullets("Notes", comparison.notes),
    ]
    filled: list[RenderableType] = []
    for part in filter(None, parts):
        filled += [*part, ""]
    return Group(*filled[:-1])


def headline(comparison: Comparison) -> "Text":
    """The verdict as one sentence."""
    from rich.text import Text

    good = comparison.same or comparison.verdict == wording.NO_DIFFERENCE
    style = "bold green" if good else _STYLES.get(comparison.verdict, "bold yellow")
    return Text(shorten(comparison.sentence, LONGEST_SENTENCE), style=style)


def plain_text(shown: "RenderableType") -> str:
    """What people see of it: colour only on a terminal, nothing at the ends of lines."""
    from rich.console import Console

    console = Console(highlight=False)
    with console.capture() as captured:  # rich would leave with 1 when a pipe is closed
        console.print(shown)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


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


def grid(rows: Iterable[Sequence[str]], *, head: Sequence[str] = ()) -> "Table":
    """Columns without lines; the last but the first ones never wrap into each other."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD if head else None,
        show_header=bool(head),
        pad_edge=False,
        show_edge=False,
        padding=(0, 2, 0, 0),
    )
    cells = [tuple(row) for row in rows]
    for place, name in enumerate(head or [""] * len(cells[0])):
        narrow = place == 0 or (head and place >= 2)
        table.add_column(
            name, no_wrap=bool(narrow), justify="right" if head and place >= 2 else "left"
        )
    for row in cells:
        # Text: a name in [brackets] is no markup.
        table.add_row(*(Text(legible_lines(cell)) for cell in row))
    return table


def _numbers(comparison: Comparison) -> "Table":
    said = [
        ("p-value", wording.pvalue_words(comparison)),
        ("effect", wording.effect_words(comparison)),
        ("meaning", wording.meaning(comparison)),
        ("where", wording.rule_words(comparison)),
        ("detectable", wording.detectable_words(comparison)),
    ]
    return grid([line for line in said if line[1]])


def _changed(comparison: Comparison) -> list["RenderableType"]:
    lines = [
        (shorten(found.name, 28), _how(found), decimal(found.pvalue), _size(found.effect))
        for found in comparison.marginals
        if found.changed
    ] + [
        (
            " ×\n".join(shorten(name, 26) for name in pair.names),
            pair.sentence,
            decimal(pair.pvalue),
            _size(pair.effect),
        )
        for pair in comparison.pairs
        if pair.changed
    ]
    if not lines:
        return []
    parts: list[RenderableType] = [grid(lines[:MOST_LINES], head=("Changed", "How", "p", "effect"))]
    if len(lines) > MOST_LINES:
        parts.append(f"… and {len(lines) - MOST_LINES:,} more; --json or --report have them.")
    return parts


def _how(found: ColumnFinding) -> str:
    """What the column did, and the plain difference with its interval."""
    return "\n".join([found.sentence, *map(measure_words, found.measures[:1])])


def _size(effect: float) -> str:
    return decimal(effect)


def _unchanged(comparison: Comparison) -> list["RenderableType"]:
    """Columns in which nothing was found, neither alone nor with another."""
    from rich.text import Text

    hits = set(comparison.columns_changed)
    found = (f.column for f in comparison.marginals if not f.missing and f.column not in hits)
    names = list(dict.fromkeys(found))
    if not names:
        return []
    return [Text(f"No change found in {in_a_row([shorten(name) for name in names], 12)}.")]


def _rows(comparison: Comparison) -> list["RenderableType"]:
    from rich.text import Text

    if not (comparison.values_differ and comparison.rows):
        return []
    said = [
        f"{title}: rows {', '.join(f'{row.row:,}' for row in found[:MOST_ROWS])}."
        for title, found in (
            ("Least like A in B", _of("B", comparison.rows)),
            ("No longer seen in B", _of("A", comparison.rows)),
        )
        if found
    ]
    return [Text("\n".join([*said, "(Counted from 0 below the header; --rows out.csv has them.)"]))]


def _of(table: str, rows: Sequence[RowFinding]) -> list[RowFinding]:
    return [row for row in rows if row.table == table]


def _missing(comparison: Comparison) -> list["RenderableType"]:
    if not comparison.missing:
        return []
    shown = sorted(comparison.missing, key=lambda found: (not found.changed, found.pvalue))
    lines = [
        (
            shorten(found.column, 28),
            f"{percent(found.share_a)} → {percent(found.share_b)}"
            + (", changed" if found.changed else ""),
            decimal(found.pvalue),
        )
        for found in shown[:MOST_LINES]
    ]
    parts: list[RenderableType] = [grid(lines, head=("Missing values", "A → B", "p"))]
    if len(shown) > MOST_LINES:
        parts.append(f"… and {len(shown) - MOST_LINES:,} more columns with missing values.")
    return parts


def _bullets(title: str, lines: Iterable[str]) -> list["RenderableType"]:
    said = list(lines)
    if not said:
        return []
    more = [f"… and {len(said) - MOST_LINES:,} more"] if len(said) > MOST_LINES else []
    from rich.text import Text

    table = grid([("•", shorten(line, 300)) for line in [*said[:MOST_LINES], *more]])
    return [Text(title, style="bold"), table]
