"""Laws spelled out in rows, and rows drawn in the views that were tested."""

import numpy as np

from samelaw.comparison.sums.displayed_rows import told_views
from streaming_tables import mixed, summed


def test_told_views_say_what_all_rows_say():
    a, b = mixed(900, 0, missing=0.1), mixed(600, 1, shift=0.5)
    _, _, tests = summed(a, b, 20)
    told = told_views(tests, (900, 600))
    views = {view.name: view.column for view in told.views}
    for name in ("x", "y", "count"):
        for rows, table in ((slice(told.first), a), (slice(told.first, None), b)):
            expected = np.median(table[name].to_numpy())
            assert abs(np.nanmedian(views[name].values[rows]) - expected) < 0.02
    missing = views["gaps (missing)"].missing
    assert abs(missing[: told.first].mean() - a["gaps"].null_count / 900) < 0.002


def test_few_rows_are_told_as_they_are():
    _, _, tests = summed(mixed(900, 0), mixed(600, 1), 20)
    told = told_views(tests, (900, 600))
    assert (told.first, told.worth) == (900, 1.0)
