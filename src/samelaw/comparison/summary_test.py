"""A table against a reference that keeps no rows: what sums can say, by an approximate test.

There are no rows of the reference to permute. Under the hypothesis its law is that of the other
table, whose rows are there: both are drawn from them again and again (a bootstrap), which gives the
law of the divergence when nothing changed. Columns are compared by their means and shares.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from samelaw.comparison.findings import ColumnFinding, Picture, by_effect
from samelaw.comparison.result import Comparison
from samelaw.comparison.verdict import ALIKE, DIFFERENT, TOO_LITTLE
from samelaw.core.types import Matrix
from samelaw.data.frozen import Coordinate
from samelaw.data.table import Table
from samelaw.estimate.sketch import Sketch
from samelaw.estimate.summary import Summary
from samelaw.references.private_reference import (
    equivalent_rows,
    noised_densities,
    shown_density,
)
from samelaw.references.reference import Reference, check_columns
from samelaw.show.words import listed, number, percent, source_names
from samelaw.twosample.stepdown import holm
from samelaw.twotables.design import POWER_SCORE
from samelaw.twotables.effect import Effect, divergences

_BLOCKS = 400
_DRAWS = 499
_NEGLIGIBLE = 1e-4  # eigenvalues below this share of the largest are left out
METHOD = (
    "approximate p-value of a bootstrap: the reference keeps no rows; all columns together by the "
    "divergence of their sums, columns by means and shares"
)


def summary_comparison(
    reference: Reference,
    table: Table,
    *,
    level: float,
    min_effect: float,
    settings: Mapping[str, object],
    rng: np.random.Generator,
    seed: int | None,
) -> Comparison:
    """What can be said without rows, as a comparison; labelled approximate."""
    check_columns(reference.rules, table)
    points, _ = reference.rules.encode(table)
    points = points[rng.permutation(len(points))]
    summary = Summary.empty(reference.summary.feature_map, points.shape[1]).update(points)
    effect, null, observed, cost = _joint(reference, points, rng)
    joint = (1.0 + np.count_nonzero(null >= observed)) / (len(null) + 1.0)
    marginals = _columns(reference, summary, level)
    smallest = min((found.pvalue for found in marginals), default=1.0)
    pvalue = float(min(1.0, 2.0 * min(joint, smallest)))
    interval = effect.interval(1.96)
    significant = pvalue <= level
    reject = significant and interval[0] >= min_effect
    verdict = DIFFERENT if reject else TOO_LITTLE if significant else ALIKE
    changed = tuple(dict.fromkeys(found.column for found in marginals if found.changed))
    a, b = source_names((reference.source, table.source))
    where = f"{listed(changed)} changed" if changed else "all columns taken together changed"
    said = (
        f"{b} differs from {a}: {where}"
        if significant
        else f"No difference found between {a} and {b}"
    )
    return Comparison(
        verdict=verdict,
        sentence=f"{said} (approximate: the reference keeps no rows).",
        statistic=observed,
        pvalue=pvalue,
        level=level,
        reject=reject,
        null_distribution=null,
        effect=effect.value,
        effect_of="all columns",
        effect_interval=(interval[0] if significant else 0.0, interval[1]),
        detectable_effect=min(1.0, (1.96 + POWER_SCORE) * effect.spread),
        min_effect=min_effect,
        columns_changed=changed,
        column_groups=(),
        marginals=marginals,
        pairs=(),
        missing=(),
        rows=(),
        directions=(),
        panels=(),
        picture=Picture(("", ""), (), (), (), ()),
        schema_changes=(),
        left_out=(),
        sizes=(reference.rows, table.rows),
        sources=(reference.source, table.source),
        notes=(
            f"{reference.source} keeps sums of {reference.rows:,} rows and none of the rows: pairs "
            "of columns, shapes of columns and rows that stand out cannot be told.",
            *_cost(reference, effect.spread, cost),
        ),
        settings=settings,
        seed=seed,
        method=METHOD,
        effect_limit=interval[1],
    )


def _cost(reference: Reference, spread: float, clear: float) -> tuple[str, ...]:
    """What privacy takes from the power, in words."""
    if reference.noise is None:
        return ()
    least, without = (min(1.0, (1.96 + POWER_SCORE) * one) for one in (spread, clear))
    return (
        f"the cost of privacy: the smallest effect that is found is {number(least)} instead of "
        f"{number(without)}; with its noise the covariance of {reference.rows:,} rows is as "
        f"uncertain as that of {equivalent_rows(reference):,}.",
    )


def _joint(
    reference: Reference, points: Matrix, rng: np.random.Generator
) -> tuple[Effect, Matrix, float, float]:
    """The effect on all columns, its values under the hypothesis, the observed one.

    Last the spread that there would be without the noise of a private reference.
    """
    past = reference.summary
    block = max(1, len(points) // _BLOCKS)
    sketch = Sketch.of(past.feature_map, points.astype(np.float64), block=block)
    old, new = shown_density(reference), np.asarray(sketch.covariance.density)
    basis = _basis(0.5 * (old + new)) if reference.noise is None else np.eye(len(old))
    old = basis.T @ old @ basis
    blocks = (basis.T @ (sketch.totals / block) @ basis).reshape(len(sketch.totals), -1)
    shape = old.shape
    count = len(blocks)
    earlier = max(1, round(past.rows / block))
    drawn = [
        (rng.multinomial(size, np.full(count, 1.0 / count), _DRAWS) / size @ blocks)
        for size in (earlier, count)
    ]
    first, second = (side.reshape(-1, *shape) for side in drawn)
    null = divergences(noised_densities(first, reference, rng), second)
    clear = null if reference.noise is None else divergences(first, second)
    observed = float(divergences(old[None], blocks.mean(axis=0).reshape(1, *shape))[0])
    again = divergences(np.broadcast_to(old, second.shape), second)
    bias, spread = float(null.mean()), float(null.std())
    value = min(max(observed - bias, 0.0), 1.0)
    growth = max(float(again.var()) - spread**2, 0.0) / max(value + spread, 1e-12)
    skewness = min(2.0 * spread / max(bias, 1e-12), 3.0)
    found = Effect(value, spread, skewness, growth, value / count)
    return found, null, observed, float(clear.std())


def _basis(mixture: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh(mixture)
    return np.asarray(vectors[:, values > _NEGLIGIBLE * values[-1]])


def _columns(reference: Reference, new: Summary, level: float) -> tuple[ColumnFinding, ...]:
    """One finding per column and per share of missing values, by means of their coordinates."""
    old = reference.summary
    error = _errors(reference, new)
    shift = np.abs(new.columns.mean - old.columns.mean)
    pvalues = _two_sided(shift / np.maximum(error, 1.0 / min(old.rows, new.rows)))
    views: dict[tuple[str, bool], list[int]] = {}
    for place, one in enumerate(reference.rules.coordinates):
        views.setdefault((one.column, one.missing), []).append(place)
    alone = [min(1.0, len(places) * pvalues[places].min()) for places in views.values()]
    kinds = {column.name: column.kind.value for column in reference.rules.columns}
    found = [
        ColumnFinding(
            column=name,
            kind=kinds[name],
            missing=missing,
            changed=bool(pvalue <= 0.5 * level),
            pvalue=float(pvalue),
            effect=_share(reference.rules.coordinates, places, shift),
            effect_interval=(0.0, 1.0),
            sentence=_words(reference.rules.coordinates, places, old, new),
        )
        for ((name, missing), places), pvalue in zip(
            views.items(), holm(np.array(alone)), strict=True
        )
    ]
    return tuple(sorted(found, key=by_effect))


def _errors(reference: Reference, new: Summary) -> Matrix:
    """Standard errors (k,) of the shifts of means; of a private reference with its noise.

    Its variances are left out: under the hypothesis they are those of the other table, and of
    shares those of both together.
    """
    old = reference.summary
    if reference.noise is None:
        return np.sqrt(old.columns.variance / old.rows + new.columns.variance / new.rows)
    shares = np.array([c.missing or c.category is not None for c in reference.rules.coordinates])
    pooled = np.clip((old.columns + new.columns).mean, 0.0, 1.0)
    variance = np.maximum(new.columns.variance, np.where(shares, pooled * (1.0 - pooled), 0.0))
    noise = (reference.noise.columns / old.rows) ** 2
    return np.sqrt(variance / old.rows + variance / new.rows + noise)


def _two_sided(scores: Matrix) -> Matrix:
    from scipy.special import ndtr

    return np.asarray(2.0 * ndtr(-scores))


def _share(coordinates: Sequence[Coordinate], places: Sequence[int], shift: Matrix) -> float:
    """The share of rows that moved most, of categories and missing values; else unknown, 0."""
    told = [i for i in places if coordinates[i].category is not None or coordinates[i].missing]
    return float(shift[told].max()) if told else 0.0


def _words(
    coordinates: Sequence[Coordinate], places: Sequence[int], old: Summary, new: Summary
) -> str:
    """The coordinate that moved most, before and after."""
    most = max(places, key=lambda i: abs(old.columns.mean[i] - new.columns.mean[i]))
    before, after = (float(side.columns.mean[most]) for side in (old, new))
    one = coordinates[most]
    if one.missing:
        return f"missing {percent(before)} → {percent(after)}"
    if one.category is not None:
        return f"{one.category!r} {percent(before)} → {percent(after)}"
    return f"mean normal score {number(before)} → {number(after)}"
