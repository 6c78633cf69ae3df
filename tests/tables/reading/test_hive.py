import numpy as np
import pytest

from optional import need
from samelaw.tables.columns.column import Kind
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.batches import read_whole
from samelaw.tables.reading.folders import MISSING, partitions
from samelaw.tables.reading.read import read_table
from table_files import write


def in_memory(source, columns=None):
    return read_table(source, columns)


def in_pieces(source, columns=None):
    return read_whole(open_batches(source, columns))


@pytest.fixture(params=["csv", "parquet"])
def folder(tmp_path, request):
    """Two rows each of Rome and of a city whose name needs signs of its own, one without."""
    pa = need("pyarrow")
    parquet = need("pyarrow.parquet")
    cities = {"Rome": [1.5, 2.5], "S%C3%A3o%20Paulo": [3.5, 4.5], MISSING: [5.5]}
    for city, values in cities.items():
        place = tmp_path / "sales" / f"city={city}" / "year=2024" / "day=2024-03-01"
        place.mkdir(parents=True)
        if request.param == "csv":
            write(place / "part.csv", "x,y\n" + "".join(f"{v},a\n" for v in values))
        else:
            parquet.write_table(pa.table({"x": values, "y": ["a"] * len(values)}), place / "p.pq")
    return tmp_path / "sales"


@pytest.mark.parametrize("read", [in_memory, in_pieces])
def test_folders_are_columns(folder, read):
    for source in (folder, f"{folder}/*/*/*/*", f"{folder}/**"):
        table = read(source)
        city = table.column("city")
        words = [city.categories[code] if code >= 0 else None for code in city.values]
        by_number = dict(zip(table.column("x").values.tolist(), words, strict=True))
        assert by_number == {
            1.5: "Rome", 2.5: "Rome", 3.5: "São Paulo", 4.5: "São Paulo", 5.5: None
        }  # fmt: skip
        assert table.names == ("x", "y", "city", "year", "day")
    np.testing.assert_array_equal(table.raw["year"].values, 2024)
    assert table.column("day", "datetime").kind is Kind.DATETIME


@pytest.mark.parametrize("read", [in_memory, in_pieces])
def test_folders_alone_can_be_asked_for(folder, read):
    table = read(folder, ["city"])
    assert table.rows == 5
    assert "city" in table.raw
    assert set(table.names) == {"x", "y", "city", "year", "day"}


@pytest.mark.parametrize("read", [in_memory, in_pieces])
def test_what_is_below_the_folder_given_counts(folder, read):
    assert read(folder / "city=Rome" / "year=2024").names == ("x", "y", "day")
    (file,) = (folder / "city=Rome").glob("*/*/*")
    assert read(file).names == ("x", "y")


@pytest.mark.parametrize("read", [in_memory, in_pieces])
def test_a_column_of_the_file_itself_goes_first(tmp_path, read):
    need("pyarrow")
    (tmp_path / "x=7").mkdir()
    write(tmp_path / "x=7" / "part.csv", "x,y\n1,a\n2,b\n")
    assert read(tmp_path).column("x").values.tolist() == [1, 2]


def test_all_files_must_have_the_same(tmp_path):
    need("pyarrow")
    paths = [tmp_path / "a=1" / "p.csv", tmp_path / "b=1" / "p.csv"]
    with pytest.raises(ValueError, match=r"name other columns: 'a' for .*, 'b' for"):
        partitions(paths, str(tmp_path))


def test_numbers_and_dates_must_be_so_in_all_folders(tmp_path):
    need("pyarrow")

    def types(*words):
        found = partitions([tmp_path / f"a={word}" / "p.csv" for word in words], str(tmp_path))
        return [one["a"].as_py() for one in found]

    assert types("01", "12", MISSING) == [1, 12, None]
    assert types("01", "x") == ["01", "x"]
    assert types("2024-02-30", "2024-03-01") == ["2024-02-30", "2024-03-01"]
