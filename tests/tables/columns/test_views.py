from samelaw.tables.columns.views import column_views
from samelaw.tables.reading.read import read_table


def views(table, **kinds):
    found = read_table(table)
    return column_views([found.column(name, kinds.get(name)) for name in found.names])


def test_strays_are_a_view_beside_the_values_and_the_missing_ones():
    values = [*(str(0.5 * i) for i in range(30)), "oops", None]
    found = views({"x": values})
    assert [view.name for view in found] == ["x", "x (missing)", "x (as written)"]
    assert [int(view.column.missing.sum()) for view in found] == [2, 1, 1]
    assert [view.column.name for view in found] == ["x"] * 3


def test_values_if_they_are_comparable_and_missing_values_if_there_are_some():
    table = {
        "x": [1.5, 2.5, 3.5],
        "y": [1.5, None, 3.5],
        "one": ["a", None, "a"],
        "empty": [None, None, None],
        "note": ["good", "bad", None],
    }
    found = views(table, note="text")
    assert [view.name for view in found] == [
        "x",
        "y",
        "y (missing)",
        "one (missing)",
        "note (missing)",
    ]
    assert [view.column.name for view in found if view.missing] == ["y", "one", "note"]
