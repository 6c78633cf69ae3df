"""Columns that are folders: ``sales/city=Rome/part.parquet`` holds the rows with city Rome.

Hive, Spark, Dask and pandas take a column out of the files and write its value into the path.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from samelaw.results.words import in_a_row
from samelaw.tables.reading.folders import has_magic
from samelaw.tables.reading.opening import arrow

if TYPE_CHECKING:
    import pyarrow as pa

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
