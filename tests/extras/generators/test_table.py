"""All measures in one table."""

import numpy as np
import pytest

from samelaw.extras.generators.measures import GeneratorScores, kernel_inception_distance
from samelaw.extras.generators.table import generator_scores


def test_the_table_has_every_measure_and_says_what_is_better():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(120, 3)), 0.4 * rng.normal(size=(90, 3))
    found = generator_scores(x, y, frequencies=16)
    assert [row["measure"] for row in found.records()] == list(GeneratorScores.names)
    assert found["kid"] == kernel_inception_distance(x, y)
    assert {r["measure"] for r in found.records() if r["better"] == "lower"} == {
        "rjsd",
        "frechet",
        "kid",
    }
    assert found["vendi_generated"].value > 1
    assert found["recall"].value < found["precision"].value
    assert all(np.isfinite(score.standard_error) for score in found.scores.values())


def test_equal_laws_are_close_by_every_distance():
    rng = np.random.default_rng(0)
    found = generator_scores(rng.normal(size=(400, 3)), rng.normal(size=(400, 3)))
    for name in ("rjsd", "kid"):
        assert abs(found[name].value) < 3 * found[name].standard_error
    assert found["density"].value == pytest.approx(1.0, abs=0.15)
