"""The monitor itself: exact, predictable, restartable, of constant size; any table as a stream."""

import json
from itertools import product

import numpy as np
import pytest

from monitors import Litter, alarm_row, changed, normal, shop
from optional import need
from samelaw import DriftMonitor, Ever, RunLength
from samelaw.monitor import reference as references
from samelaw.monitor.reference import deal, freeze_reference

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def litter():
    return Litter()


@pytest.fixture(scope="module")
def shops():
    return Litter(shop)


def next_pairing(state, point):
    """A state whose next pairing row is another."""
    points = state["arrays"]["pairing.points"].copy()
    points[0] = point
    return {**state, "arrays": {**state["arrays"], "pairing.points": points}}


@pytest.mark.parametrize("promise", [Ever(0.001), RunLength(10**6)])
@pytest.mark.parametrize("rows", [57, 60])  # within a block, and where scores are refreshed
def test_one_more_row_of_the_same_law_changes_evidence_by_its_deposit_on_average(promise, rows):
    """E[R_t | past] = R_{t−1} + c_t by enumeration of a law on three points."""
    points = np.array([[0.0, 0.0], [1.0, -1.0], [2.0, 1.0]])
    law = np.array([0.5, 0.3, 0.2])
    rng = RNG(1)
    monitor = DriftMonitor(points[rng.choice(3, 400, p=law)], promise=promise, rng=0)
    monitor.update(points[rng.choice(3, rows, p=law[::-1])])  # a past that suggests something
    before = monitor.reading
    assert before.evidence > 0
    encoded = monitor._reference.rules.encode(references.as_batch(points, ()))[0]
    state, mean, spread = monitor.state_dict(), 0.0, set()
    for y, x in product(range(3), repeat=2):
        one = DriftMonitor.from_state(next_pairing(state, encoded[x]))
        after = one.update(points[y : y + 1]).evidence
        mean += law[y] * law[x] * after
        spread.add(round(after, 6))
    assert len(spread) > 3
    assert mean == pytest.approx(before.evidence + promise.deposits(rows, 1)[0], rel=1e-6)


def pairing_rows_are_seen(rows=600):
    """Whether rules or scores change with the rows that were dealt to pairing and hold-out."""
    found = []
    for shift in (0.0, 50.0):
        table = normal(RNG(3), rows, 2)
        parts = deal(rows, RNG(0))
        table[np.concatenate([parts["pairing"], parts["holdout"]])] += shift
        frozen = freeze_reference(table, {}, (), RNG(0))
        found.append({**frozen.rules.state()[1], **frozen.score.state()[1]})
    return any(not np.array_equal(found[0][name], found[1][name]) for name in found[0])


def test_scores_never_see_a_pairing_row(monkeypatch):
    assert not pairing_rows_are_seen()

    def leaking(rows, rng):
        parts = deal(rows, rng)
        return parts | {"training": np.append(parts["training"], parts["pairing"][0])}

    monkeypatch.setattr(references, "deal", leaking)  # the check can tell
    assert pairing_rows_are_seen()


def test_a_pairing_row_matters_from_its_own_row_on_and_leaves_no_trace_in_the_scores(litter):
    """Replace those from the 200th on: evidence before is the same, what is learnt always.

    So few are left that each row meets one, suspicious or not.
    """
    stream, found = normal(RNG(5), 400), []
    state = litter.monitor(RNG(4), 450, RunLength(10**12)).state_dict()  # no alarm ends it
    for shift in (0.0, 0.3):
        points = state["arrays"]["pairing.points"].copy()
        points[200:] += shift
        arrays = {**state["arrays"], "pairing.points": points}
        found.append(DriftMonitor.from_state({**state, "arrays": arrays}))
        found[-1].update(stream)
    trails = [one.reading.trail for one in found]
    early = trails[0][:, 0] <= 200
    assert early.sum() == 20
    assert np.allclose(trails[0][early], trails[1][early], rtol=1e-9)
    assert not np.allclose(trails[0][~early], trails[1][~early], rtol=1e-3)
    assert np.array_equal(found[0]._run.past.sums, found[1]._run.past.sums)


def test_the_first_block_bets_nothing(litter):
    monitor = litter.monitor(RNG(0), 100, RunLength(1_000))
    for row in range(1, 11):
        assert monitor.update(normal(RNG(row), 1) + 9).evidence == pytest.approx(row)


def saved(monitor):
    """A state as a file would hold it."""
    state = monitor.state_dict()
    arrays = {
        name: np.frombuffer(value.tobytes(), value.dtype).reshape(value.shape)
        for name, value in state["arrays"].items()
    }
    return {"plain": json.loads(json.dumps(state["plain"], allow_nan=False)), "arrays": arrays}


@pytest.mark.parametrize("shift", [0.0, 0.8])
def test_a_saved_monitor_goes_on_bit_for_bit(shops, shift):
    rng = RNG(7)
    one = shops.monitor(rng, 1_000, shuffle=True)
    one.update(shop(rng, 123))
    other = DriftMonitor.from_state(saved(one))
    for rows in (1, 7, 400, 5):
        batch = shop(rng, rows)
        batch["amount"] = batch["amount"] + shift
        assert one.update(batch).to_json() == other.update(batch).to_json()
        other = DriftMonitor.from_state(saved(other))
    assert one.reading.alarm == (shift > 0)
    one.accept()
    other.accept()
    assert one.reading.to_json() == other.reading.to_json()


def test_a_file_goes_on_bit_for_bit_and_nothing_else_is_taken_for_one(shops, tmp_path):
    monitor, path = shops.monitor(RNG(0), 200), tmp_path / "state"
    monitor.update(shop(RNG(1), 60))
    monitor.save(path)
    again = DriftMonitor.load(path)
    assert again.to_bytes() == monitor.to_bytes() == path.read_bytes()
    batch = shop(RNG(2), 50)
    assert again.update(batch).to_json() == monitor.update(batch).to_json()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="no samelaw state of a drift monitor, or is cut off"):
        DriftMonitor.load(path)


def test_the_same_seed_gives_the_same_readings():
    found = []
    for _ in range(2):
        rng = RNG(0)
        monitor = DriftMonitor(normal(rng, 500), rng=3)
        found.append(monitor.update(normal(rng, 150)))
    assert found[0].to_json() == found[1].to_json()
    assert found[0].seed == 3


def test_how_a_stream_in_order_is_cut_does_not_matter(litter):
    stream, found = normal(RNG(8), 600), []
    for cuts in ([], [1, 2, 9, 10, 11, 37, 300], list(range(50, 600, 50))):
        monitor = litter.monitor(RNG(9), 1_000)
        for part in np.split(stream, cuts):
            reading = monitor.update(part)
        found.append(reading.evidence)
    assert np.allclose(found, found[0], rtol=1e-4)


def test_a_sorted_batch_is_no_change_when_it_is_shuffled(litter):
    rows = normal(RNG(10), 800)
    rows = rows[rows[:, 0].argsort()]
    assert not litter.monitor(RNG(11), 1_000, shuffle=True).update(rows).alarm
    assert litter.monitor(RNG(11), 1_000, shuffle=False).update(rows).alarm


def test_pairing_rows_run_out_and_the_reading_says_so(litter):
    monitor = litter.monitor(RNG(0), 50)
    assert monitor.update(normal(RNG(1), 30)).rows_left == 20
    reading = monitor.update(normal(RNG(2), 30))
    assert (reading.rows_left, reading.unjudged, reading.rows) == (0, 10, 60)
    evidence = reading.evidence
    reading = monitor.update(normal(RNG(3), 30) + 9)
    assert not reading.alarm
    assert reading.evidence == evidence
    assert "used up" in reading.sentence


def test_more_partners_find_a_change_sooner_and_are_used_up_sooner():
    delays = []
    for pairs in (1, 4):
        litter = Litter(pairs=pairs)
        rows = [
            alarm_row(litter.monitor(RNG(i), 4_000), normal(RNG(100 + i), 900) + 0.3)
            for i in range(6)
        ]
        delays.append(np.median(rows))
    assert delays[1] < delays[0] < 900
    assert litter.monitor(RNG(0), 400).update(normal(RNG(1), 60)).rows_left == 40


def test_an_alarm_stays_until_it_is_accepted_and_spends_rows_on_its_names_alone(litter):
    monitor = litter.monitor(RNG(0), 3_000)
    loud = monitor.update(normal(RNG(1), 1_500) + 1)
    assert loud.alarm
    assert loud.alarm_row < 200
    assert loud.rows_left + loud.tested <= 3_000 - loud.alarm_row
    assert loud.unjudged == 1_500 - loud.alarm_row
    assert loud.evidence >= loud.threshold
    later = monitor.update(normal(RNG(2), 100))
    assert (later.alarm, later.evidence, later.columns) == (True, loud.evidence, loud.columns)
    assert later.rows_left + later.tested == loud.rows_left + loud.tested
    monitor.accept()
    anew = monitor.reading
    assert (anew.alarm, anew.evidence, anew.since, anew.columns) == (False, 0.0, None, ())
    assert (anew.run, anew.threshold) == (2, 2 * loud.threshold)
    assert anew.rows_left == later.rows_left
    assert len(monitor._run.past.sums) == 0
    assert not monitor.update(normal(RNG(3), 300)).alarm
    assert monitor.update(normal(RNG(4), 300) + 1).alarm


def test_a_change_may_be_accepted_with_a_new_reference(litter):
    monitor = litter.monitor(RNG(0), 2_000)
    assert monitor.update(normal(RNG(1), 400) + 1).alarm
    monitor.accept(normal(RNG(2), 2_000) + 1)
    assert not monitor.update(normal(RNG(3), 500) + 1).alarm
    assert monitor.update(normal(RNG(4), 400)).alarm


def test_a_new_reference_may_be_collected_from_the_stream(shops):
    """Rows are put away, saved and resumed on the way, and the rest of a batch is judged."""

    def moved(rng, rows):
        return {**shop(rng, rows), "amount": 9 + shop(rng, rows)["amount"]}

    monitor = shops.monitor(RNG(0), 1_000)
    first = monitor.update(moved(RNG(1), 300))
    assert first.alarm
    monitor.accept(collect=1_500)
    assert monitor.reading.collecting == 1_500
    reading = monitor.update(moved(RNG(2), 700))
    assert (reading.collecting, reading.alarm) == (800, False)
    assert reading.unjudged == 1_000 - first.alarm_row
    assert "800 more rows" in reading.sentence
    monitor = DriftMonitor.from_bytes(monitor.to_bytes())
    reading = monitor.update(moved(RNG(3), 1_000))
    assert (reading.collecting, reading.run) == (0, 2)
    assert reading.rows_left == 675 - 200
    assert not monitor.update(moved(RNG(4), 200)).alarm
    assert monitor.update(shop(RNG(5), 200)).columns[0] == "amount"


def test_rows_that_make_no_reference_are_let_go_and_others_collected(litter):
    monitor = litter.monitor(RNG(0), 100)
    monitor.accept(collect=100)
    with pytest.raises(ValueError, match="no column to watch in the rows that were collected"):
        monitor.update(0 * normal(RNG(1), 100))
    assert monitor.reading.collecting == 100
    reading = monitor.update(normal(RNG(2), 150))
    assert (reading.collecting, reading.run) == (0, 2)


def test_collecting_and_a_reference_exclude_each_other(litter):
    with pytest.raises(ValueError, match="exclude each other"):
        litter.monitor(RNG(0), 50).accept(normal(RNG(1), 200), collect=500)
    with pytest.raises(ValueError, match="collect must be a whole number of at least 10"):
        litter.monitor(RNG(0), 50).accept(collect=5)


def test_rows_that_stand_out_are_those_that_changed_even_when_shuffled(litter):
    stream = normal(RNG(0), 2_000)
    odd = 1_000 + np.arange(0, 1_000, 10)
    stream[odd, 2] += 6
    monitor = litter.monitor(RNG(1), 3_000, shuffle=True)
    monitor.update(stream[:1_000])
    reading = monitor.update(stream[1_000:])
    assert len(reading.standing_out) == 10
    assert {row.row for row in reading.standing_out} <= set(odd)
    assert reading.standing_out[0].score >= reading.standing_out[-1].score > 3


def test_effects_over_time_are_none_before_a_change_and_known_after_it(litter):
    """The mean moves by one: told apart by at most 1 bit less the entropy of a fair guess."""
    stream = normal(RNG(0), 3_000)
    stream[1_000:, 0] += 1
    monitor = litter.monitor(RNG(1), 3_000)
    for batch in np.split(stream, 10):
        reading = monitor.update(batch)
    rows, effect, error = reading.effects.T
    assert rows[-1] == 3_000
    before, after = rows <= 900, rows > 1_300
    assert abs(effect[before].mean()) < 3 * error[before].mean()
    best = best_bits(1.0)
    assert 0.6 * best < effect[after].mean() < best + 3 * error[after].mean()
    assert reading.effect == pytest.approx(effect[-1])
    assert reading.effect_error == pytest.approx(error[-1])


def best_bits(shift, draws=100_000):
    """E log₂ 2σ(h(y) − h(x)) for the true log-ratio of two normal laws, by drawing pairs."""
    x, y = RNG(0).normal(size=(2, draws))
    return float(np.log2(2 / (1 + np.exp(-shift * (y + shift - x)))).mean())


def test_a_monitor_does_not_grow(litter):
    monitor = litter.monitor(RNG(0), 20_000)
    sizes = []
    for start in range(6):
        monitor.update(normal(RNG(start), 2_000))
        arrays = monitor.state_dict()["arrays"]
        kept = {name: value.nbytes for name, value in arrays.items() if "pairing" not in name}
        sizes.append(sum(kept.values()))
    assert max(sizes) - min(sizes) < 10_000  # the trail is thinned now and then


def with_gaps(values, rng, share):
    return np.where(rng.random(len(values)) < share, np.nan, values)


CHANGES = {  # the column that changes: its values, from those it had
    "region": lambda v, rng: rng.choice(["north", "south", "west"], len(v)),
    "age": lambda v, rng: with_gaps(v, rng, 0.3),
    "member": lambda v, rng: rng.random(len(v)) < 0.75,
    "currency": lambda v, rng: np.where(rng.random(len(v)) < 0.1, "USD", "EUR"),
    "amount": lambda v, rng: with_gaps(v, rng, 0.1),
    "paid": lambda v, rng: rng.permutation(v),
}


@pytest.mark.parametrize("column", CHANGES)
def test_changes_of_mixed_columns_are_found_and_named(shops, column):
    """Shares, missing values, new ones, a constant that is none any more, broken dependence."""
    rng = RNG(12)
    monitor = shops.monitor(rng, 2_000)
    assert not monitor.update(shop(rng, 300)).alarm
    batch = shop(rng, 900)
    reading = monitor.update({**batch, column: CHANGES[column](batch[column], rng)})
    assert reading.alarm
    assert column in reading.columns
    assert 250 <= reading.since <= 700


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_are_streams(shops, library):
    need(library)
    rng = RNG(0)
    batch = shop(rng, 50)
    frame = need("narwhals").from_dict(
        {name: values.tolist() for name, values in batch.items()}, backend=library
    )
    found = [shops.monitor(RNG(1), 100).update(b) for b in (batch, frame.to_native())]
    assert found[0].evidence == pytest.approx(found[1].evidence)


def test_one_row_at_a_time_as_a_dict(shops):
    batch = shop(RNG(0), 25)
    one, other = (shops.monitor(RNG(1), 100) for _ in range(2))
    for i in range(25):
        reading = one.update({name: values[i] for name, values in batch.items()})
    assert reading.evidence == pytest.approx(other.update(batch).evidence, rel=1e-5)


def test_columns_that_are_missing_are_an_error_and_others_are_said(shops):
    batch = shop(RNG(0), 20)
    with pytest.raises(ValueError, match="column 'age' is not in the dict"):
        shops.monitor(RNG(0), 50).update({n: v for n, v in batch.items() if n != "age"})
    reading = shops.monitor(RNG(0), 50).update({**batch, "extra": np.arange(20)})
    assert reading.notes == ("'extra' not in the reference, so not watched",)
    assert "\nnote: 'extra' not in the reference, so not watched" in str(reading)


def test_dates_are_not_watched_and_ignored_columns_are_not_missed():
    rng = RNG(0)
    table = {"x": normal(rng, 300, 1)[:, 0], "t": np.arange(300).astype("datetime64[h]"), "id": 1}
    table["id"] = np.arange(300)
    monitor = DriftMonitor(table, ignore=["id"], rng=0)
    reading = monitor.update({"x": normal(rng, 50, 1)[:, 0], "t": ["2030-01-01"] * 50})
    assert reading.notes == ("'t': dates move on in every stream and are not watched",)
    assert not reading.alarm


def test_identifiers_are_said_not_to_be_watched():
    rng = RNG(0)
    monitor = DriftMonitor({"x": normal(rng, 300, 1)[:, 0], "row": np.arange(300)}, rng=0)
    reading = monitor.update({"x": normal(rng, 50, 1)[:, 0], "row": 10**6 + np.arange(50)})
    assert reading.notes == ("'row': identifiers are not watched",)
    assert not reading.alarm


@pytest.mark.parametrize(
    ("options", "error", "word"),
    [
        ({"promise": 0.05}, TypeError, "promise"),
        ({"pairs": 0}, ValueError, "pairs"),
        ({"ignore": ["y"]}, ValueError, "'y'"),
        ({"ignore": "xy"}, ValueError, "ignore is the text 'xy'"),
        ({"kinds": {"x1": "colour"}}, ValueError, "colour"),
    ],
)
def test_wrong_options_are_refused(options, error, word):
    with pytest.raises(error, match=word):
        DriftMonitor(normal(RNG(0), 200), **options)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 1e308])
def test_any_number_is_a_row(litter, value):
    rows = normal(RNG(0), 200)
    rows[::3, 0] = value
    reading = litter.monitor(RNG(1), 500).update(rows)
    assert np.isfinite(reading.evidence)
    assert reading.alarm
    assert reading.columns[0] == "x1"


def test_an_alarm_before_anything_was_learnt_has_no_description(litter):
    reading = litter.monitor(RNG(0), 100, RunLength(3)).update(changed("mean", RNG(0), 50))
    assert (reading.alarm_row, reading.since, reading.columns) == (3, None, ())


def reserving(seed, pairing=150, promise=None):
    return Litter(rows=1_000, reserve=True).monitor(RNG(seed), pairing, promise)


def test_a_reserve_lasts_as_long_as_the_stream_and_finds_a_late_change():
    monitor = reserving(0)
    quiet = monitor.update(normal(RNG(1), 6_000))
    assert not quiet.alarm
    assert quiet.rows_left is None
    assert 700 < len(monitor._reference.pairing) < 1_200
    assert 3_000 < quiet.unjudged < 3_900  # put away, every other row in the long run
    assert "put away to pair with later ones" in monitor.update(normal(RNG(3), 5)).notes[0]
    again = DriftMonitor.from_bytes(monitor.to_bytes())
    late = normal(RNG(2), 600) + np.array([0.7, 0, 0, 0, 0])
    reading = monitor.update(late)
    assert reading.alarm
    assert reading.columns == ("x1",)
    assert abs(reading.since - 6_005) <= 60
    assert again.update(late).to_json() == reading.to_json()


def test_a_restart_drops_what_was_reserved_of_the_stream():
    monitor = reserving(0)
    monitor.update(normal(RNG(1), 100))
    rows = monitor._reference.pairing.points
    left = len(rows) - monitor._reserved
    monitor.accept()
    assert np.array_equal(monitor._reference.pairing.points, rows[:left])
    assert monitor._reserved == 0


def test_by_default_a_small_reference_lasts_and_says_how():
    """Half of its pairing rows are met at full speed; then the stream is held to its own past."""
    monitor = DriftMonitor(normal(RNG(0), 400), rng=0)
    pairing = len(monitor._reference.pairing)
    first = monitor.reading
    assert (first.reserve, first.rows_left) == (True, pairing - pairing // 2)
    assert "then rows of the stream take their place" in str(first)
    quiet = monitor.update(normal(RNG(1), 1_000))
    assert not quiet.alarm
    assert not quiet.blind
    assert quiet.rows_left is None
    late = monitor.update(normal(RNG(2), 500) + np.array([1.3, 0, 0, 0, 0]))
    assert late.alarm
    assert late.columns[0] == "x1"


def test_without_a_reserve_rows_beyond_the_reference_are_not_judged_and_told():
    monitor = DriftMonitor(normal(RNG(0), 400), reserve=False, rng=0)
    reading = monitor.update(normal(RNG(1), 1_000))
    assert reading.blind
    assert reading.unjudged > 700
    assert "pairing rows are used up" in reading.sentence


def test_a_monitor_prints_what_it_promises_and_whether_it_rang():
    rows = np.random.default_rng(0).normal(size=(400, 2))
    monitor = DriftMonitor(rows, rng=0)
    monitor.update(rows[:20])
    assert repr(monitor) == "DriftMonitor(Ever(level=0.05), 20 rows seen, no alarm)"
