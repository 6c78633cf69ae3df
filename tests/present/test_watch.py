"""A folder as a stream: each file once, whatever happens."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from drift_files import ROWS, csv, fill, reference
from optional import need
from samelaw import DriftMonitor
from samelaw.monitor.ledger import Ledger
from samelaw.present.watch import Watch, as_seconds, stopping, watch

need("pyarrow")
RNG = np.random.default_rng


@pytest.fixture
def folder(tmp_path):
    fill(tmp_path / "in", range(1, 4))
    return tmp_path


def ledger_of(folder):
    ledger = Ledger(folder / "state")
    if not ledger.started:
        ledger.start(DriftMonitor(reference(folder), rng=0), "reference.csv")
    return ledger


def watcher(folder, ledger, settled=0.0):
    return Watch(folder / "in", ledger, ledger.monitor(), settled)


def names(periods):
    return [period.name for period in periods]


def undisturbed(folder, days, shift=0.0):
    """Evidence of the same files, one after another."""
    monitor = DriftMonitor(reference(folder), rng=0)
    for day in days:
        reading = monitor.update(folder / "in" / f"day{day:02}.csv")
    return reading


def test_each_file_is_judged_once_in_the_order_of_names(folder):
    with ledger_of(folder) as ledger:
        one = watcher(folder, ledger)
        assert names(one.look()) == ["day01.csv", "day02.csv", "day03.csv"]
        assert one.look() == []
        os.utime(folder / "in" / "day01.csv", (1, 1))  # touched, by a clock that jumped back
        assert one.look() == []
        fill(folder / "in", [4])
        os.utime(folder / "in" / "day04.csv", (2, 2))  # new, though it looks older than all others
        assert names(one.look()) == ["day04.csv"]
    with ledger_of(folder) as ledger:
        again = watcher(folder, ledger)
        assert again.look() == []
        assert again.monitor.reading.rows == 4 * ROWS
        assert again.monitor.reading.evidence == undisturbed(folder, range(1, 5)).evidence


def test_half_written_files_are_waited_for(folder):
    path = folder / "in" / "day04.csv"
    with ledger_of(folder) as ledger:
        one = watcher(folder, ledger, settled=0.1)
        path.write_text(csv(4)[:500])
        assert one.look() == []
        assert one.waiting
        time.sleep(0.11)
        path.write_text(csv(4))
        assert "day04.csv" not in names(one.look())
        time.sleep(0.11)
        assert names(one.look()) == ["day04.csv"]
        assert not one.waiting
        assert one.monitor.reading.rows == 4 * ROWS


def test_names_that_are_no_tables_are_not_looked_at(folder):
    for name in ("day09.csv.part", ".day09.csv", "_log.csv", "notes.md"):
        (folder / "in" / name).write_text(csv(9))
    (folder / "in" / "old.csv").mkdir()
    with ledger_of(folder) as ledger:
        assert len(watcher(folder, ledger).look()) == 3


def test_broken_files_are_set_aside_and_the_stream_goes_on(folder):
    bad = folder / "in" / "day02.csv"
    bad.write_text("amount\n1\n")
    with ledger_of(folder) as ledger:
        one = watcher(folder, ledger)
        found = one.look()
        assert [bool(period.error) for period in found] == [False, True, False]
        assert "'region' is not in" in found[1].error
        assert found[1].rows == 0
        expected = undisturbed(folder, [1, 3]).evidence
        assert one.monitor.reading.evidence == expected
        bad.write_text(csv(2))  # mended: it was never counted, so it is read
        assert names(one.look()) == ["day02.csv"]
        assert one.monitor.reading.rows == 3 * ROWS


def test_a_file_that_changes_after_it_was_read_is_not_counted_again(folder):
    with ledger_of(folder) as ledger:
        one = watcher(folder, ledger)
        one.look()
        (folder / "in" / "day02.csv").write_text(csv(2) + "1,north\n")
        (period,) = one.look()
        assert "changed after it was read" in period.error
        (folder / "in" / "copy.csv").write_text(csv(1))
        (period,) = one.look()
        assert "holds what day01.csv held" in period.error
        assert one.look() == []
        assert one.monitor.reading.rows == 3 * ROWS


def until_full(one, bad):
    """A broken file, over and over: its errors fill the disk."""
    for turn in range(400):
        bad.write_text(f"x{turn}\n1\n")
        one.look()


def test_a_full_disk_counts_nothing_and_is_tried_again(folder):
    with ledger_of(folder) as ledger:
        one = watcher(folder, ledger)
        ledger._database.execute(f"PRAGMA max_page_count = {ledger._one('PRAGMA page_count')}")
        with pytest.raises(OSError, match="full"):
            until_full(one, folder / "in" / "day00.csv")
        rows = sum(period.rows for period in ledger.periods())
        assert one.monitor.reading.rows == rows
        ledger._database.execute("PRAGMA max_page_count = 1000000")
        one.look()
        assert one.monitor.reading.rows == 3 * ROWS


def test_it_ends_when_asked_to_and_tells_what_is_new(folder):
    told = []
    with ledger_of(folder) as ledger:
        one = watcher(folder, ledger)

        def tell(history, new):
            told.append(names(new))
            os.kill(os.getpid(), signal.SIGTERM)

        with stopping():  # a second SIGTERM that comes late must not end the tests
            history = watch(one, 9.0, tell, failed=print)
    assert told[0] == []
    assert history.reading.rows == 3 * ROWS


def test_intervals():
    assert [as_seconds(text) for text in ("2", "1.5s", "3m", "2h")] == [2, 1.5, 180, 7200]
    for text in ("", "soon", "-1s", "0"):
        with pytest.raises(ValueError, match="--interval"):
            as_seconds(text)


KILLED = """
import os, signal, sys
from samelaw.monitor import ledger
from samelaw.present.cli import run
moment, count = sys.argv[1], 0
execute = ledger.Ledger.add
def add(self, monitor, period):
    global count
    count += 1
    if count == 2 and moment == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    if count == 2 and moment == "within":
        monitor.to_bytes = lambda: os.kill(os.getpid(), signal.SIGKILL)
    execute(self, monitor, period)
    if count == 2:
        os.kill(os.getpid(), signal.SIGKILL)
ledger.Ledger.add = add
run(["monitor", "reference.csv", "--watch", "in", "--state", "state", "--once", "--interval",
     "0.05s", "--seed", "0"])
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "moment", ["within", *(pytest.param(m, marks=pytest.mark.heavy) for m in ("before", "after"))]
)
def test_a_kill_around_the_transaction_neither_loses_nor_doubles_a_file(folder, moment):
    need("typer")
    reference(folder)
    script = [sys.executable, "-c", KILLED, moment]
    killed = subprocess.run(script, cwd=folder, check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with Ledger(folder / "state") as ledger:
        assert len(ledger.periods()) == 2 - (moment != "after")
        one = watcher(folder, ledger)
        one.look()
        assert names(ledger.periods()) == ["day01.csv", "day02.csv", "day03.csv"]
        assert one.monitor.reading.evidence == undisturbed(folder, range(1, 4)).evidence


def watching(folder):
    command = ["monitor", "reference.csv", "--watch", "in", "--state", "state"]
    more = ["--interval", "0.05s", "--seed", "0", "--report", "page.html", "--quiet"]
    return subprocess.Popen([sys.executable, "-m", "samelaw", *command, *more], cwd=folder)


def wait_for_another(page):
    """Until a page is written, or written anew."""
    before = page.stat().st_mtime_ns if page.exists() else None
    end = time.monotonic() + 60
    while time.monotonic() < end and (not page.exists() or page.stat().st_mtime_ns == before):
        time.sleep(0.01)


@pytest.mark.heavy
def test_fifty_kills_at_random_moments(tmp_path):
    """Files keep coming; rows are counted once and the evidence is that of a quiet day."""
    need("typer")
    (tmp_path / "in").mkdir()
    reference(tmp_path)
    rng, day = RNG(0), 0
    for turn in range(50):
        process, page = watching(tmp_path), tmp_path / "page.html"
        try:
            if turn % 5:  # at work, or else while it starts
                wait_for_another(page)
            end = time.monotonic() + rng.uniform(0.0, 1.0)
            while time.monotonic() < end:
                day += 1
                part = tmp_path / "in" / f"day{day:04}.csv.part"
                part.write_text(csv(day, 10))
                part.rename(part.with_suffix(""))
                time.sleep(rng.uniform(0.0, 0.3))
        finally:
            process.kill()
            process.wait()
        assert not page.exists() or page.read_text().rstrip().endswith("</html>")
    with Ledger(tmp_path / "state") as ledger:
        one = Watch(tmp_path / "in", ledger, ledger.monitor(), 0.0)
        one.look()
        read = names(ledger.periods())
        assert sorted(read) == [f"day{i:04}.csv" for i in range(1, day + 1)]
        assert one.monitor.reading.rows == 10 * day
        monitor = DriftMonitor(tmp_path / "reference.csv", rng=0)
        for name in read:
            reading = monitor.update(tmp_path / "in" / name)
        assert one.monitor.reading.evidence == reading.evidence
