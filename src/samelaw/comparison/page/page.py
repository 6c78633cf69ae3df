"""A comparison as one HTML page that needs nothing else: no network, no fonts.

Its only script sorts tables; without it they stay in order of effect.
"""

import base64
import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING

from samelaw.comparison.page.content import LONGEST_CELL, content
from samelaw.comparison.result import Comparison
from samelaw.core.files import write_text
from samelaw.results.escape_controls import legible
from samelaw.results.words import decimal, percent, shorten

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

LONGEST_DECIMAL = 10
_DECIMAL = re.compile(r"[+-]?\d+\.\d+(?:[eE][+-]?\d+)?")


def write_report(
    comparison: Comparison,
    path: str | PathLike[str],
    *,
    command: Sequence[str] = (),
    made: date | None = None,
) -> None:
    """Write a comparison as one HTML file under 300 kB, to open or to mail.

    Parameters
    ----------
    comparison : Comparison
    path : path
        Where it goes; a file that is there is replaced once the new one is complete.
    command : words, optional
        The command that runs the comparison again, to be shown.
    made : date, optional
        The day that the page bears; today unless given.

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
    write_text(path, render_report(comparison, command=command, made=made))


def render_report(
    comparison: Comparison, *, command: Sequence[str] = (), made: date | None = None
) -> str:
    """The page as text; the same comparison gives the same bytes on the same day."""
    templates = environment()
    shown = {
        **content(comparison, command),
        "made": made or date.today(),
        "script": _script(templates),
    }
    return templates.get_template("report.html.j2").render(shown)


@dataclass(frozen=True)
class Script:
    """The script of the page, which sorts its tables, and the policy that lets no other run."""

    text: "Markup"
    policy: str


def _script(templates: "Environment") -> Script:
    from markupsafe import Markup

    text = templates.get_template("report.js").render()
    digest = hashlib.sha256(text.encode()).digest()
    return Script(Markup(text), f"sha256-{base64.b64encode(digest).decode()}")


def environment() -> "Environment":
    """Templates of pages, with the words they use."""
    try:
        import jinja2  # noqa: F401
        import matplotlib as _  # noqa: F401
    except ImportError as error:
        what = f"the report needs {error.name}; run: pip install 'samelaw[cli]'"
        raise ImportError(what) from error
    return _templates()


@cache
def _templates() -> "Environment":
    """Compiled once for all pages of a process."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("samelaw.comparison.page"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_legible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        number=decimal,
        sortable=_sortable,
        percent=percent,
        short=_short,
        thousands="{:,}".format,
        cell=_cell,
    )
    found.tests["known"] = _known
    return found


def _known(effect: float) -> bool:
    return not math.isnan(effect)


def _sortable(effect: float) -> str:
    """Digits that a script can sort by; what is not known comes last."""
    return f"{effect:.6g}" if _known(effect) else "-1"


def _legible(value: object) -> object:
    """Text without controls, its % signs tied to their numbers; markup has passed here already."""
    return legible(value).replace(" %", "\u00a0%") if type(value) is str else value


def _short(text: str | None, longest: int = LONGEST_CELL) -> str:
    return "missing" if text is None else shorten(str(text), longest)


def _cell(text: str | None) -> str:
    """A value of a row in a narrow column: six digits of a decimal, as the JSON has all."""
    if text and len(text) > LONGEST_DECIMAL and _DECIMAL.fullmatch(text):
        return f"{float(text):.6g}"
    return _short(text)
