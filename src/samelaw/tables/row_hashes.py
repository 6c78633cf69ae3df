"""Numbers of 64 bits for values and rows: the same wherever and whenever the same values are read.

They tell rows apart that are not kept: two rows that differ share a number with probability 2⁻⁶⁴,
so that among a hundred million rows such a pair occurs once in 3,700 tables.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from samelaw.columns.column import Kind
from samelaw.columns.raw_column import Form
from samelaw.core.types import Matrix
from samelaw.tables.bins import Reading
from samelaw.tables.mixing import mixed

_MISSING = np.uint64(0x5851F42D4C957F2D)
_FORMS = {
    Kind.NUMERIC: Form.NUMBER,
    Kind.INTEGER: Form.NUMBER,
    Kind.DATETIME: Form.TIME,
    Kind.BOOLEAN: Form.BOOLEAN,
}


def word_hashes(words: Sequence[str], seed: int = 0) -> Matrix:
    """A number (k,) for each word."""
    salt = seed.to_bytes(8, "little")
    read = b"".join(
        blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8, salt=salt).digest()
        for word in words
    )
    return np.frombuffer(read, dtype=np.dtype("<u8")).astype(np.uint64)


def hashes_of_words(reading: Reading, seed: int = 0) -> Matrix:
    """A number (n,) for each value as a word; `MISSING` where there is none."""
    codes, labels = reading.raw.words()
    return _coded(codes, labels, seed)


def value_hashes(reading: Reading, kind: Kind) -> Matrix:
    """A number (n,) for each value of a column of this kind.

    Numbers and dates by what they are and how they are written: 1 is 1.0, and not "$1".
    """
    if kind not in _FORMS:
        return hashes_of_words(reading)
    form = _FORMS[kind]
    values = np.nan_to_num(reading.numbers(form), nan=0.0, posinf=np.inf, neginf=-np.inf)
    manner = _coded(*reading.raw.manners(form), 0)
    return mixed(manner ^ mixed((values + 0.0).view(np.uint64)))  # −0 is 0


def row_hashes(readings: Sequence[tuple[Reading, Kind]]) -> Matrix:
    """A number (n,) for each row from the values of its columns."""
    found = np.zeros(len(readings[0][0].raw.missing), dtype=np.uint64)
    for reading, kind in readings:
        found = mixed(found ^ value_hashes(reading, kind))
    return found


def _coded(codes: Matrix, labels: Sequence[str], seed: int) -> Matrix:
    return np.append(word_hashes(labels, seed), _MISSING)[codes]  # code −1 finds the last
