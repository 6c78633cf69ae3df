"""Anything that can be read piece by piece is; the rest is left to those who read it whole."""

import numpy as np
import pyarrow as pa
import pytest

import samelaw
from optional import need
from samelaw.tables.reading import arrow_batches as pieces
from samelaw.tables.reading.batch_sources import open_batches

ROWS = 3_000


def whole():
    return pa.table({"n": np.arange(ROWS), "x": np.linspace(0, 1, ROWS), "w": ["red"] * ROWS})


def test_frames_come_in_pieces_too(monkeypatch):
    monkeypatch.setattr(pieces, "VALUES", 3 * 1_024)
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for frame in (pandas.DataFrame(whole().to_pydict()), polars.from_arrow(whole()), whole()):
        found = open_batches(frame)
        assert found.rows == ROWS
        assert [p.num_rows for p in found.pieces()] == [1_024, 1_024, 952]


@pytest.mark.parametrize("source", ["-", {"x": [1, 2]}, np.ones((3, 2)), "no\nfile"])
def test_what_cannot_be_read_so_is_left_to_others(source):
    assert open_batches(source) is None


def test_objects_of_pandas_that_later_rows_hold_are_read_as_a_whole():
    """Arrow took the first rows for numbers, and failed in the middle with words of its own."""
    values = [1.0] * 30 + ["word"] * 30
    frame = need("pandas").DataFrame({"x": range(60), "o": np.array(values, dtype=object)})
    assert open_batches(frame) is None
    assert open_batches(frame, columns=["x"]) is not None
    with pytest.raises(ValueError, match="cannot be applied to the pandas DataFrame; it takes"):
        samelaw.compare(frame, frame, where="x > 3", rng=0)
