"""When floats are too coarse for numbers, and when the digits they lose do not matter."""

from decimal import Decimal

import numpy as np
import pytest

from samelaw.core.digits import as_floats, digits_lost

NEIGHBOURS = 2**60 + np.arange(50)
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("exact", "lost"),
    [
        (NEIGHBOURS, True),
        (-NEIGHBOURS, True),
        (NEIGHBOURS.astype(np.uint64), True),
        (NEIGHBOURS.astype(object), True),
        (np.append(NEIGHBOURS, 0), True),  # a 0 that stands for nothing
        (np.tile([0, 2**60, 2**60 + 1], 20), True),  # two of three become one
        (np.array([Decimal(2**53) + Decimal(k) / 100 for k in range(50)]), True),
        (np.array([10**400 + k for k in range(50)]), True),
        (NEIGHBOURS - 2**60, False),
        (2**60 + 256 * np.arange(50), False),  # floats hold all of these
        (NEIGHBOURS.astype(np.float64), False),  # and are all that is known of others
        (np.array([Decimal(repr(2.0**60 + 256 * k)) for k in range(50)]), False),  # written floats
        (np.full(50, 2**60 + 1), False),  # one number stays one
        (np.array([Decimal("1.7976931348623157e308"), Decimal(1)]), False),
        (RNG.integers(17 * 10**17, 18 * 10**17, 500), False),  # nanoseconds
        (np.array([Decimal("0.1"), Decimal("0.10000000000000000001")]), False),  # rounding
    ],
)
def test_digits_are_lost_where_different_numbers_become_one(exact, lost):
    assert digits_lost(exact, as_floats(exact)) is lost
    assert digits_lost(exact[::-1], as_floats(exact[::-1])) is lost


def test_numbers_beyond_floats_are_infinite():
    assert as_floats(np.array([10**400, -(10**400), 1], dtype=object)).tolist() == [
        *(np.inf, -np.inf, 1.0),
    ]
