"""Tables that are in memory: frames (through narwhals), arrays and dicts of columns."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from importlib.util import find_spec
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from samelaw.core.arrays import is_array, to_numpy
from samelaw.core.samples import check_dense, plain_numbers
from samelaw.core.types import Array, Matrix
from samelaw.tables.columns.names import check_distinct, is_unnamed_index, spoken
from samelaw.tables.columns.raw_column import RawColumn
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.columns.single_precision import widened
from samelaw.tables.reading.objects import columns_of, flat, raw_objects, spread_records
from samelaw.tables.reading.pandas_columns import index_notes, unnamed_note, with_index
from samelaw.tables.reading.series import from_series
from samelaw.tables.reading.structs import spread
from samelaw.tables.table import Table

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
    from narwhals.typing import Frame

    from samelaw.tables.reading.series import Series


def from_memory(source: object) -> Table:
    """A dict of columns, a list of records, an array, or a frame or series of any library."""
    if isinstance(source, Mapping):
        return from_dict(source, "the dict")
    if isinstance(source, list | tuple) and source and all(isinstance(r, Mapping) for r in source):
        return from_dict(columns_of(map(flat, source)), f"the {type(source).__name__}")
    label = label_of(source)
    check_dense(label, source)
    if is_array(source) or isinstance(source, np.matrix):
        return from_array(source, label)
    if isinstance(source, list) and source and isinstance(source[0], list | tuple | Real):
        return from_array(plain_numbers(label_of(source), source), label)
    if (frame := _as_frame(source, label)) is not None:
        table = _from_frame(frame, label)
        return replace(table, notes=(*table.notes, *index_notes(source)))
    raise TypeError(
        f"a table cannot be read from the type {type(source).__name__}; expected a path, a "
        "frame of pandas, polars or pyarrow, an array, a dict of columns, or a list of records."
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
    except TypeError as error:  # no values yet, or none that numpy knows
        raise TypeError(f"{source}: {error}") from error
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
            wide = widened(values)
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
    """A dict of columns: arrays, series or lists; records in them are columns of their own."""
    names = check_distinct(columns, source)
    found: dict[str, RawColumn] = {}
    for name, values in zip(names, columns.values(), strict=True):
        found |= _from_anything(name, values, source, {*names} - {name})
    return _table(found, source)


def _from_anything(name: str, values: object, source: str, taken: Set[str]) -> dict[str, RawColumn]:
    import narwhals as nw

    if is_array(values):
        vector = to_numpy(values)
        if vector.dtype == object and vector.ndim == 1:
            return _from_objects(name, vector.tolist(), taken)
        return {name: _from_vector(vector, f"{source}: column {name!r}")}
    frame = _as_frame(values, source)
    if isinstance(frame, nw.Series):
        parts = dict(_from_frame(frame.alias(name), source).raw)
        return {name: raw_objects(frame.to_list())} if taken & parts.keys() else parts
    if isinstance(values, str | bytes) or not isinstance(values, Iterable) or frame is not None:
        raise TypeError(
            f"{source}: column {name!r} is a {type(values).__name__}; expected a list or an array."
        )
    return _from_objects(name, list(values), taken)


def _from_objects(name: str, values: list[object], taken: Set[str]) -> dict[str, RawColumn]:
    """A column of Python objects, or those that its records hold; itself if names are taken."""
    parts = spread_records(name, values)
    parts = {name: values} if taken & parts.keys() else parts
    return {part: raw_objects(inside) for part, inside in parts.items()}


def from_arrow(table: "pa.Table", source: str, *, comma: bool) -> Table:
    """What a file holds; ``comma`` if its words may be numbers with a decimal comma."""
    import narwhals as nw

    return _from_frame(nw.from_native(table, eager_only=True), source, comma)


def _as_frame(value: object, source: str) -> "Frame | Series | None":
    """A frame or series of pandas, polars, pyarrow, duckdb, as narwhals sees it; else None."""
    import narwhals as nw

    value = read_once(value)
    # Names are checked first, as narwhals has its own words for doubles; others allow none.
    if nw.dependencies.is_pandas_dataframe(value):
        check_distinct(value.columns, source)
        value = with_index(value)
    if nw.dependencies.is_pyarrow_table(value):
        check_distinct(value.column_names, source)
    wrapped = nw.from_native(value, allow_series=True, pass_through=True)
    return wrapped if isinstance(wrapped, nw.DataFrame | nw.LazyFrame | nw.Series) else None


def read_once(source: Any) -> Any:
    """A table of Arrow of what only hands out Arrow, as a reader does, once; others as they are."""
    import narwhals as nw

    if not hasattr(source, "__arrow_c_stream__") and type(source).__name__ != "RecordBatch":
        return source
    try:
        known = nw.from_native(source, allow_series=True, pass_through=True) is not source
    except nw.exceptions.DuplicateError:  # of names, which are told in our words
        known = True
    if known:
        return source
    import pyarrow as pa

    return pa.table(source)


def _from_frame(frame: "Frame | Series", source: str, comma: bool = False) -> Table:
    """Every column; lazy frames are collected, a series is one column."""
    import narwhals as nw

    if isinstance(frame, nw.Series):
        frame = frame.alias("x1" if frame.name in (None, "") else str(frame.name)).to_frame()
    whole: nw.DataFrame[Any] = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    whole = _without_structs(whole)
    left = tuple(filter(is_unnamed_index, map(str, whole.columns)))
    whole = whole.drop(*left) if left else whole
    names = check_distinct(whole.columns, source)
    found: dict[str, RawColumn] = {}
    for name, series in zip(names, whole.iter_columns(), strict=True):
        values = series.to_list() if _may_hold_records(series) else ()
        if any(isinstance(value, dict) for value in values):
            found |= _from_objects(name, list(values), {*names} - {name})
        else:
            found[name] = from_series(name, series, source, comma)
    return replace(_table(found, source), notes=tuple(map(unnamed_note, left)), unread=left)


def without_objects(frame: "nw.DataFrame[Any]") -> "nw.DataFrame[Any]":
    """A frame with its structs as columns of their own; one of pandas with objects as of Arrow.

    Arrow must see all objects of a column at once: of some it would take others for errors.
    """
    objects = any(map(_may_hold_records, frame.iter_columns()))
    return _spread(frame) if objects else _without_structs(frame)


def _without_structs(frame: "nw.DataFrame[Any]") -> "nw.DataFrame[Any]":
    """The same but for pandas, whose structs are objects to be looked at."""
    import narwhals as nw

    if frame.implementation.is_pandas_like() or not find_spec("pyarrow"):
        return frame
    kinds = frame.schema.dtypes()
    extended = nw.Unknown in kinds and "Extension" in str(frame.to_native().schema)  # of polars
    arrow = frame.implementation.is_pyarrow()
    return _spread(frame) if arrow or nw.Struct in kinds or extended else frame


def _spread(frame: "nw.DataFrame[Any]") -> "nw.DataFrame[Any]":
    import narwhals as nw

    return nw.from_native(spread(frame.to_arrow()), eager_only=True)


def _may_hold_records(series: "Series") -> bool:
    """Whether a column is one of pandas that is no numbers, words or times."""
    import narwhals as nw

    return series.implementation.is_pandas_like() and series.dtype in (nw.Object, nw.Struct)
