import bz2
import gzip
import io
import os
import sys
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from optional import need
from samelaw.core import free_memory as limits
from samelaw.tables.reading import opening
from samelaw.tables.reading.read import read_table
from table_files import write, write_parquet


@pytest.mark.parametrize("name", ["no.csv", "no.parquet", "no.jsonl", "no.npy", "no.txt", "no"])
def test_missing_file(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=f"{name} does not exist; check the path"):
        read_table(tmp_path / name)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.jsonl", "t.npy"])
def test_permission_denied(tmp_path, name, monkeypatch):
    path = write(tmp_path / name, "x\n1\n")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(opening, "fingerprint", refuse)  # tests may run as root, who may read all
    with pytest.raises(PermissionError, match=f"{name} may not be read: permission denied"):
        read_table(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_permission_denied_by_the_system(tmp_path):
    path = write(tmp_path / "t.csv", "x\n1\n")
    path.chmod(0)
    with pytest.raises(PermissionError, match=r"t\.csv may not be read: permission denied"):
        read_table(path)


def test_small_files_that_unpack_to_large_ones_are_refused(tmp_path, monkeypatch):
    need("pyarrow")
    monkeypatch.setattr(limits, "LARGEST", 2**16)
    bomb = gzip.compress(b"x\n" + b"1\n" * 2**17)
    for name in ("t.csv.gz", "t.jsonl.gz"):
        with pytest.raises(ValueError, match="unpacks to more than"):
            read_table(write(tmp_path / name, bomb))
    np.savez_compressed(tmp_path / "t.npz", np.zeros(2**17))
    with pytest.raises(ValueError, match="unpacks to more than"):
        read_table(tmp_path / "t.npz")
    write_parquet(tmp_path / "t.parquet", need("pyarrow").table({"x": np.arange(2**15) * 0.7}))
    with pytest.raises(ValueError, match="unpacks to more than"):
        read_table(tmp_path / "t.parquet")


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def test_bzip2_and_zip_are_unpacked(tmp_path):
    need("pyarrow")
    text = "x,y\n1.5,a\n2.5,b\n"
    paths = [
        write(tmp_path / "t.csv.bz2", bz2.compress(text.encode())),
        zipped(tmp_path / "t.csv.zip", {"t.csv": text}),
        zipped(tmp_path / "t.zip", {"t.csv": text, "__MACOSX/t.csv": "x"}),
        zipped(tmp_path / "j.zip", {"t.json": '[{"x": 1.5, "y": "a"}, {"x": 2.5, "y": "b"}]'}),
    ]
    for path in paths:
        table = read_table(path)
        np.testing.assert_array_equal(table.column("x").values, [1.5, 2.5], err_msg=path.name)
        assert table.source == str(path)


def test_a_zip_file_must_hold_one_file(tmp_path):
    need("pyarrow")
    two = zipped(tmp_path / "two.zip", {"a.csv": "x\n1\n", "b.csv": "x\n1\n"})
    with pytest.raises(ValueError, match=r"two\.zip holds 'a\.csv', 'b\.csv'; expected one file"):
        read_table(two)
    with pytest.raises(ValueError, match=r"none\.zip holds nothing; expected one file"):
        read_table(zipped(tmp_path / "none.zip", {}))
    book = zipped(tmp_path / "book.csv", {"[Content_Types].xml": "<x/>", "a.xml": ""})
    with pytest.raises(ValueError, match=r"book\.csv is an Excel file or the like; name it \.xlsx"):
        read_table(book)


def test_a_locked_zip_file_is_refused(tmp_path):
    need("pyarrow")
    path = zipped(tmp_path / "t.csv.zip", {"t.csv": "x\n1\n2\n"})
    content = bytearray(path.read_bytes())
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + place] |= 1
    with pytest.raises(ValueError, match=r"is locked with a password; unpack it first"):
        read_table(write(path, bytes(content)))


def test_standard_input_is_bounded(monkeypatch):
    monkeypatch.setattr(limits, "LARGEST", 2**10)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"1\n" * 2**20)))
    with pytest.raises(ValueError, match="standard input unpacks to more than"):
        read_table("-")


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(ValueError, match=r"pip install samelaw\[cli\]"):
            read_table(write(tmp_path / name, "x\n1\n"))
