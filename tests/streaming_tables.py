"""Tables, and what both passes leave of them, for tests of comparisons that keep no rows."""

import numpy as np
import pyarrow as pa

from samelaw.comparison.sums.block_sums import BlockSums
from samelaw.comparison.sums.joint import draw_features
from samelaw.comparison.sums.scheme import find_scheme
from samelaw.comparison.sums.tests import BlockTests, PairLooks
from samelaw.tables.bins import Reading
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.units import Units


def mixed(rows, seed, **changes):
    """A table of all kinds; x and y depend on each other by ``together``, x moves by ``shift``."""
    rng = np.random.default_rng(seed)
    together, shift = changes.get("together", 0.6), changes.get("shift", 0.0)
    x = rng.normal(size=rows)
    y = together * x + np.sqrt(1 - together**2) * rng.normal(size=rows)
    words = np.array([f"w{i}" for i in range(60)])
    moments = 1_700_000_000 + rng.integers(0, 86_400 * 60, size=rows)
    gone = rng.random(rows) < changes.get("missing", 0.05)
    return pa.table(
        {
            "x": x + shift,
            "y": y,
            "count": rng.poisson(3, size=rows),
            "word": words[np.minimum(rng.geometric(0.06, size=rows) - 1, 59)],
            "flag": rng.random(rows) < 0.3,
            "when": moments.astype("datetime64[s]"),
            "gaps": pa.array(rng.integers(0, 5, size=rows), mask=gone),
        }
    )


def blocks_of_rows(a, b, block):
    """Two tables of rows, dealt to blocks: the pair, its units, and those of sums alone."""
    tables = [read_table(table) for table in (a, b)]
    pair = pair_tables(*tables)
    n, m = pair.sizes
    dealt = np.random.default_rng(0).permutation(n), n + np.random.default_rng(1).permutation(m)
    rows = np.concatenate([part[: len(part) // block * block] for part in dealt])
    labels = Labels(np.arange(len(rows) // block) < n // block)
    return tables, pair, Units.of_blocks(labels, rows, block, n + m), Units.of_sums(labels, block)


def summed(a, b, block):
    """The same blocks as rows and as sums: pair, units of rows, and tests on sums."""
    tables, pair, units, gone = blocks_of_rows(a, b, block)
    scheme = find_scheme(pair, tables)
    looks = PairLooks(scheme.looks, pair.sizes, 1e9, units.count)
    features = draw_features(scheme, np.random.default_rng(2))
    sums = BlockSums(scheme, features, units.count, looks.fine, looks.pairs)
    for side, (table, unit) in enumerate(
        zip(tables, np.split(units.unit, [pair.sizes[0]]), strict=True)
    ):
        for rows in np.array_split(np.arange(table.rows), 3):
            part = table.taken(rows)
            own = [Reading(part.raw[look.column]) for look in scheme.looks]
            sums.add(own, side, unit[rows])
    kept = [
        i
        for i, pool in enumerate(total.sum(axis=0) for total in sums.all_bins)
        if np.count_nonzero(pool[:-1]) > 1
    ]
    return pair, units, BlockTests(sums, looks, gone, kept)
