"""The files of a folder or pattern, each once, however links go round.

A link to a folder further up makes every file turn up again at each of forty levels, and two such
links make more paths than there is time for: a folder is entered once.
"""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from glob import glob, has_magic
from pathlib import Path

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
