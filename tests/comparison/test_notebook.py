"""In a notebook: the verdict, the numbers, what changed; names are text."""

from dataclasses import replace

from comparisons import changed_shop, same_shop
from samelaw.comparison.notebook import MOST_LINES, compact_page


def test_the_verdict_the_numbers_and_a_bar_for_each_change():
    html = compact_page(changed_shop())
    parts = [">Different<", "B differs from A", "effect 0.061", "2 of 9 columns", ">amount<"]
    places = [html.index(part) for part in parts]
    assert places == sorted(places)
    assert html.count("border-radius") == 3  # two columns and a pair
    assert ">minutes_on_site × pages_seen<" in html


def test_no_difference_has_no_table():
    html = compact_page(same_shop())
    assert "No difference found" in html
    assert "<table" not in html


def test_names_are_text():
    found = changed_shop(sentence="<script>")
    column = replace(found.marginals[1], column="<img src=x>", sentence="</td>", changed=True)
    html = compact_page(replace(found, marginals=(column,)))
    assert "<script>" not in html
    assert "<img" not in html
    assert "&lt;img src=x&gt;" in html


def test_many_columns_stay_compact():
    found = changed_shop()
    many = tuple(replace(found.marginals[1], column=f"c{i}", changed=True) for i in range(500))
    html = compact_page(replace(found, marginals=many))
    assert len(html) < 20_000
    assert f"… and {500 - MOST_LINES} more in to_frame() and save()." in html
