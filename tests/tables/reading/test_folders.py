from glob import glob
from pathlib import Path

import numpy as np
import pytest

from optional import need
from samelaw.tables.reading.folders import matching
from samelaw.tables.reading.read import read_table
from table_files import write


def test_links_that_go_round_give_each_file_once(tmp_path):
    need("pyarrow")
    (tmp_path / "day" / "deep").mkdir(parents=True)
    write(tmp_path / "day" / "1.csv", "x,y\n1,a\n")
    write(tmp_path / "day" / "deep" / "2.csv", "x,y\n2,b\n")
    for i in range(8):  # every further link multiplies the paths: 8 to the power of 40 in all
        (tmp_path / "day" / "deep" / f"up{i}").symlink_to(tmp_path)
    (tmp_path / "day" / "3.csv").symlink_to(tmp_path / "day" / "1.csv")
    for source in ("", "**/*.csv", "day/**/*.csv", "d*/**/*.csv", "**/[12].csv"):
        table = read_table(f"{tmp_path}/{source}")
        np.testing.assert_array_equal(table.column("x").values, [1, 2])
    assert read_table(f"{tmp_path}/*/*.csv").rows == 1


def test_a_linked_folder_is_read(tmp_path):
    need("pyarrow")
    (tmp_path / "real").mkdir()
    (tmp_path / "here").mkdir()
    write(tmp_path / "real" / "1.csv", "x,y\n1,a\n")
    (tmp_path / "here" / "link").symlink_to(tmp_path / "real")
    for source in (tmp_path / "here", tmp_path / "here" / "link", f"{tmp_path}/here/**/*.csv"):
        assert read_table(source).rows == 1


@pytest.mark.parametrize(
    "pattern", ["**/*.csv", "*/*.csv", "**/b/*.csv", "a/**", "**", "**/.h*/*", "a/**/b/**/*.csv"]
)
def test_patterns_mean_what_glob_means(tmp_path, pattern):
    for name in (
        "1.csv",
        "a/2.csv",
        "a/b/3.csv",
        "a/b/c/4.csv",
        ".h/5.csv",
        "a/.h/6.csv",
        "b/7.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / name, "x\n1\n")
    found = glob(f"{tmp_path}/{pattern}", recursive=True)
    assert matching(f"{tmp_path}/{pattern}") == sorted(p for p in map(Path, found) if p.is_file())
