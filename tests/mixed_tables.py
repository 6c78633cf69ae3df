"""Tables of every kind of column, for tests of what is looked at in them."""

import numpy as np

from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table


def table(rng, rows, rho=0.0):
    x = rng.normal(size=rows)
    y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=rows)
    day = 1_700_000_000 + rng.integers(0, 40 * 86_400, rows)
    holes = np.where(rng.random(rows) < 0.2, np.nan, rng.exponential(size=rows))
    return {
        "x": x,
        "y": y,
        "holes": holes,
        "count": rng.poisson(2, rows),
        "word": rng.choice(["red", "green", "blue", "grey"], rows, p=[0.5, 0.3, 0.15, 0.05]),
        "flag": rng.random(rows) < 0.3,
        "when": np.array([np.datetime64(int(s), "s") for s in day]),
    }


def pooled(a, b):
    return pair_tables(read_table(a), read_table(b))
