"""References that may be shown: everything that depends on a row is noised or left out.

Rules and frequencies come from another reference, of rows that need no protection. Of the table
itself there are the number of its rows, which is public, and two sums, which get noise under one
budget: of φφᵀ, and of the coordinates, whose ranges the rules know.
"""

from dataclasses import replace

import numpy as np

from samelaw.columns.column import Kind
from samelaw.core.features import FourierFeatures
from samelaw.core.operators import Covariance
from samelaw.core.types import Matrix
from samelaw.estimate.privacy import Budget, Noise, nearest_density
from samelaw.estimate.summary import Moments, Summary
from samelaw.references.reference import Reference, check_columns
from samelaw.tables.frozen import FrozenTable
from samelaw.tables.table import Table

FREQUENCIES = 16
"""Fewer than otherwise: noise grows with the square of their number, what they see does not."""

SOURCE = "a private table"  # the name of a file may tell whose it is
ROWS_MET = 0.6  # well above 1/e, which rows of another table stay below
_NUMBERS = (Kind.NUMERIC, Kind.INTEGER)


def private_reference(table: Table, like: Reference, budget: Budget) -> Reference:
    """The sums of a table under a budget, by the rules of a reference of other rows."""
    check_columns(like.rules, table)
    if not table.rows:
        raise ValueError(f"{table.source} has no rows.")
    if shares_rows(like, table):
        raise made_of_it(like, table.source)
    empty = replace(like.without_rows(), source=SOURCE)
    frequencies = np.asarray(like.summary.feature_map.frequencies)  # type: ignore[attr-defined]
    few = FourierFeatures(frequencies[:, :FREQUENCIES])
    empty = replace(empty, summary=Summary.empty(few, len(like.rules.coordinates)))
    clear = empty.update(table, np.arange(table.rows), None).summary
    noise = Noise.of(budget, coordinate_ranges(like.rules))
    total, sums = noise.added(np.asarray(clear.covariance.total), clear.columns.mean * table.rows)
    return replace(empty, summary=_shown(clear, total, sums), noise=noise)


def shares_rows(like: Reference, table: Table) -> bool:
    """Whether most rows that a reference kept are rows of a table that has each of them once.

    A row of another table meets one that is there exactly once with a probability of at most 1/e:
    it falls into a cell of expected count λ that has one row with λe^−λ.
    """
    if not len(like.kept):
        return False
    rows, counts = np.unique(like.encode_kept(table), axis=0, return_counts=True)
    single = set(map(bytes, np.ascontiguousarray(rows[counts == 1])))
    met = sum(bytes(row) in single for row in np.ascontiguousarray(like.kept))
    return met > ROWS_MET * len(like.kept)


def made_of_it(like: Reference, source: str) -> ValueError:
    """Rules that were made from the rows they are to protect."""
    return ValueError(
        f"the reference of {like.source} was made from rows of {source}, which it is to protect: "
        "quantiles and categories would give them away; take as --like (like= in Python) a "
        "reference of other rows, which are public."
    )


def _shown(clear: Summary, total: Matrix, sums: Matrix) -> Summary:
    """Noised sums; NaN where something is left out."""
    left_out = np.full_like(sums, np.nan)
    weight = float(clear.rows)
    return Summary(
        clear.feature_map,
        Covariance(total, weight),
        np.full_like(clear.total, np.nan),
        Moments(weight, sums / weight, left_out),
        clear.rows,
    )


def coordinate_ranges(rules: FrozenTable) -> Matrix:
    """How far a coordinate can reach (k,), by the rules alone."""
    found = []
    for column in rules.columns:
        scores = np.append(column.scores, 0.0)  # a missing number is 0
        for one in column.coordinates:
            number = column.kind in _NUMBERS and not one.missing
            found.append(float(np.ptp(scores)) if number else 1.0)
    return np.array(found)


def shown_density(reference: Reference) -> Matrix:
    """The density (D, D) of a reference; of a private one the nearest that can be one."""
    density = np.asarray(reference.summary.covariance.density)
    return density if reference.noise is None else nearest_density(density[None])[0]


def noised_densities(densities: Matrix, reference: Reference, rng: np.random.Generator) -> Matrix:
    """Densities (B, D, D) with other noise of the same law, for a bootstrap."""
    if reference.noise is None:
        return densities
    size = densities.shape[1]
    drawn = rng.standard_normal((len(densities), size * (size + 1) // 2))
    return nearest_density(densities + reference.noise.matrices(drawn, size) / reference.rows)


def equivalent_rows(reference: Reference) -> int:
    """Rows that would be as uncertain without noise as these are with it, at least."""
    assert reference.noise is not None
    noise = reference.noise.error(reference.summary.feature_map.size, reference.rows)
    return max(1, round(1.0 / (1.0 / reference.rows + noise)))
