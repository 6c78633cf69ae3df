from decimal import Decimal

import numpy as np
import pytest

from optional import need
from samelaw.tables.columns.column import Kind
from samelaw.tables.reading.read import read_table
from table_files import kinds, write, write_parquet


def test_pandas_nullable_types_and_objects():
    pandas = need("pandas")
    frame = pandas.DataFrame(
        {
            "i": pandas.array([1, None, 3], dtype="Int64"),
            "b": pandas.array([True, None, False], dtype="boolean"),
            "o": pandas.Series(["a", 1, None], dtype=object),
            "t": pandas.to_datetime(["2025-03-01", None, "2025-03-02"]).tz_localize("UTC"),
            7: [1.0, float("nan"), 2.5],
        }
    )
    table = read_table(frame)
    assert kinds(table) == {
        "i": "integer",
        "b": "boolean",
        "o": "categorical",
        "t": "datetime",
        "7": "numeric",
    }
    assert all(
        bool(column.missing[i]) for column, i in zip(table.columns, [1, 1, 2, 1, 1], strict=True)
    )


def test_rare_types_of_polars():
    polars = need("polars")
    columns = {
        "decimal": ["1.5", None],
        "large": polars.Series([1, 2], dtype=polars.Int128),
        "listed": [[1], [2]],
        "nothing": [None, None],
        "fixed": polars.Series(["a", None], dtype=polars.Enum(["a", "b"])),
    }
    frame = polars.DataFrame(columns).with_columns(polars.col("decimal").cast(polars.Decimal(9, 2)))
    assert list(kinds(read_table(frame)).values()) == [
        "constant",
        "integer",
        "categorical",
        "empty",
        "constant",
    ]


NEVER = "9999-12-31"  # what many tables write for a date that has no end


def check_never(table, expected=253402214400.0):
    column = table.column("until")
    assert column.kind is Kind.DATETIME
    np.testing.assert_array_equal(column.values, [0.0, expected, np.nan, expected])


def test_dates_far_from_now(tmp_path):
    """Microseconds since 1970 have more digits than a float from the year 2255 on."""
    pa = need("pyarrow")
    days = np.array(["1970-01-01", NEVER, "NaT", NEVER], dtype="datetime64[D]")
    kinds_of_time = [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ms")]
    kinds_of_time += [pa.timestamp("us"), pa.timestamp("us", tz="Europe/Berlin")]
    for kind in kinds_of_time:
        table = pa.table({"until": pa.array(days.astype("datetime64[us]").tolist(), kind)})
        check_never(read_table(table))
        coded = table["until"].combine_chunks().dictionary_encode()
        check_never(read_table(pa.table({"until": coded})))
        write_parquet(tmp_path / "t.parquet", table)
        check_never(read_table(tmp_path / "t.parquet"))
    check_never(read_table({"until": days}))
    check_never(
        read_table(write(tmp_path / "t.csv", f"until,x\n1970-01-01,1\n{NEVER},2\n,3\n{NEVER},"))
    )
    pandas, polars = need("pandas"), need("polars")
    check_never(read_table(pandas.DataFrame({"until": days.astype("datetime64[s]")})))
    check_never(read_table(polars.DataFrame({"until": days.tolist()})))
    far = pa.table({"until": pa.array([0, 10**13, None, 10**13], pa.timestamp("s"))})
    check_never(read_table(far), 1e13)  # no microseconds hold it


def large_numbers(pa, missing):
    """Numbers of messages: neighbours are one float, and some may be absent."""
    return pa.table({"key": pa.array([2**60 + i for i in range(40)] + [None] * missing)})


@pytest.mark.parametrize("missing", [0, 1])
def test_large_whole_numbers_keep_their_digits(tmp_path, missing):
    pa = need("pyarrow")
    table = large_numbers(pa, missing)
    sources = [table, table.rename_columns(["user_id"]), tmp_path / "t.parquet"]
    write_parquet(tmp_path / "t.parquet", table)
    sources.append(write(tmp_path / "t.csv", csv_of(table)))
    sources.append({"key": table["key"].to_pylist()})
    polars, pandas = need("polars"), need("pandas")
    sources += [
        polars.from_arrow(table),
        pandas.DataFrame({"key": table["key"].to_pylist()}, dtype="Int64"),
    ]
    for source in sources:
        column = read_table(source).columns[0]
        assert column.kind is Kind.IDENTIFIER
        assert len(column.categories) == 40
        assert column.missing.sum() == missing


def csv_of(table):
    names, rows = table.column_names, table.to_pylist()
    lines = [",".join("" if row[n] is None else str(row[n]) for n in names) for row in rows]
    return "\n".join([",".join(names), *(line or '""' for line in lines), ""])


@pytest.mark.parametrize("start", [Decimal(2**60), Decimal(10**27), Decimal("9007199254740992.01")])
def test_decimals_of_frames_keep_their_digits(start):
    pa, polars, pandas = need("pyarrow"), need("polars"), need("pandas")
    close = [start + k for k in range(5)] * 10
    arrow = pa.array(close)
    for source in (
        pa.table({"x": arrow}),
        polars.DataFrame({"x": close}),
        pandas.DataFrame({"x": close}),
        pandas.DataFrame({"x": pandas.Series(close, dtype=pandas.ArrowDtype(arrow.type))}),
    ):
        column = read_table(source).columns[0]
        assert [Decimal(word) for word in column.categories] == close[:5]
        assert read_table(source).raw["x"].declared == "numbers"


def test_decimals_of_few_digits_are_floats():
    pa, polars = need("pyarrow"), need("polars")
    prices = [Decimal("103.46"), None, Decimal("19.99")]
    for source in (pa.table({"x": prices}), polars.DataFrame({"x": prices})):
        assert vars(read_table(source).raw["x"])["values"].dtype == np.float64
        assert np.nanmax(read_table(source).columns[0].values) == 103.46
