import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optional import need
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.joint_notation import settled, writing_of, writings_of
from samelaw.tables.columns.kinds import read_column
from samelaw.tables.columns.notation import OPEN
from samelaw.tables.columns.parse import SPANS
from samelaw.tables.columns.raw_column import Form
from samelaw.tables.reading.objects import raw_objects
from samelaw.tables.reading.read import read_table
from table_files import write

DAY, MONTH, EITHER = "27/04/2025", "04/27/2025", "03/04/2025"


@pytest.mark.parametrize(
    ("a", "b", "orders"),
    [
        ([EITHER], [DAY], {True}),
        ([MONTH], [EITHER], {False}),
        ([MONTH], [DAY], {True, False}),
        ([EITHER], [EITHER], set()),
        ([EITHER, "31/31/2025"], [EITHER], set()),
    ],
)
def test_one_date_of_either_table_tells_the_order_of_all(a, b, orders):
    assert writing_of([raw_objects(a), raw_objects(b)]).orders == orders


@given(st.lists(st.sampled_from([DAY, MONTH, EITHER, "x", "2025-03-01"]), min_size=2), st.data())
def test_the_order_is_found_on_the_pool(values, data):
    cut = data.draw(st.integers(1, len(values) - 1))
    order = data.draw(st.permutations(range(len(values))))
    dealt = [values[i] for i in order]
    found = [writing_of([raw_objects(p[:cut]), raw_objects(p[cut:])]) for p in (values, dealt)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([EITHER, "05/06/2025"], "the month is open"),
        ([DAY, MONTH, EITHER], "some have the day first and some the month"),
    ],
)
def test_an_open_order_is_said_once_for_both_tables(values, why):
    sides = [raw_objects(values * 20), raw_objects([*values[::-1], "07/08/2025"] * 20)]
    column = read_column("when", sides)
    assert column.kind is Kind.CATEGORICAL
    (note,) = column.notes
    assert why in note
    assert EITHER in note


def test_dates_of_one_order_are_dates():
    column = read_column("when", [raw_objects([DAY, EITHER]), raw_objects(["2025-04-27"])])
    assert column.kind is Kind.DATETIME
    assert column.values[0] == column.values[2] == np.datetime64("2025-04-27", "s").astype(int)
    assert column.notes == ()


def test_nothing_to_settle():
    sides = [raw_objects(["a", "1"])]
    assert writing_of(sides) == OPEN
    assert settled(sides) is sides


@pytest.mark.parametrize(
    ("a", "b", "decimal"),
    [
        (["50,63"] * 9, ["1.234,5"], True),
        (["1,234"] * 9, ["5,678"], False),
        (["1,234"] * 9, ["0,123"], True),
        (["1,234"] * 99, ["12,34"], False),  # one slip of the pen
        (["50,63"] * 8, ["x", "1.5"], False),
        (["50,63"] * 19, ["x"], True),
        (["1", "2"], ["3"], None),
    ],
)
def test_decimal_commas_where_commas_separate(a, b, decimal):
    assert writing_of([raw_objects(a), raw_objects(b)]).quoted is decimal
    assert writing_of([raw_objects(a + b)]).quoted is decimal


def people(tmp_path, *texts):
    """The numbers of people in two files, and what is said of them."""
    need("pyarrow")
    tables = [read_table(write(tmp_path / f"{i}.csv", text)) for i, text in enumerate(texts)]
    writings = writings_of([table.raw for table in tables], ["people"])
    sides = [table.raw["people"].styled(writings["people"]) for table in tables]
    values = [side.numbers(Form.NUMBER).tolist() for side in sides]
    return values, sorted({n for side in sides for n in (*side.notes, *side.reading_notes)})


def test_dots_are_thousands_where_another_column_has_decimal_commas(tmp_path):
    values, notes = people(
        tmp_path, "people;rate\n1.234;5,3\n2.000;6,1\n", "people;rate\n567;5,1\n12;7,5\n"
    )
    assert values == [[1234, 2000], [567, 12]]
    assert notes == ["dots are read as thousands, as in '1.234': other columns have decimal commas"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("people;rate\n1.234;5,3\n2.5;6,1\n", "people;rate\n567;5,1\n"),
        ("people;rate\n0.234;5,3\n2.500;6,1\n", "people;rate\n567;5,1\n"),
        ("people;rate\n1.234;5.3\n2.5;6.1\n", "people;rate\n567;5.1\n"),
        ("people;rate\n1.234;5.3\n2.500;6.1\n", "people;rate\n3.000;5.1\n"),
        ("people,rate\n1.234,5.3\n", "people,rate\n567,5.1\n"),
    ],
)
def test_dots_are_decimal_where_digits_tell_or_nothing_speaks_against_it(tmp_path, a, b):
    values, notes = people(tmp_path, a, b)
    assert all(value < 3.1 or value == 567 for side in values for value in side)
    assert notes == []


def test_dots_that_may_be_either_are_told(tmp_path):
    values, notes = people(tmp_path, "people;k\n1.234;5\n2.500;6\n", "people;k\n567;5\n")
    assert values == [[1.234, 2.5], [567]]
    (note,) = notes
    assert "'1.234' is read as a fraction, as nothing tells" in note


def test_times_of_day_are_hours():
    a, b = ["08:15", "09:30:00", None], ["20:45", "7:00"] * 10
    column = read_column("start", [raw_objects(a), raw_objects([*b, "late"])])
    assert column.kind is Kind.NUMERIC
    np.testing.assert_array_equal(column.values[:5], [8.25, 9.5, np.nan, 20.75, 7])
    assert column.notes[0] == "times of day are compared as numbers of hours: 08:15 is 8.25"
    assert "the text 'late'" in column.notes[1]


def test_times_of_day_of_all_sources_agree():
    pa = need("pyarrow")
    moments = [dt.time(8, 15), dt.time(20, 15, 36)]
    sources = [["08:15", "20:15:36"], moments, pa.array(moments), pa.array(moments, pa.time32("s"))]
    for source in sources:
        column = read_table(pa.table({"t": source})).column("t")
        assert column.values.tolist() == [8.25, 20.26]
        assert len(column.notes) == 1


def test_numbers_among_times_of_day_are_words():
    writing = writing_of([raw_objects(["08:15"] * 19), raw_objects(["12"])])
    assert writing.clock
    sides = [raw_objects(part).styled(writing) for part in (["08:15"], ["12"])]
    assert [side.count(Form.NUMBER) for side in sides] == [1, 0]
    assert not writing_of([raw_objects(["08:15", "12"])]).clock


def weights(seed, mean=70.0, form="{:.1f} kg", rows=60):
    return [form.format(v) for v in np.random.default_rng(seed).normal(mean, 10.0, size=rows)]


@pytest.mark.parametrize(
    ("a", "b", "unit"),
    [
        (weights(0), weights(1), "kg"),
        (weights(0), weights(1, form="{:.1f}"), "kg"),  # a sign that only some values have
        (weights(0), np.random.default_rng(1).normal(70.0, 10.0, 60).tolist(), "kg"),
        ([*weights(0), "unknown", "1 t"], weights(1), "kg"),
        (weights(0), weights(1, form="{:.1f} lb"), ""),  # 70 kg are not 70 lb
        (["1.2MB", "350KB"] * 10, ["12B"] * 10, ""),
        (["1st", "2nd"] * 10, ["3rd"] * 10, None),
        (["8 am", "9 pm"] * 10, ["5 pm"] * 10, None),
        (["flat 5 b", "red"] * 10, ["5 b"] * 2, ""),
    ],
)
def test_one_unit_behind_numbers_is_how_they_are_written(a, b, unit):
    assert writing_of([raw_objects(a), raw_objects(b)]).unit == unit
    assert writing_of([raw_objects(b), raw_objects(a)]).unit == unit


def test_numbers_with_a_unit_are_numbers():
    first, second = ["1.5 kg", "12 kg"] * 15, ["2.25kg", "none", "3.5 kg", "−4 kg"] * 15
    column = read_column("weight", [raw_objects(first), raw_objects(second)])
    assert column.kind is Kind.NUMERIC
    assert column.values[[0, 1, 30, 32, 33]].tolist() == [1.5, 12.0, 2.25, 3.5, -4.0]
    assert column.parts["as written"].categories == ("none", "with kg")
    assert "numbers followed by 'kg' are read as numbers" in column.notes
    commas = [raw_objects([f"{i},5 kg" for i in range(30)]) for _ in range(2)]
    assert read_column("weight", commas).values[:2].tolist() == [0.5, 1.5]


@pytest.mark.parametrize(
    "form",
    [
        lambda s: f"{s // 86400} days {s // 3600 % 24:02d}:{s // 60 % 60:02d}:{s % 60:02d}",
        lambda s: f"PT{s // 3600}H{s // 60 % 60}M{s % 60}S",
        lambda s: f"{s // 3600}h {s // 60 % 60:02d}m {s % 60}s",
        lambda s: str(dt.timedelta(days=1, seconds=s)),
    ],
)
def test_durations_are_seconds_as_those_of_dataframes_are(form):
    seconds = np.random.default_rng(0).integers(0, 200_000, 50).tolist()
    words = [form(s) for s in seconds]
    column = read_column("took", [raw_objects(words), raw_objects([*words, "never"])])
    assert column.kind is Kind.INTEGER
    more = 86_400 if "day," in words[0] or "days," in words[0] else 0
    assert (column.values[:50] - more).tolist() == seconds
    assert SPANS in column.notes
    assert column.parts["as written"].categories == ("(plain)", "never")


def test_minutes_seconds_and_a_fraction_are_a_duration():
    """Laps, and what spreadsheets make of times, are no words."""
    column = read_column("lap", [raw_objects(["00:00.0", "12:30.5"] * 15), raw_objects(["1:02.3"])])
    assert column.kind is Kind.NUMERIC
    assert column.values[[0, 1, -1]].tolist() == [0.0, 750.5, 62.3]
    assert column.parts == {}


def test_letters_of_a_code_are_no_unit():
    """1OT is a period of a game, not an amount of 1."""
    column = read_column("period", [raw_objects(["1", "2", "3"] * 12 + ["1OT"] * 2)] * 2)
    assert np.isnan(column.values[[36, 37]]).all()
    assert column.parts["as written"].categories == ("(plain)", "1OT")
    assert read_column("period", [raw_objects(["1OT", "2OT"] * 12)]).kind is Kind.CATEGORICAL
    assert read_column("power", [raw_objects(["60W", "100W"] * 12)]).kind is Kind.INTEGER


@pytest.mark.parametrize("values", [["1 kg", "2 kg", "3 kg", "03"], ["1h 5m", "2h 0m", "007"]])
def test_what_is_not_read_as_numbers_is_not_said_to_be(values):
    (note,) = read_column("x", [raw_objects(values * 20)]).notes
    assert "is not read as numbers" in note
