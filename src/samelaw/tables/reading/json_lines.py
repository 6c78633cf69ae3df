"""JSON, plain or packed: one object per line, one list of objects, or one object with a table."""

import codecs
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

from samelaw.tables.reading.objects import columns_of, flat
from samelaw.tables.reading.opening import opened, reading

LONGEST_LINE = 2**24
"""Bytes of one JSON object: a file without line ends would be read as one."""

JSON_SHARE = 0.1
"""Of the room for a file: numbers and words of Python take so much more than their JSON."""


def read_json(path: Path) -> dict[str, list[object]]:
    """Columns of a file of JSON objects; a key that is absent is a missing value."""
    with reading(path, "JSON"), opened(path, JSON_SHARE) as file:
        return _columns(path, _listed(path, file) if is_one_value(file) else lines(path, file))


def is_one_value(file: "io.BufferedReader[Any]") -> bool:
    """Whether a file is one list, or one object over many lines, not one object per line."""
    start = file.peek(64).removeprefix(codecs.BOM_UTF8).lstrip()
    return start[:1] == b"[" or start.partition(b"\n")[0].strip() == b"{"


def _columns(path: Path, objects: Iterable[dict[str, object]]) -> dict[str, list[object]]:
    rest = iter(objects)
    if (first := next(rest, None)) is None:
        raise ValueError(f"{path} is empty; expected one JSON object per line, or a list of them.")
    if (second := next(rest, None)) is not None:
        return columns_of(map(flat, chain([first, second], rest)))
    return _table_in(first) or columns_of([first])


def holds_table(objects: Sequence[dict[str, object]]) -> bool:
    """Whether what was read is one object that holds a table, not a row."""
    return len(objects) == 1 and bool(_table_in(objects[0]))


def _table_in(found: Mapping[str, object]) -> dict[str, list[object]]:
    """The columns of a table that one object holds, as pandas may write it; nothing if none."""
    if split := _split(found):
        return split
    if records := _records(found):
        return columns_of(map(flat, records))
    return _by_column(found)


def _split(found: Mapping[str, object]) -> dict[str, list[object]]:
    """The names of the columns beside their rows, each a list: ``orient="split"``."""
    names, rows = found.get("columns"), found.get("data")
    if not (isinstance(names, list) and isinstance(rows, list)):
        return {}
    if not names or len(set(map(str, names))) < len(names):
        return {}
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return {}
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return {str(name): list(own) for name, own in zip(names, columns, strict=True)}


def _records(found: Mapping[str, object]) -> list[dict[str, object]]:
    """Rows as objects: in one list of any name, or each under its number (``orient="index"``)."""
    lists = [value for value in found.values() if isinstance(value, list)]
    if len(lists) == 1:
        return _objects(lists[0])
    rows = _objects(list(found.values()))
    numbered = list(found) == [str(place) for place in range(len(found))]
    return rows if numbered and not any(name.isdigit() for row in rows for name in row) else []


def _objects(values: list[object]) -> list[dict[str, object]]:
    """These values if they are two objects or more; of one, nobody knows whether it is a row."""
    objects = [value for value in values if isinstance(value, dict)]
    return objects if len(objects) == len(values) > 1 else []


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
    """The objects of one list, or one object."""
    try:
        values = json.loads(file.read().removeprefix(codecs.BOM_UTF8))
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", str(error))[:80]
        raise ValueError(f"{path} is no list of JSON objects ({why}).") from error
    for place, value in enumerate([values] if isinstance(values, dict) else values):
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
