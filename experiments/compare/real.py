"""Real tables: what compare says, how large the change is, and what it costs."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common import data_folder, read_json, versions, write_json
from experiments.compare.measure import measured

Array = np.ndarray[Any, Any]
Sides = tuple[Array, Array]

WEATHER = (
    "temperature", "dew point", "sea level pressure", "visibility", "wind speed",
    "highest wind speed", "maximum temperature", "minimum temperature", "rain",
)  # fmt: skip
"""Our reading of the values in the order of NOAA's daily summaries; the file says feat_1, …"""


GROUPS = ("week", "month")
"""Names of the last column where it only says which rows belong together."""


def _census(years: tuple[int, int]) -> tuple[tuple[str, ...], Sides]:
    """ACS employment, Massachusetts; one year against itself is halved at random."""
    with np.load(data_folder() / "drift_tabular" / "acs_ma_employment_2015_2018.npz") as held:
        rows = np.column_stack([held["X"], held["y"]]).astype(np.int64)
        names, year = (*held["columns"].tolist(), "employed"), held["year"]
    if years[0] == years[1]:
        chosen = np.random.default_rng(0).permutation(np.flatnonzero(year == years[0]))
        half = len(chosen) // 2
        return names, (rows[chosen[:half]], rows[chosen[half:]])
    return names, (rows[year == years[0]], rows[year == years[1]])


def _stream(name: str) -> tuple[tuple[str, ...], Array]:
    import gzip

    path = data_folder() / "drift_tabular" / f"{name}.csv.gz"
    with gzip.open(path, "rt") as file:
        names = tuple(file.readline().strip().split(","))
        return names, np.loadtxt(file, delimiter=",")


def _electricity() -> tuple[tuple[str, ...], Sides]:
    """Elec2, first and second half in time; half-hours follow each other, so weeks are groups."""
    names, rows = _stream("elec")
    week = np.arange(len(rows)) // (48 * 7)
    rows, half = np.column_stack([rows, week]), len(rows) // 2
    return (*names, "week"), (rows[:half], rows[half:])


def _weather() -> tuple[tuple[str, ...], Sides]:
    """NOAA Bellevue, 1949–1999: the first and the last ten years; months are groups."""
    _, rows = _stream("weather")
    month = np.arange(len(rows)) // 30
    rows = np.column_stack([rows, month])
    decade = len(rows) // 5
    return (*WEATHER, "month"), (rows[:decade], rows[-decade:])


def _digits() -> tuple[tuple[str, ...], Sides]:
    with np.load(data_folder() / "digits" / "mnist_vs_usps_256.npz") as held:
        sides = held["x_mnist"].astype(float), held["x_usps"].astype(float)
    return tuple(f"pixel {i // 16 + 1},{i % 16 + 1}" for i in range(256)), sides


PAIRS: dict[str, tuple[Callable[[], tuple[tuple[str, ...], Sides]], str | None]] = {
    "ACS employment 2015 v 2015": (lambda: _census((2015, 2015)), None),
    "ACS employment 2015 v 2018": (lambda: _census((2015, 2018)), None),
    "Elec2 halves": (_electricity, None),
    "Elec2 halves, weeks together": (_electricity, "week"),
    "NOAA first v last decade": (_weather, None),
    "NOAA first v last decade, months together": (_weather, "month"),
    "MNIST v USPS": (_digits, None),
}


def run(folder: Path, budget: float) -> dict[str, Any]:
    """Every pair that is not yet in the book, each in a process of its own."""
    path, end = folder / "real.json", time.monotonic() + 60 * budget
    folder.mkdir(parents=True, exist_ok=True)
    book = read_json(path) or {"runs": {}}
    book["versions"] = versions()
    for name, (load, group) in PAIRS.items():
        if name not in book["runs"] and time.monotonic() < end:
            book["runs"][name] = _measure(load, group)
            write_json(path, book)
    return book


def _measure(
    load: Callable[[], tuple[tuple[str, ...], Sides]], group: str | None
) -> dict[str, Any]:
    names, sides = load()
    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place, f"{name}.csv") for name in "ab"]
        for path, rows in zip(paths, sides, strict=True):
            head = ",".join(f'"{name}"' for name in names)
            np.savetxt(path, rows, fmt="%.7g", delimiter=",", header=head, comments="")
        plain = {} if names[-1] not in GROUPS else {"ignore": [names[-1]]}
        return measured(paths, **({"groups": group} if group else plain))
