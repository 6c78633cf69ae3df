"""Streams that change after a while: laws, what happens to them, and how detectors see them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

Rows = np.ndarray[Any, np.dtype[np.float64]]
Table = Any  # rows, or a dict of columns
BEFORE, AFTER, REFERENCE = 1_000, 1_000, 5_000
STRETCH = 150  # rows of a change that comes and goes


@dataclass(frozen=True)
class Setting:
    """A law and the changes it is put to, by name."""

    law: Callable[[np.random.Generator, int], Table]
    kinds: dict[str, str]


def normal(columns: int) -> Callable[[np.random.Generator, int], Table]:
    return lambda rng, rows: rng.standard_normal((rows, columns))


def heavy(rng: np.random.Generator, rows: int) -> Table:
    """Five columns of Student's law with two degrees of freedom: no variance."""
    return rng.standard_t(2, (rows, 5))


def mixed(rng: np.random.Generator, rows: int) -> Table:
    """Skewed and correlated numbers, counts with gaps, categories, flags."""
    amount = np.exp(rng.standard_normal(rows))
    return {
        "amount": amount,
        "paid": amount * np.exp(0.5 * rng.standard_normal(rows)),
        "age": np.where(rng.random(rows) < 0.1, np.nan, rng.integers(18, 80, rows)),
        "region": rng.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2]),
        "member": rng.random(rows) < 0.4,
    }


FOUR = {
    "mean": "mean + 0.5 in one column",
    "correlation": "correlation 0 to 0.5",
    "scale": "scale × 1.5 in one column",
    "subgroup": "10 % of rows + 3 in one column",
}
SETTINGS = {
    "5 columns": Setting(
        normal(5),
        {
            **FOUR,
            "gradual": "mean + 1 in one column, over 1,000 rows",
            "everywhere": "mean + 0.25 in all columns",
            "recurring": f"mean + 0.5 in one column, {STRETCH} rows on, {STRETCH} off",
        },
    ),
    "2 columns": Setting(normal(2), FOUR),
    "20 columns": Setting(normal(20), FOUR),
    "50 columns": Setting(normal(50), FOUR),
    "heavy tails": Setting(
        heavy, {**FOUR, "mean": "median + 0.7 in one column", "scale": "scale × 2 in one column"}
    ),
    "mixed types": Setting(
        mixed,
        {
            "missing": "missing values from 10 to 20 %",
            "category": "shares of categories .5, .3, .2 to .35, .3, .35",
            "new": "5 % of a new category",
            "skewed": "amounts × 1.5",
            "broken": "two dependent columns become independent",
        },
    ),
}

FIRST = "5 columns"
"""The setting with all detectors and more streams; those of river take numbers one by one."""


def stream(setting: str, kind: str, rng: np.random.Generator) -> Table:
    """Rows that change after BEFORE of them; "null" never does."""
    rows = SETTINGS[setting].law(rng, BEFORE + AFTER)
    if isinstance(rows, dict):
        _change_table(rows, kind, rng)
    else:
        _change_rows(rows[BEFORE:], kind, rng, heavy_tails=setting == "heavy tails")
    return rows


def drawn(setting: str, kind: str, seed: int) -> tuple[Table, Table]:
    """A reference and a stream; every stream has a reference of its own."""
    place = [list(SETTINGS).index(setting), sum(map(ord, kind)), seed]
    rng = np.random.default_rng(place)
    return SETTINGS[setting].law(rng, REFERENCE), stream(setting, kind, rng)


def _change_rows(after: Rows, kind: str, rng: np.random.Generator, *, heavy_tails: bool) -> None:
    match kind:
        case "mean":
            after[:, 0] += 0.7 if heavy_tails else 0.5
        case "correlation":
            after[:, 1] = 0.5 * after[:, 0] + 0.75**0.5 * after[:, 1]
        case "scale":
            after[:, 0] *= 2.0 if heavy_tails else 1.5
        case "subgroup":
            after[rng.random(len(after)) < 0.1, 0] += 3.0
        case "gradual":
            after[:, 0] += np.linspace(0.0, 1.0, len(after))
        case "everywhere":
            after += 0.25
        case "recurring":
            after[np.arange(len(after)) // STRETCH % 2 == 0, 0] += 0.5


def _change_table(rows: dict[str, Any], kind: str, rng: np.random.Generator) -> None:
    after = slice(BEFORE, None)
    match kind:
        case "missing":
            rows["age"][after][rng.random(AFTER) < 1 / 9] = np.nan
        case "category":
            rows["region"][after] = rng.choice(
                ["north", "south", "west"], AFTER, p=[0.35, 0.3, 0.35]
            )
        case "new":
            rows["region"][after][rng.random(AFTER) < 0.05] = "east"
        case "skewed":
            rows["amount"][after] *= 1.5
        case "broken":
            rows["paid"][after] = rng.permutation(rows["paid"][after])


def part(table: Table, start: int, stop: int) -> Table:
    if isinstance(table, dict):
        return {name: values[start:stop] for name, values in table.items()}
    return table[start:stop]


def coded(reference: Table, rows: Table) -> tuple[Rows, Rows]:
    """Both as numbers, for detectors that take nothing else: normal scores and indicators.

    Scores and categories are those of the reference; a missing value is the median and says so.
    """
    if not isinstance(reference, dict):
        pairs = [(reference[:, i], rows[:, i]) for i in range(reference.shape[1])]
    else:
        pairs = [pair for name in reference for pair in _views(reference[name], rows[name])]
    found = [_scored(a, b) for a, b in pairs]
    return np.column_stack([a for a, _ in found]), np.column_stack([b for _, b in found])


def _views(a: Any, b: Any) -> list[tuple[Any, Any]]:
    """A column as numbers: categories and gaps one by one."""
    if a.dtype.kind in "US":
        return [(a == word, b == word) for word in np.unique(a)]
    found = [(a, b)]
    if a.dtype.kind == "f" and np.isnan(a).any():
        middle = np.nanmedian(a)
        found = [(np.nan_to_num(a, nan=middle), np.nan_to_num(b, nan=middle))]
        found.append((np.isnan(a), np.isnan(b)))
    return found


def _scored(a: Any, b: Any) -> tuple[Any, Any]:
    if a.dtype == bool:
        return a.astype(float), b.astype(float)
    ordered = np.sort(a)
    return _ranked(ordered, a), _ranked(ordered, b)


def _ranked(ordered: Any, values: Any) -> Any:
    low, high = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return ndtri(np.clip((low + high + 1) / (2 * len(ordered) + 2), 1e-4, 1 - 1e-4))
