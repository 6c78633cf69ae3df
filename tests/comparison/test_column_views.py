"""Views of columns: values where they are comparable, missing values where there are some."""

import numpy as np

from mixed_tables import pooled, table
from samelaw.comparison.column_functions import _FUNCTIONS
from samelaw.comparison.column_views import COMPARED, ColumnView, column_views
from samelaw.data.kinds import Column, Kind


def test_values_and_missing_values_are_views_of_their_own():
    rng = np.random.default_rng(0)
    names = [view.name for view in column_views(pooled(table(rng, 60), table(rng, 50)).columns)]
    assert names == ["x", "y", "holes", "holes (missing)", "count", "word", "flag", "when"]


def test_of_text_only_what_is_missing_is_compared():
    missing = np.array([True, False, False])
    text = Column("note", Kind.TEXT, np.zeros(3), missing)
    assert [view.name for view in column_views([text])] == ["note (missing)"]
    whole = Column("gone", Kind.NUMERIC, np.full(3, np.nan), np.ones(3, dtype=bool))
    assert [view.missing for view in column_views([whole])] == [False]
    assert ColumnView(text).name == "note"


def test_every_kind_that_is_compared_has_functions():
    assert set(COMPARED) == set(_FUNCTIONS)
