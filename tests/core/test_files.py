"""Files are complete or not there."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from samelaw.core import files
from samelaw.core.files import alone_with, digest_of, starts_with, write_text


def test_a_failed_write_leaves_the_old_file(tmp_path):
    place = tmp_path / "report.html"
    write_text(place, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(place, "new \ud800")
    assert place.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


KILLED = """
import os, signal, sys
from samelaw.core import files
os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
files.write_text(sys.argv[1], "half")
"""


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path):
    place = tmp_path / "report.html"
    write_text(place, "old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(place)], check=False)
    assert killed.returncode == -signal.SIGKILL
    left = [path for path in tmp_path.iterdir() if path != place]
    assert len(left) == 1
    assert place.read_text() == "old"
    write_text(tmp_path / "other.json", "{}")
    assert {path.name for path in tmp_path.iterdir()} == {"report.html", "other.json"}


def test_only_our_own_rubbish_is_removed(tmp_path):
    host, ours = files._host(), os.getpid()
    other = f"{int(host, 16) ^ 1:08x}"
    young = [f".{host}-{ours}-abc.samelaw-tmp", f".{other}-1-abc.samelaw-tmp", ".report.html.x1"]
    old = f".{other}-2-abc.samelaw-tmp"
    for name in (*young, old):
        (tmp_path / name).write_text("x")
    os.utime(tmp_path / old, (0, 0))
    os.utime(tmp_path / young[-1], (0, 0))  # not named like ours
    write_text(tmp_path / "new.json", "x")
    assert {path.name for path in tmp_path.iterdir()} == {*young, "new.json"}


def test_what_is_written_reaches_the_disk_before_its_name(tmp_path, monkeypatch):
    calls = []
    sync, move = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda number: (calls.append("sync"), sync(number)))
    monkeypatch.setattr(os, "replace", lambda *names: (calls.append("move"), move(*names)))
    write_text(tmp_path / "new.json", "x")
    assert calls == ["sync", "move", "sync"]  # the file, its name, the folder


def test_links_are_followed_and_permissions_kept(tmp_path):
    place, link = tmp_path / "real.json", tmp_path / "link.json"
    place.write_text("old")
    place.chmod(0o640)
    link.symlink_to(place)
    write_text(link, "new")
    assert link.is_symlink()
    assert place.read_text() == "new"
    assert stat.S_IMODE(place.stat().st_mode) == 0o640


def test_a_new_file_follows_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write_text(tmp_path / "new.json", "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == 0o640


def test_devices_are_written_to_never_replaced():
    before = os.stat(os.devnull)
    write_text(os.devnull, "x")
    after = os.stat(os.devnull)
    assert stat.S_ISCHR(after.st_mode)
    assert before.st_ino == after.st_ino


def test_a_file_that_has_grown_begins_with_what_it_was(tmp_path):
    place = tmp_path / "day.csv"
    place.write_text("x\n1\n")
    size, digest = place.stat().st_size, digest_of(place)
    assert not starts_with(place, size, digest)
    place.write_text("x\n1\n2\n")
    assert starts_with(place, size, digest)
    place.write_text("x\n2\n2\n")
    assert not starts_with(place, size, digest)
    place.write_text("x")
    assert not starts_with(place, size, digest)


HOLDING = """
import os, sys
from pathlib import Path
from samelaw.core.files import alone_with
with alone_with(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_processes_do_not_have_one_file_and_a_dead_one_blocks_nobody(tmp_path):
    place = tmp_path / "state"
    command = [sys.executable, "-c", HOLDING, str(place)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(OSError, match="in use by another process"), alone_with(place):
            pass
    finally:
        other.kill()
        other.communicate()
    with alone_with(place):
        pass
    assert not place.exists()
