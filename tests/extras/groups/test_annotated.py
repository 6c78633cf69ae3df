"""Annotated matrices by what they offer: AnnData itself is not imported."""

from types import SimpleNamespace

import numpy as np
import pytest

from optional import need
from samelaw.extras.groups.annotated import read_annotated


def annotated(**more):
    obs = {"gene": np.array(["a", "b", "a"], dtype=object), "day": np.array([1, 2, 1])}
    held = {"obsm": {"X_pca": np.arange(6.0).reshape(3, 2)}, "layers": {}, "X": np.eye(3)}
    return SimpleNamespace(obs=obs, **{**held, **more})


def test_rows_are_components_by_default_and_labels_are_words():
    rows, labels = read_annotated(annotated(), "day")
    assert rows.shape == (3, 2)
    assert labels == ["1", "2", "1"]


def test_layers_and_the_matrix_itself_are_taken_when_asked_for():
    sparse = need("scipy.sparse").csr_matrix(2.0 * np.eye(3))
    found, _ = read_annotated(annotated(layers={"counts": sparse}), "gene", layer_key="counts")
    assert np.array_equal(found, 2.0 * np.eye(3))
    assert np.array_equal(read_annotated(annotated(), "gene", obsm_key=None)[0], np.eye(3))


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (np.eye(3), {}, "expected an AnnData"),
        (annotated(), {"groupby": "drug"}, "no column 'drug'; it has gene, day"),
        (annotated(obsm={}), {}, "obsm has no 'X_pca'; it has none"),
        (annotated(), {"layer_key": "counts"}, "layers has no 'counts'"),
        (annotated(obsm={"X_pca": np.eye(2)}), {}, "obs has 3 rows, the matrix 2"),
    ],
)
def test_what_is_missing_is_named(data, options, words):
    with pytest.raises((TypeError, ValueError), match=words):
        read_annotated(data, **{"groupby": "gene", **options})


def test_cells_without_a_group_are_refused():
    data = annotated()
    data.obs["gene"][1] = float("nan")
    with pytest.raises(ValueError, match="1 rows have no value in obs"):
        read_annotated(data, "gene")
