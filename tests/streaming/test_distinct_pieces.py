"""Distinct rows of tables that are not kept: exact, in memory and in files."""

import numpy as np
import pytest

from samelaw.streaming.distinct_pieces import FirstRows


@pytest.mark.parametrize("parts", [1, 7])
def test_the_first_row_with_each_number_is_marked(tmp_path, parts):
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 2**64, size=4_000, dtype=np.uint64)[rng.integers(0, 4_000, 30_000)]
    first = FirstRows(len(numbers), 48.0 * len(numbers) / parts, tmp_path)
    assert first.parts == parts
    for piece in np.array_split(numbers, 5):
        first.add(piece)
    expected = np.sort(np.unique(numbers, return_index=True)[1])
    np.testing.assert_array_equal(np.flatnonzero(first.marks().within(0, 30_000)), expected)
    assert not list(tmp_path.iterdir()), "no file is left"
