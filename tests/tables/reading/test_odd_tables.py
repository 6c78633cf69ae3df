"""Odd tables give an answer or an error of ours, which says what to do; never one from inside."""

import contextlib
import io
import json
import linecache
import traceback
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import samelaw
from odd_tables import pairs, sources
from optional import need
from samelaw import compare
from samelaw.cli.main import run
from samelaw.comparison.page.page import render_report
from samelaw.core.errors import TooFewRows
from samelaw.tables.reading.read import read_table

QUICK = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # tables are small to begin with; shrinking is slow
)
LONG = settings(QUICK, max_examples=1500, derandomize=False)


@pytest.fixture(autouse=True)
def _libraries():
    for name in ("pyarrow", "pandas", "polars", "jinja2", "matplotlib"):
        need(name)


def ours(call, *arguments, **options):
    """What a call gives, or None where it refuses in our own words."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return call(*arguments, **options)
    except (ValueError, TypeError) as error:
        if not is_ours(error):
            raise
        return None


def is_ours(error):
    """Whether an error was raised by a line of ours, not on the way through one."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = linecache.getline(last.filename, last.lineno).strip()
    plain = type(error) in (ValueError, TypeError, TooFewRows) and str(error).endswith(".")
    return (
        plain and f"{Path(samelaw.__file__).parent}/" in last.filename and line.startswith("raise ")
    )


def check_source(drawn):
    table = ours(read_table, drawn[0])
    if table is not None:
        for name in table.names:
            column = table.column(name)
            assert len(column.values) == len(column.missing) == table.rows


def check_pair(drawn):
    *tables, kinds = drawn
    found = ours(compare, *tables, kinds=kinds, permutations=19, rng=0)
    if found is not None:
        assert 0 < found.pvalue <= 1
        assert str(found)
        assert json.loads(found.to_json(rows=True))["pvalue"] == found.pvalue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert "</html>" in render_report(found)


def writers():
    """How a table of Arrow becomes a file."""
    pq, feather = need("pyarrow.parquet"), need("pyarrow.feather")
    return {
        "t.parquet": lambda table, path: pq.write_table(table, path),
        "t.feather": lambda table, path: feather.write_feather(table, path, compression="zstd"),
        "t.csv": lambda table, path: need("pyarrow.csv").write_csv(table, path),
        "t.jsonl": write_json,
    }


def write_json(table, path):
    lines = (json.dumps(row, default=str) for row in table.to_pylist())
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogatepass")


def check_file(folder, drawn, name):
    pa = need("pyarrow")
    path = folder / name
    try:
        writers()[name](drawn[0], path)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):  # not what others can write
        assume(False)
    table = ours(read_table, path)
    if table is not None:
        assert all(column.name in table.raw for column in table.columns)
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = run(["compare", str(path), str(path), "--permutations", "19", "--seed", "1"])
    assert code in (0, 2)
    assert "mistake in samelaw" not in said.getvalue()
    assert said.getvalue().count("\n") == (code == 2)


SIGNS = [*',;"\n\r\t|', "\r\n", '""', "a", "1", "1.5", "é", "NA", "2025-03-01", " ", "\x1b", "\0"]
SIGNS += [*"{}[]:", '"x"', "null", "true", "1e999", "NaN", "\\u0000", "\ufeff"]
SCRIBBLES = st.lists(st.sampled_from(SIGNS), max_size=40).map("".join)


def check_scribble(folder, text, start, name):
    path = folder / name
    path.write_bytes((start + text).encode())
    table = ours(read_table, path)
    if table is not None:
        assert table.rows == len(table.columns[0].values)


@QUICK
@given(sources())
def test_a_table_is_read_or_refused_in_our_words(drawn):
    check_source(drawn)


@pytest.mark.long
@settings(QUICK, max_examples=10)
@given(pairs())
def test_two_tables_are_compared_or_refused_in_our_words(drawn):
    check_pair(drawn)


FILES = st.sampled_from(["t.parquet", "t.feather", "t.csv", "t.jsonl"])


@settings(QUICK, max_examples=16)
@given(drawn=sources("pyarrow"), name=FILES)
def test_a_file_is_compared_or_refused_in_our_words(tmp_path, drawn, name):
    check_file(tmp_path, drawn, name)


STARTS = st.sampled_from(["", "x,y\n1,2\n", 'x;y\n1;"a\n', '{"x": 1}\n'])
TEXTS = st.sampled_from(["t.csv", "t.jsonl", "t.parquet", "t.arrow", "t.npy", "t.npz", "t.csv.gz"])


@settings(QUICK, max_examples=120)
@given(text=SCRIBBLES, start=STARTS, name=TEXTS)
def test_a_scribble_is_read_or_refused_in_our_words(tmp_path, text, start, name):
    check_scribble(tmp_path, text, start, name)


@pytest.mark.heavy
@LONG
@given(sources())
def test_many_tables_are_read_or_refused_in_our_words(drawn):
    check_source(drawn)


@pytest.mark.heavy
@settings(LONG, max_examples=600)
@given(pairs())
def test_many_pairs_are_compared_or_refused_in_our_words(drawn):
    check_pair(drawn)


@pytest.mark.heavy
@settings(LONG, max_examples=600)
@given(drawn=sources("pyarrow"), name=FILES)
def test_many_files_are_compared_or_refused_in_our_words(tmp_path, drawn, name):
    check_file(tmp_path, drawn, name)


@pytest.mark.heavy
@settings(LONG, max_examples=10_000)
@given(text=SCRIBBLES, start=STARTS, name=TEXTS)
def test_many_scribbles_are_read_or_refused_in_our_words(tmp_path, text, start, name):
    check_scribble(tmp_path, text, start, name)
