"""What frames of pandas have that other holders of a table have not: indices, periods, intervals.

The same rows are the same table wherever they are held. A level of an index that has a name is a
column, as in Parquet files; one without is none. Periods and intervals are the words that pandas
writes for them, as in CSV files.
"""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from samelaw.tables.reading.opening import arrow

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_PERIOD, _INTERVAL = "pandas.period", "pandas.interval"
_NAME, _FACTS = b"ARROW:extension:name", b"ARROW:extension:metadata"


def with_index(frame: "pd.DataFrame") -> "pd.DataFrame":
    """A frame of pandas with the levels of its index that have names as columns, the last ones.

    A range of row numbers, and a name that a column has, are none in Parquet files either. What is
    left of the index goes, or Arrow would make a column of it.
    """
    if frame.columns.nlevels > 1 or not _levels(frame):
        return frame
    found = frame.copy(deep=False)
    for name, level in _named_levels(frame):
        found[name] = frame.index.get_level_values(level)
    found.index = range(len(frame))  # type: ignore[assignment]
    return found


def _named_levels(frame: "pd.DataFrame") -> Iterator[tuple[str, int]]:
    """Names that become columns, and the levels that have them."""
    taken = {str(name) for name in frame.columns}
    for level, name in enumerate(_levels(frame)):
        if name is not None and str(name) not in taken:
            taken.add(str(name))
            yield str(name), level


def _levels(frame: "pd.DataFrame") -> list[Any]:
    return [] if type(frame.index).__name__ == "RangeIndex" else list(frame.index.names)


def index_notes(source: object) -> tuple[str, ...]:
    """What became of the index of a frame of pandas, unless it just numbers the rows."""
    import narwhals as nw

    if not nw.dependencies.is_pandas_dataframe(source) or source.columns.nlevels > 1:
        return ()
    named = {level: name for name, level in _named_levels(source)}
    notes = [f"its index {name!r} is compared as a column" for name in named.values()]
    left = [level for level in range(len(_levels(source))) if level not in named]
    kinds = [source.index.get_level_values(level).dtype for level in left]
    if any(kind.kind not in "iu" for kind in kinds):
        notes.append(
            "its index has no name of its own and is not compared; call reset_index() before if it "
            "should be"
        )
    return tuple(notes)


def unnamed_note(name: str) -> str:
    """What to say of a column that a file has for an index without a name."""
    return (
        f"column {name!r} is an index of pandas without a name and is not compared; name the index "
        "before it is written if it should be"
    )


def in_words(table: "pa.Table") -> "pa.Table":
    """A table of Arrow with periods and intervals of pandas as pandas writes them.

    Examples
    --------
    >>> import pandas, pyarrow
    >>> days = pandas.period_range("2025-01-31", periods=2, freq="D")
    >>> in_words(pyarrow.Table.from_pandas(pandas.DataFrame({"day": days})))["day"].to_pylist()
    ['2025-01-31', '2025-02-01']
    """
    for place, field in enumerate(table.schema):
        name, facts = _extension(field)
        if name in (_PERIOD, _INTERVAL) and find_spec("pandas"):
            chunks = [_words(chunk, name, facts) for chunk in table.column(place).chunks]
            words = arrow().chunked_array(chunks, arrow().string())
            table = table.set_column(place, field.name, words)
    return table


def _extension(field: "pa.Field") -> tuple[str, dict[str, Any]]:
    """The name and facts of a type of pandas; a field has them where pandas did not tell Arrow."""
    kind = field.type.value_type if hasattr(field.type, "index_type") else field.type
    name = str(getattr(kind, "extension_name", ""))
    if name in (_PERIOD, _INTERVAL):
        return name, json.loads(kind.__arrow_ext_serialize__())
    told = field.metadata or {}
    name = told.get(_NAME, b"").decode(errors="replace")
    return name, json.loads(told.get(_FACTS, b"{}")) if name in (_PERIOD, _INTERVAL) else {}


def _words(values: "pa.Array", name: str, facts: dict[str, Any]) -> "pa.Array":
    if hasattr(values, "indices"):
        return _words(values.dictionary, name, facts).take(values.indices)
    values = getattr(values, "storage", values)
    if name == _PERIOD:
        return _period_words(values, facts["freq"])
    return _interval_words(values, facts["closed"])


def _period_words(ordinals: "pa.Array", freq: str) -> "pa.Array":
    import pandas as pd

    known = ordinals.fill_null(0).to_numpy(zero_copy_only=False)
    distinct, at = np.unique(known, return_inverse=True)
    periods = pd.arrays.PeriodArray(distinct, dtype=pd.PeriodDtype(freq))
    words = arrow().array([str(period) for period in periods], arrow().string())
    missing = ordinals.is_null().to_numpy(zero_copy_only=False)
    return words.take(arrow().array(at, mask=missing))


def _interval_words(ends: "pa.Array", closed: Any) -> "pa.Array":
    import pandas as pd

    left, right = (end.to_pandas() for end in ends.flatten())
    intervals = pd.arrays.IntervalArray.from_arrays(left, right, closed=closed)
    known = [isinstance(one, pd.Interval) for one in intervals]
    words = [str(one) if is_one else None for one, is_one in zip(intervals, known, strict=True)]
    return arrow().array(words, arrow().string())
