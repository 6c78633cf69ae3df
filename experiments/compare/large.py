"""Time and memory of compare: two Parquet files of a million rows and twenty columns."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common import versions, write_json
from experiments.compare.measure import measured

ROWS = 1_000_000
CHUNK = 100_000


def twenty(rng: np.random.Generator, rows: int, shift: float = 0.0) -> dict[str, Any]:
    """Nine numbers in correlated triples, four counts, two booleans, four categories, a time.

    Every fifth column lacks some values.
    """
    import pyarrow as pa

    shared = np.repeat(rng.normal(size=(rows, 3)), 3, axis=1)
    numbers = 0.6 * shared + 0.8 * rng.normal(size=(rows, 9))
    numbers[:, 0] += shift
    numbers[:, 3:6] = np.exp(numbers[:, 3:6])
    columns: dict[str, Any] = {f"x{i}": numbers[:, i] for i in range(9)}
    columns |= {f"count{i}": rng.poisson(2.0 + 3 * i, size=rows) for i in range(4)}
    columns |= {f"flag{i}": rng.random(rows) < 0.2 + 0.3 * i for i in range(2)}
    for i, width in enumerate((3, 8, 30, 200)):
        shares = 1.0 / np.arange(1, width + 1)
        codes = rng.choice(width, size=rows, p=shares / shares.sum())
        words = pa.array([f"c{k}" for k in range(width)])
        columns[f"kind{i}"] = pa.DictionaryArray.from_arrays(codes.astype(np.int32), words)
    minutes = rng.integers(0, 60 * 24 * 90, size=rows)
    columns["time"] = np.datetime64("2025-01-01T00:00", "s") + 60 * minutes
    for place, name in enumerate(list(columns)[:15]):
        if place % 5 == 0:
            columns[name] = pa.array(columns[name], mask=rng.random(rows) < 0.03)
    return columns


def write_parquet(path: Path, seed: int, shift: float, rows: int) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, writer = np.random.default_rng(seed), None
    for start in range(0, rows, CHUNK):
        table = pa.table(twenty(rng, min(CHUNK, rows - start), shift))
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer:
        writer.close()
    return path


def run(folder: Path, rows: int = ROWS) -> dict[str, Any]:
    """Write both files, compare them, enter what it took."""
    with tempfile.TemporaryDirectory() as place:
        files = [
            write_parquet(Path(place, f"{name}.parquet"), seed, shift, rows)
            for name, seed, shift in (("a", 1, 0.0), ("b", 2, 0.02))
        ]
        book = {"versions": versions(), "run": measured(files)}
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "large.json", book)
    return book
