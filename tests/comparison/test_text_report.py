"""The answer as text: what is said first, that it fits, and that names are only text."""

import math
from dataclasses import replace

import pytest

from comparisons import changed_shop, same_shop
from samelaw.cli import terminal
from samelaw.comparison.rows.duplicates import Duplicates
from samelaw.comparison.text_report import answer as shown
from samelaw.results.text_columns import cells
from samelaw.tables.pairing.left_out import LeftOut
from samelaw.tables.pairing.rewritten import Cause
from samelaw.tables.pairing.schema_changes import Change, SchemaChange


def test_the_sentence_then_the_numbers_then_the_columns():
    found = changed_shop()
    text = shown(found)
    assert text.startswith(found.sentence)
    places = [
        text.index(part)
        for part in ("effect", "meaning", "changed", "p-value", "Changed", "amount  ")
    ]
    assert places == sorted(places)
    assert "0.061 on a scale from 0 (same law) to 1" in text
    assert "interval 0.034 to 0.092" in " ".join(text.split())
    said = " ".join(text.split())
    assert "At least 3.4 % of the rows would have to change to turn A into B (95 % sure)." in said
    assert "median +4.8 (+2.5 to +7.1)" in said


def test_an_effect_that_nobody_knows_is_not_none():
    found = changed_shop()
    amount = next(one for one in found.marginals if one.column == "amount")
    unknown = replace(amount, effect=math.nan, effect_interval=(0.0, 1.0))
    lines = [shown(replace(found, marginals=(one,))).splitlines() for one in (amount, unknown)]
    known, told = (next(line for line in text if line.startswith("amount ")) for text in lines)
    assert "–" in told.split()
    assert "–" not in known.split()


def test_what_changed_has_no_effect_of_0():
    found = changed_shop()
    amount = next(one for one in found.marginals if one.column == "amount")
    least = replace(amount, effect=0.0, effect_interval=(0.0, 0.03))
    text = shown(replace(found, marginals=(least,)))
    assert "≤ 0.03" in next(line for line in text.splitlines() if line.startswith("amount "))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(width):
    wide = replace(
        changed_shop(),
        sentence="word " * 60,
        notes=("n" * 500, "a note"),
        columns_changed=("x" * 300,),
    )
    lines = shown(wide, width).splitlines()
    assert max(map(cells, lines)) <= width


def test_a_pair_has_an_effect_and_dates_are_named_once_as_unchanged():
    found = changed_shop()
    hours = replace(found.marginals[-1], part="hour of day", changed=False)
    pair = replace(found.pairs[0], effect=0.31)
    text = shown(replace(found, pairs=(pair,), marginals=(*found.marginals, hours)))
    assert "0.31" in text
    names = text.split("No change found in ")[1].split(".\n")[0].replace("\n", " ").split(", ")
    assert len(names) == len(set(names))


def test_what_changed_comes_by_effect_columns_or_pairs_first():
    found = changed_shop()
    for effect, first in ((0.9, "Changed together"), (0.01, "Changed  ")):
        pair = replace(found.pairs[0], changed=True, effect=effect)
        text = shown(replace(found, pairs=(pair,), pairs_changed=1))
        assert min(map(text.index, ("Changed together", "Changed  "))) == text.index(first)


def test_causes_come_right_below_the_sentence_and_not_again_in_the_schema():
    cause = Cause("w is spelt differently in B ('U' for 'u')", "in 100 % of the rows", ("w",))
    change = SchemaChange.by(Change.RESPELT_CATEGORIES, "w", cause)
    found = changed_shop(causes=(cause, Cause("9 % are shared")), schema_changes=(change,))
    text = shown(found)
    assert text.index("Causes\n•  w is spelt") < text.index("effect  ")
    assert "Schema" not in text
    assert "9 % are shared" not in text
    assert "Worth a look\n•  w is" in shown(same_shop(causes=(cause,)))


def test_no_difference_is_not_sameness():
    text = " ".join(shown(same_shop()).split())
    assert "does not prove that there is none" in text
    assert "up to 0.021 may remain (95 % sure)" in text
    assert "Changed" not in text
    assert "No change found in ordered_at, amount" in text


def test_a_column_that_is_rewritten_is_not_told_to_be_unchanged():
    """ "No change found in selfemp" stood above "'YES' for 'yes': read as the same"."""
    for kind in (Change.RESPELT_CATEGORIES, Change.WRITING, Change.TYPE):
        change = SchemaChange(kind, "amount", "amount: told in Schema.")
        text = " ".join(shown(same_shop(schema_changes=(change,))).split())
        assert "No change found in ordered_at" in text
        assert "amount" not in text.split("No change found in ")[1].split(".")[0]
    new = SchemaChange(Change.NEW_CATEGORIES, "amount", "amount: new in B: 'x' (1 row).")
    assert "amount" in shown(same_shop(schema_changes=(new,))).split("No change found in ")[1]


def test_what_may_remain_is_said_of_the_columns_compared():
    key = LeftOut("id", "an identifier")
    text = " ".join(shown(replace(same_shop(), left_out=(key,))).split())
    assert "up to 0.021 may remain in the columns compared (95 % sure)" in text


def test_rows_that_both_tables_have_are_a_caution_beside_the_pvalue():
    shared = Duplicates((0, 0), (1, 1), (0, 0), (400, 400), True, (400, 600), (True, True), False)
    text = " ".join(shown(changed_shop(duplicates=shared)).split())
    said = "supposes independent samples, but 100 % of the rows of A are also in B"
    assert text.index("p-value") < text.index(said) < text.index("detectable")
    open_end = shown(changed_shop(duplicates=shared, effect_interval=(0.0, 0.1)))
    assert "A difference was found" not in open_end
    assert "independent" not in shown(changed_shop(duplicates=replace(shared, shared=(9, 9))))


def test_too_little_to_matter_says_what_matters():
    little = changed_shop(
        verdict="different, but too little to matter", reject=False, min_effect=0.1
    )
    assert "not shown to reach 0.1" in " ".join(shown(little).split())


def test_names_are_text_not_markup():
    found = changed_shop()
    column = replace(found.marginals[1], column="[red]x[/red]", changed=True)
    text = shown(replace(found, marginals=(column,), notes=("[link=file:///]here[/link]",)))
    assert "[red]x[/red]" in text
    assert "[link=file:///]here[/link]" in text


def test_control_characters_reach_no_terminal():
    found = changed_shop(notes=("evil \x1b[2J note",), sentence="B differs: \x1b[31mx changed.")
    column = replace(found.marginals[1], column="a\x1b]0;title\x07b", changed=True)
    assert "\x1b" not in shown(replace(found, marginals=(column,)))


def test_missing_values_are_never_silent():
    text = shown(changed_shop())
    assert "Missing values" in text
    assert "6.4 % → 5.2 %" in text


def test_ten_thousand_columns_give_a_short_answer():
    found = changed_shop()
    many = tuple(replace(found.marginals[1], column=f"c{i}", changed=True) for i in range(10_000))
    text = shown(replace(found, marginals=many, columns_changed=tuple(f.column for f in many)))
    assert len(text.splitlines()) < 100
    assert "and 9,980 more" in text


def test_at_most_five_pairs_and_the_count_of_all():
    pair = changed_shop().pairs[0]
    many = tuple(replace(pair, names=(f"x{i}", f"y{i}")) for i in range(31))
    text = shown(changed_shop(pairs=many, pairs_changed=69))
    assert text.count("correlation 0.78") == 5
    assert "… and 64 more" in text
    assert "2 of 9 columns, 69 pairs of columns" in text


def test_missing_values_that_stay_do_not_fill_the_screen():
    found = changed_shop().missing[0]
    many = tuple(replace(found, column=f"c{i}") for i in range(60))
    moved = replace(found, column="moved", changed=True, pvalue=0.001)
    text = shown(changed_shop(missing=(*many, moved)))
    assert text.index("moved ") < text.index("c0 ")
    assert "… and 55 more columns with missing values." in text
    assert "… and 1 more column with missing values." in shown(changed_shop(missing=many[:6]))


def test_rows_are_gone_only_if_each_has_a_value_that_b_lacks():
    rows = changed_shop().rows
    assert "Rows of A that are rarer in B: 3, 10" in shown(changed_shop())
    unseen = tuple(replace(row, unseen=("amount",)) for row in rows)
    assert "Rows of A no longer seen in B: 3, 10" in shown(changed_shop(rows=unseen))


def test_print_is_what_the_terminal_shows():
    assert str(changed_shop()) == shown(changed_shop())


def test_wide_letters_keep_the_columns():
    column = replace(changed_shop().marginals[1], column="价格" * 9, changed=True)
    text = shown(replace(changed_shop(), marginals=(column,)))
    line = next(line for line in text.splitlines() if line.startswith("价"))
    assert cells(line) <= 80


def test_numbers_of_rows_in_a_list_have_no_commas_of_their_own():
    found = changed_shop()
    rows = tuple(replace(row, row=row.row + 76_000) for row in found.rows)
    line = next(
        line for line in shown(replace(found, rows=rows)).splitlines() if "like A: " in line
    )
    numbers = line.partition(": ")[2].rstrip(".").split(", ")
    assert [int(number) for number in numbers] == [row.row for row in rows if row.table == "B"][:5]


def test_python_is_told_what_to_type_in_python():
    """print(result) advised an option of the command line."""
    found = changed_shop()
    assert found.rows
    assert "result.rows has them" in str(found)
    assert "--rows" not in str(found)
    assert "--rows out.csv has them" in terminal.shown(found, quiet=False)
