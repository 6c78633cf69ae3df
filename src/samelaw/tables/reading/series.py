"""One column of a frame of any library, as narwhals sees it."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns import parse
from samelaw.tables.columns.raw_column import Floats, Mask, RawColumn
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.columns.raw_words import RawWords
from samelaw.tables.columns.single_precision import widened
from samelaw.tables.reading import arrow_columns
from samelaw.tables.reading.objects import raw_objects

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
    from narwhals.typing import IntoDType, IntoSeries

    Series: TypeAlias = nw.Series[IntoSeries]


OF_DAY = "times of day"


def from_series(name: str, series: "Series", source: str, comma: bool = False) -> RawColumn:
    """One column; what a library cannot convert is said with the name of the column."""
    try:
        column = _convert(series, comma)
    except Exception as error:
        why = (str(error).strip().splitlines() or [type(error).__name__])[0][:120].rstrip(".")
        raise TypeError(
            f"{source}: column {name!r} of type {series.dtype} cannot be read ({why}); make it "
            "numbers, dates or text, or leave it out."
        ) from error
    declared = _declared(series.dtype) or column.declared
    said = (parse.OF_DAY,) if declared == OF_DAY else ()
    return replace(column, declared=declared, notes=tuple(dict.fromkeys((*column.notes, *said))))


def _declared(dtype: "nw.dtypes.DType") -> str:
    """The type of a column in words; nothing for objects, which declare none.

    Whole numbers and numbers are one: a missing value makes the one of the other in pandas.
    """
    import narwhals as nw

    if isinstance(dtype, nw.Datetime):
        return "times without a zone" if dtype.time_zone is None else "times with a zone"
    if dtype.is_numeric():
        return "numbers"
    known = {
        "text": (nw.String, nw.Categorical, nw.Enum),
        "true/false": (nw.Boolean,),
        "dates": (nw.Date,),
        "durations": (nw.Duration,),
        OF_DAY: (nw.Time,),
    }
    return next((words for words, kinds in known.items() if dtype in kinds), "")


def _convert(series: "Series", comma: bool) -> RawNumbers | RawWords:
    import narwhals as nw

    if (stored := _arrow_column(series)) is not None:
        column = arrow_columns.plain(stored)
        if hasattr(column.type, "index_type"):
            return arrow_columns.from_dictionary(column, comma)
        if column is not stored:
            series = nw.from_native(column, series_only=True)
    dtype = series.dtype
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return _from_words(series, comma)
    if dtype == nw.Date:
        days, gone = _as_integers(series, nw.Int32)
        return RawNumbers(86_400.0 * days, gone, clock=True)
    if isinstance(dtype, nw.Datetime | nw.Duration):
        seconds, gone = _as_seconds(series, dtype.time_unit)
        return RawNumbers(seconds, gone, clock=isinstance(dtype, nw.Datetime))
    if dtype == nw.Boolean:
        gone = np.asarray(series.is_null().to_numpy(), dtype=bool)
        return RawNumbers(np.asarray(series.fill_null(False).to_numpy(), dtype=bool), gone)
    if dtype.is_integer() and dtype not in (nw.Int128, nw.UInt128):
        return RawNumbers(*_as_integers(series, dtype))
    if dtype == nw.Decimal:
        return _from_decimals(series)
    if dtype.is_numeric():
        return RawNumbers(*_as_float(series))
    return raw_objects(series.to_list())


def _arrow_column(series: "Series") -> "pa.ChunkedArray | None":
    """The chunked array behind a column of pyarrow or of pandas; else None."""
    native = series.to_native()
    if series.implementation.is_pyarrow():
        return native
    if type(getattr(native, "dtype", None)).__name__ == "ArrowDtype":
        import pyarrow as pa

        return pa.chunked_array(native)
    return None


_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _as_seconds(series: "Series", unit: str) -> tuple[Floats, Mask]:
    """Whole seconds are exact in every year: dates that mean never are often in 9999."""
    import narwhals as nw

    ticks, gone = _as_integers(series, nw.Int64)
    whole, rest = np.divmod(ticks, _TICKS[unit])
    return whole + rest / _TICKS[unit], gone


def _as_integers(series: "Series", dtype: "IntoDType") -> tuple[Matrix, Mask]:
    """All digits, also where some are missing: floats have only 53 bits."""
    gone = np.asarray(series.is_null().to_numpy(), dtype=bool)
    values = series.cast(dtype)
    if bool(gone.any()):
        values = values.fill_null(0)
    return np.where(gone, 0, values.to_numpy()), gone


def _as_float(series: "Series") -> tuple[Floats, Mask]:
    import narwhals as nw

    gone = np.asarray(series.is_null().to_numpy(), dtype=bool)
    if bool(gone.any()):
        series = series.fill_null(0)
    if series.dtype == nw.Float32:
        values = widened(np.asarray(series.to_numpy(), dtype=np.float32))
    else:
        values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return values, gone | np.isnan(values)


def _from_decimals(series: "Series") -> RawNumbers | RawWords:
    """As floats where those hold all digits, which is faster."""
    floats, gone = _as_float(series)
    scale = getattr(getattr(series.to_native(), "dtype", None), "scale", None)  # polars has one
    if arrow_columns.few_digits(floats, math.inf if scale is None else scale):
        return RawNumbers(floats, gone)
    return raw_objects(series.to_list())


def _from_words(series: "Series", comma: bool) -> RawNumbers | RawWords:
    import narwhals as nw

    if series.implementation.is_pyarrow():
        words = series.to_native()
        found = arrow_columns.spelled_numbers(words, comma)
        return arrow_columns.encoded(words, comma) if found is None else found
    return raw_objects(series.cast(nw.String).to_list())
