"""Limits of effects; how often they hold is in `tests/statistics`."""

import numpy as np
import pytest

from samelaw.comparison.effects.intervals import Effect, widest


def test_the_highest_limit_is_the_largest_of_all():
    rng = np.random.default_rng(0)
    assert widest([], 2.0) == (0, 0.0)
    for _ in range(60):
        effects = [
            Effect(value, spread, rng.uniform(-1, 4), growth, unseen, doubt)
            for value, spread, growth, unseen, doubt in 10 ** rng.uniform(-5, -0.5, (8, 5))
        ]
        limits = [effect.interval(2.0)[1] for effect in effects]
        place, limit = widest(effects, 2.0)
        assert place == int(np.argmax(limits))
        assert limit == pytest.approx(max(limits), abs=1e-8)
        for effect, limit in zip(effects, limits, strict=True):
            assert effect.is_below(min(limit + 1e-6, 1.0), 2.0) or limit == 1.0
            assert not effect.is_below(limit - 1e-6, 2.0)
