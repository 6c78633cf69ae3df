from datetime import date

from samelaw.tables.reading.csv_preamble import title_note, titles


def test_rows_of_a_sheet_above_the_names():
    sheet = [
        ("Sales in May", None, None),
        (None, None, None),
        ("city", "sold", "day"),
        ("Rome", 3, date(2024, 5, 1)),
    ]
    assert titles(sheet) == 2
    assert titles(sheet[2:]) == titles([]) == 0


def test_years_are_names_and_other_numbers_a_row():
    assert titles([["Sales"], ["city", "2023", "2024"], ["Rome", "5", "6"]]) == 1
    assert titles([["Sales"], ["Bari", "23", "24"], ["Rome", "5", "6"]]) == 0


def test_the_note_quotes_the_first_line():
    assert "its first line is above the names of columns" in title_note(["Sales"], 1)
    assert "its first 3 lines are above" in title_note(["", "Sales"], 3)
    assert "'Sales'" in title_note(["", "Sales"], 3)
