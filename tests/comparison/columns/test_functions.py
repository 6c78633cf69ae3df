"""Functions of a row: centred, blind to labels, one for every kind that is compared."""

import numpy as np
import pytest

from mixed_tables import pooled, table
from samelaw.comparison.columns.functions import _FUNCTIONS, functions_of
from samelaw.comparison.constants import COSINES, HERMITE, MOST_CATEGORIES
from samelaw.tables.columns.column import COMPARED
from samelaw.tables.columns.views import ColumnView, column_views


def test_functions_are_centred_and_missing_values_count_as_nothing():
    rng = np.random.default_rng(0)
    for column in pooled(table(rng, 150), table(rng, 100)).columns:
        for view in column_views([column]):
            found = functions_of(view)
            functions = found.values.astype(np.float64)
            np.testing.assert_allclose(functions.mean(axis=0), 0, atol=1e-5)
            known = functions if view.missing else functions[~column.missing]
            np.testing.assert_allclose(known.std(axis=0), 1, atol=1e-4)
            if not view.missing:
                assert not functions[column.missing].any()
            assert found.forms.shape[1] == functions.shape[1]
            assert (found.forms >= 0).all()


def test_functions_do_not_know_which_table_a_row_is_of():
    rng = np.random.default_rng(2)
    a, b = table(rng, 90), table(rng, 70)
    whole = {k: np.concatenate([np.asarray(a[k]), np.asarray(b[k])]) for k in a}
    mixed = rng.permutation(160)
    c = {k: v[mixed[:90]] for k, v in whole.items()}
    d = {k: v[mixed[90:]] for k, v in whole.items()}
    for one, other in zip(pooled(a, b).columns, pooled(c, d).columns, strict=True):
        for first, second in zip(column_views([one]), column_views([other]), strict=True):
            here, there = functions_of(first), functions_of(second)
            np.testing.assert_allclose(here.values[mixed], there.values, atol=1e-5)


def test_many_categories_share_indicators_where_there_is_no_room(monkeypatch):
    monkeypatch.setattr("samelaw.comparison.columns.functions._ROOM", 0.0)
    rng = np.random.default_rng(7)
    words = np.array([f"w{i}" for i in range(90)])
    sides = [{"word": rng.choice(words, 2_000), "x": rng.normal(size=2_000)} for _ in range(2)]
    values, _ = functions_of(ColumnView(pooled(*sides).columns[0]))
    assert values.shape == (4_000, 2 * MOST_CATEGORIES)
    np.testing.assert_array_equal((values > 0).sum(axis=1), 1)  # none is left out


@pytest.mark.parametrize("count", [50, 300])
def test_rare_categories_that_are_gone_and_new_ones_do_not_make_up_for_each_other(count):
    rng = np.random.default_rng(11)
    words = np.array([f"w{i:03}" for i in range(count + count // 5)])
    sides = [{"word": rng.choice(w, 2_000), "x": rng.normal(size=2_000)}
             for w in (words[:count], words[-count:])]  # fmt: skip
    values, forms = functions_of(ColumnView(pooled(*sides).columns[0]))
    apart = (values[:2_000].mean(axis=0) - values[2_000:].mean(axis=0)) ** 2
    by_chance = 2 / 2_000  # of every function, on average, where nothing changed
    assert forms[0] @ apart > 2.0 * by_chance * values.shape[1]


def test_ties_at_an_end_leave_no_indicator_there():
    rng = np.random.default_rng(9)
    sides = [{"c": rng.integers(0, 3, 200).astype(float)} for _ in range(2)]
    values, forms = functions_of(ColumnView(pooled(*sides).columns[0]))
    assert values.shape[1] == forms.shape[1] == HERMITE + COSINES + 3  # the three values alone


def test_a_value_of_many_rows_has_an_indicator_of_its_own():
    rng = np.random.default_rng(3)
    sides = [{"x": np.append(rng.normal(size=900), np.full(10, end))} for end in (-999.0, np.inf)]
    column = pooled(*sides).columns[0]
    values, forms = functions_of(ColumnView(column))
    for value in (-999.0, np.inf):
        hits = [np.array_equal(f > 1, column.values == value) for f in values.T]
        assert np.count_nonzero(hits) == 1
        place = hits.index(True)
        assert any(form[place] == form.sum() == 1 for form in forms)


def test_every_kind_that_is_compared_has_functions():
    assert set(COMPARED) == set(_FUNCTIONS)
