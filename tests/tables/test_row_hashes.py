"""Numbers for rows: the same for the same values however they came, others for others."""

import numpy as np
import pyarrow as pa

from samelaw.columns.column import Kind
from samelaw.columns.writing import Writing
from samelaw.reading.frames import from_arrow
from samelaw.tables.bins import Reading
from samelaw.tables.row_hashes import hashes_of_words, row_hashes, value_hashes, word_hashes


def of(values, kind, comma=None):
    raw = from_arrow(pa.table({"x": values}), "t", comma=False).raw["x"]
    return value_hashes(Reading(raw, Writing(comma)), kind)


def test_a_number_is_known_however_it_is_written():
    found = of(pa.array(["1", "1.0", "2", "$1", None, "-0", "0"]), Kind.NUMERIC)
    assert found[0] == found[1]
    assert found[5] == found[6]
    assert len(set(found[[0, 2, 3, 4, 5]].tolist())) == 5
    np.testing.assert_array_equal(of(pa.array([1.0, 2.0]), Kind.NUMERIC), found[[0, 2]])


def test_words_have_the_same_number_in_every_piece():
    found = of(pa.array(["b", "a", None, "b"]), Kind.CATEGORICAL)
    later = of(pa.array(["a", "c"]), Kind.CATEGORICAL)
    assert found[0] == found[3]
    assert found[1] == later[0]
    assert len({*found.tolist(), *later.tolist()}) == 4
    assert int(word_hashes(["a"])[0]) == 3_405_396_810_240_292_928, "on every machine"


def test_identifiers_tell_rows_apart():
    found = of(pa.array(["k1", "k2", "k1", None]), Kind.IDENTIFIER)
    assert found[0] == found[2]
    assert len(set(found.tolist())) == 3


def test_rows_differ_by_the_place_of_their_values():
    raw = from_arrow(pa.table({"x": ["a", "b", "a"], "y": ["b", "a", "b"]}), "t", comma=False).raw
    found = row_hashes([(Reading(raw[name]), Kind.CATEGORICAL) for name in ("x", "y")])
    assert found[0] == found[2] != found[1]


def test_seeds_give_other_numbers():
    raw = from_arrow(pa.table({"x": ["a", "b"]}), "t", comma=False).raw["x"]
    assert not np.any(hashes_of_words(Reading(raw), 1) == hashes_of_words(Reading(raw), 2))
