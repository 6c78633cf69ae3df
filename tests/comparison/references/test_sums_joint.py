"""All columns together against sums: random signs, and the effect without its bias."""

import numpy as np
import pytest

from samelaw import Reference
from samelaw.comparison.references.sums_joint import joint_test
from samelaw.tables.reading.read import read_table


def rows(seed, n, shift=0.0, both=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = both * x + np.sqrt(1 - both**2) * rng.normal(size=n)
    return {"x": x + shift, "y": y}


def joint(n, past=2_000, seed=1, **change):
    reference = Reference.of(rows(0, past), keep_rows=False, rng=0)
    points, _ = reference.rules.encode(read_table(rows(seed, n, **change)))
    return joint_test(reference, points, 199, np.random.default_rng(2))


def test_a_dependence_is_found_that_no_column_shows():
    assert joint(300, both=0.7).pvalue == pytest.approx(1 / 200)
    assert joint(300).pvalue > 0.05


def test_two_rows_alone_show_nothing_however_far_they_are():
    assert joint(2, shift=50.0).pvalue > 0.2


@pytest.mark.parametrize(
    ("n", "most"), [(10, 0.03), pytest.param(50, 0.008, marks=pytest.mark.long)]
)
def test_equal_laws_have_hardly_an_effect(n, most):
    """Without the bias of a few rows, which ten rows that stood for both laws put .05 too low."""
    found = [joint(n, seed=seed).effect for seed in range(100, 120)]
    assert np.mean([effect.value for effect in found]) < most
    assert sum(effect.interval(1.96)[0] > 0.0 for effect in found) <= 3


def test_many_new_rows_show_the_effect_in_spite_of_a_small_reference():
    """A change must not be taken for an error of the reference."""
    found = joint(50_000, past=600, shift=1.0)
    assert found.pvalue == pytest.approx(1 / 200)
    assert found.effect.interval(1.96)[0] > 0.05
