"""Sums over blocks: every row once, whatever pieces it came in."""

import numpy as np

from streaming_tables import mixed, summed


def test_sums_are_those_of_the_rows():
    a, b = mixed(700, 0), mixed(500, 1)
    _, units, tests = summed(a, b, 20)
    sums, rows = tests.sums, units.unit >= 0
    assert sum(total.sum() for total in sums.all_bins[0]) == 1_200
    counts = np.concatenate([a["count"].to_numpy(), b["count"].to_numpy()])
    place = next(i for i, look in enumerate(sums.scheme.looks) if look.name == "count")
    values = np.nan_to_num(sums.scheme.looks[place].view.column.values)
    expected = np.bincount(units.unit[rows], counts[rows])
    np.testing.assert_allclose(sums.bins[place] @ values, expected)
    points = sums.scheme.points(sums.scheme.drawn).astype(np.float64)
    np.testing.assert_allclose(
        sums.first.sum(axis=0), points[rows].sum(axis=0), rtol=1e-4, atol=1e-3
    )
    total = points[rows].T @ points[rows]
    np.testing.assert_allclose(sums.second.sum(axis=0), total, rtol=1e-4, atol=1e-3)
    waves = sums.covariances[-1]
    np.testing.assert_allclose(np.einsum("ukk->u", waves), 20 * waves.shape[1] / 2, rtol=1e-4)
