"""Monitors for tests: many that share one preparation, each with pairing rows of its own."""

import numpy as np

from samelaw import DriftMonitor
from samelaw.monitor.reference import as_batch

COLUMNS = 5


def normal(rng, rows, columns=COLUMNS):
    return rng.standard_normal((rows, columns))


def shop(rng, rows):
    """Skewed, correlated, categorical, missing, boolean, and a constant."""
    amount = np.exp(rng.standard_normal(rows))
    age = np.where(rng.random(rows) < 0.1, np.nan, rng.integers(18, 80, rows))
    return {
        "amount": amount,
        "paid": amount * np.exp(0.5 * rng.standard_normal(rows)),
        "age": age,
        "region": rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]),
        "member": rng.random(rows) < 0.4,
        "currency": np.full(rows, "EUR"),
    }


class Litter:
    """Monitors with one preparation and one training, and fresh pairing rows from a law.

    The promise holds given preparation and training, so one fit serves many streams.
    """

    def __init__(self, law=normal, rows=4_000, seed=99, *, reserve=False, **options):
        self.law = law
        reference = law(np.random.default_rng(seed), rows)
        self.first = DriftMonitor(reference, rng=seed, reserve=reserve, **options)
        self.state = self.first.state_dict()

    def monitor(self, rng, pairing, promise=None, shuffle=False):
        rules = self.first._reference.rules
        points, new = rules.encode(as_batch(self.law(rng, pairing), rules.names))
        plain = {**self.state["plain"], "shuffle": shuffle}
        if promise is not None:
            plain["promise"] = promise.to_dict()
        arrays = {**self.state["arrays"], "pairing.points": points, "pairing.new": new}
        return DriftMonitor.from_state({"plain": plain, "arrays": arrays})


def changed(kind, rng, rows, start=1_000):
    """The four changes of the prototype, in five normal columns after ``start`` rows."""
    y = normal(rng, rows)
    after = y[start:]
    if kind == "mean":
        after[:, 0] += 0.5
    elif kind == "correlation":
        after[:, 1] = 0.5 * after[:, 0] + 0.75**0.5 * after[:, 1]
    elif kind == "scale":
        after[:, 0] *= 1.5
    else:
        after[rng.random(len(after)) < 0.1, 0] += 3.0
    return y


def alarm_row(monitor, stream, batch=100):
    """Rows judged at the alarm; none: infinitely many."""
    for start in range(0, rows_of(stream), batch):
        reading = monitor.update(part(stream, start, start + batch))
        if reading.alarm:
            return reading.alarm_row
    return np.inf


def rows_of(stream):
    return len(next(iter(stream.values())) if isinstance(stream, dict) else stream)


def part(stream, start, stop):
    """Some rows of an array or of a dict of columns."""
    if isinstance(stream, dict):
        return {name: values[start:stop] for name, values in stream.items()}
    return stream[start:stop]
