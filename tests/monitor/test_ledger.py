"""State and ledger are one; who else comes is told so."""

import sqlite3

import numpy as np
import pytest

from monitors import Litter, normal
from samelaw.monitor.history import watch_period
from samelaw.monitor.ledger import Ledger

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def litter():
    return Litter(rows=400)


def started(path, litter):
    ledger = Ledger(path)
    ledger.start(litter.monitor(RNG(0), 400), "somewhere")
    return ledger


def add(ledger, monitor, name, seed):
    ledger.add(monitor, watch_period(monitor, normal(RNG(seed), 40), name, digest=name))


def test_what_was_added_is_there_when_it_is_opened_again(litter, tmp_path):
    path = tmp_path / "state"
    with started(path, litter) as ledger:
        monitor = ledger.monitor()
        add(ledger, monitor, "one", 1)
        add(ledger, monitor, "two", 2)
        before = ledger.history(monitor)
    with Ledger(path) as ledger:
        assert ledger.started
        again = ledger.monitor()
        assert again.to_bytes() == monitor.to_bytes()
        assert ledger.history(again).to_json() == before.to_json()
        assert [one.rows for one in ledger.periods()] == [40, 40]


def test_a_failed_write_leaves_neither_state_nor_period(litter, tmp_path, monkeypatch):
    with started(tmp_path / "state", litter) as ledger:
        monitor = ledger.monitor()
        before = monitor.to_bytes()
        period = watch_period(monitor, normal(RNG(1), 40), "one")
        with monkeypatch.context() as broken:
            broken.setattr(type(monitor), "to_bytes", lambda self: object())  # cannot be stored
            with pytest.raises((OSError, sqlite3.Error)):
                ledger.add(monitor, period)
        assert ledger.periods() == []
        assert ledger.monitor().to_bytes() == before
        ledger.add(monitor, period)
        assert len(ledger.periods()) == 1


def test_a_full_disk_is_an_error_that_loses_nothing(litter, tmp_path):
    with started(tmp_path / "state", litter) as ledger:
        monitor = ledger.monitor()
        before = monitor.to_bytes()
        pages = ledger._one("PRAGMA page_count")
        ledger._database.execute(f"PRAGMA max_page_count = {pages}")  # what a full disk says
        monitor.accept(normal(RNG(3), 5_000))
        with pytest.raises(OSError, match="full"):
            ledger.save(monitor)
        assert ledger.monitor().to_bytes() == before


def test_two_at_once_refuse_each_other(litter, tmp_path):
    path = tmp_path / "state"
    with (
        started(path, litter),
        pytest.raises(OSError, match="in use by another samelaw monitor"),
    ):
        Ledger(path)
    Ledger(path).close()


def test_other_files_are_refused(litter, tmp_path):
    text, other, cut = (tmp_path / name for name in ("text", "other", "cut"))
    text.write_text("no database " * 100)
    with pytest.raises(OSError, match="damaged, or no state"):
        Ledger(text)
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE things (x)")
    connection.commit()
    connection.close()
    with pytest.raises(ValueError, match="name another file"):
        Ledger(other)
    started(cut, litter).close()
    cut.write_bytes(cut.read_bytes()[:-30_000])
    with (
        pytest.raises((OSError, ValueError), match=r"damaged|malformed|cut"),
        Ledger(cut) as ledger,
    ):
        ledger.monitor()
