"""Names of pairs: exact when tables follow one law, seldom wrong when only margins moved."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from levels import check, runs_to_see
from realdata import orders, stream
from samelaw import compare
from samelaw.comparison.view_tests import ColumnTests
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table
from samelaw.testing.permuting.units import Units

WRONG = 0.07
"""Share of runs in which a pair may be named though only margins moved."""


def made(rng, rows):
    """Loose, strong and no dependence among numbers, words, flags and missing values."""
    x = rng.normal(size=rows)
    y = 0.6 * x + 0.8 * rng.normal(size=rows)
    place = np.digitize(0.8 * x + rng.normal(size=rows), [-0.5, 0.9])
    return {
        "x": x,
        "y": np.exp(y),
        "z": 0.9 * x + np.sqrt(0.19) * rng.normal(size=rows),
        "w": rng.normal(size=rows),
        "word": np.array(["a", "b", "c"])[place],
        "flag": 0.7 * y + rng.normal(size=rows) > 0.6,
    }


def halves(table, rng, rows):
    """Two tables of one law: distinct rows of a real one."""
    chosen = rng.permutation(len(next(iter(table.values()))))[: 2 * rows]
    return tuple({k: v[part] for k, v in table.items()} for part in (chosen[:rows], chosen[rows:]))


SOURCES = {
    "made": lambda rng, rows: (made(rng, rows), made(rng, rows)),
    "orders": lambda rng, rows: halves(orders(), rng, rows),
    "weather": lambda rng, rows: halves(stream("weather"), rng, rows),
    "elec": lambda rng, rows: halves(stream("elec"), rng, rows),
}


def spread(values):
    return np.subtract(*np.nanquantile(values, [0.75, 0.25]))


def rounded(values):
    step = spread(values) / 2
    return np.round(values / step) * step


def shuffled_away(values, rng, share, what):
    changed = values.copy() if what is None else values.astype(object)
    changed[rng.random(len(values)) < share] = np.nan if what is None else what
    return changed


NUMBERS = {
    "shift": lambda v, rng: v + spread(v),
    "scale": lambda v, rng: np.nanmedian(v) + 3 * (v - np.nanmedian(v)),
    "factor": lambda v, rng: 1.1 * v,
    "unit": lambda v, rng: (v - 32) / 1.8,
    "monotone": lambda v, rng: np.arcsinh(4 * (v - np.nanmedian(v)) / spread(v)),
    "rounding": lambda v, rng: rounded(v),
    "nulls": lambda v, rng: shuffled_away(v, rng, 0.3, None),
}


def moved(table, kind, rng):
    """Two columns of a table, or one of words, sent through a change of their own margin."""
    words = [k for k, v in table.items() if v.dtype.kind in "OU"]
    if kind == "new category" and words:
        name = words[int(rng.integers(len(words)))]
        return table | {name: shuffled_away(table[name], rng, 0.25, "never seen before")}
    numbers = [k for k, v in table.items() if v.dtype.kind == "f" and spread(v) > 0]
    change = NUMBERS["nulls" if kind == "new category" else kind]
    chosen = rng.permutation(len(numbers))[:2]
    return table | {numbers[i]: change(table[numbers[i]], rng) for i in chosen}


def names_of(a, b, seed, permutations=99):
    found = compare(a, b, permutations=permutations, rng=seed)
    return [pair.names for pair in found.pairs if pair.changed]


def wrong_names(source, kind, runs, rows=150):
    wrong = 0
    for run in range(runs):
        rng = np.random.default_rng([run, 5])
        a, b = SOURCES[source](rng, rows)
        wrong += bool(names_of(a, moved(b, kind, rng), run))
    return wrong


@pytest.mark.heavy
def test_pairs_are_seldom_named_when_only_margins_moved():
    """At least 2,000 runs over all changes and tables; the upper limit of the rate, 99 % sure."""
    sources = [s for s in SOURCES if s in ("made", "orders") or stream(s) is not None]
    kinds = [*NUMBERS, "new category"]
    each = -(-2_000 // (len(sources) * len(kinds)))
    wrong = {(s, k): wrong_names(s, k, each) for s in sources for k in kinds}
    runs = each * len(wrong)
    print(f"{sum(wrong.values())} of {runs} wrong:", {k: v for k, v in wrong.items() if v})
    for hits in wrong.values():
        assert hits <= binom.ppf(1 - 1e-4, each, WRONG)
    assert runs >= 2_000
    assert beta.ppf(0.99, sum(wrong.values()) + 1, runs - sum(wrong.values())) <= WRONG


@pytest.mark.long
def test_two_independent_columns_that_both_move_still_go_together_as_before():
    """Both named in every run when pairs were ranked on the pool."""
    named, runs = 0, 3  # of fewer, all may be wrong
    for run in range(runs):
        rng = np.random.default_rng(run)
        a, b = ({"x": rng.normal(s, 1, 1_100), "y": rng.normal(s, 1, 1_100)} for s in (0, 1))
        named += bool(names_of(a, b, run))
    assert named <= binom.ppf(0.999, runs, WRONG)


@pytest.mark.long
def test_another_unit_in_a_real_table_names_no_pair():
    """Named in nearly every run when pairs were ranked on the pool."""
    kinds, each = ("unit", "rounding"), 2
    wrong = sum(wrong_names("orders", kind, each, rows=300) for kind in kinds)
    assert wrong <= binom.ppf(0.999, each * len(kinds), WRONG)


@pytest.mark.long
def test_pairs_alone_keep_the_level_when_tables_follow_one_law():
    level, hits = 0.1, 0
    runs = runs_to_see(4 * level, level)
    for run in range(runs):
        rng = np.random.default_rng([run, 6])
        pair = pair_tables(read_table(made(rng, 40)), read_table(made(rng, 25)))
        units = Units.of_rows(pair.sizes)
        members = np.concatenate([units.labels.observed[None], units.labels.draw(rng, 39)])
        found = ColumnTests(pair.columns, units, members, pair.sizes).of_pairs().max(axis=0)
        hits += np.mean(found >= found[0]) <= level
    check(hits, runs, level)


@pytest.mark.heavy
def test_a_changed_dependence_is_named_in_the_shipped_tables():
    """The quick run sees the same on the command line: tests/end_to_end/test_cli.py."""
    from realdata import ROOT

    folder = ROOT / "examples" / "data"
    found = compare(folder / "changed_a.csv", folder / "changed_b.csv", rng=1, permutations=99)
    named = [pair for pair in found.pairs if pair.changed]
    assert [set(pair.names) for pair in named] == [{"minutes_on_site", "pages_seen"}]
    assert "rank correlation" in named[0].sentence


def test_the_same_margins_and_another_dependence_are_named_in_a_real_table():
    rng = np.random.default_rng([0, 7])
    a, b = halves(orders(), rng, 300)
    b["minutes_on_site"] = rng.permutation(b["minutes_on_site"])
    assert ("minutes_on_site", "pages_seen") in names_of(a, b, 0)


@pytest.mark.long
def test_a_point_mass_that_grew_is_not_comparable_and_not_named():
    rng = np.random.default_rng(0)
    a, b = made(rng, 500), made(rng, 500)
    for table, low in ((a, -0.84), (b, 0.25)):
        table["x"] = np.maximum(table["x"] - low, 0)  # 20 % and 60 % zeros
    found = compare(a, b, rng=0, permutations=199)
    assert "x" in found.columns_changed
    pairs = [pair for pair in found.pairs if "x" in pair.columns]
    assert pairs
    for pair in pairs:
        assert not pair.changed
        assert not pair.comparable
        assert pair.sentence.startswith("not comparable: x is 0 in 2")
    assert sum("x is 0 in" in note for note in found.notes) == 1


def test_a_column_without_values_in_one_table_has_no_correlation_there():
    rng = np.random.default_rng(1)
    a, b = made(rng, 200), made(rng, 200)
    b["x"] = np.full(200, np.nan)
    found = compare(a, b, rng=0, permutations=99)
    pairs = [pair for pair in found.pairs if "x" in pair.columns]
    assert len(pairs) >= 5
    for pair in pairs:
        assert (pair.changed, pair.comparable) == (False, False)
        lacks = "missing values in A" if "x (missing)" in pair.names else "values in B"
        assert pair.sentence == f"not comparable: x has no {lacks}"
    assert "x has no values in B: pairs with this column are not compared." in found.notes
