"""Orders of a shop, one month, two checkouts: small tables with a known difference.

same     equal in law: the new checkout changes nothing
changed  the new checkout moves the amount up, draws more orders to the app, and breaks the tie
         between minutes_on_site and pages_seen (each alone looks unchanged)
"""

import csv
import io
from pathlib import Path

import numpy as np

from samelaw.core.files import write_text
from samelaw.core.types import Matrix

Orders = dict[str, Matrix]

SEED = 20250301
MONTH = np.datetime64("2025-03-01T00:00")
REGIONS = ["north", "south", "east", "west"]
DEVICES = ["phone", "laptop", "app"]


def pairs() -> dict[str, tuple[Orders, Orders]]:
    """Both pairs of tables; the seed is fixed, so they never change."""
    rng = np.random.default_rng(SEED)
    same = orders(rng, 800), orders(rng, 600)
    before = orders(rng, 800)
    after = orders(rng, 600, shift=0.15, correlation=0.0, app_share=0.35)
    return {"same": same, "changed": (before, after)}


def orders(
    rng: np.random.Generator,
    rows: int,
    *,
    shift: float = 0.0,
    correlation: float = 0.8,
    app_share: float = 0.2,
) -> Orders:
    """A table as a dict of columns; missing entries are empty strings."""
    minutes = MONTH + rng.integers(0, 31 * 24 * 60, rows).astype("timedelta64[m]")
    stay, other = rng.normal(size=(2, rows))
    clicks = correlation * stay + np.sqrt(1 - correlation**2) * other
    return {
        "ordered_at": np.sort(minutes).astype(str),
        "amount": np.exp(rng.normal(3.4 + shift, 0.6, rows)).round(2),
        "items": 1 + rng.poisson(1.8, rows),
        "age": _missing(rng, rng.gamma(9.0, 4.5, rows).round().clip(16, 95).astype(int), 0.06),
        "minutes_on_site": np.exp(1.8 + 0.5 * stay).round(1),
        "pages_seen": np.exp(2.2 + 0.4 * clicks).round().astype(int),
        "region": _missing(rng, rng.choice(REGIONS, rows, p=[0.4, 0.3, 0.2, 0.1]), 0.02),
        "device": rng.choice(DEVICES, rows, p=[0.7 - app_share, 0.3, app_share]),
        "is_member": np.where(rng.random(rows) < 0.35, "true", "false"),
    }


def _missing(rng: np.random.Generator, column: Matrix, share: float) -> Matrix:
    return np.where(rng.random(len(column)) < share, "", column.astype(str))


def write_pair(folder: Path, name: str) -> tuple[Path, Path]:
    """Write one pair as CSV files and return where they are."""
    places = folder / f"{name}_a.csv", folder / f"{name}_b.csv"
    for place, table in zip(places, pairs()[name], strict=True):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
        write_text(place, text.getvalue())
    return places
