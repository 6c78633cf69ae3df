import zipfile

import numpy as np
import pytest

from optional import need
from samelaw.tables.reading.read import read_table
from table_files import (
    MIXED,
    READ,
    kinds,
    mixed_arrow,
    peak,
    write,
    write_arrow_file,
    write_bomb,
    write_parquet,
)


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("name", ["t.feather", "t.arrow", "stream.arrow"])
def test_feather_files_of_polars(tmp_path, name, compression):
    need("pyarrow")
    polars = need("polars")
    words = ["red", None, "a longer word than fits", "red"]
    frame = polars.DataFrame(
        {
            "word": words,
            "coded": polars.Series(words, dtype=polars.Categorical),
            "fixed": polars.Series(
                words, dtype=polars.Enum(["unused", *sorted({*words} - {None})])
            ),
            "number": ["1.5", "NA", "2", "2"],
        }
    )
    writer = frame.write_ipc_stream if name.startswith("stream") else frame.write_ipc
    writer(tmp_path / name, compression=compression)
    table = read_table(tmp_path / name)
    for column in ("word", "coded", "fixed"):
        found = table.column(column)
        assert found.categories == ("a longer word than fits", "red")
        np.testing.assert_array_equal(found.values, [1, -1, 0, 1])
    np.testing.assert_array_equal(table.column("number").values, [1.5, np.nan, 2, 2])


def test_npy_and_npz(tmp_path):
    np.save(tmp_path / "t.npy", np.arange(6.0).reshape(3, 2))
    assert read_table(tmp_path / "t.npy").names == ("x1", "x2")
    np.savez(tmp_path / "one.npz", np.arange(6.0).reshape(3, 2))
    assert read_table(tmp_path / "one.npz").names == ("x1", "x2")
    np.savez(
        tmp_path / "many.npz",
        a=np.array([1, 2, 2]),
        w=np.array(["u", "v", "v"]),
        e=np.ones((3, 2)),
        t=np.array(["2025-03-01", "NaT", "2025-03-02"], dtype="datetime64[D]"),
    )
    assert kinds(read_table(tmp_path / "many.npz")) == {
        "a": "integer",
        "w": "categorical",
        "e_x1": "constant",
        "e_x2": "constant",
        "t": "datetime",
    }
    fields = np.array([(1.5, "a"), (2.5, "b")], dtype=[("size", "f8"), ("word", "U1")])
    np.save(tmp_path / "fields.npy", fields)
    assert kinds(read_table(tmp_path / "fields.npy")) == {"size": "numeric", "word": "categorical"}


def test_only_the_columns_asked_for_are_read(tmp_path):
    pa = need("pyarrow")
    bomb = write_bomb(tmp_path / "t.parquet", b"ab" * 2**19, pa.binary())
    write_arrow_file(tmp_path / "t.feather", mixed_arrow())
    script = READ.replace("read_table(sys.argv[1])", "read_table(sys.argv[1], ['x'])")
    size, lines = peak(script, bomb)
    assert lines == ["['numeric']"]
    assert size < 2**9
    for path, name, rest in (
        (bomb, "x", {"word"}),
        (tmp_path / "t.feather", "day", {*MIXED} - {"day"}),
    ):
        table = read_table(path, [name])
        assert tuple(table.raw) == (name,)
        assert set(table.unread) == rest
        with pytest.raises(ValueError, match=f"column 'z' is not in {path}; its columns are"):
            read_table(path, ["z"])


def test_array_header_that_claims_too_much(tmp_path):
    np.save(tmp_path / "t.npy", np.zeros(3))
    claim = (tmp_path / "t.npy").read_bytes().replace(b"(3,)", b"(3000000000000,)")
    claim = claim.replace(b" " * 12 + b"\n", b"\n")
    with pytest.raises(ValueError, match="cannot be read as a numpy file"):
        read_table(write(tmp_path / "t.npy", claim))


def test_pickles_are_never_loaded(tmp_path):
    np.save(tmp_path / "t.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "t.npz", np.array([{}], dtype=object), allow_pickle=True)
    for name in ("t.npy", "t.npz"):
        with pytest.raises(ValueError, match="holds Python objects, which samelaw never loads"):
            read_table(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "z.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises((ValueError, TypeError)):
        read_table(tmp_path / "z.npz")


def test_duplicate_names_in_parquet(tmp_path):
    write_parquet(tmp_path / "t.parquet", need("pyarrow").table([[1], [2]], names=["x", "x"]))
    with pytest.raises(ValueError, match=r"t\.parquet has more than one column named 'x'"):
        read_table(tmp_path / "t.parquet")
