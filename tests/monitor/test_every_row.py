"""Evidence of rows that always meet partners, and what both ways of judging share."""

import numpy as np
import pytest

from monitors import Litter, normal
from samelaw import DriftMonitor, Ever, RunLength
from samelaw.monitor import every_row
from samelaw.monitor.blocks import Layout
from samelaw.monitor.every_row import bits
from samelaw.monitor.shadow_bets import Judge

RNG = np.random.default_rng


def test_bits_of_one_pair():
    assert bits(np.array([1.0, 2.0, 0.0]), np.array([2.0, 2.0, 0.0]), 1).tolist() == [1, 0, 0]
    assert bits(np.ones(1), np.full(1, 5.0), 4).tolist() == [1.0]


@pytest.mark.parametrize("suspicion", [False, True])
def test_a_saved_monitor_goes_on_bit_for_bit_and_finds_a_change(suspicion):
    one = Litter(rows=2_000, suspicion=suspicion).monitor(RNG(0), 900, RunLength(10_000))
    one.update(normal(RNG(1), 203))
    other = DriftMonitor.from_bytes(one.to_bytes())
    for rows, shift in ((1, 0.0), (66, 0.0), (400, 1.0), (40, 1.0)):
        batch = normal(RNG(rows), rows) + shift
        assert one.update(batch).to_json() == other.update(batch).to_json()
        other = DriftMonitor.from_bytes(other.to_bytes())
    assert one.reading.alarm
    assert abs(one.reading.since - 270) < 60
    assert one.reading.changes[0].pvalue is not None


def test_how_a_stream_is_cut_does_not_matter():
    litter, stream, found = Litter(rows=1_000, suspicion=True), normal(RNG(8), 400), []
    stream[200:, 0] += 0.4
    for cuts in ([], [1, 9, 10, 37, 200, 255, 340]):
        monitor = litter.monitor(RNG(9), 1_000, Ever(1e-9))
        for part in np.split(stream, cuts):
            reading = monitor.update(part)
        found.append(reading.evidence)
    assert found[1] == pytest.approx(found[0], rel=1e-4)


FULL = np.array([every_row.SPARE, 1.0])


def test_suspicious_rows_meet_more_partners_as_long_as_there_are_enough():
    layout, suspicious = Layout(7, 17), np.array([False, True, True])  # blocks of 3, 10, 4 rows
    counts, spare = every_row._counts(suspicious, layout, 10_000, 2, FULL)
    assert counts.tolist() == [2] * 3 + [2 * every_row.CLOSER] * 14
    gained = 4 * every_row.ALLOWANCE  # what came before was more than it can hold
    assert spare.tolist() == pytest.approx([every_row.SPARE - 3 * 14 + gained, every_row.CLOSER])
    few, _ = every_row._counts(suspicious, layout, 2 * every_row.THRIFT + 20, 1, FULL)
    assert few.tolist() == [1] * 3 + [2] * 10 + [1] * 4  # the second block left too few
    assert np.all(every_row._counts(suspicious, layout, every_row.THRIFT, 1, FULL)[0] == 1)
    assert np.all(every_row._counts(suspicious, layout, 10_000, 1, np.array([9.0, 1.0]))[0] == 1)


def test_a_block_that_is_open_goes_on_as_it_began():
    one = every_row._counts(np.array([True, False]), Layout(0, 14), 10_000, 1, FULL)
    first = every_row._counts(np.array([True]), Layout(0, 4), 10_000, 1, FULL)
    rest = every_row._counts(np.array([True, False]), Layout(4, 10), 9_984, 1, first[1])
    assert one[0].tolist() == [*first[0], *rest[0]]
    assert one[1] == pytest.approx(rest[1], abs=1)


def test_suspicion_that_does_not_end_takes_little_more_in_the_long_run():
    layout = Layout(0, 20_000)
    counts, _ = every_row._counts(np.ones(2_000, dtype=bool), layout, 10**6, 1, FULL)
    assert 20_000 < counts.sum() <= (1 + every_row.ALLOWANCE) * 20_000 + every_row.SPARE


@pytest.mark.parametrize("left", [17, 251, 700, 1_003, 5_000])
@pytest.mark.parametrize("part", [0, 3])
def test_partners_never_run_out_where_there_is_room(left, part):
    reference = Litter(rows=600).monitor(RNG(0), left)._reference
    for pairs in (1, 3):
        layout = Layout(part, Judge().room(reference, pairs))
        suspicious = np.ones(layout.blocks, dtype=bool)
        met, _ = every_row._counts(suspicious, layout, left, pairs, np.array([400.0, 4.0]))
        assert 0 < met.sum() <= left


def test_how_many_partners_a_row_meets_does_not_depend_on_them():
    """Other pairing rows, the same stream: as many are used, whatever they are."""
    litter, stream, left = Litter(rows=2_000), normal(RNG(3), 600), []
    stream[450:, 0] += 0.5
    for seed in (1, 2):
        monitor = litter.monitor(RNG(seed), 4_000, RunLength(10**12))
        left.append(monitor.update(stream).rows_left)
    assert left[0] == left[1] < 4_000 - 600
