"""Drawn rows and all rows as one answer."""

from dataclasses import replace

import numpy as np
import pytest

from questions import ASKED
from samelaw import compare
from samelaw.comparison.options import Question
from samelaw.divergence import Sketch
from samelaw.extras.dask.compare import half_level, with_all_rows
from samelaw.kernels import FourierFeatures
from samelaw.testing import sketch_test

RNG = np.random.default_rng(0)
MAP = FourierFeatures(RNG.normal(size=(1, 8)))


@pytest.fixture(scope="module")
def few():
    """Too few rows to find what many show."""
    rows = RNG.normal(size=(2, 60))
    return compare({"x": rows[0]}, {"x": rows[1]}, level=0.025, permutations=99, rng=0)


def many(shift):
    x, y = (Sketch.of(MAP, RNG.normal(s, size=(4000, 1)), block=100) for s in (0.0, shift))
    return sketch_test(x, y, level=0.025, rng=0)


def test_what_all_rows_show_is_the_verdict(few):
    found = with_all_rows(few, many(0.5), 0.05)
    assert found.reject
    assert found.verdict == "different"
    assert found.pvalue == 2 * many(0.5).pvalue
    assert "as all rows show; no column or pair by itself" in found.sentence
    assert any("tested on all rows (4,000 v 4,000" in note for note in found.notes)
    little = with_all_rows(replace(few, min_effect=0.1), many(0.5), 0.05)
    assert little.verdict.endswith("matter")
    assert little.sentence.endswith(
        "drawn. Its effect is not shown to reach 0.1, so it may not matter."
    )


def test_pvalues_are_those_of_two_tests_at_half_the_level(few):
    found = with_all_rows(few, many(0.0), 0.05)
    assert not found.reject
    assert found.level == 0.05
    assert found.pvalue >= few.pvalue
    assert found.marginals[0].pvalue == min(1.0, 2 * few.marginals[0].pvalue)
    assert found.sentence == few.sentence


def test_a_column_that_was_found_stays_found():
    rows = RNG.normal(size=(2, 100))
    clear = compare({"x": rows[0]}, {"x": rows[1] + 3}, level=0.025, permutations=99, rng=0)
    found = with_all_rows(clear, many(0.0), 0.05)
    assert found.reject
    assert found.columns_changed == ("x",)
    assert found.pvalue == pytest.approx(0.02)


def test_a_column_that_changed_too_little_is_still_named():
    rows = RNG.normal(size=(2, 200))
    options = {"level": 0.025, "permutations": 99, "rng": 0}
    clear = compare({"x": rows[0]}, {"x": rows[1] + 1}, min_effect=0.9, **options)
    found = with_all_rows(clear, many(0.5), 0.05)
    assert found.columns_changed == ("x",)
    assert found.verdict.endswith("matter")
    assert found.sentence == clear.sentence
    assert "no column" not in found.sentence


def test_what_all_rows_show_stands_beside_a_new_column():
    rows = RNG.normal(size=(2, 60))
    b = {"x": rows[1], "z": rows[1]}
    new = compare({"x": rows[0]}, b, level=0.025, min_effect=0.1, permutations=99, rng=0)
    found = with_all_rows(new, many(0.5), 0.05)
    assert found.verdict == "different"
    assert found.reject
    assert "z is new; and in all columns taken together" in found.sentence


def test_permutations_must_reach_half_the_level():
    with pytest.raises(ValueError, match=r"half the level: 19 .* level 0\.025.* at least 39"):
        half_level(Question.of(**{**ASKED, "permutations": 19}))
    assert half_level(Question.of(**{**ASKED, "permutations": 39})) == 0.025
