"""What every result can do: print, show itself in a notebook, draw, and become plain values.

A result is a frozen dataclass that inherits from `Result` (from `TableResult` if it is a table) and
says what it holds. It never computes.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np

from samelaw.results.escape_controls import escape_json, legible

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SCHEMA_VERSION = 2
"""Of the JSON of all results; goes up when a field is removed or gets another meaning."""

Facts = Sequence[tuple[str, str]]
Record = Mapping[str, object]


class Result:
    """A result that prints, draws and writes itself.

    A class says what it is in ``kind``, which names its schema in ``samelaw/results/schemas``, what
    is worth a line in `facts`, and how it looks in `draw`.
    """

    kind: ClassVar[str] = "result"

    def facts(self) -> Facts:
        """Names and values worth reading, the most important first: all fields by default."""
        return [(name.replace("_", " "), _short(value)) for name, value in _fields(self)]

    def draw(self, ax: "Axes") -> None:
        """Draw on matplotlib axes."""
        raise NotImplementedError(f"{type(self).__name__} has no drawing.")

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain Python values; what is not finite is None, as JSON has no NaN."""
        return {"schema_version": SCHEMA_VERSION, "kind": self.kind, **self._content()}

    def _content(self) -> dict[str, Any]:
        return {name: plain(value) for name, value in _fields(self)}

    def to_json(self, **options: Any) -> str:
        """`to_dict` as JSON that is safe to print; options go to ``json.dumps``."""
        return as_json(self.to_dict(), options)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the result on the axes given, or on empty ones. Needs matplotlib."""
        ax = empty_axes() if ax is None else ax
        self.draw(ax)
        return ax

    def __str__(self) -> str:
        return "\n".join(legible(f"{name}: {value}") for name, value in self.facts())

    def _repr_html_(self) -> str:
        return html_table([(legible(name), legible(value)) for name, value in self.facts()])


class Tabular:
    """What has a table in it: `records` are its rows, all with the same keys."""

    def records(self) -> list[dict[str, Any]]:
        """The rows as plain values by name."""
        raise NotImplementedError(f"{type(self).__name__} has no rows.")

    @overload
    def to_frame(self, library: Literal["pandas"] = "pandas") -> "pd.DataFrame": ...
    @overload
    def to_frame(self, library: Literal["polars", "pyarrow"]) -> Any: ...

    def to_frame(self, library: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """The rows as a frame of pandas, polars or pyarrow, whichever is asked for."""
        import narwhals

        rows = self.records()
        columns = {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
        try:
            frame = narwhals.from_dict(columns, backend=library)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"to_frame needs {library}, which is not installed: pip install {library}, or name "
                'another library, such as to_frame("polars").'
            ) from error
        return frame.to_native()


class TableResult(Tabular, Result):
    """A result that is a table and nothing else, and prints as one."""

    def __str__(self) -> str:
        rows = self.records()
        words = [isinstance(value, str) for row in rows[:1] for value in row.values()]
        columns = map(_aligned, zip(*_cells(rows), strict=True), words)
        return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))

    def _repr_html_(self) -> str:
        head, *rows = _cells(self.records())
        lines = [_html_row("th", head), *(_html_row("td", row) for row in rows)]
        return f"<table>{''.join(lines)}</table>"


def _cells(records: Sequence[Record]) -> Iterator[list[str]]:
    """The names of the columns, then each row, as text."""
    yield [name.replace("_", " ") for name in (records[0] if records else ())]
    for row in records:
        yield [legible(_short(value)) for value in row.values()]


def _aligned(column: Sequence[str], left: bool) -> list[str]:
    width = max(map(len, column))
    return [cell.ljust(width) if left else cell.rjust(width) for cell in column]


def _html_row(cell: str, texts: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{cell}>{escape(text)}</{cell}>" for text in texts) + "</tr>"


def html_table(rows: Facts) -> str:
    """Names and values as an HTML table; both are text."""
    cells = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def current_axes() -> "Axes":
    """The axes pyplot draws on."""
    import matplotlib.pyplot as plt

    return plt.gca()


def empty_axes() -> "Axes":
    """The same if nothing is drawn there yet; else a new figure, with room for long names."""
    import matplotlib.pyplot as plt

    if plt.get_fignums() and not plt.gca().has_data():
        return plt.gca()
    return plt.subplots(layout="constrained")[1]


def as_json(content: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """JSON with letters as they are and hidden signs escaped."""
    return escape_json(
        json.dumps(content, **{"allow_nan": False, "ensure_ascii": False, **options})
    )


def plain(value: Any) -> Any:
    """A value as JSON knows it: results and arrays become dicts and lists.

    Examples
    --------
    >>> plain({"p": np.float32(0.5), "null": np.array([1.0, np.nan]), "sizes": (3, 4)})
    {'p': 0.5, 'null': [1.0, None], 'sizes': [3, 4]}
    """
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if is_dataclass(value):
        return {name: plain(inner) for name, inner in _fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Sequence):
        return [plain(inner) for inner in value]
    return str(value)


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    return ((field.name, getattr(value, field.name)) for field in fields(value))


def _short(value: object) -> str:
    """A value as a cell shows it."""
    value = plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return " – ".join(map(_short, value)) if len(value) < 5 else f"{len(value)} values"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_short(inner)}" for name, inner in value.items())
    return "" if value is None else str(value)


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str) -> Html:
    """An element; children that are no `Html` are text.

    Examples
    --------
    >>> element("p", "a < b", element("b", "now"), style="color:red")
    '<p style="color:red">a &lt; b<b>now</b></p>'
    """
    inside = "".join(child if isinstance(child, Html) else _text(child) for child in children)
    given = "".join(f' {key}="{_text(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{given}>{inside}</{name}>")


def _text(value: str) -> str:
    return escape(legible(value))
