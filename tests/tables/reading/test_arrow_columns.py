from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from optional import need
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.raw_column import Form
from samelaw.tables.reading.objects import raw_objects
from samelaw.tables.reading.read import read_table


def test_every_type_of_words_of_arrow():
    pa = need("pyarrow")
    plain = pa.array(["p", "q", None, "p"])
    types = [pa.string(), pa.large_string(), pa.string_view()]
    types += [pa.dictionary(pa.uint8(), kind) for kind in types]
    for kind in types:
        index = pa.array([0, 1, None, 3])
        words = pa.array(["p", "q", "unused", "p"], getattr(kind, "value_type", kind))
        coded = pa.DictionaryArray.from_arrays(index, words)
        column = coded if hasattr(kind, "value_type") else plain.cast(kind)
        found = read_table(pa.table({"w": pa.chunked_array([column, column.slice(1)])})).column("w")
        assert found.categories == ("p", "q")
        np.testing.assert_array_equal(found.values, [0, 1, -1, 0, 1, -1, 0])


def test_a_dictionary_of_numbers_is_numbers():
    pa = need("pyarrow")
    numbers = [str(i / 8) for i in range(2000)]
    for words in (numbers, [*numbers[:-1], "NA"]):  # written out for speed, or not
        fast = read_table(pa.table({"x": pa.array(words).dictionary_encode()})).column("x")
        slow = read_table(pa.table({"x": words})).column("x")
        assert fast.kind is slow.kind is Kind.NUMERIC
        np.testing.assert_array_equal(fast.values, slow.values)


def test_decimals_are_the_numbers_that_their_digits_are():
    """Arrow makes 103.46000000000001 of 103.46: equal prices of two files were two prices."""
    pa = need("pyarrow")
    words = ["103.46", "105.99", "-0.10", "19.99", None]
    for kind in (pa.decimal128(9, 2), pa.decimal256(60, 2)):
        column = pa.array([word and Decimal(word) for word in words], kind)
        found = read_table(pa.table({"x": column})).column("x")
        assert found.values[:4].tolist() == [float(word) for word in words[:4]]
        assert found.missing.tolist() == [False] * 4 + [True]
        coded = read_table(pa.table({"x": column.dictionary_encode()})).column("x")
        np.testing.assert_array_equal(coded.values, found.values)


def test_whole_decimals_keep_their_digits():
    pa = need("pyarrow")
    keys = [2**60 + i for i in range(30)]
    found = read_table(pa.table({"key": pa.array(map(Decimal, keys), pa.decimal128(38, 0))}))
    assert found.raw["key"].words()[1] == [str(key) for key in keys]
    huge = read_table(pa.table({"x": pa.array([Decimal(10) ** 30] * 2, pa.decimal128(38, 0))}))
    assert huge.raw["x"].numbers(Form.NUMBER).tolist() == [1e30] * 2


AWKWARD = ["1", "0", "-2.5", "1e3", " 7 ", "007", "0.5", "+1", "5.", ".5", "inf", "NAN", "nan"]


AWKWARD += ["NA", " NA ", "", " ", "1_0", "1,5", "x", "true", "2025-03-01", "١", "0x1", "1e400"]


@given(st.lists(st.one_of(st.none(), st.sampled_from(AWKWARD)), min_size=1, max_size=6))
def test_arrow_words_are_read_by_the_same_rules(values):
    """The fast route for words that are numbers changes nothing but the speed."""
    fast = read_table(need("pyarrow").table({"x": [*values, "3"]})).raw["x"]
    slow = raw_objects([*values, "3"])
    assert fast.forms == slow.forms
    assert fast.family is slow.family
    assert fast.notes == slow.notes
    np.testing.assert_array_equal(fast.missing, slow.missing)
    for form in (Form.NUMBER, Form.INTEGER, Form.BOOLEAN):
        np.testing.assert_array_equal(fast.numbers(form), slow.numbers(form))
    (one, words), (other, same) = fast.words(), slow.words()
    np.testing.assert_array_equal(one, other)
    assert list(words) == list(same)
