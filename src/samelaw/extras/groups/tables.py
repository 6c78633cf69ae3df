"""Sketches of the groups of a table that is read piece by piece."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from samelaw.core.checks import as_seed, shown
from samelaw.core.types import Matrix, Seed
from samelaw.extras.groups.recipe import PREPARED, GroupPlan
from samelaw.extras.groups.sketches import GroupSketches
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.batches import Batches
from samelaw.tables.reading.databases import one_snapshot

if TYPE_CHECKING:
    import pyarrow as pa


def sketch_groups(
    source: object,
    by: str,
    *,
    columns: Collection[str] | None = None,
    control: object = None,
    keep: int = 500,
    keep_control: int = 10_000,
    frequencies: int = 32,
    where: str | None = None,
    rng: Seed = None,
) -> GroupSketches:
    """A sketch for each group of a table, read twice: to draw rows from all of it, then to add up.

    Parameters
    ----------
    source : path, address of a database, or data frame
        Parquet, Arrow, CSV or JSON lines; a folder of such files.
    by : str
        The column that names the group of every row.
    columns : collection of str, optional
        Of numbers, without missing values; all but ``by`` by default.
    control, keep, keep_control, frequencies
        As of `GroupPlan.of`.
    where : str, optional
        A condition in SQL that rows must fulfil.
    rng : int, Generator or None

    Notes
    -----
    Memory: the rows that are kept, and 8·D(2D + 1) bytes for each group with D frequencies.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rng = np.random.default_rng(0)
    >>> values = {f"x{i}": rng.normal(size=90) for i in range(3)}
    >>> table = pa.table({"shop": np.repeat(["a", "b", "c"], 30), **values})
    >>> sketch_groups(table, "shop", rng=0).counts
    array([30, 30, 30])
    """
    wanted = None if columns is None else {by, *columns}
    plan = partial(
        GroupPlan.of, control=control, keep=keep, keep_control=keep_control, frequencies=frequencies
    )
    with one_snapshot(source) as (opened,):
        return _sketched(open_batches(opened, wanted, where=where), source, by, plan, rng)


def _sketched(
    found: Batches | None, source: object, by: str, planned: Callable[..., GroupPlan], rng: Seed
) -> GroupSketches:
    """The sketches of a table that is open, by a plan for the rows drawn."""
    if found is None:
        raise TypeError(
            f"source {shown(source)} cannot be read piece by piece: give a path of Parquet, Arrow, "
            "CSV or JSON lines, an address of a database, or a data frame."
        )
    if by not in found.names:
        raise ValueError(f"{found.source} has no column {by!r}; it has {', '.join(found.names)}.")
    generator, seed = as_seed(rng)
    seed = int(generator.integers(2**32)) if seed is None else seed
    plan = planned(_drawn(found, by, seed), rng=seed)
    return GroupSketches.of_batches(plan, _batches(found, by))


def _drawn(found: Batches, by: str, seed: int) -> Matrix:
    """Rows drawn at random from the whole table: those with the smallest of random numbers."""
    rng = np.random.default_rng([seed, 3])
    rows: Matrix | None = None
    keys = np.empty(0)
    for piece, _ in _batches(found, by):
        rows = piece if rows is None else np.concatenate([rows, piece])
        keys = np.concatenate([keys, rng.random(len(piece))])
        some = np.argsort(keys)[:PREPARED]
        rows, keys = rows[some], keys[some]
    if rows is None:
        raise ValueError(f"{found.source} has no rows that were asked for; expected some.")
    return rows


def _batches(found: Batches, by: str) -> Iterator[tuple[Matrix, Matrix]]:
    for piece in found.pieces():
        names = [name for name in found.names if name != by]
        columns = [_numbers(piece, name, found.source) for name in names]
        yield np.stack(columns, axis=1), _labels(piece, by, found.source)


def _numbers(piece: "pa.Table", name: str, source: str) -> Matrix:
    column = piece[name]
    if column.null_count:
        raise ValueError(
            f"column {name!r} of {source} has missing values, which groups are not compared with: "
            "leave it out with columns=, fill it, or filter with where=."
        )
    values = column.to_numpy()
    if values.dtype.kind not in "biuf":
        raise TypeError(
            f"column {name!r} of {source} holds no numbers ({column.type}): leave it out with "
            "columns=."
        )
    return np.asarray(values, dtype=np.float64)


def _labels(piece: "pa.Table", by: str, source: str) -> Matrix:
    column = piece[by]
    if column.null_count:
        raise ValueError(
            f"{column.null_count} rows of {source} have no {by!r}: drop them with where=, or name "
            "their group."
        )
    coded = column.combine_chunks().dictionary_encode() if hasattr(column, "chunks") else column
    words = np.array([str(word) for word in coded.dictionary.to_pylist()], dtype=object)
    return np.asarray(words[coded.indices.to_numpy(zero_copy_only=False)])
