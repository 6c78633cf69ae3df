"""Forms of explicit features are the quadratic forms of their inner products."""

import numpy as np
import pytest

from many_groups import components
from samelaw.testing.permuting.quadratic import QuadraticForm

ROWS = np.random.default_rng(0).normal(size=(30, 2))


@pytest.mark.parametrize("place", range(4))
def test_values_and_moments_are_those_of_the_quadratic_form(place):
    form = components(ROWS)[place].form
    features = form.features.astype(np.float64)
    other = QuadraticForm.of_signs(features @ features.T, form.labels)
    memberships = form.labels.draw(np.random.default_rng(1), 20).astype(np.float64)
    assert np.allclose(form.evaluate(memberships), other.evaluate(memberships), rtol=1e-6)
    assert np.allclose(form.moments(), other.moments(), rtol=1e-6)
    start = np.random.default_rng(2).normal(size=(30, 16))
    if features.shape[1] < 16:  # else the other one has not seen the whole spectrum
        assert form.skewness(start) == pytest.approx(other.skewness(start), rel=0.05)


def test_rows_that_are_all_alike_do_not_vary():
    for one in components(np.ones((20, 2))):
        assert one.form.moments()[1] == 0.0
