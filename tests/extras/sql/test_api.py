import duckdb
import numpy as np
import pytest

from samelaw.extras.sql.api import compare_in_database, sql_statement
from samelaw.extras.sql.blocks import blocks_test, sides_of
from samelaw.tables.reading.read import read_table

WORDS = "['red', 'green', 'it''s'][1 + CAST(FLOOR(RANDOM() * 3) AS INTEGER)]"


@pytest.fixture
def database():
    with duckdb.connect() as found:
        found.execute("SET threads = 1")
        found.execute("PRAGMA disable_optimizer")  # planning takes longer than these few rows
        found.execute("SELECT SETSEED(0.5)")
        yield found


def made(database, name, x="RANDOM()", y="RANDOM()", word=WORDS, rows=500):
    database.execute(
        f'CREATE TABLE "{name}" AS SELECT {x} AS x, {y} AS "the ""y""", {word} AS word, '
        f"DATE '2026-01-01' AS day FROM RANGE({rows})"
    )


CHANGES = {
    "a shift": {"x": "RANDOM() + 0.1"},
    "other words": {"word": "'red'"},
    "a new word": {"word": "CASE WHEN RANDOM() < 0.2 THEN 'blue' ELSE 'red' END"},
    "values that went missing": {"y": "CASE WHEN RANDOM() < 0.9 THEN RANDOM() END"},
}
RARER = ("other words", "values that went missing")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(CHANGES[name], id=name, marks=[pytest.mark.long] * (name in RARER))
        for name in CHANGES
    ],
)
def test_a_change_is_found_where_the_tables_are(database, change):
    made(database, "a")
    made(database, "b", **change)
    assert compare_in_database(database, "a", "b", rng=0).reject


def test_columns_that_changed_only_together_are_found(database):
    made(database, "a")
    database.execute('CREATE TABLE b AS SELECT x, x AS "the ""y""", word, day FROM a')
    assert compare_in_database(database, "a", "b", rng=0).reject


def test_row_numbers_are_no_law(database):
    """Tables of two sizes differ in them, whatever else they hold."""
    for name, rows in (("a", 500), ("b", 400)):
        database.execute(
            f"CREATE TABLE {name} AS SELECT range AS n, RANDOM() AS x FROM RANGE({rows})"
        )
    found = compare_in_database(database, "a", "b", rng=0, permutations=99)
    assert not found.reject
    assert "not compared: n" in found.method
    told = {"n": "numeric"}
    assert compare_in_database(database, "a", "b", kinds=told, rng=0, permutations=99).reject


def test_no_row_leaves_the_database(database):
    fetched = []

    class Watched:
        def execute(self, query):
            answer = database.execute(query)
            return Answer(answer.description, answer.fetchall())

    class Answer:
        def __init__(self, description, lines):
            self.description, self.lines = description, lines

        def fetchall(self):
            fetched.append((len(self.lines), [one[0] for one in self.description]))
            return self.lines

    database.execute("PRAGMA enable_optimizer")  # as people have it
    made(database, "a", rows=1_000)
    made(database, "b", rows=1_200)
    found = compare_in_database(Watched(), "a", "b", rng=0)
    assert not found.reject
    counts, blocks = fetched[:-1], fetched[-1]
    assert all(lines <= 3 for lines, _ in counts)  # sizes, quantiles, words with their counts
    assert blocks[0] == 150 + 183
    assert found.sizes == (900, 1_098)
    assert found.method.endswith("2 rows left over, 100 of each prepared it; not compared: day")


def test_the_same_seed_gives_the_same_answer_and_nothing_is_left(database):
    made(database, "a")
    made(database, "b")
    pvalues = [compare_in_database(database, "a", "b", rng=seed).pvalue for seed in (4, 4, 5)]
    assert pvalues[0] == pvalues[1] != pvalues[2]
    assert database.execute("SELECT COUNT(*) FROM duckdb_tables()").fetchall() == [(2,)]


def test_what_cannot_be_compared_is_refused(database):
    made(database, "a")
    made(database, "few", rows=50)
    with pytest.raises(ValueError, match="few has 50 rows; blocks take at least 100"):
        compare_in_database(database, "a", "few")
    with pytest.raises(ValueError, match="no column can be compared of 'day'"):
        compare_in_database(database, "a", "a", columns=["day"])
    with pytest.raises(ValueError, match="bigquery is written, not run here"):
        compare_in_database(database, "a", "a", dialect="bigquery")


def sample(database, rows=200):
    return read_table(database.sql(f"SELECT * FROM a LIMIT {rows}").to_arrow_table())


def test_a_statement_for_a_sample_is_run_as_it_is_written(database):
    made(database, "a", rows=1_200)
    database.execute("CREATE TABLE c AS SELECT * FROM a OFFSET 200")
    made(database, "shifted", x="RANDOM() + 0.2")
    written = sql_statement(["c", "shifted"], sample(database), dialect="duckdb", rng=1)
    answer = database.execute(written)
    names = [one[0] for one in answer.description]
    lines = dict(zip(names, zip(*answer.fetchall(), strict=True), strict=True))
    assert blocks_test(*sides_of(lines), rng=0).reject


def test_the_columns_of_a_statement_are_those_of_the_sample(database):
    made(database, "a")
    table = sample(database)
    written = sql_statement(["a", "b"], table, dialect="snowflake", ignore=["word", "day"])
    assert '"the ""y"""' in written
    assert '"word"' not in written
    with pytest.raises(ValueError, match="nope"):
        sql_statement(["a", "b"], table, dialect="snowflake", columns=["nope"])
    for asked, said in (
        ({"columns": []}, "no column can be compared"),
        ({"columns": "word"}, "columns is the text 'word'"),
        ({"ignore": "word"}, "ignore is the text 'word'"),
        ({"ignore": ["nope"]}, "nope"),
        ({"rng": np.random.default_rng(0)}, "rng must be a whole number of at least 0"),
    ):
        with pytest.raises(ValueError, match=said):
            sql_statement(["a", "b"], table, dialect="snowflake", **asked)


def test_a_statement_names_the_columns_whose_values_it_leaves_out(database):
    words = ["one", "two"] * 20
    rows = {
        "x": np.sin(range(40)),
        "w": words,
        "day\n; DROP TABLE a": [f"2026-01-{i // 2 + 1:02}" for i in range(40)],
    }
    written = sql_statement(["a"], rows, dialect="duckdb", block=9)
    first, second, *_ = written.splitlines()
    assert first.startswith("-- not compared: day")
    assert "DROP TABLE a" in first
    assert second.startswith("WITH ")
    made(database, "days")
    found = compare_in_database(database, "days", "days", rng=0, permutations=19)
    assert found.method.endswith("; not compared: day")


@pytest.mark.heavy
def test_the_level_holds_for_mixed_columns(database):
    rejected = 0
    for seed in range(300):
        for name in "ab":
            database.execute(f"DROP TABLE IF EXISTS {name}")
            made(database, name, x="CASE WHEN RANDOM() < 0.8 THEN ROUND(RANDOM(), 1) END", rows=600)
        rejected += compare_in_database(database, "a", "b", permutations=99, rng=seed).reject
    from scipy.stats import binom

    low, high = binom.interval(0.999, 300, 0.05)
    assert low <= rejected <= high


def test_huge_and_infinite_numbers_do_no_harm(database):
    odd = "CASE WHEN RANDOM() < 0.1 THEN 'inf' WHEN RANDOM() < 0.1 THEN 'nan' ELSE '1e308' END"
    for name in "ab":
        made(database, name, x=f"CAST({odd} AS DOUBLE)")
    assert np.isfinite(compare_in_database(database, "a", "b", rng=0).statistic)


@pytest.mark.parametrize("kind", ["BIGINT", "HUGEINT", "DECIMAL(30, 2)"])
def test_numbers_that_a_cast_to_floats_merges_are_refused_or_compared_as_words(kind):
    with duckdb.connect() as database:
        for name, low in (("a", 0), ("b", 20)):
            value = f"CAST(1152921504606846976 AS {kind}) + {low} + i % 40"
            database.execute(f"CREATE TABLE {name} AS SELECT {value} AS x FROM RANGE(2000) t(i)")
        with pytest.raises(ValueError, match=r"column 'x' holds whole .* \(--kind x=categorical"):
            compare_in_database(database, "a", "b", rng=0)
        assert compare_in_database(database, "a", "b", kinds={"x": "categorical"}, rng=0).reject
