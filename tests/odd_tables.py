"""What hypothesis draws for tables: every type of three libraries, and values that are odd in each.

A column is a pool of values of one type, of which rows are drawn with repeats; so a table is small
to show, and constant, nearly constant and all-missing columns come by themselves.
"""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
from hypothesis import strategies as st

from optional import need

NAN, INF = float("nan"), float("inf")
ROWS = (0, 1, 2, 3, 12, 30)
NAMES = [
    "x",
    "y",
    "größe",
    "名前",
    "",
    " ",
    "a.b",
    "a,b",
    "$x^2$",
    "[red]x[/red]",
    "<b>",
    "x" * 500,
]
NAMES += ["\x1b[2J", "\u202eabc", "null", "user_id", "all columns", "x (missing)", "A", "0", "-1"]

WORDS = [
    "a",
    "b",
    "",
    " ",
    "NA",
    "nan",
    "1",
    "1.5",
    "007",
    "inf",
    "1e400",
    "true",
    "No",
    "x" * 2000,
]
WORDS += ["2025-03-01", "2025-13-45", "9999-12-31", "03/04/2025", "日本", "é", "é", "1,5", "\x00"]
NUMBERS = [0.0, -0.0, 1.0, 1.5, -3.25, NAN, INF, -INF, 5e-324, 1.7e308, -1.7e308, 2.0**53, 1e-12]
INTEGERS = [0, 1, -1, 2, 7, 100, 127, -128]
DATES = [date(1, 1, 1), date(1970, 1, 1), date(2025, 3, 1), date(9999, 12, 31)]
MOMENTS = [datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime(2025, 3, 1, 12)]
MOMENTS += [datetime(9999, 12, 31, 23, 59, 59)]
LATER = [datetime(1970, 1, 1), datetime(2025, 3, 1, 12), datetime(2200, 1, 1)]
SPANS = [timedelta(0), timedelta(microseconds=1), timedelta(days=-3), timedelta(days=100_000)]
TIMES = [time(0), time(12, 30), time(23, 59, 59, 999_999)]
EXACT = [Decimal("0"), Decimal("1.50"), Decimal("-99999.99")]
BYTES = [b"", b"a", b"\xff\x00"]
LISTS = [[], [1], [1, 2], [None]]
MIXED = [1, "1", 1.5, True, None, NAN, "a", b"a", (1, 2), [1], {"k": 1}, {1}, DATES[1], MOMENTS[2]]
MIXED += [LATER[1].replace(tzinfo=UTC), SPANS[1], TIMES[1], EXACT[1], 10**30, -(10**400), 1j, ...]
MIXED += [Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), np.float32(1.5), np.int64(3), int]
MIXED += [np.datetime64("NaT"), np.datetime64("2025-03-01"), np.bool_(True), np.array([1, 2])]


def choices(pool, rows, nulls=True):
    """Rows drawn from a few values of a pool."""
    few = st.lists(st.sampled_from(pool), min_size=1, max_size=5)
    values = few.map(lambda some: [*some, None] if nulls else some)
    return values.flatmap(
        lambda some: st.lists(st.sampled_from(some), min_size=rows, max_size=rows)
    )


def python_columns(rows):
    """Lists, tuples and arrays of numpy, and lists of one or of many types."""
    pools = [WORDS, NUMBERS, INTEGERS, DATES, MOMENTS, SPANS, TIMES, EXACT, BYTES, LISTS, MIXED]
    pools += [[True, False], [2**63, 2**64, -1], [10**400, 1], [2**60 + i for i in range(30)]]
    pools += [[m.replace(tzinfo=timezone(timedelta(hours=9))) for m in LATER]]
    dtypes = [
        "f2",
        "f4",
        "f8",
        "i1",
        "u8",
        "bool",
        "M8[s]",
        "M8[ns]",
        "M8[D]",
        "m8[ms]",
        "U3",
        "S3",
    ]
    dtypes += ["c16", "O", "M8[Y]", "i8", "f8"]
    arrays = st.sampled_from(dtypes).flatmap(
        lambda dtype: st.lists(st.integers(0, 5), min_size=rows, max_size=rows).map(
            lambda values: np.array(values).astype(dtype)
        )
    )
    return st.one_of(st.sampled_from(pools).flatmap(lambda pool: choices(pool, rows)), arrays)


def arrow_types():
    """Types of Arrow with values they hold."""
    pa = need("pyarrow")
    plain = [
        *((kind, INTEGERS) for kind in (pa.int8(), pa.int16(), pa.int64())),
        *((kind, [0, 1, 255]) for kind in (pa.uint8(), pa.uint64())),
        (pa.int64(), [2**60 + i for i in range(30)]),
        (pa.uint64(), [2**64 - 1, 2**63, 0]),
        *((kind, NUMBERS) for kind in (pa.float32(), pa.float64())),
        *((kind, WORDS) for kind in (pa.string(), pa.large_string(), pa.string_view())),
        *((kind, BYTES) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())),
        (pa.binary(2), [b"ab", b"\xff\x00"]),
        (pa.bool_(), [True, False]),
        (pa.date32(), DATES),
        (pa.date64(), DATES),
        *((pa.timestamp(unit), MOMENTS) for unit in ("s", "ms", "us")),
        (pa.timestamp("ns"), LATER),
        (pa.timestamp("ns"), [1, 10**18 + 1]),
        (pa.timestamp("s"), [-(2**62), 2**62]),
        *((pa.timestamp("us", tz=zone), LATER) for zone in ("UTC", "Europe/Berlin", "+03:00")),
        *((pa.duration(unit), SPANS) for unit in ("s", "us")),
        (pa.duration("ns"), [1, 10**18 + 1]),
        *((kind, TIMES) for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"))),
        (pa.time64("ns"), [1, 86_399_999_999_999]),
        (pa.decimal128(9, 2), EXACT),
        (pa.decimal256(60, 2), EXACT),
        (pa.null(), [None]),
        (pa.list_(pa.int64()), LISTS),
        (pa.large_list(pa.string()), [["a"], [], [None, "b"]]),
        (pa.list_(pa.timestamp("ns")), [[1], [10**18 + 1]]),
        (pa.list_(pa.int64(), 2), [[1, 2], [3, None]]),
        (pa.struct([("a", pa.int64()), ("b", pa.string())]), [{"a": 1, "b": "x"}, {"a": None}]),
        (pa.map_(pa.string(), pa.int64()), [[("a", 1)], []]),
        (pa.month_day_nano_interval(), [(1, 2, 3), (0, 0, 1)]),
    ]
    return plain


@st.composite
def arrow_columns(draw, rows):
    """Plain, coded with unused words, run-end encoded, in chunks."""
    pa = need("pyarrow")
    kind, pool = draw(st.sampled_from(arrow_types()))
    values = pa.array(draw(choices(pool, rows)), kind, from_pandas=False)
    how = draw(st.sampled_from(["plain", "coded", "unused", "runs", "chunks", "slice"]))
    if how == "chunks":
        return pa.chunked_array([values.slice(0, rows // 2), values.slice(rows // 2)])
    if how == "slice":
        return pa.concat_arrays([values, values]).slice(rows)
    if how == "coded" and not pa.types.is_nested(kind):
        try:
            return values.dictionary_encode()
        except pa.ArrowNotImplementedError:
            return values
    if how == "unused":
        index = pa.array(draw(choices([0, 1, 2], rows)), pa.int8())
        return pa.DictionaryArray.from_arrays(index, pa.array((pool * 4)[:4], kind))
    if how == "runs" and kind in (pa.int64(), pa.string(), pa.float64()):
        return need("pyarrow.compute").run_end_encode(values)
    return values


def polars_types():
    """Types of polars with values they hold."""
    pl = need("polars")
    return [
        *((kind, INTEGERS) for kind in (pl.Int8, pl.Int64, pl.Int128)),
        (pl.UInt64, [2**64 - 1, 0]),
        *((kind, NUMBERS) for kind in (pl.Float32, pl.Float64)),
        (pl.String, WORDS),
        (pl.Categorical, WORDS),
        (pl.Enum(["a", "b", "unused"]), ["a", "b"]),
        (pl.Boolean, [True, False]),
        (pl.Date, DATES),
        *((pl.Datetime(unit), LATER) for unit in ("ms", "us", "ns")),
        (pl.Datetime("us"), MOMENTS),
        (pl.Datetime("us", "Europe/Berlin"), [m.replace(tzinfo=UTC) for m in LATER]),
        *((pl.Duration(unit), SPANS) for unit in ("ms", "us")),
        (pl.Time, TIMES),
        (pl.Decimal(9, 2), EXACT),
        (pl.Binary, BYTES),
        (pl.List(pl.Int64), LISTS),
        (pl.Array(pl.Int64, 2), [[1, 2], [3, None]]),
        (pl.Struct({"a": pl.Int64}), [{"a": 1}, {"a": None}]),
        (pl.Object, [1, "a", (1, 2)]),
        (pl.Null, [None]),
    ]


@st.composite
def polars_columns(draw, rows):
    pl = need("polars")
    kind, pool = draw(st.sampled_from(polars_types()))
    return pl.Series("x", draw(choices(pool, rows)), dtype=kind, strict=False)


@st.composite
def pandas_columns(draw, rows):
    """Nullable types, categories of anything, zones, spans, periods, and mixed objects."""
    pd = need("pandas")
    kind = draw(st.sampled_from(["nullable", "category", "zone", "other", "object", "arrow"]))
    if kind == "nullable":
        dtype, pool = draw(
            st.sampled_from(
                [
                    *(("Int64", INTEGERS), ("Int8", INTEGERS), ("UInt64", [0, 2**64 - 1])),
                    *(("Float64", NUMBERS), ("boolean", [True, False]), ("string", WORDS)),
                ]
            )
        )
        return pd.Series(draw(choices(pool, rows)), dtype=dtype)
    if kind == "category":
        pool = draw(st.sampled_from([WORDS[:6], INTEGERS, NUMBERS[2:5], DATES, MOMENTS[1:3]]))
        categories = [*dict.fromkeys(pool)]
        return pd.Series(pd.Categorical(draw(choices(pool[:-1], rows)), categories=categories))
    if kind == "zone":
        zone = draw(st.sampled_from([None, "UTC", "Europe/Berlin", "Asia/Kolkata"]))
        unit = draw(st.sampled_from(["s", "us", "ns"]))
        values = pd.Series(draw(choices(LATER, rows)), dtype=f"datetime64[{unit}]")
        return values if zone is None else values.dt.tz_localize("UTC").dt.tz_convert(zone)
    if kind == "other":
        make = draw(st.sampled_from(["period", "span", "interval", "sparse", "complex"]))
        codes = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
        match make:
            case "period":
                return pd.Series(pd.PeriodIndex.from_ordinals(codes, freq="M"))
            case "span":
                return pd.Series(pd.to_timedelta(codes, unit="D"))
            case "interval":
                return pd.Series(pd.IntervalIndex.from_arrays(codes, [c + 1 for c in codes]))
            case "sparse":
                return pd.Series(pd.arrays.SparseArray(np.array(codes, dtype=float)))
        return pd.Series(np.array(codes) * 1j)
    if kind == "arrow":
        column = draw(arrow_columns(rows))
        try:
            return pd.Series(pd.arrays.ArrowExtensionArray(column))
        except (NotImplementedError, TypeError, ValueError):  # what pandas does not wrap
            pass
    values = draw(st.one_of(choices(MIXED, rows), choices([*WORDS, NAN, pd.NA, pd.NaT], rows)))
    series = pd.Series([None] * rows, dtype=object)
    for place, value in enumerate(values):
        series.iat[place] = value
    return series


COLUMNS = {
    "dict": python_columns,
    "pyarrow": arrow_columns,
    "polars": polars_columns,
    "pandas": pandas_columns,
}


def built(library, names, columns):
    """A table of the library."""
    if library == "dict":
        return dict(zip(names, columns, strict=True))
    if library == "pyarrow":
        return need("pyarrow").table(columns, names=names)
    if library == "polars":
        return need("polars").DataFrame([c.alias(n) for c, n in zip(columns, names, strict=True)])
    frame = need("pandas").concat(columns, axis=1) if columns else need("pandas").DataFrame()
    frame.columns = names
    return frame


@st.composite
def sources(draw, library=None, names=None, rows=None, unique=False):
    """A table; with another's names and library where two shall be compared."""
    library = library or draw(st.sampled_from(sorted(COLUMNS)))
    if names is None:
        once = unique or library in ("dict", "polars")
        count = draw(st.integers(0, 4))
        names = draw(st.lists(st.sampled_from(NAMES), min_size=count, max_size=count, unique=once))
    rows = draw(st.sampled_from(ROWS)) if rows is None else rows
    return built(library, names, [draw(COLUMNS[library](rows)) for _ in names]), library, names


@st.composite
def pairs(draw):
    """Two tables of the same names, of other types or the same, and kinds chosen for some."""
    many = st.sampled_from([*ROWS[2:], *[30] * 4])
    first, library, names = draw(sources(rows=draw(many), unique=True))
    if draw(st.booleans()):
        return first, first, {}
    kinds = st.sampled_from(["numeric", "integer", "boolean", "categorical", "datetime", "text"])
    chosen = draw(st.one_of(st.just({}), st.dictionaries(st.sampled_from([*names, "x"]), kinds)))
    if draw(st.booleans()):
        library = draw(st.sampled_from(sorted(COLUMNS)))
    return first, draw(sources(library, names, draw(many)))[0], chosen
