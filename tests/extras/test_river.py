"""The monitor as river knows drift detectors."""

import numpy as np
import pytest

from monitors import normal
from optional import need

need("river")
from samelaw import Ever  # noqa: E402
from samelaw.extras import RiverDriftDetector  # noqa: E402

RNG = np.random.default_rng


def fed(detector, rows):
    """Rows after which a drift was detected."""
    found = []
    for number, (a, b) in enumerate(rows, 1):
        detector.update({"a": a, "b": b})
        if detector.drift_detected:
            found.append(number)
    return found


def test_every_change_is_one_drift_and_the_next_reference_is_the_new_law():
    detector = RiverDriftDetector(warm_up=300, seed=0, promise=Ever(0.05))
    assert not detector.reading
    stream = np.concatenate([normal(RNG(0), 350, 2), normal(RNG(1), 500, 2) + 2])
    found = fed(detector, stream)
    assert len(found) == 1
    assert 350 < found[0] < 400
    assert detector.reading.run == 2
    assert detector.reading.collecting == 0
    assert not detector.drift_detected


def test_one_number_is_a_row_too():
    detector = RiverDriftDetector(normal(RNG(0), 400, 1)[:, 0], seed=0)
    found = [detector.update(x) or detector.drift_detected for x in normal(RNG(1), 60, 1)[:, 0] + 2]
    assert any(found)


def test_it_is_cloned_with_its_parameters():
    detector = RiverDriftDetector(warm_up=200, promise=Ever(0.01), seed=3)
    other = detector.clone()
    assert (other.warm_up, other.promise, other.seed) == (200, Ever(0.01), 3)
    with pytest.raises(ValueError, match="warm_up"):
        RiverDriftDetector(warm_up=3)
