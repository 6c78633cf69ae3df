"""Numbers of 64 bits that look random and are the same on every machine."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from samelaw.core.types import Matrix

_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))  # of splitmix64
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


def mixed(numbers: Matrix) -> Matrix:
    """Numbers (n,) of 64 bits, each bit of which depends on all bits of the given ones."""
    for odd, shift in zip(_ODD, _SHIFTS, strict=False):
        numbers = (numbers ^ (numbers >> shift)) * odd
    return np.asarray(numbers ^ (numbers >> _SHIFTS[2]))


def word_hashes(words: Sequence[str]) -> Matrix:
    """A number (k,) for each word."""
    read = b"".join(
        blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest() for word in words
    )
    return np.frombuffer(read, dtype=np.dtype("<u8")).astype(np.uint64)
