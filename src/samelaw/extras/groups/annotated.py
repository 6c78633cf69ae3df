"""Annotated matrices of single-cell analysis (AnnData), by what they offer: no import needed."""

from typing import Any

import numpy as np

from samelaw.core.checks import shown
from samelaw.core.types import Matrix


def read_annotated(
    data: Any, groupby: str, *, obsm_key: str | None = "X_pca", layer_key: str | None = None
) -> tuple[Matrix, list[str]]:
    """Rows (n, d) of an annotated matrix, and the group of each.

    Parameters
    ----------
    data : AnnData, or anything with ``obs`` and ``obsm``, ``layers`` or ``X``
    groupby : str
        A column of ``obs``.
    obsm_key : str or None
        An entry of ``obsm``; None takes ``layers[layer_key]``, or ``X`` without that either.
    layer_key : str, optional

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> data = SimpleNamespace(obs={"gene": ["a", "b"]}, obsm={"X_pca": np.eye(2)})
    >>> read_annotated(data, "gene")[1]
    ['a', 'b']
    """
    if not hasattr(data, "obs"):
        raise TypeError(
            f"expected an AnnData or an object with obs and obsm, got {shown(data)}; for arrays "
            "use samelaw.extras.groups.control_tests."
        )
    if groupby not in data.obs:
        raise ValueError(f"obs has no column {groupby!r}; it has {_names(data.obs)}.")
    rows = _dense(_chosen(data, obsm_key, layer_key))
    labels = list(data.obs[groupby])
    if len(labels) != len(rows):
        raise ValueError(f"obs has {len(labels)} rows, the matrix {len(rows)}.")
    missing = sum(label is None or label != label for label in labels)
    if missing:
        raise ValueError(
            f"{missing} rows have no value in obs[{groupby!r}]: drop them, or name their group."
        )
    return rows, [str(label) for label in labels]


def _chosen(data: Any, obsm_key: str | None, layer_key: str | None) -> Any:
    if layer_key is not None:
        if layer_key not in data.layers:
            raise ValueError(f"layers has no {layer_key!r}; it has {_names(data.layers)}.")
        return data.layers[layer_key]
    if obsm_key is None:
        return data.X
    if obsm_key not in data.obsm:
        raise ValueError(
            f"obsm has no {obsm_key!r}; it has {_names(data.obsm)}. Compute components first "
            "(scanpy.pp.pca), name another entry with obsm_key=, or take a layer with layer_key=."
        )
    return data.obsm[obsm_key]


def _dense(matrix: Any) -> Matrix:
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return np.asarray(dense)


def _names(entries: Any) -> str:
    names = [str(name) for name in entries]
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "") if names else "none"
