"""Forms of many samples: against the divergence they stand for, and against those of two."""

import numpy as np
import pytest

from samelaw import Gaussian, PowerSeries, generalized_divergence
from samelaw.divergence.quadratic_form import SUBSPACE, PooledGram
from samelaw.testing.permuting.components import contrasts_of
from samelaw.testing.permuting.units import Units
from samelaw.testing.statistics import SecondOrder

SIZES = (7, 5, 9)
ROWS = np.random.default_rng(0).normal(size=(21, 2))


def form(sizes, order, many=True):
    gram = Gaussian(1.0)(ROWS, ROWS)
    pooled = PooledGram(gram, np.random.default_rng(1).normal(size=(21, SUBSPACE)))
    units = Units.of_samples(sizes) if many else Units.of_rows(sizes)
    (component,) = SecondOrder().components("", pooled, [PowerSeries(order)], units)
    return component, units


def test_order_one_is_the_generalised_divergence():
    component, units = form(SIZES, 1)
    drawn = units.labels.draw(np.random.default_rng(2), 6)
    for labels, value in zip(drawn, component.evaluate(drawn.astype(float)), strict=True):
        samples = [ROWS[labels == k] for k in range(3)]
        expected = generalized_divergence(samples, kernel=Gaussian(1.0), entropy=1)
        assert value == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize("order", [1, 10])
def test_two_samples_are_the_quadratic_form(order):
    many, _ = form((8, 13), order)
    two, units = form((8, 13), order, many=False)
    drawn = units.labels.draw(np.random.default_rng(3), 50)
    np.testing.assert_allclose(
        many.evaluate((~drawn).astype(float)), two.evaluate(drawn.astype(float)), rtol=1e-9
    )


def test_scores_by_what_samples_explain_of_their_variance():
    scores = np.random.default_rng(4).normal(size=21) + 3.0
    units = Units.of_samples(SIZES)
    (component,) = contrasts_of("score", scores, units)
    labels = units.labels.observed
    means = np.array([scores[labels == k].mean() for k in range(3)])
    between = np.sum(np.array(SIZES) * (means - scores.mean()) ** 2)
    found = component.evaluate(labels[None].astype(float))[0]
    assert found == pytest.approx(between / scores.var())
    assert component.moments() is None
