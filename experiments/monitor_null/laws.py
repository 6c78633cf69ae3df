"""Laws that stay as they are: whoever raises an alarm on a stream of them is wrong."""

import gzip
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from experiments.common import data_folder

Table = Any  # an array of rows, or a dict of columns
Law = Callable[[np.random.Generator, int], Table]
COLUMNS = 5


def normal(rng: np.random.Generator, rows: int) -> Table:
    return rng.standard_normal((rows, COLUMNS))


def following(rng: np.random.Generator, rows: int, correlation: float) -> Table:
    """Three columns, each of which goes on from the row before (AR 1)."""
    from scipy.signal import lfilter

    noise = (1 - correlation**2) ** 0.5 * rng.standard_normal((rows + 200, 3))
    return lfilter([1.0], [1.0, -correlation], noise, axis=0)[200:]


def mixed(rng: np.random.Generator, rows: int) -> Table:
    """Skewed and correlated numbers, counts with gaps, categories, flags, and a constant."""
    amount = np.exp(rng.standard_normal(rows))
    return {
        "amount": amount,
        "paid": amount * np.exp(0.5 * rng.standard_normal(rows)),
        "age": np.where(rng.random(rows) < 0.1, np.nan, rng.integers(18, 80, rows)),
        "region": rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]),
        "member": rng.random(rows) < 0.4,
        "currency": np.full(rows, "EUR"),
    }


def heavy_tails(rng: np.random.Generator, rows: int) -> Table:
    """Two columns without a mean, rounded so that values repeat."""
    return rng.standard_cauchy((rows, 2)).round()


def duplicated(rng: np.random.Generator, rows: int) -> Table:
    """Forty rows, over and over."""
    return np.random.default_rng(17).standard_normal((40, 3))[rng.integers(0, 40, rows)]


@cache
def real(name: str) -> dict[str, Any]:
    """The columns of a real stream, in the order of time."""
    with gzip.open(data_folder() / "drift_tabular" / f"{name}.csv.gz", "rt") as file:
        names = file.readline().strip().split(",")
        rows = np.loadtxt(file, delimiter=",")
    return {name: rows[:, i] for i, name in enumerate(names)}


def resampled(name: str) -> Law:
    """Rows of a real stream in any order, so that nothing changes."""

    def law(rng: np.random.Generator, rows: int) -> Table:
        table = real(name)
        chosen = rng.integers(0, len(next(iter(table.values()))), rows)
        return {column: values[chosen] for column, values in table.items()}

    return law


LAWS: dict[str, tuple[Law, int]] = {
    "five normal columns": (normal, 2_000),
    "mixed types with missing values": (mixed, 2_000),
    "Cauchy columns, rounded": (heavy_tails, 2_000),
    "forty rows, repeated": (duplicated, 2_000),
    "Elec2, resampled": (resampled("elec"), 2_000),
    "NOAA weather, resampled": (resampled("weather"), 2_000),
}
"""Law and number of streams."""
