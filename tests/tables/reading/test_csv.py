import gzip
from pathlib import Path

import numpy as np
import pytest

from optional import need
from samelaw.tables.columns.column import Kind
from samelaw.tables.reading import csv
from samelaw.tables.reading.csv import csv_batches, read_csv
from samelaw.tables.reading.formats import CsvFormat
from samelaw.tables.reading.read import read_table
from samelaw.tables.table import Table
from table_files import check_mixed, kinds, write

EXAMPLES = Path(__file__).parents[3] / "examples" / "data"


CSV = (
    "price,count,sold,colour,day,coded,nothing\n"
    "1.5,3,true,red,1970-01-01,p,\n"
    ",5,false,,1970-01-02,q,NA\n"
    "2.5,3,,blue,,,\n"
    "4,8,true,red,1970-01-03,p,\n"
)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_csv_with_any_separator(tmp_path, separator):
    need("pyarrow")
    check_mixed(read_table(write(tmp_path / "t.csv", CSV.replace(",", separator))))


@pytest.mark.parametrize("ending", ["csv", "tsv", "CSV"])
def test_gzip_bom_and_windows_line_ends(tmp_path, ending):
    need("pyarrow")
    text = b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode()
    check_mixed(read_table(write(tmp_path / f"t.{ending}.gz", gzip.compress(text))))
    check_mixed(read_table(write(tmp_path / f"t.{ending}", text)))


def test_decimal_commas(tmp_path):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", "x;y;z\n1,5;2;1.5\n-2,25;3;2,5\n;4;x\n"))
    np.testing.assert_array_equal(table.column("x").values, [1.5, -2.25, np.nan])
    assert kinds(table) == {"x": "numeric", "y": "integer", "z": "categorical"}
    thousands = read_table(write(tmp_path / "two.csv", "x;y\n1.234,50;1\n2,50;2\n"))
    np.testing.assert_array_equal(thousands.column("x").values, [1234.5, 2.5])
    one = read_table(write(tmp_path / "one.csv", "x\n1,5\n2,5\n"))
    np.testing.assert_array_equal(one.column("x").values, [1.5, 2.5])


def test_commas_in_a_comma_file_are_thousands_unless_the_digits_tell(tmp_path):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", 'x,y,z\n"1,234",1,"1,5"\n"5,678",2,"2,567"\n'))
    assert kinds(table) == {"x": "integer", "y": "integer", "z": "numeric"}
    np.testing.assert_array_equal(table.column("x").values, [1234, 5678])
    np.testing.assert_array_equal(table.column("z").values, [1.5, 2.567])


def test_mixed_types_fall_back_to_words_and_say_so(tmp_path):
    need("pyarrow")
    column = read_table(write(tmp_path / "t.csv", "x,y\n1,1\n2,2\nabc,3\n1,4\n")).column("x")
    assert column.kind is Kind.CATEGORICAL
    assert column.categories == ("1", "2", "abc")
    assert "mixes numbers with text such as 'abc'" in column.notes[0]
    numeric = read_table(tmp_path / "t.csv").column("x", "numeric")
    np.testing.assert_array_equal(numeric.values, [1, 2, np.nan, 1])
    assert numeric.notes == ("1 value(s) that are not numeric count as missing",)


def test_quotes_line_breaks_and_unicode(tmp_path):
    need("pyarrow")
    text = 'größe,"名,前",{{x}}\n1.5,"a\nb",<script>\n2.5,"say ""hi""",ü\n'
    table = read_table(write(tmp_path / "t.csv", text))
    assert table.names == ("größe", "名,前", "{{x}}")
    assert table.column("名,前").categories == ("a\nb", 'say "hi"')
    assert table.column("{{x}}").categories == ("<script>", "ü")


def test_the_euro_sign_of_windows_is_read(tmp_path):
    need("pyarrow")
    text = "amount €,city\n1.5,Köln\n2.5,“Genève”\n"
    table = read_table(write(tmp_path / "t.csv", text.encode("cp1252")))
    assert table.names == ("amount €", "city")
    assert table.column("city").categories == ("Köln", "“Genève”")
    odd = read_table(write(tmp_path / "odd.csv", text.encode("cp1252") + b"3.5,\x81\n"))
    assert odd.rows == 3  # a byte that Windows does not use
    late = "x,city\n" + "1.5,Rome\n" * 200_000
    for more in (b"2.5,K\xf6ln\n", b"2.5,K\xf6ln\n3.5,\x81\n"):
        assert read_table(write(tmp_path / "late.csv", late.encode() + more)).notes


LINES_ABOVE = "Sales, May\nmade on 2024-06-01\n\n"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("above", [LINES_ABOVE, "Sales;;;;;;\n", "made by,Ann\n\n"])
def test_lines_above_the_names_are_passed_over_and_told(tmp_path, separator, above):
    need("pyarrow")
    text = above.replace(";", separator) + CSV.replace(",", separator)
    table = read_table(write(tmp_path / "t.csv", text))
    check_mixed(table)
    assert "above the names of columns" in table.notes[0]
    about, blocks = csv_batches(tmp_path / "t.csv")
    assert sum(block.num_rows for block in blocks()) == 4
    assert about.notes == table.notes


def test_lines_to_skip_are_counted_as_they_stand_in_the_file(tmp_path):
    need("pyarrow")
    path = write(tmp_path / "t.csv", LINES_ABOVE + CSV)
    check_mixed(read_table(path, text=CsvFormat(skip=3)))
    with pytest.raises(ValueError, match="complete the row"):
        read_table(path, text=CsvFormat(skip=0))
    check_mixed(read_table(write(tmp_path / "r.csv", "a\r\r" + CSV.replace("\n", "\r"))))
    with pytest.raises(ValueError, match=r"is empty after 30 lines \(--skip\)"):
        read_table(path, text=CsvFormat(skip=30))


@pytest.mark.parametrize(
    "text",
    [
        "price\n12,50\n13,20\n",
        "note\nhello, 5\nbye, 6\n",
        "note\nhello, you\nbye, all\n",
        ",value\n0,1.5\n1,2.5\n",
        "a,,\n1,2,3\n4,5,6\n",
    ],
)
def test_names_are_no_lines_above_names(tmp_path, text):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", text))
    assert table.rows == 2
    assert not any("above the names" in note for note in table.notes)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_other_encodings(tmp_path, encoding):
    need("pyarrow")
    path = write(tmp_path / "t.csv", "Straße,x\nHöhe,1\nTal,2\n".encode(encoding))
    table = read_table(path)
    assert table.column("Straße").categories == ("Höhe", "Tal")
    assert bool(table.notes) == (encoding == "latin-1")


def test_bytes_that_are_not_utf8_far_down(tmp_path, monkeypatch):
    need("pyarrow")
    monkeypatch.setattr(csv, "SAMPLE", 16)
    path = write(tmp_path / "t.csv", b"x,y\n" + b"1,abc\n" * 50 + b"2,\xfc\n")
    assert read_table(path).column("y").categories == ("abc", "ü")


def test_blank_names_and_spaces_around_names(tmp_path):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", ", x ,\n0,1.5,\n1,2.5,\n"))
    assert table.names == ("column 1", "x", "column 3")


@pytest.mark.parametrize(
    ("text", "looks", "doubted"),
    [
        ("1.5,red,2025-03-01\n2.5,blue,2025-03-02\n", True, True),
        ("red,5\nblue,7\n", True, True),
        ("red,north\nblue,south\nred,west\n", True, True),  # a word again below itself
        ("1,2\n3,4\n", True, False),  # column numbers, perhaps
        ("country,2019,2020\nitaly,1.5,2.5\n", True, False),  # years
        ("price,colour\n1.5,red\n2.5,blue\n", False, False),
        (",price\n0,1.5\n1,2.5\n", False, False),  # an index without a name
        ("colour,place\nred,north\nred,south\n", False, False),
    ],
)
def test_a_first_line_that_looks_like_a_row_is_noticed(tmp_path, text, looks, doubted):
    need("pyarrow")
    path = write(tmp_path / "t.csv", text)
    table = read_table(path)
    assert any("say --no-header" in note for note in table.notes) is looks
    assert bool(table.first_line) is doubted
    for header in (True, False):
        told = read_table(path, text=CsvFormat(header=header))
        assert told.first_line == ""
        assert told.notes == ()
        assert told.rows == table.rows + (not header)


def test_a_first_line_with_a_value_twice_is_no_line_of_names(tmp_path):
    need("pyarrow")
    path = write(tmp_path / "t.csv", "1.5,1.5,x\n2.5,3.5,y\n")
    with pytest.raises(ValueError, match=r"looks like a row, not like names: '1\.5', '1\.5'"):
        read_table(path)
    assert read_table(path, text=CsvFormat(header=False)).names == (
        *("column 1", "column 2", "column 3"),
    )


def test_separator_and_encoding_can_be_told(tmp_path):
    need("pyarrow")
    path = write(tmp_path / "t.csv", "x^y\n1,5^été\n2,5^été\n".encode("cp437"))
    table = read_table(path, text=CsvFormat(sep="^", encoding="cp437"))
    np.testing.assert_array_equal(table.column("x").values, [1.5, 2.5])
    assert table.column("y").categories == ("été",)
    assert table.notes == ()
    wide = write(tmp_path / "wide.csv", "x\ty\n1\t2\n3\t4\n".encode("utf-16-le"))
    assert read_table(wide, text=CsvFormat("\t", True, "utf-16-le")).names == ("x", "y")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sep": "::"}, r"sep \(--sep\) is '::'; expected one sign"),
        ({"sep": "\n"}, "is a quote or a line end"),
        ({"encoding": "klingon"}, r"encoding \(--encoding\) is 'klingon'; expected one that"),
        ({"encoding": "rot13"}, "expected one that Python knows"),
    ],
)
def test_what_is_told_is_checked(options, message):
    with pytest.raises(ValueError, match=message):
        CsvFormat(**options)


def test_many_columns(tmp_path):
    need("pyarrow")
    names = ",".join(f"column_{i}" for i in range(1500))
    row = ",".join(str(i) for i in range(1500))
    table = read_table(write(tmp_path / "t.csv", f"{names}\n{row}\n{row}\n"))
    assert len(table.names) == 1500
    assert table.column("column_1499").kind is Kind.CONSTANT


def test_replaced_file_is_noticed(tmp_path, monkeypatch):
    need("pyarrow")
    path = write(tmp_path / "t.csv", "x\n1\n2\n")
    parse = csv._parse

    def replace(*arguments):
        table = parse(*arguments)
        write(tmp_path / "new", "x\n1\n3\n").rename(path)
        return table

    monkeypatch.setattr(csv, "_parse", replace)
    with pytest.raises(ValueError, match=r"t\.csv changed while it was read; wait until"):
        read_table(path)


@pytest.mark.parametrize("rows", [1, 2])
def test_one_and_two_rows_are_read(tmp_path, rows):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", "x,y\n" + "1,a\n" * rows))
    assert isinstance(table, Table)
    assert table.rows == rows


@pytest.mark.parametrize("name", ["same_a", "same_b", "changed_a", "changed_b"])
def test_shipped_examples_are_typed_as_meant(name):
    need("pyarrow")
    table = read_table(EXAMPLES / f"{name}.csv")
    assert kinds(table) == {
        "ordered_at": "datetime",
        "amount": "numeric",
        "items": "integer",
        "age": "integer",
        "minutes_on_site": "numeric",
        "pages_seen": "integer",
        "region": "categorical",
        "device": "categorical",
        "is_member": "boolean",
    }
    assert table.column("region").categories == ("east", "north", "south", "west")
    assert 0 < table.column("age").missing.mean() < 0.1
    start = np.datetime64("2025-03-01").astype("datetime64[s]").astype(np.float64)
    assert table.column("ordered_at").values.min() >= start


@pytest.mark.parametrize("read", [read_csv, csv_batches])
def test_a_separator_that_separates_nothing_is_refused(tmp_path, read):
    need("pyarrow")
    path = write(tmp_path / "t.csv", "price,qty\n1.5,2\n2.5,3\n")
    with pytest.raises(ValueError, match=r"t.csv has no ';' \(--sep\), but ',' separates all"):
        read(path, CsvFormat(sep=";"))
    for text in ("x\n1,5\n2,5\n", "a;b\n1,5;2,5\n", "x\n1\n", "one line, cut\n"):
        read(write(tmp_path / "t.csv", text), CsvFormat(sep=";"))


@pytest.mark.parametrize("read", [read_csv, csv_batches])
@pytest.mark.parametrize(("encoding", "why"), [("utf-16", "BOM"), ("ascii", "ordinal not in")])
def test_an_encoding_that_does_not_fit_is_said_with_the_file(tmp_path, read, encoding, why):
    need("pyarrow")
    path = write(tmp_path / "t.csv", "größe,y\n1,2\n")
    with pytest.raises(
        ValueError, match=rf"t.csv is not text in {encoding} \(.*{why}.*'utf-16-le'"
    ):
        read(path, CsvFormat(encoding=encoding))
