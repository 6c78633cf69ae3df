"""Tests of many groups against a contrast in the conventions of single-cell analysis."""

from typing import TYPE_CHECKING, Any

import numpy as np

from samelaw.core.types import Progress, Seed
from samelaw.extras.groups.against_control import DEFAULT, control_tests
from samelaw.extras.groups.annotated import read_annotated
from samelaw.extras.groups.sketches import GroupSketches
from samelaw.testing.fuse import Fuse

if TYPE_CHECKING:
    import pandas as pd


def distance_test(
    data: Any,
    groupby: str,
    contrast: object,
    *,
    obsm_key: str | None = "X_pca",
    layer_key: str | None = None,
    level: float = 0.05,
    strategy: Fuse = DEFAULT,
    rng: Seed = None,
    progress: Progress | bool | None = None,
) -> "pd.DataFrame":
    """Test every group of cells against a contrast, as a table that single-cell analysts know.

    Parameters
    ----------
    data : AnnData
        Or anything with ``obs`` and ``obsm``, ``layers`` or ``X``.
    groupby : str
        The column of ``obs`` that names the group of every cell.
    contrast : name
        The group that the others are tested against.
    obsm_key : str or None
        Where the components are; None takes ``layers[layer_key]``, or ``X`` without that either.
    layer_key : str, optional
        A layer instead.
    level : float
        Of each test, and of the false-discovery rate.
    strategy : Fuse
    rng : int, Generator or None
    progress : callable or True, optional

    Returns
    -------
    DataFrame
        Indexed by group: ``distance`` (RJSD over log 2, less its bias), ``pvalue``,
        ``significant``, ``pvalue_adj`` (Benjamini–Hochberg) and ``significant_adj``. The contrast
        has distance 0 and p-value 1. Groups of one cell cannot be tested: NaN, not significant.

    Notes
    -----
    Cells are taken as independent. Where they come from several animals, wells or batches that
    differ, p-values are too small, as they are of every test of cells: average over a replicate, or
    use ``two_sample_test(groups=...)``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat(["control", "knock-out", "mock"], (200, 50, 50))
    >>> cells = rng.normal(size=(300, 5)) + (labels == "knock-out")[:, None]
    >>> data = SimpleNamespace(obs=pd.DataFrame({"gene": labels}), obsm={"X_pca": cells})
    >>> distance_test(data, "gene", "control", rng=0)["significant_adj"].to_dict()
    {'control': False, 'knock-out': True, 'mock': False}
    """
    import pandas as pd

    rows, labels = read_annotated(data, groupby, obsm_key=obsm_key, layer_key=layer_key)
    names, counts = np.unique(np.array(labels, dtype=object), return_counts=True)
    if str(contrast) not in names:
        raise ValueError(f"obs[{groupby!r}] has no {contrast!r}; it has {', '.join(names[:8])}.")
    table = pd.DataFrame(
        {
            "distance": np.nan,
            "pvalue": np.nan,
            "significant": False,
            "pvalue_adj": np.nan,
            "significant_adj": False,
        },
        index=pd.Index(names, name=None),
    )
    enough = dict(zip(names, counts >= 2, strict=True))
    kept = np.array([enough[label] or label == str(contrast) for label in labels])
    most = int(counts.max())
    sketches = GroupSketches.of(
        rows[kept],
        np.array(labels, dtype=object)[kept],
        control=contrast,
        keep=max(2, most),
        keep_control=max(2, most),
        rng=rng,
    )
    found = control_tests(
        sketches, contrast, strategy=strategy, level=level, rng=rng, progress=progress
    )
    table.loc[list(found.names), "distance"] = found.distances
    table.loc[list(found.names), "pvalue"] = found.pvalues
    table.loc[list(found.names), "significant"] = found.pvalues <= level
    table.loc[list(found.names), "pvalue_adj"] = found.adjusted
    table.loc[list(found.names), "significant_adj"] = found.reject
    table.loc[str(contrast)] = [0.0, 1.0, False, 1.0, False]
    return table
