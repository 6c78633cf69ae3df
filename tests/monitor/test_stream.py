"""A stream is saved whole or not at all, and refused if any byte of it is another."""

import json
from hashlib import sha256

import numpy as np
import pytest

from monitors import normal
from samelaw import DriftMonitor
from samelaw.cli.monitoring.metrics import prometheus
from samelaw.core.container import Container, Format
from samelaw.monitor import stream as stream_module
from samelaw.monitor.history import Period, watch_period
from samelaw.monitor.stream import FORMAT, Stream

RNG = np.random.default_rng


def judged(stream, *days):
    for day in days:
        period = watch_period(stream.monitor, normal(RNG(day), 40, 1), f"day {day}", str(day), 9)
        stream.add(period)
    return stream


@pytest.fixture(scope="module")
def small():
    """A stream of one column, two files, and an alarm."""
    stream = Stream(DriftMonitor(normal(RNG(0), 1_000, 1), rng=0), "ref.csv", "0", {"pairs": 1})
    moved = watch_period(stream.monitor, normal(RNG(3), 200, 1) + 3, "moved", "m", 8)
    stream.add(moved)
    return judged(stream, 4)


def test_it_comes_back_and_goes_on_bit_for_bit(small, tmp_path):
    small.write(tmp_path / "state")
    again = Stream.read(tmp_path / "state")
    assert again.history().to_json() == small.history().to_json()
    assert (again.periods, again.settings) == (small.periods, small.settings)
    assert [one.name for one in again.untold] == ["moved", "day 4"]
    again.write(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == (tmp_path / "state").read_bytes()
    kept, other = judged(Stream.read(tmp_path / "state"), 5), judged(again, 5)
    assert kept.history().to_json() == other.history().to_json()


def test_states_that_have_a_route_are_refused_by_their_number(tmp_path):
    for kind, version, read in (
        ("state of a stream", 1, Stream.read),
        ("state of a drift monitor", 4, DriftMonitor.load),
    ):
        Format(kind, version).write(tmp_path / "old", Container({}, {"route": {"name": "Always"}}))
        with pytest.raises(ValueError, match=rf"is of version {version}; .*: make it anew"):
            read(tmp_path / "old")


def refused(content, place, bit):
    content[place] ^= bit
    with pytest.raises(ValueError, match=r"the state (is damaged|is no|is of version)"):
        FORMAT.unpack(bytes(content), "the state")
    content[place] ^= bit


def packed(stream, path):
    stream.write(path)
    return bytearray(path.read_bytes())


def test_no_byte_of_what_is_said_of_files_may_be_another(small, tmp_path):
    """These were read back as other evidence, or ended in a TypeError."""
    content = packed(small, tmp_path / "state")
    start = content.find(b"periods")
    assert start > 0
    for place in [*range(start, start + 600), *range(0, len(content), 997)]:
        refused(content, place, 1 << place % 8)


@pytest.mark.heavy
def test_no_byte_at_all_may_be_another(small, tmp_path):
    content = packed(small, tmp_path / "state")
    for place in range(len(content)):
        refused(content, place, 1 << place % 8)


def test_no_row_of_the_stream_stays_after_a_change_is_accepted(tmp_path):
    """Rows that were put away to pair with later ones leave the file, wherever they were in it."""
    path, stream = tmp_path / "state", Stream(DriftMonitor(normal(RNG(0), 600, 1), rng=0))
    for rows in (normal(RNG(1), 300, 1), normal(RNG(2), 400, 1) + 2):
        stream.add(watch_period(stream.monitor, rows, "a file"))
        stream.write(path)
    reserved = stream.monitor._reserved
    assert reserved
    away = stream.monitor._reference.pairing.points[-reserved:]
    away = away[np.abs(away) < 3]  # those beyond the ends of the reference look like its ends
    assert all(one.tobytes() in path.read_bytes() for one in away[:10])
    stream.monitor.accept()
    stream.write(path)
    assert not any(one.tobytes() in path.read_bytes() for one in away)
    assert [one.name for one in tmp_path.iterdir()] == ["state"]


def test_many_files_make_a_small_state_and_are_known_all_the_same(tmp_path, monkeypatch):
    """With everything found in 290,000 files no state could be read again."""
    monkeypatch.setattr(stream_module, "MOST_PERIODS", 3)
    stream, digests = Stream(DriftMonitor(normal(RNG(0), 300, 1), rng=0)), []
    for day in range(6):
        digests.append(sha256(bytes([day])).hexdigest())
        stream.add(Period(f"day {day}", 0, 0, 0.0, 40.0, digest=digests[-1]))
    assert len(stream.untold) == 6, "what was not told is kept"
    stream.told = 6
    stream.add(Period("day 6", 0, 0, 0.0, 40.0, digest="ab" * 32))
    stream.write(tmp_path / "state")
    stream = Stream.read(tmp_path / "state")
    assert [one.name for one in stream.periods] == ["day 4", "day 5", "day 6"]
    assert [one.name for one in stream.untold] == ["day 6"]
    assert all(map(stream.knows, digests))
    assert not stream.knows("cd" * 32)
    assert not stream.knows("")
    assert stream.history().earlier == 4
    assert "samelaw_drift_files_total 7\n" in prometheus(stream.history())


def test_files_of_another_kind_are_refused(small, tmp_path):
    path = tmp_path / "state"
    small.monitor.save(path)
    with pytest.raises(ValueError, match="is no samelaw state of a stream"):
        Stream.read(path)
    path.write_bytes(b"SQLite format 3\0" + bytes(5_000))
    with pytest.raises(ValueError, match="is no samelaw state of a stream, or is cut off"):
        Stream.read(path)
    path.write_text(json.dumps({}))
    with pytest.raises(ValueError, match="is no samelaw state of a stream, or is cut off"):
        Stream.read(path)
