"""The table that single-cell analysts know."""

from types import SimpleNamespace

import numpy as np
import pytest

from many_groups import FEW
from optional import need
from samelaw.extras.groups import distance_test

COLUMNS = ["distance", "pvalue", "significant", "pvalue_adj", "significant_adj"]


def cells(**more):
    rng = np.random.default_rng(0)
    labels = np.array(["control", "hit", "mock", "single"]).repeat([120, 30, 25, 1])
    rows = rng.normal(size=(176, 4)) + 1.2 * (labels == "hit")[:, None]
    obs = need("pandas").DataFrame({"gene": need("pandas").Categorical(labels)})
    return SimpleNamespace(obs=obs, obsm={"X_pca": rows}, layers={}, X=rows, **more)


def run(**options):
    return distance_test(cells(), "gene", "control", strategy=FEW, rng=0, **options)


def test_the_table_has_the_columns_and_the_contrast_that_are_expected():
    table = run()
    assert list(table.columns) == COLUMNS
    assert list(table.index) == ["control", "hit", "mock", "single"]
    assert table.loc["control"].tolist() == [0.0, 1.0, False, 1.0, False]
    assert table["significant_adj"].tolist() == [False, True, False, False]
    assert table["significant"].dtype == table["significant_adj"].dtype == bool
    assert table.loc["hit", "distance"] > 0.05 > table.loc["mock", "distance"]
    assert (table["pvalue_adj"].dropna() >= table["pvalue"].dropna()).all()


def test_a_group_of_one_cell_is_not_tested():
    assert np.isnan(run().loc["single", "pvalue"])


def test_a_contrast_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="has no 'ctrl'; it has control, hit"):
        distance_test(cells(), "gene", "ctrl")
