import numpy as np
import pytest

from optional import need
from samelaw.tables.reading.file_batches import batches_of_file
from samelaw.tables.reading.formats import FOUND
from samelaw.tables.reading.read import read_table
from table_files import READ, peak, write_bomb, write_parquet


@pytest.mark.long
def test_a_long_word_many_times_is_read_once(tmp_path):
    pa = need("pyarrow")
    path = write_bomb(tmp_path / "t.parquet", "ab" * 2**19, pa.string())
    size, lines = peak(READ, path)
    assert lines == ["['constant', 'numeric']"]
    assert size < 2**9


@pytest.mark.parametrize(
    "kind",
    [
        "bytes",
        *(pytest.param(k, marks=pytest.mark.long) for k in ("numbers", "batch")),
        *(pytest.param(k, marks=pytest.mark.heavy) for k in ("list", "prefixes")),
    ],
)
def test_values_that_decode_to_more_than_there_is_room_for(tmp_path, kind):
    pa = need("pyarrow")
    path = tmp_path / "t.parquet"
    if kind == "bytes":
        write_bomb(path, b"ab" * 2**19, pa.binary())
    elif kind == "list":
        write_bomb(path, ["ab" * 2**19], pa.list_(pa.string()), rows=400)
    elif kind == "prefixes":
        words = pa.table({"word": ["ab" * 2**19 + str(i) for i in range(400)]})
        options = {"use_dictionary": False, "column_encoding": {"word": "DELTA_BYTE_ARRAY"}}
        need("pyarrow.parquet").write_table(words, path, **options)
    elif kind == "numbers":
        write_parquet(path, pa.table({"x": np.zeros(2**26, dtype=np.int8)}))
    else:
        path = tmp_path / "t.arrow"
        options = need("pyarrow.ipc").IpcWriteOptions(compression="zstd")
        zeros = pa.record_batch({"x": np.zeros(2**20)})
        with need("pyarrow.ipc").new_file(path, zeros.schema, options=options) as writer:
            for _ in range(100):
                writer.write_batch(zeros)
    assert path.stat().st_size < 2**22
    size, lines = peak(READ, path)
    assert lines == [
        f"{path} unpacks to more than 256.0 MiB, all that it may take here; compare fewer columns "
        "(--columns, columns= in Python) or a sample of its rows."
    ]
    assert size < 2**10


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize(("checked", "column"), [(True, "x"), (True, "word"), (False, "x")])
def test_pages_that_do_not_match_their_checksums_are_damaged(tmp_path, piecewise, checked, column):
    pa, path = need("pyarrow"), tmp_path / "t.parquet"
    values = {"x": np.arange(500.0), "word": [f"word{i % 7}" for i in range(500)]}
    written = {"compression": "none", "use_dictionary": ["word"], "write_page_checksum": checked}
    need("pyarrow.parquet").write_table(pa.table(values), path, **written)

    def read():
        if not piecewise:
            return read_table(path).rows
        return sum(piece.num_rows for piece in batches_of_file(path, None, FOUND).pieces())

    assert read() == 500
    raw = bytearray(path.read_bytes())
    raw[raw.index(np.float64(123.0).tobytes() if column == "x" else b"word3")] ^= 1
    path.write_bytes(raw)
    if not checked:
        assert read() == 500  # nothing tells
        return
    with pytest.raises(ValueError, match="is damaged: a part of it does not match the checksum"):
        read()
