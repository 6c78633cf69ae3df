import gzip
import os
import sys

import numpy as np
import pytest

from optional import need
from samelaw.data import limits, opening
from samelaw.data.read import read_table
from tables import write, write_parquet


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


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(ValueError, match=r"pip install samelaw\[cli\]"):
            read_table(write(tmp_path / name, "x\n1\n"))
