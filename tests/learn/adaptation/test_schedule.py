"""Plans that make no sense are refused."""

import pytest

from optional import need

torch = need("torch")
from samelaw.learn.adaptation.schedule import AdaptationPlan  # noqa: E402


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"steps": 2.5},
        {"held_out": 1.0},
        {"trade_off": float("nan")},
        {"rate": float("inf")},
        {"batch": -1},
        {"target_batch": 0},
        {"evaluate": 2.5},
        {"workers": -1},
    ],
    ids=repr,
)
def test_wrong_plans_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        AdaptationPlan(**wrong)
