import numpy as np
import pytest

from samelaw.testing.column_moments import moment_matrix, rank_changes


def test_functions_of_columns_and_pairs():
    ranks = np.array([[-0.4, 0.1, 0.3]])
    assert rank_changes(ranks, 1).tolist() == [[-0.4, 0.1, 0.3, 0.4, 0.1, 0.3]]
    assert rank_changes(ranks, 2) == pytest.approx(np.array([[-0.04, -0.12, 0.03]]))
    assert rank_changes(np.ones((5, 60)), 2).shape == (5, 0)


def test_moments_of_degree_two_are_inner_products_of_all_products():
    columns = np.random.default_rng(0).normal(size=(7, 3))
    products = np.einsum("ni,nj->nij", columns, columns).reshape(7, 9)
    np.testing.assert_allclose(moment_matrix(columns, 1), columns @ columns.T)
    np.testing.assert_allclose(moment_matrix(columns, 2), products @ products.T)
