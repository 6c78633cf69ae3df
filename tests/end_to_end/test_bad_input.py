"""Odd tables that have an answer, and bad input with the exact words it gets."""

# ruff: noqa: E501 (messages are kept whole, as people see them)

import gzip
import os
import re
from pathlib import Path

import pytest

from csvs import FEW, rows_of, write
from optional import need

# ---------------------------------------------------------------- odd tables that have an answer


def pair(name, a, b, code, *said):
    return pytest.param(a, b, code, said, id=name)


NAN = "\n".join(
    line if i % 3 else line.split(",")[0] + ",NaN"
    for i, line in enumerate(rows_of().split("\n")[:-1], 2)
)
CATEGORIES = "k,v\n" + "a,1\nb,2\n" * 30
# fmt: off
ODD = [
    pair("unicode", rows_of(header="größe,价格"), rows_of(header="größe,价格", shift=2), 1, "differs from a.csv: ", "größe", "价格"),
    pair("decimal commas", rows_of(header="x;y", separator=";").replace(".", ","), rows_of(header="x;y", separator=";", shift=2).replace(".", ","), 1, "differs from a.csv: ", "x", "y", "median"),
    pair("missing values", rows_of(), NAN + "\n", 1, "y (missing) changed", "Missing values"),
    pair("every value missing in B", rows_of(), re.sub(",.*", ",", rows_of()).replace("x,", "x,y", 1), 1, "y: every value is missing in B."),
    pair('new category', CATEGORIES, CATEGORIES.replace('b', 'c'), 1, "k: new in B: 'c' (30 rows).", "k: no longer in B: 'b' (30 rows)."),
    pair("whole numbers v numbers", "v\n" + "1\n2\n5\n" * 20, "v\n" + "1.5\n2.5\n5.5\n" * 20, 1, "v: whole numbers in A, numbers in B."),
    pair("dates", "d\n" + "2025-01-03\n2025-01-20\n" * 20, "d\n" + "2025-03-03\n2025-03-20\n" * 20, 1, "d (day of week) changed", "2025-03"),
    pair("column of one side", rows_of(), rows_of(header="x,z"), 1, "b.csv differs from a.csv: y is gone, z is new; no other difference found.", "y: only in A, so not compared.", "z: only in B, so not compared."),
    pair("constant column", "x,c\n" + "1,7\n2,7\n3,7\n" * 20, "x,c\n" + "1,7\n2,7\n3,7\n" * 20, 0, "c: every value is the same"),
    pair("constant that changed", "x,c\n" + "1,7\n2,7\n" * 20, "x,c\n" + "1,8\n2,8\n" * 20, 1, "c changed"),
    pair("empty column", "x,c\n" + "1,\n2,\n3,\n" * 20, "x,c\n" + "1,\n2,\n3,\n" * 20, 0, "c: every value is missing"),
    pair("mixed types", rows_of(), rows_of().replace("\n0", "\nabc", 3), 0, "x (as written): new in B: 'abc.126'", "3 rows hold text such as 'abc.126' in place of a value"),
    pair("2 rows v 60", rows_of(), "x,y\n1,2\n5,3\n", None),
    pair("4 rows", "x\n1\n2\n3\n4\n", "x\n11\n12\n13\n14\n", 1, "x changed"),
    pair("infinite values", rows_of(), rows_of() + "inf,-inf\n", 0),
    pair("markup in names", rows_of(header="<b>x</b>,{{y}}"), rows_of(header="<b>x</b>,{{y}}", shift=2), 1, "differs from a.csv: ", "<b>x</b>", "{{y}}"),
]
# fmt: on


@pytest.mark.parametrize(
    "page",
    [(), pytest.param(("--report", "r.html"), marks=pytest.mark.long)],
    ids=["in words", "drawn"],
)
@pytest.mark.parametrize(("a", "b", "code", "said"), ODD)
def test_odd_tables_have_an_answer(samelaw, a, b, code, said, page):
    found, out, err = samelaw("compare", write("a.csv", a), write("b.csv", b), *FEW, *page)
    assert err == ""
    assert found == code if code is not None else found in (0, 1)
    words = " ".join(out.split())
    for part in said:
        assert part in words
    assert not page or Path("r.html").stat().st_size < 300_000


def test_gzip_and_parquet_and_folders_are_the_same_table(samelaw):
    parquet = need("pyarrow.parquet")
    reader = need("pyarrow.csv")
    a = write("a.csv", rows_of(120))
    write("a.csv.gz", gzip.compress(rows_of(120).encode()))
    table = reader.read_csv(str(a))
    Path("days").mkdir()
    for day in range(3):
        parquet.write_table(table.slice(40 * day, 40), f"days/{day}.parquet")
    for other in ("a.csv.gz", "days", "days/*.parquet"):
        code, out, _ = samelaw("compare", a, other, *FEW)
        assert code == 0
        assert re.search(r"^p-value +1 \(", out, re.MULTILINE)


# ---------------------------------------------------------------- input that has none


def bad(name, message, *arguments, **contents):
    return pytest.param(message, arguments, contents, id=name)


READS = ".csv, .tsv, .parquet, .arrow, .feather, .json, .jsonl, .ndjson, .xlsx, .npy, .npz, and those of text in .gz, .bz2 or .zip"


def grouped(count):
    """Sixty rows in so many groups."""
    return "\n".join(["g,x", *(f"{chr(112 + i % count)},{i % 7}" for i in range(60)), ""])


# fmt: off
BAD = [
    bad("no file", "no.csv does not exist; check the path.", "a.csv", "no.csv"),
    bad("folder without files", "empty holds no Parquet or CSV file; check the path.", "a.csv", "empty"),
    bad("pattern", "no file matches day-*.csv; check the pattern.", "a.csv", "day-*.csv"),
    bad("binary", "b.csv is not text but binary data; export it as CSV with UTF-8 text.", "a.csv", "b.csv", b=bytes(range(256))),
    bad("Parquet named CSV", "b.csv is not CSV but a Parquet file; rename it or export it as CSV with UTF-8 text.", "a.csv", "b.csv", b=b"PAR1" + bytes(50)),
    bad("empty file", "b.csv is empty; expected a line of column names, then rows.", "a.csv", "b.csv", b=""),
    bad("no rows", "b.csv has columns but no rows; expected at least one row of data.", "a.csv", "b.csv", b="x,y\n"),
    bad("one row", "b.csv (B) has one row; a comparison needs at least two in each table.", "a.csv", "b.csv", b="x,y\n1,2\n"),
    bad("2 rows", "2 v 2 rows have only 6 permutations: no p-value can reach level 0.05. Collect more rows.", "b.csv", "b.csv", b="x,y\n1,2\n5,3\n"),
    bad("3 rows", "3 v 3 rows can be divided in only 10 ways (20 permutations, but the samples have no order): no p-value can reach level 0.05. Collect more rows.", "b.csv", "b.csv", b="x,y\n1,2\n5,3\n7,1\n"),
    bad('duplicate names', "b.csv has more than one column named 'x'; rename all but one.", 'a.csv', 'b.csv', b='x,x\n1,2\n3,4\n'),
    bad('no shared column', "a.csv and b.csv share no column to compare: the first has 'x', 'y', the second 'u', 'v'; rename them to match.", 'a.csv', 'b.csv', b=rows_of(header='u,v')),
    bad('ragged', "b.csv: the row '3' has 1 fields, the first line 2; quote fields that hold ',', or complete the row.", 'a.csv', 'b.csv', b='x,y\n1,2\n3\n'),
    bad('other format', f"b.xls ends in '.xls'; samelaw reads {READS}.", 'a.csv', 'b.xls'),
    bad('no header', "the first line of a.csv looks like a row, not like names: '1.5', 'red'; add a line of names, or say that there is none (--no-header, header=False in Python) or that it is one (--header, header=True).", 'a.csv', 'b.csv', a='1.5,red\n2.5,blue\n' * 9, b='2.5,red\n3.5,blue\n' * 9),
    bad('other separator', "a.csv and b.csv share no column to compare: the first has 'x', 'y', the second 'x^y'; rename them to match, or say what separates values (--sep, sep= in Python).", 'a.csv', 'b.csv', b=rows_of(header='x^y', separator='^')),
    bad('separator', "sep (--sep) is '::'; expected one sign, such as ';' or a tab.", 'a.csv', 'a.csv', '--sep', '::'),
    bad('encoding', "encoding (--encoding) is 'klingon'; expected one that Python knows, such as 'utf-8', 'cp1252' or 'utf-16'.", 'a.csv', 'a.csv', '--encoding', 'klingon'),
    bad('sample', "sample (--sample) must be a whole number of at least 2, got 1.", 'a.csv', 'a.csv', '--sample', '1'),
    bad('memory', "--memory is 'much'; expected a size such as 500M or 2G.", 'a.csv', 'a.csv', '--memory', 'much'),
    bad('no target', "target (--target) 'z' cannot be compared (it is not in both tables); name a column of numbers, dates or categories that both tables have.", 'a.csv', 'a.csv', '--target', 'z'),
    bad('standard input twice', "both tables are standard input (-), which can be read once; name a file.", '-', '-'),
    bad('unknown column', "column 'z' is not in a.csv; its columns are 'x', 'y'.", 'a.csv', 'a.csv', '--columns', 'x,z'),
    bad('unknown group', "column 'z' is not in either table; its columns are 'x', 'y'.", 'a.csv', 'a.csv', '--groups', 'z'),
    bad('where', "a.csv: Binder Error: Referenced column \"absent\" not found in FROM clause!; the statement was '… WHERE absent > 1'.", 'a.csv', 'a.csv', '--where', 'absent > 1'),
    bad('where nothing', "a.csv has no rows that were asked for; expected at least one.", 'a.csv', 'a.csv', '--where', 'false'),
    bad('no rows of a database', "sqlite:///x.db names no rows; expected ?table=NAME or ?query=SELECT … after the database.", 'sqlite:///x.db', 'a.csv'),
    bad('one group', "groups leave fewer than 20 permutations: more groups are needed, or groups that occur in both samples.", 'a.csv', 'b.csv', '--groups', 'g', a=grouped(2), b=grouped(1).replace('p,', 'z,')),
    bad('unknown kind', "kind of column 'x' is 'colour'; expected one of numeric, integer, boolean, categorical, datetime, text, identifier.", 'a.csv', 'a.csv', '--kind', 'x=colour'),
    bad('kind without a name', "--kind is 'colour'; expected NAME=KIND, as in zip=categorical.", 'a.csv', 'a.csv', '--kind', 'colour'),
    bad("level", "level must lie strictly between 0 and 1, got 2.0.", "a.csv", "a.csv", "--level", "2"),
    bad("two questions", "min_effect (--min-effect) asks whether a difference is shown, same_within (--same-within) whether sameness is; give one of them.", "a.csv", "a.csv", "--min-effect", "0.1", "--same-within", "0.1"),
    bad("same within", "same_within must be above 0 and below 1, got 2.0.", "a.csv", "a.csv", "--same-within", "2"),
    bad("min effect", "min_effect must be at least 0 and below 1, got 3.0.", "a.csv", "a.csv", "--min-effect", "3"),
    bad("permutations", "3 permutations cannot reach level 0.05: the smallest p-value is 0.25. Take at least 19.", "a.csv", "a.csv", "--permutations", "3"),
    bad("output over input", "--report: a.csv is an input; choose another name.", "a.csv", "a.csv", "--report", "a.csv"),
    bad("output in no folder", "--json: the folder no does not exist; create it first.", "a.csv", "a.csv", "--json", "no/out.json"),
    bad("rows and no rows", "--rows and --no-rows exclude each other; leave one out.", "a.csv", "a.csv", "--rows", "r.csv", "--no-rows"),
    bad("two outputs, one file", "--report and --json name the same file; give each its own.", "a.csv", "a.csv", "--report", "r", "--json", "r"),
    bad('all constant', "no column is left to compare: 'x' (every value is the same); a column of another kind than it looks can be told so (--kind NAME=KIND, kinds= in Python).", 'b.csv', 'b.csv', b='x\n1\n1\n'),
]
# fmt: on


@pytest.mark.parametrize(("message", "arguments", "contents"), BAD)
def test_bad_input_gives_one_line_and_exit_2(samelaw, message, arguments, contents):
    Path("empty").mkdir()
    write("b.xls", b"PK")
    for name, content in {"a": rows_of(), **contents}.items():
        write(f"{name}.csv", content)
    before = sorted(Path().rglob("*"))
    code, out, err = samelaw("compare", *arguments)
    assert (code, out, err) == (2, "", f"samelaw: {message}\n")
    assert sorted(Path().rglob("*")) == before


# fmt: off
USAGE = {
    (): "Usage: samelaw",
    ("compare",): "samelaw: Missing argument 'A'. Try: samelaw compare --help",
    ("compare", "a.csv"): "samelaw: Missing argument 'B'. Try: samelaw compare --help",
    ("compare", "a", "b", "c"): "samelaw: Got unexpected extra argument(s) (c). Try: samelaw compare --help",
    ("compair",): "samelaw: No such command 'compair'. Did you mean 'compare'. Try: samelaw --help",
    ("compare", "a", "b", "--nope"): "samelaw: No such option: --nope",
    ("compare", "a", "b", "--level", "x"): "samelaw: Invalid value for '--level'",
    ("compare", "a", "b", "--seed", "-1"): "samelaw: Invalid value for '--seed'",
}
# fmt: on


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_wrong_usage_is_2_with_a_way_out(samelaw, arguments):
    code, out, err = samelaw(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith(USAGE[arguments])
    assert "--help" in err


def test_permission_denied(samelaw):
    """Root may read everything, so root becomes nobody for the moment."""
    a, b = write("a.csv", rows_of()), write("b.csv", rows_of())
    b.chmod(0)
    root = os.geteuid() == 0
    if root:
        for folder in (Path.cwd(), *Path.cwd().parents):
            if folder.owner() == "root" and folder.name.startswith(("pytest", "popen", "test_")):
                folder.chmod(0o755)
        os.seteuid(65_534)
    try:
        code, _, err = samelaw("compare", a, b)
    finally:
        if root:
            os.seteuid(0)
    assert code == 2
    assert err == "samelaw: b.csv may not be read: permission denied; check who owns it.\n"


def test_a_file_that_changes_under_our_feet(samelaw, monkeypatch):
    """The file grows after its first bytes were read, as when an export is still running."""
    from samelaw.tables.reading.opening import Limited

    a, b = write("a.csv", rows_of()), write("b.csv", rows_of())
    opened, size = Limited.readinto, b.stat().st_size

    def grow(self, buffer):
        count = opened(self, buffer)
        if self.source == "b.csv" and b.stat().st_size == size:
            with open(b, "a") as file:
                file.write("1,2\n")
        return count

    monkeypatch.setattr(Limited, "readinto", grow)
    code, _, err = samelaw("compare", a, b)
    assert (code, err) == (
        2,
        "samelaw: b.csv changed while it was read; wait until it is complete.\n",
    )


@pytest.mark.heavy
def test_ten_thousand_columns(samelaw):
    names = ",".join(f"c{i}" for i in range(10_000))
    a = write("a.csv", rows_of(20, header=names))
    b = write("b.csv", rows_of(20, header=names, shift=3, seed=1))
    for other, answer in ((a, 0), (b, 1)):  # two draws of one law may differ by chance; these not
        code, out, err = samelaw("compare", a, other, *FEW, "--report", "r.html")
        assert (code, err) == (answer, "")
        assert "pairs of columns are too many" in " ".join(out.split())
        assert len(out.splitlines()) < 100
        assert Path("r.html").stat().st_size < 300_000


@pytest.mark.long
def test_a_hundred_and_two_columns(samelaw):
    """More pairs than are looked at one by one."""
    names = ",".join(f"c{i}" for i in range(102))
    a = write("a.csv", rows_of(20, header=names))
    code, out, err = samelaw("compare", a, a, *FEW, "--report", "r.html")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) < 60
    assert Path("r.html").stat().st_size < 300_000
