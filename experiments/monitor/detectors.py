"""Detectors: ours, those of river one by column, and windows whose threshold is simulated."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

import samelaw as sl
from experiments.monitor.streams import Rows, Table, coded, part

LENGTH = 10_000
WARM = 500
WINDOW = 100
FREQUENCIES = 256
NEVER = np.inf


@dataclass(frozen=True)
class Ours:
    """The monitor; its promise is its threshold."""

    suspicion: bool
    pairs: int

    def alarm(self, reference: Table, rows: Table, seed: int) -> float:
        found = sl.DriftMonitor(
            reference,
            promise=sl.RunLength(LENGTH),
            suspicion=self.suspicion,
            pairs=self.pairs,
            shuffle=False,
            rng=seed,
        )
        for start in range(0, 10**9, 100):
            batch = part(rows, start, start + 100)
            if not len(batch if not isinstance(batch, dict) else next(iter(batch.values()))):
                return NEVER
            reading = found.update(batch)
            if reading.alarm_row is not None:
                return float(reading.alarm_row)
        return NEVER


@dataclass(frozen=True)
class Traced:
    """A statistic (n,) after every row; its threshold comes from null streams."""

    trace: Callable[[Rows, Rows], Rows]

    def statistics(self, reference: Table, rows: Table) -> Rows:
        return self.trace(*coded(reference, rows))


@dataclass(frozen=True)
class PerColumn:
    """A detector of river for each column, warmed up on reference rows; the first alarm counts.

    ``make(strictness, columns)``; of ``grid`` the least strict is taken that is strict enough.
    """

    make: Callable[[float, int], Any]
    grid: tuple[float, ...]

    def alarm(self, reference: Rows, rows: Rows, strict: float) -> float:
        best = NEVER
        for column in range(rows.shape[1]):
            detector = self.make(strict, rows.shape[1])
            for value in reference[:WARM, column]:
                detector.update(float(value))
            for number, value in enumerate(rows[:, column], 1):
                if number >= best:
                    break
                detector.update(float(value))
                if detector.drift_detected:
                    best = float(number)
        return best


def moments(rows: Rows) -> Rows:
    """Levels, squares and products of all columns."""
    i, j = np.triu_indices(rows.shape[1])
    return np.concatenate([rows, rows[:, i] * rows[:, j]], axis=1)


def largest_z(reference: Rows, rows: Rows) -> Rows:
    """The largest |z| of all moments over a window."""
    known = moments(reference)
    z = (moments(rows) - known.mean(axis=0)) / np.maximum(known.std(axis=0), 1e-9)
    return _padded(np.abs(_windowed(z)).max(axis=1) * WINDOW**0.5)


def windowed_mmd(reference: Rows, rows: Rows) -> Rows:
    """Squared distance of Fourier means, window to reference, at the median distance."""
    some = reference[:500]
    apart = np.sqrt(((some[:250, None] - some[None, 250:]) ** 2).sum(axis=2))
    rng = np.random.default_rng(0)
    frequencies = rng.standard_normal((rows.shape[1], FREQUENCIES)) / np.median(apart)
    known = _waves(reference, frequencies).mean(axis=0)
    return _padded(((_windowed(_waves(rows, frequencies)) - known) ** 2).sum(axis=1))


def _waves(rows: Rows, frequencies: Rows) -> Rows:
    angles = rows @ frequencies
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / FREQUENCIES**0.5


def kswin(reference: Rows, rows: Rows) -> Rows:
    """−log of the smallest p-value of river's KSWIN over the columns, each warmed up.

    One line for all columns is Bonferroni's. At level 0 it never starts anew, so that one pass
    serves all lines.
    """
    from river.drift import kswin as module

    vars(module)["stats"] = SimpleNamespace(ks_2samp=ks_of_equals)
    least = np.ones(len(rows))
    for i in range(rows.shape[1]):
        detector = module.KSWIN(alpha=0.0, seed=i, window=reference[-WINDOW:, i].tolist())
        for number, value in enumerate(rows[:, i].tolist()):
            detector.update(value)
            least[number] = min(least[number], detector.p_value)
    return np.asarray(-np.log(np.maximum(least, 1e-300)))


def ks_of_equals(x: list[float], y: list[float], method: str = "auto") -> tuple[float, float]:
    """`scipy.stats.ks_2samp` of samples of one size, at a tenth of the time.

    Its p-value depends on the statistic alone, which has n values: looked up, not computed again.
    """
    count = len(x)
    order = np.argsort(np.array([*x, *y]), kind="stable")
    steps = np.cumsum(np.where(order < count, 1, -1))
    values = np.array([*x, *y])[order]
    last = np.append(values[1:] != values[:-1], True)  # ties count as one step
    apart = int(np.abs(steps[last]).max())
    return apart / count, _ks_pvalue(apart, count)


@cache
def _ks_pvalue(apart: int, count: int) -> float:
    from scipy.stats import ks_2samp

    x = np.arange(count)
    return float(ks_2samp(x, x + apart - 0.5, method="auto").pvalue)


def _windowed(values: Rows) -> Rows:
    """Means over the last WINDOW rows."""
    total = np.cumsum(np.concatenate([np.zeros((1, values.shape[1])), values]), axis=0)
    return np.asarray((total[WINDOW:] - total[:-WINDOW]) / WINDOW)


def _padded(values: Rows) -> Rows:
    return np.concatenate([np.zeros(WINDOW - 1), values])


def _adwin(strict: float, columns: int) -> Any:
    """The level of a column is 1/strictness, divided by the columns (Bonferroni)."""
    from river.drift import ADWIN

    return ADWIN(delta=1.0 / (strict * columns))


def _page_hinkley(strict: float, columns: int) -> Any:
    from river.drift import PageHinkley

    return PageHinkley(threshold=strict, delta=0.1, alpha=1.0)


METHODS: dict[str, Ours | Traced | PerColumn] = {
    "DriftMonitor": Ours(suspicion=False, pairs=1),
    "on suspicion": Ours(suspicion=True, pairs=4),
    "largest z": Traced(largest_z),
    "windowed MMD": Traced(windowed_mmd),
    "ADWIN": PerColumn(_adwin, (0.21, 0.3, 0.5, 1.0, 3.0, 10.0, 30.0, 100.0, 1e3, 1e4, 1e5)),
    "KSWIN": Traced(kswin),
    "PageHinkley": PerColumn(_page_hinkley, (20, 25, 30, 35, 40, 50, 60, 80, 120, 200)),
}
