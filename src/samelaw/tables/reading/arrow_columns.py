"""Columns of Arrow, where one meaning has many types: words alone have six.

Words stay codes and a dictionary as long as can be: written out, a long word that occurs a million
times takes a million times its length.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns.parse import MISSING_WORDS
from samelaw.tables.columns.raw_column import Codes
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.columns.raw_words import RawWords, missing_notes, words_of

if TYPE_CHECKING:
    import pyarrow as pa

_IN_AN_HOUR = {"s": 3600.0, "ms": 3600e3, "us": 3600e6, "ns": 3600e9}

_ALL_DIGITS = 1e15
"""Whole numbers below, over any power of ten, are told apart by the floats nearest to them."""

WORTH_WRITING_OUT = 4
"""Times the size of its dictionary up to which a column may be written out to be read faster."""


def plain(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """A chunked array of Arrow in the simplest type that holds the same values.

    Dictionaries of words stay such; every other way to store is undone.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return plain(_each(column, lambda chunk: chunk.storage, kind.storage_type))
    if pa.types.is_run_end_encoded(kind):
        return plain(_each(column, pc.run_end_decode, kind.value_type))
    if pa.types.is_dictionary(kind):
        return _plain_dictionary(column)
    if _is_view(kind):
        return column.cast(pa.large_string() if kind == pa.string_view() else pa.large_binary())
    if pa.types.is_decimal(kind):
        return _of_decimals(column)
    if pa.types.is_date64(kind):
        return column.cast(pa.timestamp("ms"))
    if pa.types.is_time(kind):
        ticks = column.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
        return pc.divide(ticks.cast(pa.float64()), _IN_AN_HOUR[kind.unit])
    return column


def _of_decimals(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Decimals as whole numbers, or as the floats that their digits are read as anywhere else.

    Arrow itself makes 103.46000000000001 of 103.46, which is another price than that of a CSV file.
    Decimals of more digits than floats hold stay decimals.
    """
    import pyarrow as pa

    if column.type.scale == 0:
        with suppress(pa.ArrowInvalid):  # more digits than 64 bits hold
            return column.cast(pa.int64())
    floats = column.cast(pa.string()).cast(pa.float64())
    return floats if few_digits(floats.to_numpy(), column.type.scale) else column


def few_digits(floats: Matrix, scale: float) -> bool:
    """Whether decimals of so many places, here as floats (n,), have no more digits than floats."""
    known = np.abs(floats[~np.isnan(floats)])
    return not len(known) or float(known.max()) < _ALL_DIGITS / 10.0**scale


def _each(
    column: "pa.ChunkedArray", change: "Callable[[pa.Array], pa.Array]", kind: "pa.DataType"
) -> "pa.ChunkedArray":
    import pyarrow as pa

    return pa.chunked_array([change(chunk) for chunk in column.chunks], kind)


def _is_view(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return bool(kind == pa.string_view() or kind == pa.binary_view())


def _plain_dictionary(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    import pyarrow as pa

    kind = column.type.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    words = plain(pa.chunked_array([], kind)).type

    def simpler(chunk: "pa.DictionaryArray") -> "pa.DictionaryArray":
        values = plain(pa.chunked_array([chunk.dictionary])).combine_chunks()
        return pa.DictionaryArray.from_arrays(chunk.indices, values)

    if kind == pa.string_view():
        return _each(column, simpler, pa.dictionary(column.type.index_type, words))
    return _each(column, lambda chunk: simpler(chunk).dictionary_decode(), words)


def written_out(table: "pa.Table", names: Collection[str]) -> "pa.Table":
    """The table with these columns in their plain types, without codes."""
    for place, name in enumerate(table.column_names):
        if name in names and hasattr((column := plain(table[name])).type, "index_type"):
            table = table.set_column(place, name, column.cast(column.type.value_type))
    return table


def from_dictionary(column: "pa.ChunkedArray", comma: bool) -> RawNumbers | RawWords:
    """Words that come as codes and a dictionary, in which some words may stand for no row."""
    if column.num_chunks == 0:
        return words_of(np.zeros(0, dtype=np.int64), [], comma=comma)
    parts = column.unify_dictionaries().chunks
    words = parts[0].dictionary
    codes = np.concatenate(
        [part.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False) for part in parts]
    )
    counts = np.bincount(codes[codes >= 0], minlength=len(words))
    if _worth_writing_out(counts, words):
        found = spelled_numbers(column.cast(column.type.value_type), comma)
        if found is not None:
            return found
    return _used(codes, counts, words.to_pylist(), comma)


def _worth_writing_out(counts: Codes, words: "pa.Array") -> bool:
    """Whether most words occur once or so: then Arrow reads numbers faster than Python."""
    import pyarrow.compute as pc

    if len(counts) < 1000:
        return False
    sizes = pc.binary_length(words).fill_null(0).to_numpy(zero_copy_only=False)
    return bool(counts @ sizes.astype(np.int64) <= WORTH_WRITING_OUT * sizes.sum())


def _used(codes: Codes, counts: Codes, words: Sequence[str | None], comma: bool) -> RawWords:
    """Each word that occurs once in the list, which a dictionary need not promise."""
    place: dict[str, int] = {}
    moved = np.full(len(words) + 1, -1, dtype=np.int64)  # the last entry catches code −1
    for i in np.flatnonzero(counts).tolist():
        if (word := words[i]) is not None:
            moved[i] = place.setdefault(word, len(place))
    return words_of(moved[codes], list(place), comma=comma)


def encoded(column: "pa.ChunkedArray", comma: bool) -> RawWords:
    """Words as codes and a dictionary."""
    coded = column.combine_chunks().dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return words_of(codes, coded.dictionary.to_pylist(), comma=comma)


def spelled_numbers(column: "pa.ChunkedArray", comma: bool) -> RawNumbers | None:
    """Words that are all numbers by the rule of `parse.number`, at the speed of Arrow."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.ascii_trim_whitespace(column)
    gone = pc.is_in(words, value_set=pa.array(["", *MISSING_WORDS], words.type))
    words = pc.if_else(pc.or_(gone, pc.is_null(words)), None, words)
    try:
        numbers = pc.cast(words, pa.float64())
    except pa.ArrowInvalid:
        return None
    if pc.any(pc.match_substring_regex(words, "^[+-]?0[0-9]")).as_py():
        return None
    values, missing = numbers.to_numpy(), pc.is_null(words).to_numpy()
    if not np.array_equal(np.isnan(values), missing):  # a NaN spelled in another way
        return None
    notes = missing_notes(pc.unique(column.filter(gone)).to_pylist())
    return RawNumbers(
        values, missing, notes=notes, spelled=lambda: encoded(column, comma), comma=comma
    )
