"""Real tables for tests: those shipped, and those of the data folder where there is one."""

import gzip
import os
from functools import cache
from pathlib import Path

import numpy as np

from optional import need

ROOT = Path(__file__).parents[1]


@cache
def orders():
    """The shipped orders of a web shop: numbers, words, dates, flags, missing values."""
    need("pyarrow")
    from samelaw.tables.reading.read import read_table

    table = read_table(ROOT / "examples" / "data" / "same_a.csv")
    columns = {}
    for column in table.columns:
        if column.categories:
            words = np.array([*column.categories, None], dtype=object)
            columns[column.name] = words[column.values]
        else:
            columns[column.name] = column.values
    columns.pop("ordered_at", None)
    return columns


@cache
def stream(name):
    """A stream of the data folder, or None."""
    folder = Path(os.environ.get("SAMELAW_DATA", ROOT.parent / "shared" / "data"))
    path = folder / "drift_tabular" / f"{name}.csv.gz"
    if not path.exists():
        return None
    with gzip.open(path, "rt") as file:
        names = file.readline().strip().split(",")
        rows = np.loadtxt(file, delimiter=",")
    return {name: rows[:, i] for i, name in enumerate(names)}
