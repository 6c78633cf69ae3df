import gzip

import numpy as np

from optional import need
from samelaw.tables.reading.arrow_batches import Part, stacked
from samelaw.tables.reading.read import read_table
from table_files import write


def test_folder_of_csv_with_a_new_column(tmp_path):
    need("pyarrow")
    write(tmp_path / "1.csv", "x;y\n1,5;2\n2,5;3\n")
    write(tmp_path / "2.csv.gz", gzip.compress(b"y;x;z\n5;7,5;a\n"))
    table = read_table(tmp_path)
    np.testing.assert_array_equal(table.column("x").values, [1.5, 2.5, 7.5])
    np.testing.assert_array_equal(table.column("z").missing, [True, True, False])
    assert table.notes == ("column 'z' is absent from 1 of its 2 files",)


def test_words_and_codes_fit_together():
    pa = need("pyarrow")
    plain = pa.array(["p", "q", None])
    kinds = [plain, plain.dictionary_encode(), plain.cast(pa.large_string()).dictionary_encode()]
    parts = [Part(pa.table({"w": column}), notes=("said once",)) for column in kinds]
    whole = stacked(parts, "days")
    assert whole.table["w"].to_pylist() == ["p", "q", None] * 3
    assert whole.notes == ("said once",)
    assert stacked(parts[:1], "days") is parts[0]


def test_commas_are_decimal_only_where_all_files_may_have_them():
    table = need("pyarrow").table({"x": ["1,5"]})
    parts = [Part(table, comma=True), Part(table, comma=False)]
    assert not stacked(parts, "days").comma
    assert stacked(parts[:1] * 2, "days").comma
