"""Files of a stream for tests: a small shop whose amounts move."""

import numpy as np

RNG = np.random.default_rng
ROWS = 150


def csv(seed, rows=ROWS, shift=0.0):
    rng = RNG(seed)
    amounts = rng.normal(10 + shift, 1, rows)
    regions = rng.choice(["north", "south"], rows)
    lines = [f"{a:.4f},{r}" for a, r in zip(amounts, regions, strict=True)]
    return "\n".join(["amount,region", *lines, ""])


def fill(folder, days, shift=0.0):
    """One file per day; those after the fourth are shifted."""
    folder.mkdir(exist_ok=True)
    for day in days:
        (folder / f"day{day:02}.csv").write_text(csv(day, shift=shift if day > 4 else 0.0))


def reference(folder, rows=4_000):
    path = folder / "reference.csv"
    path.write_text(csv(999, rows))
    return path
