"""Make the two pairs of tables in this folder: orders of a shop, one month, two checkouts.

same_a, same_b        equal in law: the new checkout changes nothing
changed_a, changed_b  the new checkout moves the amount up, draws more orders to the app, and breaks
                      the tie between minutes_on_site and pages_seen (each alone looks unchanged)
"""

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
MONTH = np.datetime64("2025-03-01T00:00")
REGIONS = ["north", "south", "east", "west"]
DEVICES = ["phone", "laptop", "app"]


def orders(rng, rows, *, shift=0.0, correlation=0.8, app_share=0.2):
    """Return a table as a dict of columns; missing entries are empty strings."""
    minutes = MONTH + rng.integers(0, 31 * 24 * 60, rows).astype("timedelta64[m]")
    stay, other = rng.normal(size=(2, rows))
    clicks = correlation * stay + np.sqrt(1 - correlation**2) * other
    return {
        "ordered_at": np.sort(minutes).astype(str),
        "amount": np.exp(rng.normal(3.4 + shift, 0.6, rows)).round(2),
        "items": 1 + rng.poisson(1.8, rows),
        "age": missing(rng, rng.gamma(9.0, 4.5, rows).round().clip(16, 95).astype(int), 0.06),
        "minutes_on_site": np.exp(1.8 + 0.5 * stay).round(1),
        "pages_seen": np.exp(2.2 + 0.4 * clicks).round().astype(int),
        "region": missing(rng, rng.choice(REGIONS, rows, p=[0.4, 0.3, 0.2, 0.1]), 0.02),
        "device": rng.choice(DEVICES, rows, p=[0.7 - app_share, 0.3, app_share]),
        "is_member": np.where(rng.random(rows) < 0.35, "true", "false"),
    }


def missing(rng, column, share):
    """Return the column as text with a share of its entries left empty."""
    return np.where(rng.random(len(column)) < share, "", column.astype(str))


def write(name, table):
    """Write one table as CSV beside this script."""
    with open(HERE / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def main():
    """Write the four files; the seed is fixed, so they never change."""
    rng = np.random.default_rng(20250301)
    write("same_a", orders(rng, 800))
    write("same_b", orders(rng, 600))
    write("changed_a", orders(rng, 800))
    write("changed_b", orders(rng, 600, shift=0.15, correlation=0.0, app_share=0.35))


if __name__ == "__main__":
    main()
