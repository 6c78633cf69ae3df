"""Many categories as few classes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samelaw.tables.categories import few_classes

CODES = st.lists(st.integers(-1, 30), min_size=1, max_size=200).filter(lambda c: max(c) >= 0)


@given(CODES, st.integers(0, 12), st.integers(1, 6))
def test_a_category_has_one_class_and_a_common_one_its_own(codes, own, shared):
    codes = np.array(codes)
    found = few_classes(codes, own, shared)
    np.testing.assert_array_equal(found < 0, codes < 0)
    assert found.max() < own + shared
    counts = np.bincount(codes[codes >= 0])
    for category in np.unique(codes[codes >= 0]):
        (one,) = np.unique(found[codes == category])
        if np.sum(counts >= counts[category]) <= own:
            assert set(codes[found == one]) == {category}


@given(CODES, st.randoms())
def test_the_order_of_rows_does_not_matter(codes, random):
    codes = np.array(codes)
    order = list(range(len(codes)))
    random.shuffle(order)
    np.testing.assert_array_equal(few_classes(codes, 3, 2)[order], few_classes(codes[order], 3, 2))


def test_rows_may_stand_for_several():
    codes = np.array([0, 0, 1])
    assert few_classes(codes, 1, 1).tolist() == [0, 0, 1]
    assert few_classes(codes, 1, 1, np.array([1.0, 1.0, 5.0])).tolist() == [1, 1, 0]
