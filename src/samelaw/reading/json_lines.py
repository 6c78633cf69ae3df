"""JSON: one object per line, one list of objects, or one object of columns; plain or packed."""

import codecs
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

from samelaw.columns.objects import columns_of, flat
from samelaw.reading.opening import opened, reading

LONGEST_LINE = 2**24
"""Bytes of one JSON object: a file without line ends would be read as one."""

JSON_SHARE = 0.1
"""Of the room for a file: numbers and words of Python take so much more than their JSON."""


def read_json(path: Path) -> dict[str, list[object]]:
    """Columns of a file of JSON objects; a key that is absent is a missing value."""
    with reading(path, "JSON"), opened(path, JSON_SHARE) as file:
        return _columns(path, _listed(path, file) if is_list(file) else lines(path, file))


def is_list(file: "io.BufferedReader[Any]") -> bool:
    """Whether a file is one list rather than one object per line."""
    return file.peek(64).removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"["


def _columns(path: Path, objects: Iterable[dict[str, object]]) -> dict[str, list[object]]:
    rest = iter(objects)
    if (first := next(rest, None)) is None:
        raise ValueError(f"{path} is empty; expected one JSON object per line, or a list of them.")
    if (second := next(rest, None)) is not None:
        return columns_of(map(flat, chain([first, second], rest)))
    return _by_column(first) or columns_of([first])


def holds_columns(objects: Sequence[dict[str, object]]) -> bool:
    """Whether what was read is one object of columns, as pandas writes it by default."""
    return len(objects) == 1 and bool(_by_column(objects[0]))


def _by_column(found: Mapping[str, object]) -> dict[str, list[object]]:
    """The columns of such an object, each a list or an object of its rows; nothing if it is none.

    Rows must be the same in all columns: of one with others, nobody knows what goes together.
    """
    columns = {n: v for n, v in found.items() if isinstance(v, dict | list)}
    rows = {tuple(v) if isinstance(v, dict) else len(v) for v in columns.values()}
    if len(columns) < len(found) or len(rows) != 1:
        return {}
    return {n: [*v.values()] if isinstance(v, dict) else v for n, v in columns.items()}


def _listed(path: Path, file: IO[bytes]) -> Iterator[dict[str, object]]:
    """The objects of one list."""
    try:
        values = json.loads(file.read().removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", str(error))[:80]
        raise ValueError(f"{path} is no list of JSON objects ({why}).") from error
    for place, value in enumerate(values):
        if not isinstance(value, dict):
            raise ValueError(
                f"{path}: entry {place + 1} of its list is a JSON {type(value).__name__}; expected "
                'an object such as {"price": 1.5}.'
            )
        yield value


def lines(path: Path, file: IO[bytes]) -> Iterator[dict[str, object]]:
    """One object per line."""
    for place, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            raise ValueError(
                f"{path}: line {place} is longer than {LONGEST_LINE // 2**20} MiB; expected "
                "one JSON object per line, or a list of them."
            )
        yield _json_object(path, place, line)


def _json_object(path: Path, place: int, line: bytes) -> dict[str, object]:
    try:
        value = json.loads(line.removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", str(error))[:80]
        raise ValueError(
            f"{path}: line {place} is not JSON ({why}); expected one JSON object per line."
        ) from error
    if not isinstance(value, dict):
        raise ValueError(
            f"{path}: line {place} is a JSON {type(value).__name__}; expected an object "
            'such as {"price": 1.5}.'
        )
    return value
