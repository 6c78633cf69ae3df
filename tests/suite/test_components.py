"""The list that chose the default is the default."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from dataclasses import replace

from experiments.suite.components import CANDIDATES, CHOSEN

from samelaw import Fuse, two_sample_test


def test_what_was_chosen_is_what_is_fused():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 3)), rng.normal(size=(50, 3)) * 1.3
    chosen = Fuse([replace(CANDIDATES[name], penalty=off) for name, off in CHOSEN.items()])
    ours, default = (
        two_sample_test(x, y, strategy=strategy, permutations=19, rng=0)
        for strategy in (chosen, Fuse())
    )
    values = [{c["name"]: c["value"] for c in found.components} for found in (ours, default)]
    assert values[0] == pytest.approx(values[1], abs=1e-5)
