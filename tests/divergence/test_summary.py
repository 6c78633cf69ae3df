"""Summaries: additive, exact, and never spoilt by a bad row."""

import numpy as np
import pytest

from samelaw import Summary, VonNeumann, rjsd
from samelaw.core.container import Container, Format
from samelaw.divergence.summary import Moments
from samelaw.kernels import FourierFeatures
from samelaw.kernels.features import draw_frequencies
from samelaw.kernels.formulas import Gaussian

MAP = FourierFeatures(np.random.default_rng(0).standard_normal((2, 5)))
ROWS = np.random.default_rng(1).normal(size=(90, 2)) * [1.0, 3.0] + [0.0, 1e6]


def close(one, other):
    for name, value in one.state().items():
        np.testing.assert_allclose(value, other.state()[name], rtol=1e-9, atol=1e-9)


def test_a_summary_is_what_the_rows_say():
    found = Summary.of(MAP, ROWS)
    features = MAP(ROWS)
    np.testing.assert_allclose(found.covariance.density, features.T @ features / 90, atol=1e-12)
    np.testing.assert_allclose(found.mean, features.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.columns.mean, ROWS.mean(axis=0))
    np.testing.assert_allclose(found.columns.variance, ROWS.var(axis=0), rtol=1e-9)
    assert found.rows == 90


@pytest.mark.parametrize("cuts", [[1], [40], [10, 11, 80], list(range(1, 90))])
def test_any_parts_in_any_order_give_the_same(cuts):
    parts = [Summary.of(MAP, part) for part in np.split(ROWS, cuts)]
    order = np.random.default_rng(2).permutation(len(parts))
    merged = Summary.empty(MAP, 2)
    for i in order:
        merged = parts[i] + merged
    close(merged, Summary.of(MAP, ROWS))
    grown = Summary.empty(MAP, 2)
    for part in np.split(ROWS, cuts):
        grown = grown.update(part)
    close(grown, merged)


def test_a_row_with_nan_is_refused_and_leaves_no_trace():
    before = Summary.of(MAP, ROWS[:10])
    bad = ROWS[10:20].copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        before.update(bad)
    close(before.update(ROWS[10:20]), Summary.of(MAP, ROWS[:20]))


def test_other_maps_and_other_widths_are_refused():
    with pytest.raises(ValueError, match="other feature maps"):
        Summary.of(MAP, ROWS) + Summary.of(FourierFeatures(2 * MAP.frequencies), ROWS)
    with pytest.raises(ValueError, match="3 columns; the summary is of 2"):
        Summary.of(MAP, ROWS).update(np.ones((4, 3)))


def test_equal_maps_of_other_objects_merge():
    twin = FourierFeatures(MAP.frequencies.copy())
    close(Summary.of(MAP, ROWS[:40]) + Summary.of(twin, ROWS[40:]), Summary.of(MAP, ROWS))


def test_the_past_fades():
    past, new = Summary.of(MAP, ROWS[:40]), Summary.of(MAP, ROWS[40:])
    mixed = past.faded(0.25) + new
    weights = np.repeat([0.25, 1.0], [40, 50])
    np.testing.assert_allclose(mixed.columns.mean, np.average(ROWS, axis=0, weights=weights))
    np.testing.assert_allclose(mixed.mean, np.average(MAP(ROWS), axis=0, weights=weights))
    assert mixed.rows == 90
    assert mixed.covariance.weight == 60.0
    with pytest.raises(ValueError, match="keep must be above 0"):
        past.faded(0.0)


def test_the_divergence_is_that_of_the_rows():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(300, 1)), rng.normal(size=(200, 1)) + 1.5
    features = FourierFeatures(draw_frequencies(Gaussian(1.0), 1, 400, rng=0))
    found = Summary.of(features, x).divergence(Summary.of(features, y), entropy=VonNeumann())
    assert found == pytest.approx(float(rjsd(x, y, kernel=Gaussian(1.0))), abs=0.01)


def test_a_summary_of_64_frequencies_is_small_and_comes_back():
    features = FourierFeatures(np.random.default_rng(0).standard_normal((2, 64)))
    found = Summary.of(features, ROWS)
    form = Format("a test", 1)
    content = form.pack(Container(found.state(), {}))
    assert len(content) < 200_000
    close(Summary.from_state(features, form.unpack(content, "it").arrays), found)


def test_moments_of_nothing_add_nothing():
    none = Moments(0.0, np.zeros(2), np.zeros(2))
    assert (none + none).weight == 0.0
    np.testing.assert_array_equal((none + Moments.of(ROWS)).mean, Moments.of(ROWS).mean)
