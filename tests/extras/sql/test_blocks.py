import duckdb
import numpy as np
import pytest

from samelaw.extras.sql.blocks import EvaluatedFeatures, blocks_test, read_blocks, sides_of
from samelaw.extras.sql.dialects import DIALECTS
from samelaw.extras.sql.statement import Side, Waves, block_sums
from samelaw.tables.columns.column import Kind
from samelaw.tables.frozen import FrozenColumn, FrozenTable

DUCKDB = DIALECTS["duckdb"]
ENDS = np.array([0.0, 1.0])
RULES = FrozenTable((FrozenColumn("x", Kind.NUMERIC, ENDS, ENDS),))


def statement(tables="ab", frequency=1.0, block=None):
    waves = Waves(RULES, (np.array([[2.0]]),), np.array([[frequency]]), seed=0)
    sides = [Side.of_table(name, RULES, i, DUCKDB) for i, name in enumerate(tables)]
    return block_sums(waves, sides, DUCKDB, block=block)


@pytest.fixture
def database():
    with duckdb.connect() as found:
        found.execute("SELECT SETSEED(0.5)")
        for name, shift in (("a", 0.0), ("b", 0.3)):
            made = f"SELECT RANDOM() + {shift} AS x FROM RANGE(210)"
            found.execute(f"CREATE TABLE {name} AS {made}")
        yield found


def lines(database, written):
    answer = database.execute(written)
    names = [one[0] for one in answer.description]
    return dict(zip(names, zip(*answer.fetchall(), strict=True), strict=True))


def test_capitals_and_the_order_of_lines_do_not_matter(database):
    found = lines(database, statement())
    turned = {name.upper(): values[::-1] for name, values in found.items()}
    pvalues = [blocks_test(*sides_of(one), rng=0).pvalue for one in (found, turned)]
    assert pvalues[0] == pvalues[1] < 0.05


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_holds_what_the_database_returned(database, tmp_path, ending):
    place = str(tmp_path / f"blocks.{ending}")
    database.execute(f"COPY ({statement()}) TO '{place}'")
    from_file, at_once = read_blocks(place), sides_of(lines(database, statement()))
    for one, other in zip(from_file, at_once, strict=True):
        assert (one.sketch.totals == other.sketch.totals).all()
        assert (one.means[0].means == other.means[0].means).all()
        assert (one.rows, one.sketch.left_over) == (210, 0)


def test_a_line_that_is_lost_or_came_twice_is_found(database):
    found = lines(database, statement())
    count = len(found["side"])
    for kept in ([*range(1, count)], [0, *range(count)]):
        broken = {name: [values[i] for i in kept] for name, values in found.items()}
        with pytest.raises(ValueError, match="a line was lost or came twice"):
            sides_of(broken)


def test_a_result_of_something_else_is_refused(database):
    with pytest.raises(ValueError, match="has no column waves, side"):
        sides_of(lines(database, "SELECT * FROM a"))


def test_sums_of_other_waves_are_not_compared(database):
    sides = [
        sides_of(lines(database, statement(name, frequency, block=10)))[0]
        for name, frequency in (("a", 1.0), ("b", 3.0))
    ]
    with pytest.raises(ValueError, match="merge only with the same feature map"):
        blocks_test(*sides)


def test_tables_of_two_databases_are_compared(database):
    sides = [sides_of(lines(database, statement(name, block=10)))[0] for name in "ab"]
    found = blocks_test(*sides, rng=0)
    assert found.reject
    assert "21 v 21 blocks of 10 rows" in found.method


def test_the_features_are_in_the_database_only():
    with pytest.raises(TypeError, match="exist in a database only"):
        EvaluatedFeatures("w1", 2)(np.zeros((3, 1)))
