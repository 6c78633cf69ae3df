"""JSON lines: one object per line, plain or gzipped."""

import codecs
import json
from pathlib import Path

from samelaw.data.opening import opened, reading

LONGEST_LINE = 2**24
"""Bytes of one JSON object: a file without line ends would be read as one."""

JSON_SHARE = 0.1
"""Of the room for a file: numbers and words of Python take so much more than their JSON."""


def read_json_lines(path: Path) -> dict[str, list[object]]:
    """Columns of a file with one JSON object per line; a key that is absent is a missing value."""
    columns: dict[str, list[object]] = {}
    rows = 0
    with reading(path, "JSON lines"), opened(path, JSON_SHARE) as file:
        for place, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
            if not line.strip():
                continue
            if len(line) > LONGEST_LINE:
                raise ValueError(
                    f"{path}: line {place} is longer than {LONGEST_LINE // 2**20} MiB; expected "
                    "one JSON object per line (jq -c '.[]' makes such lines of a list)."
                )
            for name, value in _json_object(path, place, line).items():
                column = columns.setdefault(name, [])
                column.extend([None] * (rows - len(column)))
                column.append(value)
            rows += 1
    if not rows:
        raise ValueError(f"{path} is empty; expected one JSON object per line.")
    for column in columns.values():
        column.extend([None] * (rows - len(column)))
    return columns


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
