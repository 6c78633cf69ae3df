"""Features from files: every format gives the same rows, and what is no feature is named."""

import numpy as np
import pytest

from optional import need
from samelaw.extras.generators.features import read_features

ROWS = np.arange(12.0).reshape(6, 2)


def write(path):
    """The same rows in the format of the ending."""
    if path.suffix == ".npy":
        np.save(path, ROWS.reshape(6, 2, 1).astype(np.float32))
    elif path.suffix == ".npz":
        np.savez(path, features=ROWS)
    elif path.suffix == ".safetensors":
        need("safetensors.numpy").save_file({"features": ROWS}, path)
    else:
        pa, parquet = need("pyarrow"), need("pyarrow.parquet")
        kind = pa.list_(pa.float64(), 2) if "fixed" in path.name else None
        columns = {"a": ROWS[:, 0], "b": ROWS[:, 1]}
        if "list" in path.name:
            columns = {"embedding": pa.array(ROWS.tolist(), type=kind)}
        parquet.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize(
    "name",
    ["x.npy", "x.npz", "x.safetensors", "x.parquet", "list.parquet", "fixed-list.parquet"],
)
def test_every_format_gives_the_rows(name, tmp_path):
    np.testing.assert_array_equal(read_features(write(tmp_path / name)), ROWS)


def test_a_folder_is_its_files_in_order(tmp_path):
    for name in ("b.npy", "a.safetensors"):
        write(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no features")
    assert read_features(tmp_path).shape == (12, 2)


def test_what_is_no_feature_is_named(tmp_path):
    np.savez(tmp_path / "two.npz", a=ROWS, b=ROWS)
    with pytest.raises(ValueError, match=r"holds 2 arrays \(a, b\)"):
        read_features(tmp_path / "two.npz")
    np.save(tmp_path / "words.npy", np.array(["a", "b"]))
    with pytest.raises(ValueError, match="expected numbers, one row per item"):
        read_features(tmp_path / "words.npy")
    (tmp_path / "x.txt").write_text("1")
    with pytest.raises(ValueError, match=r"ends in '\.txt'; features are read from \.npy"):
        read_features(tmp_path / "x.txt")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_features(tmp_path / "absent.npy")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="holds no file of features"):
        read_features(tmp_path / "empty")
    (tmp_path / "cut.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00{}")
    with pytest.raises(ValueError, match=r"cut\.safetensors"):
        read_features(tmp_path / "cut.safetensors")
    write(tmp_path / "empty" / "a.npy")
    np.save(tmp_path / "empty" / "b.npy", np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"have \[2, 3\] columns"):
        read_features(tmp_path / "empty")


def test_a_column_of_words_is_named(tmp_path):
    pa, parquet = need("pyarrow"), need("pyarrow.parquet")
    parquet.write_table(pa.table({"label": ["x", "y"]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="the column label is not made of numbers"):
        read_features(tmp_path / "t.parquet")
