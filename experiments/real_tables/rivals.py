"""What is usual: a test per column, corrected, and trees that learn to tell the tables apart."""

from typing import Any

import numpy as np

from experiments.real_tables.tables import Frame, with_columns

LEVEL = 0.05
SHOWN = 255  # categories that trees take
RARE = 10  # rows of a category in both tables; rarer ones count as one. Known values of a column


def aligned(a: Frame, b: Frame) -> tuple[Frame, Frame]:
    """Columns that hold numbers in one table and words in the other as numbers in both.

    Where a word stands a value is missing then.
    """
    import pandas as pd

    mixed = [name for name in a if numeric(a[name]) != numeric(b[name])]
    first, second = (
        with_columns(side, {name: pd.to_numeric(side[name], errors="coerce") for name in mixed})
        for side in (a, b)
    )
    return first, second


def numeric(column: Frame) -> bool:
    return column.dtype.kind in "iuf"


def tests_per_column(a: Frame, b: Frame, seed: int) -> dict[str, Any]:
    """Kolmogorov–Smirnov of numbers, χ² of categories and of missing values, after Bonferroni."""
    found = [one for name in a for one in _column_tests(str(name), a[name], b[name])]
    pvalues = {name: min(p for own, p in found if own == name) for name, _ in found}
    least = {name: min(1.0, len(found) * p) for name, p in pvalues.items()}
    named = [name for name, p in least.items() if p <= LEVEL]
    return {"pvalue": min(least.values(), default=1.0), "columns": named}


def _column_tests(name: str, a: Frame, b: Frame) -> list[tuple[str, float]]:
    from scipy.stats import ks_2samp

    gaps = a.isna(), b.isna()
    tests = [(name, _chi_squared(*gaps))] if gaps[0].any() or gaps[1].any() else []
    a, b = a[~gaps[0]], b[~gaps[1]]
    if min(len(a), len(b)) < 2:
        return tests
    pvalue = float(ks_2samp(a, b).pvalue) if numeric(a) else _chi_squared(a, b)
    return [*tests, (name, pvalue)]


def _chi_squared(a: Frame, b: Frame) -> float:
    import pandas as pd
    from scipy.stats import chi2_contingency

    sides = [side.astype(str).value_counts() for side in (a, b)]
    counts = pd.concat(sides, axis=1).fillna(0).to_numpy()
    rare = counts.sum(axis=1) < RARE
    counts = np.vstack([counts[~rare], counts[rare].sum(axis=0)])
    counts = counts[counts.sum(axis=1) > 0]
    return float(chi2_contingency(counts).pvalue) if len(counts) > 1 else 1.0


def boosted_trees(a: Frame, b: Frame, seed: int) -> dict[str, Any]:
    """Ranks of scores of rows, each by trees that four fifths of the other rows were shown to."""
    from scipy.stats import mannwhitneyu
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    points, names, coded = _coded(a, b)
    side = np.repeat([0, 1], [len(a), len(b)])
    model = HistGradientBoostingClassifier(categorical_features=coded, random_state=seed)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    score = cross_val_predict(model, points, side, cv=folds, method="predict_proba")[:, 1]
    pvalue = mannwhitneyu(score[side == 1], score[side == 0], alternative="greater").pvalue
    named = [_most_telling(model, points, side, names, seed)] if pvalue <= LEVEL else []
    return {"pvalue": float(pvalue), "columns": named}


def _most_telling(model: Any, points: Any, side: Any, names: list[str], seed: int) -> str:
    """The column whose values, exchanged between rows, cost trees most on rows they never saw."""
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    train, test, told, asked = train_test_split(
        points, side, test_size=0.5, random_state=seed, stratify=side
    )
    fitted = model.fit(train, told)
    lost = permutation_importance(
        fitted, test, asked, scoring="roc_auc", n_repeats=3, random_state=seed
    )
    return names[int(np.argmax(lost.importances_mean))]


def _coded(a: Frame, b: Frame) -> tuple[np.ndarray[Any, Any], list[str], list[int]]:
    """Rows of both as numbers; words as codes, and which columns these are."""
    import pandas as pd

    pool: Frame = pd.concat([a, b], ignore_index=True)
    pool = pool.loc[:, pool.notna().sum() >= RARE]  # trees fail if all of a fold is missing
    words = {n: pool[n].astype("category").cat.codes for n in pool if not numeric(pool[n])}
    points = with_columns(pool, words)
    few = [i for i, name in enumerate(pool) if name in words and points[name].max() < SHOWN - 1]
    values = points.to_numpy(float, copy=True)
    values[:, [name in words for name in pool]] += 1.0  # a missing word is a category
    return values, [str(name) for name in pool], few
