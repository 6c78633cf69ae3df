"""References of Dask dataframes: every worker sums its own rows, and only sums travel.

A row is known by its number in the whole table, and its number alone says whether it is for
preparation, kept, or only summed (`Deal`). So it does not matter which worker meets it, or how
often a lost partition is computed again. Sums are added in a tree whose shape depends on the number
of partitions only, so that the answer is the same to the last bit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from samelaw.comparison.references.dask_door import KEPT, SOURCE, is_dask
from samelaw.comparison.references.reference import Reference, prepared_rows
from samelaw.core import threads
from samelaw.core.checks import as_seed
from samelaw.core.container import Container, Format, digest
from samelaw.core.types import Matrix, Seed
from samelaw.divergence.random_blocks import Deal, DealtSketch
from samelaw.divergence.sketch import Sketch
from samelaw.divergence.summary import Summary
from samelaw.results.words import in_a_row
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.identifiers import enough_to_number, number_rows
from samelaw.tables.columns.names import as_names, check_names
from samelaw.tables.reading.pandas_columns import with_index
from samelaw.tables.reading.read import read_table
from samelaw.tables.table import Table

FAN = 8
"""Sums that are added at a time."""


BLOCKS = 40
"""Blocks of the smaller dataframe: enough to permute, and 5 MB of sums per partition."""


ROOM = 0.25
"""Share of the memory of a comparison for dataframes that are gathered: larger ones stay put."""

_FORMAT = Format("part of a reference", 1)


def dask_frame(path: str) -> Any:
    """Files as a Dask dataframe; every worker must see them under the same path."""
    from dask import dataframe

    if path.lower().rstrip("/").endswith((".csv", ".csv.gz")):
        packed = path.lower().endswith(".gz")
        return dataframe.read_csv(path, **({"blocksize": None} if packed else {}))
    return dataframe.read_parquet(path)


def with_named_index(frame: Any) -> Any:
    """A dataframe with its index as a column, if it has a name, as those of pandas are read."""
    named = with_index(frame._meta)  # no rows, which is enough to know
    return frame if len(named.columns) == len(frame.columns) else frame.reset_index()


def gathered(sources: Sequence[Any], room: float) -> Sequence[Any]:
    """The sources, Dask dataframes as those of pandas if all of them take at most so many bytes.

    Their rows are read twice for that, as their partitions tell no size.
    """
    frames = [one for one in sources if is_dask(one)]
    if not frames:
        return sources
    import dask

    sizes = [dask.delayed(_bytes)(part) for frame in frames for part in frame.to_delayed()]
    if sum(dask.compute(*sizes)) > room:
        return sources
    whole = iter(dask.compute(*frames))
    return [next(whole) if is_dask(one) else one for one in sources]


def _bytes(part: Any) -> int:
    return int(part.memory_usage(deep=True).sum())


@dataclass(frozen=True)
class Roles:
    """What a row is for, by the place that it is dealt to.

    Parameters
    ----------
    deal : Deal
        Of all rows of the dataframe.
    prepared : int
        Rows for preparation, the first places; none by the rules of another reference.
    kept : int
        Rows that are kept, the next places.
    block : int
        Rows of the random blocks that all but the preparation rows are dealt to; 0 for none.
    """

    deal: Deal
    prepared: int
    kept: int
    block: int = 0

    @property
    def blocks(self) -> Deal | None:
        rows = self.deal.rows - self.prepared
        return Deal(rows, self.block, self.deal.seed + 1) if self.block else None

    def places(self, start: int, rows: int) -> Matrix:
        return self.deal.places(np.arange(start, start + rows))


@dataclass(frozen=True, eq=False)
class Part:
    """What some partitions add to a reference.

    Parameters
    ----------
    summary : Summary
    kept : array (r, columns)
    places : array (r,)
        Of the rows kept, which puts them in the same order whoever brings them.
    numbers : tuple of int
        Of the partitions.
    rows : int
        Rows of the partitions, those for preparation included.
    sketch : DealtSketch, optional
        The same rows in random blocks.
    """

    summary: Summary
    kept: Matrix
    places: Matrix
    numbers: tuple[int, ...]
    rows: int
    sketch: DealtSketch | None = None

    def __add__(self, other: "Part") -> "Part":
        if twice := sorted(set(self.numbers) & set(other.numbers)):
            raise ValueError(f"partitions {_listed(twice)} came twice; each is counted once.")
        return Part(
            self.summary + other.summary,
            np.concatenate([self.kept, other.kept]),
            np.concatenate([self.places, other.places]),
            self.numbers + other.numbers,
            self.rows + other.rows,
            self.sketch + other.sketch if self.sketch and other.sketch else None,
        )

    def finished(self, partitions: int, roles: Roles) -> "Part":
        """The same with rows in the order of their places, if all came, and each once."""
        if absent := sorted(set(range(partitions)) - set(self.numbers)):
            raise ValueError(
                f"partitions {_listed(absent)} of {partitions} are missing: {self.rows:,} rows "
                f"came of {roles.deal.rows:,}."
            )
        seen = (self.rows, self.summary.rows, len(self.kept))
        expected = (roles.deal.rows, roles.deal.rows - roles.prepared, roles.kept)
        if seen != expected:
            raise ValueError(
                f"{seen[0]:,} rows came, {seen[1]:,} of them summed and {seen[2]:,} kept; expected "
                f"{expected[0]:,}, {expected[1]:,} and {expected[2]:,}: rows were lost or doubled."
            )
        order = np.argsort(self.places)
        return replace(self, kept=self.kept[order], places=self.places[order])

    def write(self, path: Path, key: str) -> None:
        arrays = {"kept": self.kept, "places": self.places, **self.summary.state()}
        facts = {"numbers": list(self.numbers), "rows": self.rows, "key": key}
        if self.sketch is not None:
            arrays |= {"blocks": self.sketch.totals, "counts": self.sketch.counts}
        _FORMAT.write(path, Container(arrays, facts))

    @classmethod
    def read(cls, path: Path, key: str, empty: Reference, roles: Roles) -> "Part | None":
        """A part that was saved; None if there is none, or of another table, or a damaged one."""
        try:
            found = _FORMAT.read(path)
        except (OSError, ValueError):
            return None
        if found.facts["key"] != key:
            return None
        summary = Summary.from_state(empty.summary.feature_map, found.arrays)
        numbers = tuple(found.facts["numbers"])
        arrays, sketch = found.arrays, None
        if roles.blocks is not None:
            held = arrays["blocks"], arrays["counts"]
            sketch = DealtSketch(empty.summary.feature_map, roles.blocks, *held)
        rows = found.facts["rows"]
        return cls(summary, arrays["kept"], arrays["places"], numbers, rows, sketch)


def profile_dask(
    frame: Any,
    *,
    like: Reference | None = None,
    keep: int | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, Kind | str] | None = None,
    rng: Seed = None,
    checkpoint: str | PathLike[str] | None = None,
) -> Reference:
    """The reference of a Dask dataframe, on the cluster of the current client.

    Parameters
    ----------
    frame : Dask dataframe
        Read three times: to count rows, for preparation rows, for sums.
    like, ignore, kinds
        As `Reference.of` takes them.
    keep : int, optional
        Rows that are kept; about 1,000 by default.
    rng : int, Generator or None
    checkpoint : folder, optional
        Where the part of every partition is saved, by the worker that made it. A run that died
        goes on with them; it needs the same seed, or rows would be dealt in another way.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> frame = dd.from_pandas(pd.DataFrame({"x": [1, 4, 9, 4] * 25}), npartitions=3)
    >>> profile_dask(frame, rng=0).rows
    80
    """
    if checkpoint is not None and (rng is None or isinstance(rng, np.random.Generator)):
        raise ValueError("checkpoint= needs a number as rng=, so that a run that goes on agrees.")
    frame = with_named_index(frame)
    names = tuple(map(str, frame.columns))
    check_names(ignore := as_names("ignore", ignore), names, SOURCE)
    frame = frame[[name for name in frame.columns if str(name) not in ignore]]
    generator = as_seed(rng)[0]
    empty, whole = _profiled(frame, count_rows(frame), like, keep, kinds, generator, checkpoint)
    return replace(empty, summary=whole.summary, kept=whole.kept)


def count_rows(frame: Any) -> list[int]:
    """Rows of every partition."""
    import dask

    found = dask.compute(*[dask.delayed(len)(one) for one in frame.to_delayed()])
    return [int(count) for count in found]


def sketched_pair(
    a: Any, b: Any, kinds: Mapping[str, Kind | str] | None, rng: np.random.Generator
) -> tuple[tuple[Reference, Reference], tuple[Sketch, Sketch] | None]:
    """References of two dataframes by the same rules, and all their rows in equal blocks."""
    counts = [count_rows(frame) for frame in (a, b)]
    few = prepared_rows(sum(counts[0]), SOURCE)
    block = min(sum(counts[0]) - few, sum(counts[1])) // BLOCKS
    first, one = _profiled(a, counts[0], None, KEPT, kinds, rng, None, block)
    second, other = _profiled(b, counts[1], first, KEPT, None, rng, None, block)
    references = (
        replace(first, summary=one.summary, kept=one.kept),
        replace(second, summary=other.summary, kept=other.kept),
    )
    if one.sketch is None or other.sketch is None:
        return references, None
    return references, (one.sketch.whole(), other.sketch.whole())


def _profiled(
    frame: Any,
    counts: Sequence[int],
    like: Reference | None,
    keep: int | None,
    kinds: Mapping[str, Kind | str] | None,
    generator: np.random.Generator,
    checkpoint: str | PathLike[str] | None,
    block: int = 0,
) -> tuple[Reference, Part]:
    """The rules of a dataframe and what all its partitions add to them."""
    import dask

    partitions, total = frame.to_delayed(), sum(counts)
    starts = [int(start) for start in np.concatenate([[0], np.cumsum(counts)[:-1]])]
    few = prepared_rows(total, SOURCE) if like is None else 0
    deal = Deal(total, 1, int(generator.integers(2**63)))
    pieces = list(zip(partitions, range(len(partitions)), starts, counts, strict=True))
    if like is None:
        looked = Roles(deal, max(few, enough_to_number(total)), 0)
        some = dask.compute(*[dask.delayed(_preparation)(*piece, looked) for piece in pieces])
        seen = _stacked(some, SOURCE)
        known = {**_row_numbers(seen, total), **(kinds or {})}
        empty = Reference.empty(seen.taken(np.arange(few)), known, generator)
    else:
        empty = like.without_rows()
    wanted = empty.most_rows if keep is None else keep
    roles = Roles(deal, few, min(wanted, total - few), block)
    folder = None if checkpoint is None else Path(checkpoint)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    token = str(getattr(frame, "_name", ""))
    shared = dask.delayed(empty)  # sent to a worker once
    parts = [dask.delayed(_part)(*piece, shared, roles, folder, token) for piece in pieces]
    whole: Part = dask.compute(_tree(parts))[0]
    return replace(empty, source=SOURCE), whole.finished(len(pieces), roles)


def _tree(parts: Sequence[Any]) -> Any:
    """One sum of all, a few at a time, in an order that depends on their number alone."""
    import dask

    while len(parts) > 1:
        groups = [list(parts[i : i + FAN]) for i in range(0, len(parts), FAN)]
        parts = [dask.delayed(add_parts)(group) for group in groups]
    return parts[0]


def add_parts(parts: Sequence[Part]) -> Part:
    """The sum of some parts, in their order."""
    first, *others = parts
    for other in others:
        first = first + other
    return first


def _checked(frame: Any, number: int, rows: int) -> Any:
    if len(frame) != rows:
        raise ValueError(
            f"partition {number} has {len(frame):,} rows where {rows:,} were counted: the source "
            "changed while it was read."
        )
    return frame


def _preparation(frame: Any, number: int, start: int, rows: int, roles: Roles) -> tuple[Any, Any]:
    """The preparation rows of a partition, and their places."""
    places = roles.places(start, len(_checked(frame, number, rows)))
    chosen = np.flatnonzero(places < roles.prepared)
    return frame.iloc[chosen], places[chosen]


def _row_numbers(seen: Table, rows: int) -> dict[str, Kind | str]:
    """Columns that number all rows of a dataframe, by those that were seen of it."""
    numbers = [name for name, raw in seen.raw.items() if number_rows(name, [raw], rows)]
    return dict.fromkeys(numbers, Kind.IDENTIFIER)


def _stacked(some: Sequence[tuple[Any, Matrix]], source: str) -> Table:
    """Preparation rows of all partitions in the order of their places."""
    import pandas

    places = np.concatenate([one for _, one in some])
    rows = pandas.concat([frame for frame, _ in some], ignore_index=True)
    return replace(read_table(rows.iloc[np.argsort(places)]), source=source)


def _part(
    frame: Any,
    number: int,
    start: int,
    rows: int,
    empty: Reference,
    roles: Roles,
    folder: Path | None,
    token: str,
) -> Part:
    """What a partition adds, from the folder if it was made before."""
    told = (empty.fingerprint, roles, number, start, rows, token)
    key = digest({"part": told})
    place = None if folder is None else folder / f"part-{number:06d}.safetensors"
    if place is not None and (found := Part.read(place, key, empty, roles)) is not None:
        return found
    made = _made(_checked(frame, number, rows), number, start, empty, roles)
    if place is not None:
        made.write(place, key)
    return made


def _made(frame: Any, number: int, start: int, empty: Reference, roles: Roles) -> Part:
    places = roles.places(start, len(frame))
    deal, features = roles.blocks, empty.summary.feature_map
    sketch = None if deal is None else DealtSketch.empty(features, deal)
    nothing = Part(empty.summary, empty.kept, places[:0], (number,), len(frame), sketch)
    if not len(frame) or not (places >= roles.prepared).any():
        return nothing
    table = read_table(frame)
    last = roles.prepared + roles.kept
    kept = np.flatnonzero((places >= roles.prepared) & (places < last))
    with threads.fitting(0):  # further threads would add in another order
        summed = np.flatnonzero(places >= roles.prepared)
        added = empty.update(table, summed, None)
        if sketch is not None:
            points, _ = empty.rules.encode(table.taken(summed))
            sketch = sketch.update(points, places[summed] - roles.prepared)
    rows = empty.encode_kept(table.taken(kept) if len(kept) else None)
    return replace(nothing, summary=added.summary, kept=rows, places=places[kept], sketch=sketch)


def _listed(numbers: Sequence[int]) -> str:
    return in_a_row([str(number) for number in numbers])
