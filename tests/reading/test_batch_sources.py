"""Anything that can be read piece by piece is; the rest is left to those who read it whole."""

import numpy as np
import pyarrow as pa
import pytest

from samelaw.reading import pieces
from samelaw.reading.batch_sources import open_batches

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
