"""One statement that sums cosines and sines over random blocks of the rows of tables.

Rows never leave the database; what it returns, one line per block, is all that a test needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np

from samelaw.core.types import Matrix
from samelaw.divergence.sketch import features_of_square
from samelaw.extras.sql.dialects import Dialect
from samelaw.extras.sql.expressions import coordinates_of, stored_columns
from samelaw.kernels.features import draw_frequencies
from samelaw.kernels.fingerprint import fingerprint
from samelaw.kernels.formulas import Gaussian
from samelaw.tables.frozen import FrozenTable

MEAN_FREQUENCIES = 64
MEAN_BANDWIDTHS = (1.0, 0.4)  # of the distance between two rows: a shift, and a finer change
FREQUENCIES = 24  # with covariances: Postgres returns at most 1,664 columns
DIGITS = 6  # of a frequency: whole doubles would make statements twice as long

BLOCKS = (20, 200)
"""Of the smaller table at least, if it has as many rows, and of the larger one at most."""

MOST_BYTES = 1_000_000
"""Of a statement; BigQuery and Snowflake take no more."""


@dataclass(frozen=True, eq=False)
class Waves:
    """What becomes of a row: rules for its columns, then cosines and sines.

    Parameters
    ----------
    rules : FrozenTable
    means : tuple of arrays (d, D)
        Frequencies of κ² at each bandwidth, of which means are taken: order 1.
    products : array (d, F)
        Frequencies of κ, of which covariances are taken: all orders.
    seed : int
        They were drawn from it.
    """

    rules: FrozenTable
    means: tuple[Matrix, ...]
    products: Matrix
    seed: int

    @classmethod
    def drawn(cls, rules: FrozenTable, variances: Matrix, seed: int) -> "Waves":
        """Frequencies for coordinates of these variances, the same for the same seed."""
        wide = float(np.sqrt(2.0 * np.sum(variances))) or 1.0  # the usual distance of two rows
        size, rng = len(rules.coordinates), np.random.default_rng([seed, 0])
        means = [
            features_of_square(Gaussian(wide * share), size, MEAN_FREQUENCIES, rng=rng).frequencies
            for share in MEAN_BANDWIDTHS
        ]
        products = draw_frequencies(Gaussian(wide), size, FREQUENCIES, rng=rng)
        return cls(rules, tuple(map(_rounded, means)), _rounded(products), seed)

    @cached_property
    def code(self) -> str:
        """A short name of all of it: only sums of the same waves can be compared."""
        return f"w{fingerprint((self.rules, self.means, self.products))[:16]}"

    @property
    def frequencies(self) -> Matrix:
        """All of them (d, D)."""
        return np.concatenate([*self.means, self.products], axis=1)

    def sums(self) -> Iterator[tuple[str, str]]:
        """The name of every sum and what is added up, of features f0, f1, …, as `_features`."""
        start = 0
        for i, one in enumerate(self.means):
            size = 2 * one.shape[1]
            yield from ((f"m{i}_{k}", f"f{start + k}") for k in range(size))
            start += size
        for i, k in combinations_with_replacement(range(2 * self.products.shape[1]), 2):
            yield f"c{i}_{k}", f"f{start + i} * f{start + k}"


def _rounded(frequencies: object) -> Matrix:
    written = [[float(f"{w:.{DIGITS}g}") for w in row] for row in np.asarray(frequencies)]
    return np.array(written)


@dataclass(frozen=True)
class Side:
    """One table of a statement: rows with their random place from 0, and where to count them.

    ``dealt`` is a SELECT, ``counted`` what stands after FROM.
    """

    dealt: str
    counted: str

    @classmethod
    def of_table(cls, name: str, rules: FrozenTable, seed: int, dialect: Dialect) -> "Side":
        """A table whose rows get their places in the statement itself.

        The order is that of a random number, never of the table: a sorted one dealt in its order
        makes blocks of unlike rows.
        """
        table = dialect.table(name)
        names = ", ".join(f"x{i}" for i in range(len(rules.columns)))
        stored = ", ".join(stored_columns(rules, dialect))
        chance = dialect.random.format(seed=seed)
        return cls(
            f"SELECT ROW_NUMBER() OVER (ORDER BY chance) - 1 AS place, {names}\n"
            f"  FROM (SELECT {chance} AS chance, {stored} FROM {table}) AS numbered",
            table,
        )


def block_sums(
    waves: Waves,
    sides: Sequence[Side],
    dialect: Dialect,
    *,
    skip: int = 0,
    block: int | None = None,
) -> str:
    """The statement that returns one line per block of every side.

    Parameters
    ----------
    waves : Waves
    sides : one table, or the two that are compared.
    dialect : Dialect
    skip : int
        Rows of each side, the first by place, that are in no block: those that prepared it.
    block : int, optional
        Rows of a block; made to fit the tables by default, which takes both of them.
    """
    if block is None and len(sides) < 2:
        raise ValueError("one table alone has blocks of a given size; pass block (--block).")
    named = ",\n".join(_subqueries(waves, sides, dialect, skip, block))
    whole = f"WITH {named}\n{_outcome(waves, dialect)}"
    if (length := len(whole.encode())) > MOST_BYTES:
        raise ValueError(
            f"the statement has {length:,} bytes, more than {MOST_BYTES:,}, for "
            f"{len(waves.rules.coordinates)} coordinates of {len(waves.rules.columns)} columns; "
            "name fewer columns."
        )
    return whole


def _subqueries(
    waves: Waves, sides: Sequence[Side], dialect: Dialect, skip: int, block: int | None
) -> Iterator[str]:
    yield from (f"dealt_{i} AS (\n  {side.dealt}\n)" for i, side in enumerate(sides))
    yield from _sizes(sides, dialect, skip, block)
    columns = "".join(f", x{i}" for i in range(len(waves.rules.columns)))
    placed = (
        f"SELECT {i} AS side, n_{i} AS total, FLOOR((place - {skip}) / block_size) AS block_number"
        f"{columns}\n  FROM dealt_{i} CROSS JOIN sizes\n"
        f"  WHERE place >= {skip} AND place - {skip} < FLOOR(n_{i} / block_size) * block_size"
        for i in range(len(sides))
    )
    yield "placed AS (\n  " + "\n  UNION ALL ".join(placed) + "\n)"
    coordinates = coordinates_of(waves.rules, dialect)
    yield _step("coordinates", "placed", dialect, ((f"z{i}", e) for i, e in enumerate(coordinates)))
    yield _step("phases", "coordinates", dialect, _phases(waves, dialect))
    yield _step("waves", "phases", dialect, _features(waves))


def _outcome(waves: Waves, dialect: Dialect) -> str:
    sums = "".join(f",\n  SUM({what}) AS {name}" for name, what in waves.sums())
    return (
        f"SELECT {dialect.word(waves.code)} AS waves, side, block_number, MAX(total) AS total,\n"
        f"  COUNT(*) AS rows_in_block{sums}\n"
        "FROM waves GROUP BY side, block_number ORDER BY side, block_number"
    )


def _sizes(sides: Sequence[Side], dialect: Dialect, skip: int, block: int | None) -> Iterator[str]:
    counts = [
        f"(SELECT CAST(COUNT(*) - {skip} AS {dialect.double}) FROM {side.counted}) AS n_{i}"
        for i, side in enumerate(sides)
    ]
    yield f"counts AS (\n  SELECT {', '.join(counts)}\n)"
    number, (fewest, most) = dialect.number, BLOCKS
    size = number(block or 1)
    if block is None:
        size = (
            f"GREATEST({number(1)}, LEAST(CEIL(GREATEST(n_0, n_1) / {number(most)}), "
            f"FLOOR(LEAST(n_0, n_1) / {number(fewest)})))"
        )
    names = ", ".join(f"n_{i}" for i in range(len(sides)))
    yield f"sizes AS (\n  SELECT {names}, {size} AS block_size FROM counts\n)"


def _step(name: str, source: str, dialect: Dialect, expressions: Iterator[tuple[str, str]]) -> str:
    """A subquery of named expressions, of which each is evaluated once."""
    written = "".join(f",\n    {what} AS {alias}" for alias, what in expressions)
    kept = "SELECT side, total, block_number"
    return f"{name} AS (\n  {kept}{written}\n  FROM {source}{dialect.fence}\n)"


def _phases(waves: Waves, dialect: Dialect) -> Iterator[tuple[str, str]]:
    for k, frequency in enumerate(waves.frequencies.T):
        yield (
            f"p{k}",
            " + ".join(f"z{i} * {dialect.number(w)}" for i, w in enumerate(frequency)),
        )


def _features(waves: Waves) -> Iterator[tuple[str, str]]:
    """Of each set of frequencies the cosines, then the sines."""
    feature = phase = 0
    for size in (one.shape[1] for one in (*waves.means, waves.products)):
        for turn in ("COS", "SIN"):
            for k in range(phase, phase + size):
                yield f"f{feature}", f"{turn}(p{k})"
                feature += 1
        phase += size
