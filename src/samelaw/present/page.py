"""A comparison as one HTML page that needs nothing else: no script, no network, no fonts."""

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

from samelaw.comparison.plain_measures import measure_words
from samelaw.comparison.result import Comparison
from samelaw.core.files import write_text
from samelaw.present.page_content import LONGEST_CELL, content
from samelaw.show.legible import legible
from samelaw.show.words import decimal, percent, shorten

if TYPE_CHECKING:
    from jinja2 import Environment


def write_report(
    comparison: Comparison, path: str | PathLike[str], *, command: Sequence[str] = ()
) -> None:
    """Write a comparison as one HTML file under 300 kB, to open or to mail.

    Parameters
    ----------
    comparison : Comparison
    path : path
        Where it goes; a file that is there is replaced once the new one is complete.
    command : words, optional
        The command that runs the comparison again, to be shown.

    Notes
    -----
    About 30 ms per figure, at most 24 columns are drawn: those that changed come first.

    Examples
    --------
    >>> import numpy as np, samelaw, tempfile
    >>> rng = np.random.default_rng(0)
    >>> found = samelaw.compare(rng.normal(size=(60, 2)), rng.normal(size=(60, 2)), rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     samelaw.write_report(found, f"{folder}/report.html")
    """
    write_text(path, render_report(comparison, command=command))


def render_report(comparison: Comparison, *, command: Sequence[str] = ()) -> str:
    """The page as text; the same comparison gives the same bytes."""
    template = environment().get_template("report.html.j2")
    return template.render(content(comparison, command))


def environment() -> "Environment":
    """Templates and what they may call, for all pages."""
    try:
        import matplotlib as _  # noqa: F401
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        what = f"the report needs {error.name}; run: pip install 'samelaw[cli]'"
        raise ImportError(what) from error
    found = Environment(
        loader=PackageLoader("samelaw.present"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_legible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        number=decimal,
        percent=percent,
        short=_short,
        thousands="{:,}".format,
        measure=measure_words,
    )
    return found


def _legible(value: object) -> object:
    """Text from tables without controls; what is made of markup has passed here already."""
    return legible(value) if type(value) is str else value


def _short(text: str | None, longest: int = LONGEST_CELL) -> str:
    return "missing" if text is None else shorten(str(text), longest)
