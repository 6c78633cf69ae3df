"""A comparison as an object: unpacks, lists, becomes a frame, and keeps rows to itself."""

import json

import pytest

from comparisons import changed_shop, same_shop
from samelaw.comparison.result import SHOWN


def test_it_unpacks_to_statistic_and_pvalue():
    found = changed_shop()
    assert tuple(found) == (found.statistic, found.pvalue)


def test_text_and_facts_say_the_same():
    found = changed_shop()
    assert str(found).splitlines()[0] == found.sentence == dict(found.facts())["verdict"]
    assert dict(found.facts())["changed"] == "amount, device, minutes_on_site × pages_seen"
    assert dict(same_shop().facts())["changed"] == "nothing found"


def test_long_lists_of_names_are_cut():
    many = tuple(m for m in changed_shop().marginals if m.changed) * SHOWN  # and one pair
    said = dict(changed_shop(marginals=many).facts())["changed"]
    assert said.endswith(f" and {2 * SHOWN + 1 - SHOWN} more")


def test_records_are_the_columns():
    found = changed_shop()
    rows = found.records()
    assert [row["column"] for row in rows] == [m.column for m in found.marginals]
    assert [row["column"] for row in rows if row["changed"]] == ["amount", "device"]


def test_rows_of_the_tables_are_given_only_if_asked_for():
    found = changed_shop()
    assert "rows" not in found.to_dict()
    assert len(found.to_dict(rows=True)["rows"]) == len(found.rows)
    assert not {"picture", "panels", "null_distribution"} & set(found.to_dict(rows=True))
    assert found.without_rows().to_dict(rows=True)["rows"] == []


def test_it_saves_itself_as_what_the_name_says(tmp_path):
    found = changed_shop()
    for name in ("all.json", "answer.txt"):
        found.save(tmp_path / name)
    assert json.loads((tmp_path / "all.json").read_text()) == found.to_dict()
    assert (tmp_path / "answer.txt").read_text() == f"{found}\n"
    with pytest.raises(
        ValueError, match=r"path must end in \.json or \.txt .* 'out\.html'.*write_report"
    ):
        found.save("out.html")
