"""Tables, files that hold them, and files that are larger than they look, for tests of reading."""

import subprocess
import sys

import numpy as np

from optional import need


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def kinds(table):
    return {column.name: str(column.kind) for column in table.columns}


def mixed_arrow():
    pa = need("pyarrow")
    return pa.table(
        {
            "price": [1.5, None, 2.5, 4.0],
            "count": [3, 5, 3, 8],
            "sold": [True, False, None, True],
            "colour": ["red", None, "blue", "red"],
            "day": pa.array([0, 1, None, 2], pa.date32()),
            "coded": pa.array(["p", "q", None, "p"]).dictionary_encode(),
            "nothing": pa.nulls(4),
        }
    )


MIXED = {
    "price": "numeric",
    "count": "integer",
    "sold": "boolean",
    "colour": "categorical",
    "day": "datetime",
    "coded": "categorical",
    "nothing": "empty",
}


def check_mixed(table):
    assert kinds(table) == MIXED
    assert table.rows == 4
    np.testing.assert_array_equal(table.column("price").values, [1.5, np.nan, 2.5, 4.0])
    np.testing.assert_array_equal(table.column("sold").values, [1, 0, np.nan, 1])
    np.testing.assert_array_equal(table.column("day").values, [0, 86400, np.nan, 172800])
    colour = table.column("colour")
    assert colour.categories == ("blue", "red")
    np.testing.assert_array_equal(colour.values, [1, -1, 0, 1])
    np.testing.assert_array_equal(colour.missing, [False, True, False, False])


def write_arrow_file(path, table):
    need("pyarrow.feather").write_feather(table, path)


def write_parquet(path, table):
    need("pyarrow.parquet").write_table(table, path)


def peak(script, *arguments):
    """Mebibytes that a script takes at most, as Linux counts them, and what it printed."""
    tail = "\nlines = open('/proc/self/status').read().splitlines()"
    tail += "\nprint(next(int(line.split()[1]) for line in lines if 'VmHWM' in line) // 1024)"
    run = subprocess.run(
        [sys.executable, "-c", script + tail, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    *lines, size = run.stdout.splitlines()
    return int(size), lines


READ = """
import sys
from samelaw.core import free_memory
free_memory.LARGEST = 2**28
from samelaw.tables.reading.read import read_table
try:
    print([str(column.kind) for column in read_table(sys.argv[1]).columns])
except ValueError as error:
    print(error)
"""


def write_bomb(path, word, kind, rows=1000):
    """One long word, a thousand times: a gigabyte in some hundred kilobytes."""
    pa = need("pyarrow")
    coded = pa.DictionaryArray.from_arrays(pa.array([0] * rows), pa.array([word], kind))
    columns = {"word": coded, "x": np.arange(rows) * 0.5}
    if pa.types.is_list(kind):
        columns["word"] = coded.dictionary_decode()
    table = pa.table(columns)
    need("pyarrow.parquet").write_table(table, path, store_schema=False)
    assert path.stat().st_size < 2**20
    return path
