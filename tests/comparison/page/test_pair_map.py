"""The map of pairs: each changed pair is one cell, the largest effect the darkest."""

from itertools import combinations

from samelaw.comparison.findings import PairFinding
from samelaw.comparison.page.content import MOST_NAMES, PairMap


def pair(one, other, effect, changed=True):
    names = (one, other)
    return PairFinding(names, names, changed, 0.001, "rank correlation", effect=effect)


def test_each_changed_pair_is_one_cell():
    pairs = [pair("a", "b", 0.1), pair("c", "a", 0.4), pair("b", "d", 0.2, changed=False)]
    found = PairMap.of(pairs)
    assert found.names == ["a", "b", "c"]  # d is in no changed pair
    assert [len(row) for row in found.rows] == [0, 1, 2]
    shades = {
        (i, j): c.shade for i, row in enumerate(found.rows) for j, c in enumerate(row) if c.said
    }
    assert shades == {(1, 0): 40, (2, 0): 100}
    assert found.rows[2][0].said == "c × a: rank correlation, effect 0.4"


def test_a_map_of_many_columns_is_cut_and_says_so():
    names = [f"x{i}" for i in range(MOST_NAMES + 5)]
    found = PairMap.of([pair(*two, 0.1) for two in combinations(names, 2)])
    assert (len(found.names), found.left) == (MOST_NAMES, 5)


def test_no_pairs_are_an_empty_map():
    assert PairMap.of([]) == PairMap([], [], 0)
