"""Tables that are already in memory: frames (through narwhals), arrays and dicts of columns."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from samelaw.core.array import is_array, to_numpy
from samelaw.data import arrow_columns
from samelaw.data.kinds import Table
from samelaw.data.raw_column import Numbers, Stored, Vector, stored_objects


def table_of(stored: Mapping[str, Stored], source: str, notes: tuple[str, ...] = ()) -> Table:
    """A table of columns of equal length with at least one row."""
    if not stored:
        raise ValueError(f"{source} has no columns; expected at least one.")
    sizes = {name: len(column.missing) for name, column in stored.items()}
    if len(set(sizes.values())) > 1:
        one = next(iter(sizes))
        other = next(name for name in sizes if sizes[name] != sizes[one])
        raise ValueError(
            f"{source}: column {one!r} has {sizes[one]} values, {other!r} has {sizes[other]}; "
            "all columns must be equally long."
        )
    rows = next(iter(sizes.values()))
    if rows == 0:
        raise ValueError(f"{source} has columns but no rows; expected at least one row of data.")
    return Table(stored, rows, source, notes)


def check_distinct(names: Iterable[Any], source: str) -> list[str]:
    """The names as text; raise if two columns share one."""
    texts = [str(name) for name in names]
    double = [name for name, count in Counter(texts).items() if count > 1]
    if double:
        shown = ", ".join(map(repr, double[:5]))
        raise ValueError(f"{source} has more than one column named {shown}; rename all but one.")
    return texts


def from_array(array: Any, source: str) -> Table:
    """Columns x1, x2, … of an array (n,) or (n, d); the fields of a structured one."""
    try:
        values = to_numpy(array)
    except TypeError as error:  # bfloat16 and the like
        raise TypeError(f"{source} has dtype {array.dtype}; pass it as float32.") from error
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{source} is a masked array; pass array.filled(np.nan).")
    if values.dtype.names:
        return table_of({n: from_vector(values[n], source) for n in values.dtype.names}, source)
    if values.ndim == 1:
        values = values.reshape(-1, 1)
    if values.ndim != 2:
        raise ValueError(f"{source} has shape {values.shape}; expected (rows, columns).")
    width = values.shape[1]
    return table_of({f"x{i + 1}": from_vector(values[:, i], source) for i in range(width)}, source)


def from_vector(values: Vector, source: str) -> Stored:
    """One array (n,) of numbers, times, words or objects."""
    if values.ndim != 1:
        raise ValueError(f"{source}: a column has shape {values.shape}; expected one dimension.")
    match values.dtype.kind:
        case "b" | "i" | "u":
            return Numbers(values, np.zeros(len(values), dtype=bool))
        case "f":
            wide = values.astype(np.float64, copy=False)
            return Numbers(wide, np.isnan(wide))
        case "M":
            micro = values.astype("datetime64[us]").astype(np.int64)
            return Numbers(micro / 1e6, np.isnat(values), clock=True)
        case "m":
            micro = values.astype("timedelta64[us]").astype(np.int64)
            return Numbers(micro / 1e6, np.isnat(values))
        case "c":
            raise ValueError(f"{source} is complex; pass real and imaginary parts as columns.")
        case "S" | "V":
            raise ValueError(f"{source} holds raw bytes; expected numbers, dates or text.")
    return stored_objects(values.tolist())


def from_dict(columns: Mapping[Any, Any], source: str) -> Table:
    """A dict of columns: arrays, series or lists."""
    names = check_distinct(columns, source)
    values = columns.values()
    return table_of(
        {n: _from_anything(n, v, source) for n, v in zip(names, values, strict=True)}, source
    )


def _from_anything(name: str, values: Any, source: str) -> Stored:
    if is_array(values):
        return from_vector(to_numpy(values), f"{source}: column {name!r}")
    if (frame := as_frame(values, source)) is not None:
        return next(iter(from_frame(frame, source).stored.values()))
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(
            f"{source}: column {name!r} is a {type(values).__name__}; expected a list or an array."
        )
    return stored_objects(list(values))


def as_frame(value: Any, source: str) -> Any:
    """A frame or series of pandas, polars, pyarrow, duckdb, as narwhals sees it; else None."""
    import narwhals as nw

    # Names are checked first, as narwhals has its own words for doubles; others allow none.
    if nw.dependencies.is_pandas_dataframe(value):
        check_distinct(value.columns, source)
    if nw.dependencies.is_pyarrow_table(value):
        check_distinct(value.column_names, source)
    wrapped = nw.from_native(value, allow_series=True, pass_through=True)
    return wrapped if isinstance(wrapped, nw.DataFrame | nw.LazyFrame | nw.Series) else None


def from_frame(frame: Any, source: str, *, comma: bool = False) -> Table:
    """Every column of what `as_frame` gave; lazy frames are collected, a series is one column."""
    import narwhals as nw

    if isinstance(frame, nw.Series):
        name = "x1" if frame.name in (None, "") else str(frame.name)
        return table_of({name: _column(name, frame, comma, source)}, source)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    named = zip(map(str, frame.columns), frame.iter_columns(), strict=True)
    return table_of({n: _column(n, series, comma, source) for n, series in named}, source)


def _column(name: str, series: Any, comma: bool, source: str) -> Stored:
    """One column; what a library cannot convert is said with the name of the column."""
    try:
        return _from_series(series, comma)
    except Exception as error:
        why = (str(error).strip().splitlines() or [type(error).__name__])[0][:120].rstrip(".")
        raise TypeError(
            f"{source}: column {name!r} of type {series.dtype} cannot be read ({why}); make it "
            "numbers, dates or text, or leave it out."
        ) from error


def _from_series(series: Any, comma: bool) -> Stored:
    import narwhals as nw

    if (stored := _arrow_column(series)) is not None:
        column = arrow_columns.plain(stored)
        if hasattr(column.type, "index_type"):
            return arrow_columns.from_dictionary(column, comma)
        series = nw.from_native(column, series_only=True)
    dtype = series.dtype
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _from_words(series, comma)
    if dtype == nw.Date:
        days, gone = _as_integers(series, nw.Int32)
        return Numbers(86_400.0 * days, gone, clock=True)
    if dtype in (nw.Datetime, nw.Duration):
        seconds, gone = _as_seconds(series, dtype.time_unit)
        return Numbers(seconds, gone, clock=dtype == nw.Datetime)
    if dtype == nw.Boolean:
        gone = np.asarray(series.is_null().to_numpy(), dtype=bool)
        return Numbers(np.asarray(series.fill_null(False).to_numpy(), dtype=bool), gone)
    if dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128):
        return Numbers(*_as_integers(series, dtype))
    if dtype.is_numeric():
        return Numbers(*_as_float(series))
    return stored_objects(series.to_list())


def _arrow_column(series: Any) -> Any:
    """The chunked array behind a column of pyarrow or of pandas; else None."""
    native = series.to_native()
    if series.implementation.is_pyarrow():
        return native
    if type(native.dtype).__name__ == "ArrowDtype":
        return native.array.__arrow_array__()
    return None


_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _as_seconds(series: Any, unit: str) -> tuple[Vector, Vector]:
    """Whole seconds are exact in every year: dates that mean never are often in 9999."""
    import narwhals as nw

    ticks, gone = _as_integers(series, nw.Int64)
    whole, rest = np.divmod(ticks, _TICKS[unit])
    return whole + rest / _TICKS[unit], gone


def _as_integers(series: Any, dtype: Any) -> tuple[Vector, Vector]:
    """All digits, also where some are missing: floats have only 53 bits."""
    gone = np.asarray(series.is_null().to_numpy(), dtype=bool)
    values = series.cast(dtype)
    if bool(gone.any()):
        values = values.fill_null(0)
    return np.where(gone, 0, values.to_numpy()), gone


def _as_float(series: Any) -> tuple[Vector, Vector]:
    import narwhals as nw

    gone = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if bool(gone.any()):
        series = series.fill_null(0)
    values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return values, gone | np.isnan(values)


def _from_words(series: Any, comma: bool) -> Stored:
    import narwhals as nw

    if series.implementation.is_pyarrow():
        words = series.to_native()
        found = arrow_columns.spelled_numbers(words, comma)
        return arrow_columns.encoded(words, comma) if found is None else found
    return stored_objects(series.cast(nw.String).to_list())
