"""Passwords in what names a table: refused, as reports and commands show what they read.

They are told by the form of a text alone, before a driver sees it, whose messages repeat parts.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

FILES = ("duckdb", "sqlite")  # schemes of databases that are files

_SECRET = r"\w*(?:password|passwd|pwd|secret|token|scram_\w+_key)"
SCHEME = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_PLAIN = re.compile(  # what follows the scheme where no password does: user, hosts, name
    r"(?:[^:@/?#\s]*:?@)?(?:[\w.,:%-]|\[[\w:.%]+\])*(?:/[^@?#]*)?(?:\?.*)?", re.DOTALL
)
_USERINFO = re.compile(r"://[^\s:/?#@'\"]*:[^\s/?#@'\"]+@")
_PAIRS = re.compile(rf"(?:^|[\s?&;]){_SECRET}\s*=", re.IGNORECASE)
_NO_SCHEME = re.compile(  # user:password@host; one letter and a slash is a disk
    r"(?:[a-z+]{2,}:/?[^/\s:]+:|[^/\s:]{2,}:|[a-z]:[^\\/\n])[^\n]*@", re.IGNORECASE
)
_CONNECTION = re.compile(rf"(?:^|\s){_SECRET}\s*=\s*[^\s%]", re.IGNORECASE)
_LITERAL = re.compile(r"'((?:[^']|'')*)'")


_LEAVE_IT_OUT = (
    "the {what} holds a password, which the list of processes, reports and commands would show; "
    "leave it out: PostgreSQL finds it in the variable PGPASSWORD or in the file ~/.pgpass. (A "
    "sign such as : or @ that belongs to a name is written %3A or %40.)"
)


def refuse_password(text: str) -> None:
    """Raise if a source holds a password, which would be shown wherever the source is."""
    if holds_password(text):
        raise ValueError(_LEAVE_IT_OUT.format(what="address"))


def refuse_password_in(condition: str) -> None:
    """Raise if a condition connects to somewhere with a password, as `refuse_password`."""
    if connects_with_password(condition):
        raise ValueError(_LEAVE_IT_OUT.format(what="condition"))


def password_typed(arguments: Sequence[str]) -> str:
    """What to say instead of any error if one of the words of a command holds a password, or ""."""
    for before, word in zip(("", *arguments), arguments, strict=False):
        option, _, value = word.lstrip("-").partition("=")
        if "where" in (before.lstrip("-"), option):
            found = connects_with_password(word)
        else:
            found = holds_password(word.lstrip("-")) or (word[:1] == "-" and holds_password(value))
        if found:
            return _LEAVE_IT_OUT.format(what="command")
    return ""


def holds_password(text: str) -> bool:
    """Whether a text that names a table holds a password, as far as its form tells.

    Examples
    --------
    >>> holds_password("postgresql://me@host/shop"), holds_password("MYSQL://me:s3#cret@host/shop")
    (False, True)
    >>> holds_password("host=here password=s3cret"), holds_password("data/password=1/part.parquet")
    (True, False)
    """
    found = SCHEME.match(text)
    if found is None:
        return not _exists(text) and bool(_PAIRS.search(text) or _NO_SCHEME.match(text))
    before, _, behind = found["rest"].partition("?")
    file = found["scheme"].lower() in FILES and before[:1] in ("", "/")
    known = file or "@" not in found["rest"] or _PLAIN.fullmatch(found["rest"])
    return not known or "@" in behind.partition("=")[0] or _asks_with_password(behind)


def _asks_with_password(behind: str) -> bool:
    """Whether a parameter is one, or a query has another address or connection string in it."""
    names = (unquote(part.partition("=")[0]) for part in re.split("[&?;]", behind))
    if any(re.fullmatch(rf"\s*{_SECRET}\s*", name, re.IGNORECASE) for name in names):
        return True
    return connects_with_password(unquote(behind))


def connects_with_password(statement: str) -> bool:
    """Whether a statement has an address or a connection string in it, with a password.

    Examples
    --------
    >>> connects_with_password("x IN (SELECT x FROM dblink('host=h password=s3cret', 't'))")
    True
    >>> connects_with_password("password = 'changed' AND page LIKE '%?token=%'")
    False
    """
    pairs = any(map(_CONNECTION.search, _LITERAL.findall(statement)))
    return pairs or bool(_USERINFO.search(statement))


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False
