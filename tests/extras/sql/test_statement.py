from dataclasses import replace

import duckdb
import numpy as np
import pytest
from scipy.stats import binom

from optional import need
from samelaw.divergence.sketch import MeanSketch, Sketch
from samelaw.extras.sql.blocks import blocks_test, sides_of
from samelaw.extras.sql.dialects import DIALECTS
from samelaw.extras.sql.expressions import KNOTS
from samelaw.extras.sql.statement import Side, Waves, block_sums
from samelaw.kernels import FourierFeatures
from samelaw.tables.columns.column import Kind
from samelaw.tables.frozen import FrozenColumn, FrozenTable, normal_scores
from samelaw.tables.reading.read import read_table
from samelaw.testing.sketch_test import sketch_test

DUCKDB = DIALECTS["duckdb"]
EACH = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
none = np.empty(0)


def rules_of(name="x"):
    knots, scores = normal_scores(np.random.default_rng(0).normal(size=20))
    return FrozenTable((FrozenColumn(name, Kind.NUMERIC, knots, scores),))


def small_waves(rules):
    return Waves(rules, (np.array([[0.5, 1.0, 2.0]]),), np.array([[0.7]]), seed=0)


def answer(database, statement):
    found = database.execute(statement)
    names = [one[0] for one in found.description]
    return dict(zip(names, zip(*found.fetchall(), strict=True), strict=True))


def made(database, sizes, seed=0):
    """Sorted tables a and b of one law whose values come again."""
    rng = np.random.default_rng(seed)
    for name, size in zip("ab", sizes, strict=True):
        database.execute(f"CREATE OR REPLACE TABLE {name} (x DOUBLE)")
        frame = {"x": np.sort(rng.normal(size=size).round())}
        database.execute(f"INSERT INTO {name} SELECT UNNEST(x) FROM (SELECT $x AS x)", frame)


def test_sums_and_p_value_are_those_of_numpy():
    database, sizes, rules = duckdb.connect(), (403, 251), rules_of()
    made(database, sizes)
    waves = Waves.drawn(rules, np.ones(1), seed=3)
    tables = [Side.of_table(name, rules, 3 + i, DUCKDB) for i, name in enumerate("ab")]
    sides = sides_of(answer(database, block_sums(waves, tables, DUCKDB, skip=10)))
    sketches, means = [], []
    for side, table, size in zip(sides, tables, sizes, strict=True):
        rows = database.execute(f"SELECT x0 FROM ({table.dealt}) ORDER BY place").fetchall()[10:]
        points, _ = rules.encode(read_table({"x": [row[0] for row in rows]}))
        block = side.sketch.block
        assert block == 2
        assert (side.rows, side.sketch.left_over) == (size - 10, (size - 10) % 2)
        sketch = Sketch.of(FourierFeatures(waves.products), points, block=block)
        assert np.abs(sketch.totals - side.sketch.totals).max() < 1e-12
        own = []
        for frequencies, mean in zip(waves.means, side.means, strict=True):
            features = FourierFeatures(frequencies)(points[: len(points) // block * block])
            own.append(MeanSketch(features.reshape(-1, block, features.shape[1]).mean(axis=1)))
            assert np.abs(own[-1].means - mean.means).max() < 1e-12
        sketches.append(sketch)
        means.append(own)
    expected = sketch_test(*sketches, means=list(zip(*means, strict=True)), rng=7)
    assert blocks_test(*sides, rng=7).pvalue == expected.pvalue
    assert "exact if the rows of the sample are in neither" in blocks_test(*sides).calibration
    assert "exact if" not in blocks_test(*sides, held_out=True).calibration


def pvalues(random, runs, sizes=(1_600, 1_200)):
    """Of tables of one law, when rows are dealt in the order of ``random``."""
    database, rules = duckdb.connect(), rules_of()
    database.execute("SET threads = 1")
    waves, dialect, found = small_waves(rules), replace(DUCKDB, random=random), []
    for seed in range(runs):
        made(database, sizes, seed)
        sides = [Side.of_table(name, rules, seed + i, dialect) for i, name in enumerate("ab")]
        lines = answer(database, block_sums(waves, sides, dialect))
        found.append(blocks_test(*sides_of(lines), permutations=99, rng=seed).pvalue)
    return np.array(found)


def is_level(found):
    """Whether 1 in 20 is below .05 and half below .5, up to chance of 1 in 1,000."""
    for level in (0.05, 0.5):
        low, high = binom.interval(0.999, len(found), level)
        if not low <= np.count_nonzero(found <= level) <= high:
            return False
    return True


MISTAKES = {
    "stripes of a sorted table": "MOD(ROW_NUMBER() OVER (), 200)",
    "stripes by a hash of the content": "MOD(ROW_NUMBER() OVER (ORDER BY HASH(x)), 200)",
    "a sorted table as it is": "ROW_NUMBER() OVER ()",
    "a hash of the content": "HASH(x)",
}


NEAREST = "stripes by a hash of the content"  # to what is done


def test_rows_of_sorted_tables_are_dealt_at_random():
    assert is_level(pvalues(DUCKDB.random, 12))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.heavy] * (name != NEAREST)) for name in MISTAKES],
)
def test_the_simulation_finds_rows_that_are_not_dealt_at_random(name):
    assert not is_level(pvalues(MISTAKES[name], 12))


@pytest.mark.heavy
def test_the_level_holds_over_many_pairs_of_sorted_tables():
    assert is_level(pvalues(DUCKDB.random, 1_000))


@EACH
def test_a_parser_of_the_dialect_reads_it(dialect):
    sqlglot = need("sqlglot")
    rules = rules_of("na`me\"'")
    sides = [Side.of_table(name, rules, 1, dialect) for name in ("shop.a", "b")]
    (found,) = sqlglot.parse(block_sums(small_waves(rules), sides, dialect), read=dialect.name)
    assert {one.name for one in found.find_all(sqlglot.exp.Table)} >= {"a", "b", "placed", "waves"}
    assert found.named_selects[:5] == ["waves", "side", "block_number", "total", "rows_in_block"]
    assert len(found.named_selects) == 5 + 6 + 3


def numbers(count):
    knots = np.linspace(-3, 3, KNOTS + 2)
    return [FrozenColumn(f"column {i}", Kind.NUMERIC, knots, 1.1 * knots) for i in range(count)]


@EACH
def test_a_hundred_columns_fit_into_a_statement(dialect):
    columns = numbers(100)
    words = FrozenColumn("word", Kind.CATEGORICAL, none, none, tuple("abcdefgh"), gaps=True)
    rules = FrozenTable((*columns, words))
    waves = Waves.drawn(rules, np.ones(len(rules.coordinates)), seed=0)
    sides = [Side.of_table(name, rules, 1, dialect) for name in "ab"]
    assert len(block_sums(waves, sides, dialect)) < 1_000_000
    assert len(list(waves.sums())) + 5 < 1_664  # what Postgres returns


def test_a_statement_too_long_is_refused():
    rules = FrozenTable(tuple(numbers(200)))
    waves = Waves.drawn(rules, np.ones(200), seed=0)
    sides = [Side.of_table(name, rules, 1, DUCKDB) for name in "ab"]
    with pytest.raises(ValueError, match=r"bytes, more than 1,000,000, for 200 .* fewer columns"):
        block_sums(waves, sides, DUCKDB)


def test_one_table_alone_needs_the_size_of_its_blocks():
    database, rules = duckdb.connect(), rules_of()
    made(database, (50, 50))
    side = Side.of_table("a", rules, 1, DUCKDB)
    with pytest.raises(ValueError, match="pass block"):
        block_sums(small_waves(rules), [side], DUCKDB)
    (found,) = sides_of(answer(database, block_sums(small_waves(rules), [side], DUCKDB, block=7)))
    assert (found.sketch.block, len(found.sketch.totals), found.sketch.left_over) == (7, 7, 1)


def test_the_same_seed_draws_the_same_waves():
    rules = rules_of()
    codes = [Waves.drawn(rules, np.ones(1), seed).code for seed in (0, 0, 1)]
    assert codes[0] == codes[1] != codes[2]
