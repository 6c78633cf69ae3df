"""Groups drawn by their numbers: the same in both tables, counted in full, about as many rows."""

import numpy as np

from samelaw.streaming.some_groups import GroupCounts, Thinning


def counted(numbers, most):
    found = GroupCounts(most)
    for piece in np.array_split(numbers, 9):
        found.add(piece)
    return found


def drawn(rng, groups, rows):
    return groups[rng.integers(0, len(groups), size=rows)]


def test_groups_below_the_limit_are_counted_in_full():
    rng = np.random.default_rng(0)
    numbers = drawn(rng, rng.integers(0, 2**64, size=5_000, dtype=np.uint64), 20_000)
    found = counted(numbers, 100)
    assert len(found.groups) <= 200
    kept, counts = np.unique(numbers[numbers <= found.limit], return_counts=True)
    np.testing.assert_array_equal(found.groups, kept)
    np.testing.assert_array_equal(found.counts, counts)


def test_both_tables_draw_the_same_groups():
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 2**64, size=3_000, dtype=np.uint64)
    sides = [drawn(rng, groups, rows) for rows in (30_000, 4_000)]
    thinning = Thinning.of(tuple(counted(side, 200) for side in sides), 200, 1_000)
    assert thinning.groups == 200
    assert abs(thinning.about / 3_000 - 1.0) < 4 / np.sqrt(200)
    rows = sum(int((side <= thinning.limit).sum()) for side in sides)
    assert thinning.share == 1_000 / rows
    assert not thinning.whole
    assert "200 of about " in thinning.said((30_000, 4_000), (800, 100))


def test_what_fits_is_taken_whole():
    rng = np.random.default_rng(2)
    sides = [drawn(rng, np.arange(12, dtype=np.uint64), 500) for _ in range(2)]
    thinning = Thinning.of(tuple(counted(side, 200) for side in sides), 200, 5_000)
    assert thinning.whole
    assert thinning.about == 12
