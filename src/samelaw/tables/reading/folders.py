"""The files of a folder or pattern, each once, however links go round.

A link to a folder further up makes every file turn up again at each of forty levels, and two such
links make more paths than there is time for: a folder is entered once.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from samelaw.results.words import in_a_row
from samelaw.tables.reading.opening import arrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["files_below", "has_magic", "matching"]


def files_below(folder: Path) -> list[Path]:
    """The files in a folder and those below it, sorted."""
    return _each_once(sorted(_walk(folder)))


def matching(pattern: str) -> list[Path]:
    """The files that a pattern names, sorted; ``**`` is any number of folders."""
    parts = Path(pattern).parts
    if "**" not in parts:
        return _each_once(sorted(Path(name) for name in glob(pattern)))
    place = parts.index("**")
    starts = glob(str(Path(*parts[:place]))) if place else ["."]
    found = [
        path
        for start in starts
        for path in _walk(Path(start))
        if _fits(path.relative_to(start).parts, parts[place:])
    ]
    return _each_once(sorted(found))


def _walk(folder: Path) -> Iterator[Path]:
    """Every file below, where links to folders are followed unless they were seen."""
    seen = {os.path.realpath(folder)}
    for place, folders, names in os.walk(folder, followlinks=True, onerror=_raise):
        folders.sort()
        real = {name: os.path.realpath(os.path.join(place, name)) for name in folders}
        folders[:] = [name for name in folders if real[name] not in seen]
        seen.update(real.values())
        yield from (path for name in names if (path := Path(place, name)).is_file())


def _raise(error: OSError) -> None:
    raise error


def _fits(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether a path fits a pattern, part by part; a leading dot must be asked for."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        if _fits(parts, pattern[1:]):
            return True
        return bool(parts) and not parts[0].startswith(".") and _fits(parts[1:], pattern)
    if not parts or (parts[0].startswith(".") and not pattern[0].startswith(".")):
        return False
    return fnmatchcase(parts[0], pattern[0]) and _fits(parts[1:], pattern[1:])


def _each_once(paths: list[Path]) -> list[Path]:
    """The first path to each file."""
    first: dict[str, Path] = {}
    for path in paths:
        first.setdefault(os.path.realpath(path), path)
    return list(first.values())


MISSING = "__HIVE_DEFAULT_PARTITION__"


_WHOLE = re.compile(r"-?[0-9]{1,18}")


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def partitions(paths: Sequence[Path], source: str) -> list[dict[str, "pa.Scalar"]]:
    """What the folders below the one that was given say of each file; nothing for one file.

    Whole numbers and dates are such if all folders have one, as those who write them mean it.
    """
    root = _root(Path(source))
    if root in paths:
        return [{}]
    found = [_said(path.parent.relative_to(root).parts) for path in paths]
    _check_alike(paths, found, source)
    types = {name: _type_of([one[name] for one in found]) for name in found[0]}
    return [{name: _scalar(one[name], kind) for name, kind in types.items()} for one in found]


def with_partition(
    table: "pa.Table", values: Mapping[str, "pa.Scalar"], columns: Collection[str] | None
) -> "pa.Table":
    """The rows of a file with the columns that its folders name, as far as they are asked for.

    A column that the file itself has stays as it is.
    """
    for name, value in values.items():
        if name not in table.column_names and (columns is None or name in columns):
            table = table.append_column(name, arrow().repeat(value, table.num_rows))
    return table


def _root(source: Path) -> Path:
    """The folder that was given; of a pattern what comes before its first sign."""
    plain = [not has_magic(part) for part in source.parts]
    if all(plain) or source.exists():
        return source
    return Path(*source.parts[: plain.index(False)])


def _said(folders: Sequence[str]) -> dict[str, str | None]:
    said: dict[str, str | None] = {}
    for folder in folders:
        name, sign, value = folder.partition("=")
        if sign and name:
            said[unquote(name)] = None if value == MISSING else unquote(value)
    return said


def _check_alike(paths: Sequence[Path], found: Sequence[Mapping[str, object]], source: str) -> None:
    for path, said in zip(paths, found, strict=True):
        if set(said) != set(found[0]):
            raise ValueError(
                f"the folders of {source} name other columns: {_named(found[0])} for {paths[0]}, "
                f"{_named(said)} for {path}; give all files the same ones (name=value)."
            )


def _named(said: Mapping[str, object]) -> str:
    return in_a_row([repr(name) for name in said], 3) or "none"


def _type_of(words: Sequence[str | None]) -> "pa.DataType":
    known = [word for word in words if word is not None]
    if known and all(map(_WHOLE.fullmatch, known)):
        return arrow().int64()
    if known and all(map(_is_date, known)):
        return arrow().date32()
    return arrow().string()


def _is_date(word: str) -> bool:
    try:
        return _DATE.fullmatch(word) is not None and bool(date.fromisoformat(word))
    except ValueError:
        return False


def _scalar(word: str | None, kind: "pa.DataType") -> "pa.Scalar":
    pa = arrow()
    if word is None or pa.types.is_string(kind):
        return pa.scalar(word, kind)
    return pa.scalar(int(word) if kind == pa.int64() else date.fromisoformat(word), kind)
