"""Single columns against the sums of a reference that keeps no rows: their means and shares.

Shares are counts on both sides, and Fisher's test of them is exact. Means of normal scores are
nearly normal, and their variance under the hypothesis is that of the reference, which its sums
know; a few new rows need not tell it.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from samelaw.comparison.findings import ColumnFinding, by_effect
from samelaw.comparison.references.reference import Reference
from samelaw.comparison.rules.search import fisher
from samelaw.core.types import Matrix
from samelaw.divergence.summary import Moments
from samelaw.results.words import number, percent
from samelaw.tables.columns.column import Kind
from samelaw.tables.frozen import Coordinate
from samelaw.testing.permuting.stepdown import holm

LEAST = float(np.finfo(np.float64).tiny)
"""No p-value is 0: tails of a normal law can be too small for a number, never impossible."""


def column_findings(
    reference: Reference, new: Moments, *, level: float, factor: float, side: str
) -> tuple[ColumnFinding, ...]:
    """One finding per column and per share of missing values, by means of their coordinates.

    Parameters
    ----------
    new : Moments
        Of the coordinates of the other table.
    factor : float
        What p-values are multiplied by for the other tests beside these.
    side : "A" or "B", that of the reference.
    """
    old, coordinates = reference.summary.columns, reference.rules.coordinates
    shift = np.abs(new.mean - old.mean)
    pvalues = coordinate_pvalues(reference, new)
    views: dict[tuple[str, bool], list[int]] = {}
    for place, one in enumerate(coordinates):
        views.setdefault((one.column, one.missing), []).append(place)
    alone = [min(1.0, len(places) * pvalues[places].min()) for places in views.values()]
    adjusted = np.minimum(1.0, factor * holm(np.array(alone)))
    kinds = {column.name: column.kind.value for column in reference.rules.columns}
    means = (old.mean, new.mean) if side == "A" else (new.mean, old.mean)
    found = [
        ColumnFinding(
            column=name,
            kind=kinds[name],
            missing=missing,
            changed=bool(pvalue <= level),
            pvalue=float(pvalue),
            effect=_share(coordinates, places, shift),
            effect_interval=(0.0, 1.0),
            sentence=_words(coordinates, places, *means),
        )
        for ((name, missing), places), pvalue in zip(views.items(), adjusted, strict=True)
    ]
    return tuple(sorted(found, key=by_effect))


def coordinate_pvalues(reference: Reference, new: Moments) -> Matrix:
    """Two-sided p-values (k,) of the means of all coordinates, above 0."""
    old = reference.summary.columns
    few = 1.0 / min(old.weight, new.weight)
    scores = np.abs(new.mean - old.mean) / np.maximum(_errors(old, new), few)
    found = _two_sided(scores)
    places = [i for i, share in enumerate(_shares(reference)) if share]
    found[places] = [_both_tails(old, new, place) for place in places]
    return np.clip(found, LEAST, 1.0)


def _errors(old: Moments, new: Moments) -> Matrix:
    """Standard errors (k,) of the shifts of means.

    The variance is that of the reference, or of the table where that is larger: rare values far
    out move the mean of a few rows and their variance together, and are no evidence alone.
    """
    variance = np.maximum(old.variance, new.variance)
    return np.sqrt(variance / old.weight + variance / new.weight)


def _shares(reference: Reference) -> Iterator[bool]:
    """Of each coordinate whether it is 0 or 1, so that its mean is a share."""
    for column in reference.rules.columns:
        truth = column.kind is Kind.BOOLEAN and not column.gaps
        for one in column.coordinates:
            yield one.missing or one.category is not None or truth


def _both_tails(old: Moments, new: Moments, place: int) -> float:
    """Twice the smaller tail of the count of the table, given that of both together."""
    first, second = (
        (round(side.mean[place] * side.weight), round(side.weight)) for side in (old, new)
    )
    return 2.0 * min(fisher(*first, *second), fisher(*second, *first))


def _two_sided(scores: Matrix) -> Matrix:
    from scipy.special import ndtr

    return np.asarray(2.0 * ndtr(-scores))


def _share(coordinates: Sequence[Coordinate], places: Sequence[int], shift: Matrix) -> float:
    """The share of rows that moved most, of categories and missing values; else not known, NaN."""
    told = [i for i in places if coordinates[i].category is not None or coordinates[i].missing]
    return float(shift[told].max()) if told else math.nan


def _words(
    coordinates: Sequence[Coordinate], places: Sequence[int], first: Matrix, second: Matrix
) -> str:
    """The coordinate that moved most, in A and in B."""
    most = max(places, key=lambda i: abs(first[i] - second[i]))
    before, after = float(first[most]), float(second[most])
    one = coordinates[most]
    if one.missing:
        return f"missing {percent(before)} → {percent(after)}"
    if one.category is not None:
        return f"{one.category!r} {percent(before)} → {percent(after)}"
    return f"mean normal score {number(before)} → {number(after)}"
