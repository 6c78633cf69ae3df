"""What all routes share: promises in words, and evidence that a saved monitor goes on with."""

import numpy as np
import pytest

from monitors import Litter, normal
from samelaw import DriftMonitor, Ever, RunLength
from samelaw.monitor.routes import bits
from samelaw.routes import Always, OnSuspicion, WholeReference

RNG = np.random.default_rng
ROUTES = [Always(), OnSuspicion(), WholeReference()]


def test_bits_of_one_pair():
    assert bits(np.array([1.0, 2.0, 0.0]), np.array([2.0, 2.0, 0.0]), 1).tolist() == [1, 0, 0]
    assert bits(np.ones(1), np.full(1, 5.0), 4).tolist() == [1.0]


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: type(r).__name__)
def test_a_saved_monitor_goes_on_bit_for_bit_and_finds_a_change(route):
    one = Litter(rows=2_000, route=route).monitor(RNG(0), 900, RunLength(10_000))
    one.update(normal(RNG(1), 203))
    other = DriftMonitor.from_bytes(one.to_bytes())
    for rows, shift in ((1, 0.0), (66, 0.0), (400, 1.0), (40, 1.0)):
        batch = normal(RNG(rows), rows) + shift
        assert one.update(batch).to_json() == other.update(batch).to_json()
        other = DriftMonitor.from_bytes(other.to_bytes())
    assert one.reading.alarm
    assert abs(one.reading.since - 270) < 60
    assert one.reading.changes[0].pvalue is not None


@pytest.mark.parametrize("route", ROUTES[1:], ids=lambda r: type(r).__name__)
def test_how_a_stream_is_cut_does_not_matter(route):
    litter, stream, found = Litter(rows=1_000, route=route), normal(RNG(8), 400), []
    stream[200:, 0] += 0.4
    for cuts in ([], [1, 9, 10, 37, 200, 255, 340]):
        monitor = litter.monitor(RNG(9), 1_000, Ever(1e-9))
        for part in np.split(stream, cuts):
            reading = monitor.update(part)
        found.append(reading.evidence)
    assert found[1] == pytest.approx(found[0], rel=1e-4)
