import numpy as np
import pytest

from optional import need
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
