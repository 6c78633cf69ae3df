import numpy as np

from monitors import Litter, normal
from samelaw import Ever
from samelaw.monitor.reference import Rows
from samelaw.monitor.run import Arrived, Run
from samelaw.monitor.shadow_bets import Judge

RNG = np.random.default_rng


def arrived(points, before=0, batch_start=None):
    rows = Rows(points, np.zeros((len(points), 5), dtype=bool))
    numbers = before + np.arange(len(points))
    return Arrived(rows, numbers, numbers + 1, batch_start)


def test_a_part_of_what_arrived_knows_its_place():
    part = arrived(normal(RNG(0), 30), before=100).take(slice(10, 25))
    assert len(part) == 15
    assert part.seen[0] == 111
    assert part.numbers.tolist() == list(range(110, 125))


def test_effects_are_the_growth_of_the_evidence_in_bits():
    reference = Litter(rows=600).first._reference
    run, used, met = Run.start(1, reference.score.size).judging(
        arrived(normal(RNG(1), 60)), reference, Ever(0.05), 1, Judge()
    )
    assert (used, met) == (60, 60)
    evidence, before = run.past.trail[:, 1], 0.0
    deposits = Ever(0.05).deposits(0, 60)
    for last, row in enumerate(range(10, 61, 10)):  # 2^bits of ten rows, deposits on the way apart
        assert before <= evidence[last] + 1
        before = evidence[last]
        assert run.past.trail[last, 0] == row
    rows, count, total, _ = run.past.bins[-1]
    assert (rows, count) == (60, 60)
    # With one partner: R_60 ≥ c_1 ∏ L and every later deposit grows by at most as much.
    assert deposits[0] * 2**total <= run.evidence


def test_state_and_back():
    reference = Litter(rows=600).first._reference
    start = Run.start(2, reference.score.size)
    loud = start.judging(arrived(normal(RNG(1), 150) + 3), reference, Ever(0.05), 1, Judge())[0]
    assert loud.alarm_row is not None
    for run in (start, loud):
        plain, arrays = run.state()
        plain["description"] = {
            **vars(plain["description"]),
            "changes": [vars(change) for change in plain["description"].changes],
        }
        again = Run.from_state(plain, arrays)
        assert again.description == run.description
        assert again.alarm_row == run.alarm_row
        assert (again.aftermath is None) == (run.aftermath is None)
        assert np.array_equal(again.wealth, run.wealth)
