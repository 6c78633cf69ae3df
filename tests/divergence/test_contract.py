import numpy as np
import pytest

from samelaw.divergence.contract import as_memberships, priors


@pytest.mark.parametrize(
    ("weights", "sizes", "expected"),
    [
        ("proportional", (30, 10), (0.75, 0.25)),
        ("balanced", (30, 10), (0.5, 0.5)),
        ("balanced", (1, 2, 3), (1 / 3,) * 3),
        (0.2, (30, 10), (0.2, 0.8)),
        (np.float32(0.25), (30, 10), (0.25, 0.75)),
        ([2, 1, 1], (1, 1, 1), (0.5, 0.25, 0.25)),
        (np.array([1.0, 3.0]), (1, 1), (0.25, 0.75)),
    ],
)
def test_weights_become_shares(weights, sizes, expected):
    assert priors(weights, sizes) == pytest.approx(expected)


def test_one_split_is_a_batch_of_one():
    assert as_memberships([True, False, True], 3).shape == (1, 3)
