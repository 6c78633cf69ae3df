"""Tables that are in memory: frames (through narwhals), arrays and dicts of columns."""

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from samelaw.columns.names import check_distinct, spoken
from samelaw.columns.objects import columns_of, raw_objects
from samelaw.columns.raw_column import RawColumn
from samelaw.columns.raw_numbers import RawNumbers
from samelaw.columns.series import from_series
from samelaw.core.array import is_array, to_numpy
from samelaw.core.samples import check_dense
from samelaw.core.types import Array, Matrix
from samelaw.tables.table import Table

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
    from narwhals.typing import Frame

    from samelaw.columns.series import Series


def from_memory(source: object) -> Table:
    """A dict of columns, a list of records, an array, or a frame or series of any library."""
    if isinstance(source, Mapping):
        return from_dict(source, "the dict")
    if isinstance(source, list | tuple) and source and all(isinstance(r, Mapping) for r in source):
        return from_dict(columns_of(source), f"the {type(source).__name__}")
    label = label_of(source)
    check_dense(label, source)
    if is_array(source):
        return from_array(source, label)
    if (frame := _as_frame(source, label)) is not None:
        return _from_frame(frame, label)
    raise TypeError(
        f"a table cannot be read from a {type(source).__name__}; expected a path, a frame of "
        "pandas, polars or pyarrow, an array, a dict of columns, or a list of records."
    )


def label_of(source: object) -> str:
    """What to call something that has no name."""
    return f"the {type(source).__module__.split('.')[0]} {type(source).__name__}"


def as_frame(source: object) -> "nw.DataFrame[Any] | None":
    """A frame whose rows are in memory, of any library; else None."""
    import narwhals as nw

    if isinstance(source, Mapping) or is_array(source):
        return None
    frame = _as_frame(source, label_of(source))
    return frame if isinstance(frame, nw.DataFrame) else None


def _table(raw: Mapping[str, RawColumn], source: str) -> Table:
    """A table of columns of equal length with at least one row; a blank name is its place's."""
    said = [name if name.strip() else spoken(None, i) for i, name in enumerate(raw)]
    raw = dict(zip(check_distinct(said, source), raw.values(), strict=True))
    if not raw:
        raise ValueError(f"{source} has no columns; expected at least one.")
    sizes = {name: len(column.missing) for name, column in raw.items()}
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
    return Table(raw, rows, source)


def from_array(array: Array, source: str) -> Table:
    """Columns x1, x2, … of an array (n,) or (n, d); the fields of a structured one."""
    try:
        values = to_numpy(array)
    except TypeError as error:  # bfloat16 and the like
        raise TypeError(f"{source} has dtype {array.dtype}; pass it as float32.") from error
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{source} is a masked array; pass array.filled(np.nan).")
    if values.dtype.names:
        return _table({n: _from_vector(values[n], source) for n in values.dtype.names}, source)
    if values.ndim == 1:
        values = values.reshape(-1, 1)
    if values.ndim != 2:
        raise ValueError(f"{source} has shape {values.shape}; expected (rows, columns).")
    width = values.shape[1]
    return _table({f"x{i + 1}": _from_vector(values[:, i], source) for i in range(width)}, source)


def _from_vector(values: Matrix, source: str) -> RawColumn:
    """One array (n,) of numbers, times, words or objects."""
    if values.ndim != 1:
        raise ValueError(f"{source}: a column has shape {values.shape}; expected one dimension.")
    match values.dtype.kind:
        case "b" | "i" | "u":
            declared = "true/false" if values.dtype.kind == "b" else "numbers"
            return RawNumbers(values, np.zeros(len(values), dtype=bool), declared=declared)
        case "f":
            wide = values.astype(np.float64, copy=False)
            return RawNumbers(wide, np.isnan(wide), declared="numbers")
        case "M":
            micro = values.astype("datetime64[us]").astype(np.int64)
            zone = "times without a zone"
            return RawNumbers(micro / 1e6, np.isnat(values), clock=True, declared=zone)
        case "m":
            micro = values.astype("timedelta64[us]").astype(np.int64)
            return RawNumbers(micro / 1e6, np.isnat(values))
        case "c":
            raise ValueError(f"{source} is complex; pass real and imaginary parts as columns.")
        case "S" | "V":
            raise ValueError(f"{source} holds raw bytes; expected numbers, dates or text.")
    return raw_objects(values.tolist())


def from_arrays(arrays: Mapping[str, Array], source: str) -> Table:
    """A column per array (n,), several per array (n, d), named after it."""
    columns = {}
    for name, array in arrays.items():
        if array.ndim == 1:
            columns[name] = _from_vector(array, source)
        else:
            part = from_array(array, f"{source}: array {name!r}").raw
            columns |= {f"{name}_{field}": column for field, column in part.items()}
    return _table(columns, source)


def from_dict(columns: Mapping[str, object], source: str) -> Table:
    """A dict of columns: arrays, series or lists."""
    names = check_distinct(columns, source)
    values = columns.values()
    return _table(
        {n: _from_anything(n, v, source) for n, v in zip(names, values, strict=True)}, source
    )


def _from_anything(name: str, values: object, source: str) -> RawColumn:
    if is_array(values):
        return _from_vector(to_numpy(values), f"{source}: column {name!r}")
    if (frame := _as_frame(values, source)) is not None:
        return next(iter(_from_frame(frame, source).raw.values()))
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(
            f"{source}: column {name!r} is a {type(values).__name__}; expected a list or an array."
        )
    return raw_objects(list(values))


def from_arrow(table: "pa.Table", source: str, *, comma: bool) -> Table:
    """What a file holds; ``comma`` if its words may be numbers with a decimal comma."""
    import narwhals as nw

    return _from_frame(nw.from_native(table, eager_only=True), source, comma)


def _as_frame(value: object, source: str) -> "Frame | Series | None":
    """A frame or series of pandas, polars, pyarrow, duckdb, as narwhals sees it; else None."""
    import narwhals as nw

    if type(value).__name__ == "RecordBatch":
        import pyarrow as pa

        value = pa.Table.from_batches([value])
    # Names are checked first, as narwhals has its own words for doubles; others allow none.
    if nw.dependencies.is_pandas_dataframe(value):
        check_distinct(value.columns, source)
    if nw.dependencies.is_pyarrow_table(value):
        check_distinct(value.column_names, source)
    wrapped = nw.from_native(value, allow_series=True, pass_through=True)
    return wrapped if isinstance(wrapped, nw.DataFrame | nw.LazyFrame | nw.Series) else None


def _from_frame(frame: "Frame | Series", source: str, comma: bool = False) -> Table:
    """Every column; lazy frames are collected, a series is one column."""
    import narwhals as nw

    if isinstance(frame, nw.Series):
        name = "x1" if frame.name in (None, "") else str(frame.name)
        return _table({name: from_series(name, frame, source)}, source)
    whole: nw.DataFrame[Any] = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    if _holds_structs(whole) and find_spec("pyarrow"):
        from samelaw.reading.structs import spread

        whole = nw.from_native(spread(whole.to_arrow()), eager_only=True)
    named = zip(map(str, whole.columns), whole.iter_columns(), strict=True)
    return _table({n: from_series(n, series, source, comma) for n, series in named}, source)


def _holds_structs(frame: "nw.DataFrame[Any]") -> bool:
    """Whether some columns are structs; those of pandas are objects, which would be looked at."""
    import narwhals as nw

    pandas = frame.implementation.is_pandas_like()
    return not pandas and nw.Struct in frame.schema.dtypes()
