"""Counts of cells: the same by the sparse, the dense and the plain way."""

import numpy as np
import pytest

from mixed_tables import pooled, table
from samelaw.comparison.pairs import cells as pair_cells
from samelaw.comparison.pairs.cells import Cells
from samelaw.comparison.pairs.classes import classes_of
from samelaw.tables.columns.views import column_views
from samelaw.testing.permuting.units import Units

SIZES = (90, 60)


def classes():
    rng = np.random.default_rng(0)
    pair = pooled(*(table(rng, size) for size in SIZES))
    return [classes_of(view, SIZES) for view in column_views(pair.columns)]


@pytest.mark.parametrize("dense", [0, 10**9])
def test_shares_are_counts_of_rows_known_in_both(dense, monkeypatch):
    monkeypatch.setattr(pair_cells, "_DENSE", dense)
    units = Units.of_rows(SIZES)
    drawn = units.labels.draw(np.random.default_rng(1), 3)
    memberships = np.concatenate([units.labels.observed[None], drawn])
    cells = Cells(units, memberships)
    one, other = (c for c in classes() if c.view.name in ("holes", "word"))
    shares, rows = cells.shares(one, other)
    both = (one.codes >= 0) & (other.codes >= 0)
    for b, member in enumerate(memberships):
        for place, side in ((b, member), (b + 4, ~member)):
            expected = np.zeros((one.count, other.count))
            np.add.at(expected, (one.codes[both & side], other.codes[both & side]), 1)
            assert rows[place] == expected.sum()
            np.testing.assert_allclose(shares[..., place], expected / expected.sum(), atol=1e-6)
