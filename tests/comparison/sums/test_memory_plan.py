"""The memory of comparisons that keep no rows: what shrinks, what is refused, what is taken."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from samelaw.comparison.sums.memory_plan import StreamRoom
from samelaw.comparison.sums.reservoir import DRAWN, FEWEST_DRAWN, Reservoir
from samelaw.core.memory import LEAST, Budget
from samelaw.testing.sketch_backend import MOST_BLOCKS

GIB = 2.0**30


def test_what_needs_little_is_as_large_as_it_can_be():
    room = StreamRoom(Budget(6 * GIB), 10)
    assert room.drawn == DRAWN
    assert room.blocks(4e5, 999) == MOST_BLOCKS


def test_little_memory_shortens_everything_that_is_held():
    few, many = (StreamRoom(Budget(total), 100) for total in (LEAST, 4 * GIB))
    for name in ("drawn", "rows_at_once", "pairs", "tests", "reservoir"):
        assert getattr(few, name) < getattr(many, name)
    assert few.blocks(4e5, 999) < many.blocks(4e5, 999)
    assert StreamRoom(Budget(LEAST), 10_000).drawn == FEWEST_DRAWN


def test_what_does_not_fit_is_refused_with_what_to_do():
    with pytest.raises(MemoryError, match=r"--columns.*fewer permutations"):
        StreamRoom(Budget(LEAST), 5_000).blocks(2e7, 999)
    with pytest.raises(MemoryError, match="1,000,000 permutations"):
        StreamRoom(Budget(LEAST), 5).blocks(1e5, 1_000_000)


def test_a_reservoir_keeps_what_there_is_room_for():
    reservoir = Reservoir(50_000, np.random.default_rng(0), room=2e5, least=100)
    for start in range(0, 40_000, 5_000):
        reservoir.show(pa.table({"row": np.arange(start, start + 5_000)}))
    table, numbers, keys = reservoir.kept()
    assert reservoir.rows == 40_000
    assert 10_000 < len(keys) <= 25_000, "8 bytes a row"
    assert table.nbytes <= 2e5
    np.testing.assert_array_equal(table["row"].to_numpy(), numbers)
    assert abs(numbers.mean() / 20_000 - 1) < 4 * np.sqrt(1 / (3 * len(keys)))


_MEASURED = """
import sys
import samelaw
from samelaw.comparison.sums import large_tables

def memory(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))

large_tables.STREAMED_ABOVE = large_tables.FEWEST = 0
samelaw.compare(sys.argv[1], sys.argv[1], columns=["x0"], rng=0, permutations=19)  # all is imported
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the largest so far is forgotten
before = memory("VmRSS")
samelaw.compare(*sys.argv[1:], rng=0, permutations=99, memory=2**28)
print(memory("VmHWM") - before)
"""


@pytest.mark.heavy
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the kernel")
def test_a_wide_table_stays_within_the_memory_allowed(tmp_path):
    """150 columns of 30,000 rows; without a bound they take more than a gigabyte."""
    rng = np.random.default_rng(0)
    paths = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    for path in paths:
        pq.write_table(pa.table({f"x{i}": rng.normal(size=30_000) for i in range(150)}), path)
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, *paths], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 256 + 64
