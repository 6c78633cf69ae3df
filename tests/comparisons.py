"""Comparisons for tests of what people see: real tables and real numbers, but no engine.

What is shown must not depend on how it was found, so odd values are easier to make by hand.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from optional import need
from samelaw.comparison.findings import (
    ColumnFinding,
    Direction,
    Measure,
    MissingFinding,
    PairFinding,
    Picture,
    RowFinding,
)
from samelaw.comparison.result import Comparison
from samelaw.tables.columns.panels import Panel
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table

ROOT = Path(__file__).parents[1]


def panel_of(column, rows):
    """Shares of both tables in the bins or categories of a column."""
    sides = column.values[:rows], column.values[rows:]
    if column.categories:
        size = len(column.categories)
        counts = [np.bincount(side[side >= 0], minlength=size) for side in sides]
        shares = [tuple(count / max(count.sum(), 1)) for count in counts]
        return Panel(column.name, str(column.kind), *shares, categories=column.categories)
    known = column.values[~np.isnan(column.values)]
    edges = np.linspace(known.min(), known.max(), 31)
    counts = [np.histogram(side[~np.isnan(side)], edges)[0] for side in sides]
    shares = [tuple(count / max(count.sum(), 1)) for count in counts]
    return Panel(column.name, str(column.kind), *shares, edges=tuple(edges))


def picture_of(count=160):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, count))
    table = np.where(np.arange(count) < count // 2, "A", "B")
    witness = np.tanh(x * y)
    values = [tuple(map(float, v)) for v in (x, y, witness)]
    return Picture(("minutes_on_site", "pages_seen"), *values[:2], tuple(table), values[2])


@cache
def comparison_of(a, b, *, changed=(), pairs=()):
    """A comparison of two tables in which the named columns and pairs are said to differ."""
    need("pyarrow")
    tables = pair_tables(read_table(ROOT / a), read_table(ROOT / b))
    hits = tuple(dict.fromkeys([*changed, *(name for pair in pairs for name in pair)]))
    marginals = tuple(
        ColumnFinding(
            column.name,
            str(column.kind),
            missing=False,
            changed=column.name in changed,
            pvalue=0.001 if column.name in changed else 0.4 + 0.5 * (place % 2),
            effect=0.05 if column.name in changed else 0.0,
            effect_interval=(0.02, 0.09) if column.name in changed else (0.0, 0.015),
            sentence="median 29.9 → 34.7, spread 18.2 → 21.4",
            measures=(Measure("median", "value", 29.9, 34.7, 4.8, (2.5, 7.1)),),
        )
        for place, column in enumerate(tables.columns)
    )
    n = tables.sizes[0]
    missing = tuple(
        MissingFinding(c.name, float(c.missing[:n].mean()), float(c.missing[n:].mean()), False, 0.9)
        for c in tables.columns
        if c.missing.any()
    )
    names = [column.name for column in tables.columns]
    return Comparison(
        verdict="different" if hits else "no difference found",
        sentence=f"B differs from A in {', '.join(hits)}." if hits else "No difference was found.",
        statistic=9.25 if hits else 1.25,
        pvalue=0.001 if hits else 0.62,
        level=0.05,
        reject=bool(hits),
        null_distribution=np.random.default_rng(1).gumbel(2.0, 0.7, size=999),
        effect=0.061 if hits else 0.0,
        effect_of="all columns",
        effect_interval=(0.034, 0.092) if hits else (0.0, 0.021),
        detectable_effect=0.018,
        min_effect=0.0,
        columns_changed=hits,
        column_groups=tuple(tuple(pair) for pair in pairs),
        marginals=marginals,
        pairs=tuple(
            PairFinding(tuple(pair), tuple(pair), True, 0.001, "correlation 0.78 → 0.02")
            for pair in pairs
        ),
        missing=missing,
        rows=tuple(
            RowFinding(t, 7 * i + 3, 0.9 - 0.05 * i, dict.fromkeys(names, "12.5"))
            for t in "BA"
            for i in range(12)
        ),
        directions=(
            Direction(
                0.04,
                0.05,
                0.09,
                ((names[0], 0.7), (names[-1], -0.4)),
                (f"high {names[0]}", f"{names[-1]} false"),
            ),
        ),
        panels=tuple(panel_of(column, n) for column in tables.columns),
        picture=picture_of(),
        schema_changes=tuple(tables.schema_changes),
        left_out=tuple(tables.left_out),
        sizes=tables.sizes,
        sources=(a, b),
        notes=tables.notes,
        settings={"level": 0.05, "min_effect": 0.0, "permutations": 999, "rng": 7},
        seed=7,
        method="max-T over 9 columns, 3 pairs and all together; Gram route",
    )


def changed_shop(**changes):
    """The shipped pair that changed."""
    found = comparison_of(
        "examples/data/changed_a.csv",
        "examples/data/changed_b.csv",
        changed=("amount", "device"),
        pairs=(("minutes_on_site", "pages_seen"),),
    )
    return replace(found, **changes)


def same_shop(**changes):
    """The shipped pair that did not change."""
    return replace(comparison_of("examples/data/same_a.csv", "examples/data/same_b.csv"), **changes)
