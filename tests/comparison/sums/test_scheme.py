"""Views in bins: which there are, and their coordinates."""

import numpy as np

from samelaw.comparison.sums.scheme import find_scheme
from samelaw.tables.bins import Reading
from samelaw.tables.columns.raw_column import Form
from samelaw.tables.pairing.encode import prepare
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table
from streaming_tables import mixed


def scheme_of(a, b):
    tables = [read_table(a), read_table(b)]
    pair = pair_tables(*tables)
    return pair, find_scheme(pair, tables)


def test_every_column_has_its_values_gaps_and_parts():
    _, scheme = scheme_of(mixed(300, 0), mixed(200, 1))
    names = [look.name for look in scheme.looks]
    assert names[:3] == ["x", "x (missing)", "x (as written)"]
    assert {"when (hour of day)", "when (day of week)", "word", "gaps (missing)"} <= set(names)


def test_coordinates_are_those_of_the_rows():
    """City-block distances between rows, in bins and as `prepare` has them."""
    pair, scheme = scheme_of(mixed(300, 0), mixed(200, 1))
    own, rows = scheme.points(scheme.drawn), prepare(pair).coordinates()
    chosen = np.random.default_rng(0).integers(0, 500, size=(2, 2_000))
    apart = [np.abs(p[chosen[0]] - p[chosen[1]]).sum(axis=1) for p in (own, rows)]
    assert np.corrcoef(*apart)[0, 1] > 0.98
    np.testing.assert_allclose(apart[0].mean(), apart[1].mean(), rtol=0.05)


def test_constants_and_identifiers_are_watched_but_have_no_coordinates():
    a = {"x": [1.0, 2.0, 3.0] * 20, "one": ["a"] * 60, "id": list(range(60))}
    _, scheme = scheme_of(a, a)
    widths = {
        look.name: table.shape[1]
        for look, table in zip(scheme.looks, scheme.coordinates, strict=True)
    }
    assert widths["x"] == 1
    assert widths["one"] == 0
    assert "id" not in widths
    assert "id (missing)" in widths


def test_pieces_are_read_as_the_rows_drawn_told():
    """Neither the order of a date nor a decimal comma can be seen in these pieces."""
    texts = {"when": ["03/04/2025", "27/04/2025"] * 40, "size": ["1,234", "2,5"] * 40}
    _, scheme = scheme_of(texts, texts)
    piece = read_table({"when": ["04/03/2025"], "size": ["1,234"]})
    readings = {name: Reading(piece.raw[name], how) for name, how in scheme.writings.items()}
    moment = np.datetime64("2025-03-04", "s").astype(int)
    assert readings["when"].numbers(Form.TIME).tolist() == [moment]
    assert readings["size"].numbers(Form.NUMBER).tolist() == [1.234]
