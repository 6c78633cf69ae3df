"""Numbers that look random."""

import numpy as np

from samelaw.tables.hash64 import mixed


def test_bits_are_mixed():
    found = mixed(np.arange(4_096, dtype=np.uint64))
    ones = np.unpackbits(found.view(np.uint8)).mean()
    assert len(np.unique(found)) == 4_096
    assert abs(ones - 0.5) < 0.01
