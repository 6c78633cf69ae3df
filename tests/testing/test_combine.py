"""How values of several kernels become one: maximum, soft maximum, weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from samelaw.testing import Maximum, SoftMaximum
from samelaw.testing.combine import kernel_weights


def combine(rule, table, weights, n=9):
    total = None
    for values, weight in zip(table, weights, strict=True):
        total = rule.fuse(total, np.asarray(values), weight, n)
    return rule.finish(total, n)


tables = st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=1, max_size=6)


@given(table=tables, sharpness=st.floats(0.01, 50))
def test_soft_maximum_lies_between_mean_and_maximum(table, sharpness):
    equal = [1 / len(table)] * len(table)
    soft = combine(SoftMaximum(sharpness), table, equal)
    assert np.all(soft <= np.max(table, axis=0) + 1e-9)
    assert np.all(soft >= np.mean(table, axis=0) - 1e-9)


@given(table=tables)
def test_soft_maximum_has_the_mean_and_the_maximum_as_limits(table):
    equal = [1 / len(table)] * len(table)
    blunt, sharp = (combine(SoftMaximum(s), table, equal) for s in (1e-7, 1e7))
    np.testing.assert_allclose(blunt, np.mean(table, axis=0), atol=1e-5)
    np.testing.assert_allclose(sharp, np.max(table, axis=0), atol=1e-5)


def test_soft_maximum_is_sharp_by_default():
    """λ = n(n−1) as in the code of MMD-Fuse."""
    table, weights = [[0.1], [0.4]], [0.25, 0.75]
    soft = combine(SoftMaximum(), table, weights, n=9)
    assert soft == pytest.approx(logsumexp([7.2, 28.8], b=weights) / 72)


def test_weights_are_shares_for_a_soft_maximum_and_relative_for_a_maximum():
    assert kernel_weights([1, 3], 2, sum_to_one=True) == [0.25, 0.75]
    assert kernel_weights([1, 4], 2) == [0.25, 1.0]
    assert kernel_weights(None, 3) == [1.0] * 3
    assert combine(Maximum(), [[2.0], [1.0]], [0.25, 1.0]) == [1.0]
