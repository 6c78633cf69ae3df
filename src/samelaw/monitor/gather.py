"""Rows of several tables under each other, kept as they came until there are enough of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns.kinds import pool_words
from samelaw.tables.columns.names import check_names
from samelaw.tables.columns.raw_column import RawColumn
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.columns.raw_words import RawWords
from samelaw.tables.table import Table


@dataclass(frozen=True, eq=False)
class Gathered:
    """Some columns of the tables so far.

    Examples
    --------
    >>> from samelaw.tables.reading.read import read_table
    >>> rows = Gathered(("x",)).adding(read_table({"x": [1, 2], "y": [0, 0]}))
    >>> rows.adding(read_table({"x": [0.5]})).table.raw["x"].values
    array([1. , 2. , 0.5])
    """

    names: tuple[str, ...]
    raw: Mapping[str, RawColumn] = field(default_factory=dict, repr=False)
    rows: int = 0

    def adding(self, table: Table) -> "Gathered":
        """With the rows of a table."""
        check_names(self.names, tuple(table.raw), table.source)
        new = {name: table.raw[name] for name in self.names}
        if self.rows:
            new = {name: stacked([self.raw[name], new[name]]) for name in self.names}
        return replace(self, raw=new, rows=self.rows + table.rows)

    @property
    def table(self) -> Table:
        return Table(self.raw, self.rows, "the rows that were collected")

    def state(self) -> tuple[dict[str, Any], dict[str, Matrix]]:
        """All of it as plain values and arrays; `from_state` is the way back."""
        plain: dict[str, Any] = {"names": self.names, "rows": self.rows, "columns": []}
        arrays: dict[str, Matrix] = {}
        for i, raw in enumerate(self.raw.values()):
            if isinstance(raw, RawNumbers) and raw.values.dtype != object:
                plain["columns"].append({"clock": raw.clock})
                arrays |= {f"gathered{i}.values": raw.values, f"gathered{i}.missing": raw.missing}
            else:
                codes, labels = raw.words()
                comma = isinstance(raw, RawWords) and raw.comma
                plain["columns"].append({"labels": list(labels), "comma": comma})
                arrays[f"gathered{i}.codes"] = codes
        return plain, arrays

    @classmethod
    def from_state(cls, plain: Mapping[str, Any], arrays: Mapping[str, Matrix]) -> "Gathered":
        names = tuple(plain["names"])
        columns = [
            RawWords(arrays[f"gathered{i}.codes"], one["labels"], one["comma"])
            if "labels" in one
            else RawNumbers(
                arrays[f"gathered{i}.values"], arrays[f"gathered{i}.missing"], one["clock"]
            )
            for i, one in enumerate(plain["columns"])
        ]
        return cls(names, dict(zip(names, columns, strict=False)), plain["rows"])


def stacked(parts: Sequence[RawColumn]) -> RawColumn:
    """Columns under each other: numbers if all of them are, words if not."""
    numbers = [part for part in parts if isinstance(part, RawNumbers)]
    if len(numbers) == len(parts) and len({part.clock for part in numbers}) == 1:
        values = np.concatenate([part.values for part in numbers])
        missing = np.concatenate([part.missing for part in numbers])
        return RawNumbers(values, missing, numbers[0].clock)
    comma = any(isinstance(part, RawWords) and part.comma for part in parts)
    return RawWords(*pool_words(parts), comma)
