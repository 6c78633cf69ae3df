"""Names of columns: each once, and each one that is asked for is there."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from samelaw.core.checks import shown

_UNNAMED = re.compile(r"__index_level_\d+__")
_ALIKE = 0.75
"""Of 1, from which on two names are taken for one, misspelt; a convention."""


def check_distinct(names: Iterable[object], source: str) -> list[str]:
    """The names as text; raise if two columns share one."""
    texts = [str(name) for name in names]
    double = [name for name, count in Counter(texts).items() if count > 1]
    if double:
        shown = ", ".join(map(repr, double[:5]))
        raise ValueError(f"{source} has more than one column named {shown}; rename all but one.")
    return texts


def is_unnamed_index(name: str) -> bool:
    """Whether a column is what pandas writes for an index that has no name.

    Examples
    --------
    >>> is_unnamed_index("__index_level_0__"), is_unnamed_index("index")
    (True, False)
    """
    return _UNNAMED.fullmatch(name) is not None


def spoken(name: object, place: int) -> str:
    """A name that can be said: a blank one is that of its place.

    Examples
    --------
    >>> spoken(" price ", 0), spoken("", 0), spoken(None, 1)
    ('price', 'column 1', 'column 2')
    """
    return ("" if name is None else str(name).strip()) or f"column {place + 1}"


def no_names(source: str, line: str) -> ValueError:
    """The first line of a file looks like a row."""
    return ValueError(
        f"the first line of {source} looks like a row, not like names: {line}; add a line of "
        "names, or say that there is none (--no-header, header=False in Python) or that it is one "
        "(--header, header=True)."
    )


def as_names(option: str, names: Any) -> tuple[str, ...]:
    """The names a user gave under an option, from any container, even one that is read once.

    A text would be taken for the names of its letters.

    Examples
    --------
    >>> as_names("columns", (name for name in ("price", 2)))
    ('price', '2')
    """
    if isinstance(names, str | bytes):
        raise ValueError(f"{option} is the text {names!r}; expected a list of names.")
    try:
        return tuple(str(name) for name in names)
    except TypeError:
        raise TypeError(f"{option} must be a list of names, got {shown(names)}.") from None


def check_names(names: Iterable[str], known: Sequence[str], source: str) -> None:
    """Raise unless every name is a column of the source."""
    for name in names:
        if name not in known:
            shown = ", ".join(map(repr, known[:10])) + (", …" if len(known) > 10 else "")
            near = _nearest(name, known)
            said = f"did you mean {near!r}? Its" if near else "its"
            raise ValueError(f"column {name!r} is not in {source}; {said} columns are {shown}.")


def wanted_names(names: Sequence[str], columns: Collection[str] | None) -> tuple[str, ...]:
    """Those of the names that are asked for, in their order; None asks for all."""
    return tuple(name for name in names if columns is None or name in columns)


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The column that is spelled nearly so, capitals aside."""
    spelled = {one.casefold(): one for one in known}
    found = get_close_matches(name.casefold(), spelled, n=1, cutoff=_ALIKE)
    return spelled[found[0]] if found else None
