"""A table without its rows: rules for columns, sums over all rows, and some rows as numbers.

Rules (kinds, quantiles, categories) come from preparation rows, which are used for nothing else; a
row becomes what the rules make of it, whatever the rows beside it. So rows kept from the table and
rows that come later are exchangeable if the law is the same, and a comparison of them is exact.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np

from samelaw.core.checks import as_seed
from samelaw.core.container import Container, Format
from samelaw.core.types import Matrix, Seed
from samelaw.divergence.summary import Summary
from samelaw.kernels.bandwidths import median_bandwidth
from samelaw.kernels.features import FourierFeatures, draw_frequencies
from samelaw.kernels.fingerprint import fingerprint
from samelaw.kernels.formulas import Gaussian
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.kinds import as_kinds
from samelaw.tables.columns.names import as_names, check_names
from samelaw.tables.frozen import FrozenColumn, FrozenTable, freeze
from samelaw.tables.pairing.periods import keys_of
from samelaw.tables.reading.read import read_table
from samelaw.tables.table import Table

ROWS = 1_000
"""Rows that are kept; a batch of as many is then told apart as well as by all rows, nearly."""

FREQUENCIES = 64
PREPARATION = (0.2, 2_000)  # share of the rows, and the most
LEAST_ROWS = 20
MOST_BYTES = 64 * 2**20
"""A larger file is no reference."""

_ROW_BYTES = 400_000  # of the rows kept: fewer of a very wide table
_KNOT_BYTES = 250_000  # of all quantiles
_MOST_WORDS = 1_000  # categories of all columns that are told apart
_LONGEST_WORD = 200
_STEP = 50_000  # rows that are encoded at a time
_FORMAT = Format("reference", 1)


@dataclass(frozen=True, eq=False, repr=False)
class Reference:
    """What is kept of a table, so that later ones can be compared with it when its rows are gone.

    ``compare(reference, batch)`` compares them; references of one set of rules add up.

    Parameters
    ----------
    rules : FrozenTable
        Kinds, quantiles and categories of the columns.
    summary : Summary
        Of all rows but the preparation rows, as coordinates.
    kept : array (r, columns)
        Rows drawn at random from those of the summary: normal scores, places of categories.
        Features, scores or places of rows can reveal rows; none with ``keep_rows=False``.
    source : str
        What the table was called.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import compare
    >>> rng = np.random.default_rng(0)
    >>> reference = Reference.of({"x": rng.normal(size=500), "y": rng.normal(size=500)}, rng=0)
    >>> batch = {"x": rng.normal(size=200), "y": rng.normal(size=200) + 1}
    >>> compare(reference, batch, rng=0).columns_changed
    ('y',)
    """

    rules: FrozenTable
    summary: Summary
    kept: Matrix
    source: str = "the reference"

    def __repr__(self) -> str:
        """In a line, without the rows that were kept: logs are read by others."""
        return f"Reference({self.source!r}, {self.rows:,} rows, {len(self.rules.columns)} columns)"

    @classmethod
    def of(
        cls,
        source: object,
        *,
        like: "Reference | None" = None,
        keep_rows: bool = True,
        ignore: Iterable[str] = (),
        kinds: Mapping[str, Kind | str] | None = None,
        rng: Seed = None,
    ) -> "Reference":
        """Make a reference of a table.

        Parameters
        ----------
        source : path, frame, array or dict
            Whatever `compare` takes; a Dask dataframe is summed by its cluster.
        like : Reference, optional
            Take its rules, so that the two add up; no row is then needed for preparation.
        keep_rows : bool
            Whether about 1,000 rows are kept, which exact tests need.
        ignore : names
            Columns to leave out.
        kinds : {name: kind}
            Kinds not to be found by looking.
        rng : int, Generator or None
            Which rows are for preparation, which are kept, and the frequencies.
        """
        ignore, kinds = as_names("ignore", ignore), as_kinds(kinds)
        if hasattr(source, "to_delayed"):
            dask = import_module("samelaw.extras.dask.profile")  # a leaf that no room imports
            keep = None if keep_rows else 0
            made = dask.profile_dask(
                source, like=like, keep=keep, ignore=ignore, kinds=kinds, rng=rng
            )
            return cast(Reference, made)
        table, generator = read_table(source), as_seed(rng)[0]
        check_names(ignore, table.names, table.source)
        table = replace(table, raw={n: c for n, c in table.raw.items() if n not in ignore})
        order = generator.permutation(table.rows)
        if like is None:
            few = prepared_rows(table.rows, table.source)
            known = {**keys_of(table), **kinds}
            empty = cls.empty(table.taken(order[:few]), known, generator)
            order = order[few:]
        else:
            if kinds:
                raise ValueError("like= has the kinds of all columns; leave kinds= out.")
            empty = like.without_rows()
        empty = replace(empty, source=table.source)
        return empty.update(table, order, generator if keep_rows else None)

    @classmethod
    def empty(
        cls, preparation: Table, kinds: Mapping[str, Kind | str] | None, rng: np.random.Generator
    ) -> "Reference":
        """Rules and frequencies from preparation rows, and no rows yet."""
        rules = compact(freeze(preparation, kinds))
        if not rules.coordinates:
            raise ValueError(
                f"{preparation.source} has no column to keep: expected numbers, categories or "
                "missing values; a column of another kind than it looks can be told so (--kind "
                "NAME=KIND, kinds= in Python)."
            )
        points, _ = rules.encode(preparation)
        kernel = Gaussian(median_bandwidth(points) or 1.0)
        drawn = draw_frequencies(kernel, points.shape[1], FREQUENCIES, rng=rng)
        summary = Summary.empty(FourierFeatures(drawn.astype(np.float32)), points.shape[1])
        nothing: Matrix = np.empty((0, len(rules.columns)), dtype=np.float32)
        return cls(rules, summary, nothing)

    def update(self, table: Table, rows: Matrix, keep: np.random.Generator | None) -> "Reference":
        """With some rows of a table in random order, the first of which are kept."""
        check_columns(self.rules, table)
        added = self.without_rows()
        most = self.most_rows if keep is not None else 0
        kept = self.encode_kept(table.taken(rows[:most]) if most else None)
        summary = added.summary
        for start in range(0, len(rows), _STEP):
            points, _ = self.rules.encode(table.taken(rows[start : start + _STEP]))
            summary = summary.update(points)
        added = replace(added, summary=summary, kept=kept)
        return added if self.summary.rows == 0 else self.merge(added, rng=keep)

    def encode_kept(self, table: Table | None) -> Matrix:
        """Rows as numbers (r, columns) that `table` turns into rows again."""
        if table is None:
            return np.empty((0, len(self.rules.columns)), dtype=np.float32)
        return np.column_stack([c.keep(table.raw[c.name]) for c in self.rules.columns])

    @property
    def most_rows(self) -> int:
        """Rows that are kept at most: fewer of a table of very many columns."""
        return max(100, min(ROWS, _ROW_BYTES // (4 * len(self.rules.columns))))

    @property
    def rows(self) -> int:
        """Rows the summary holds."""
        return self.summary.rows

    def without_rows(self) -> "Reference":
        """The same rules, and no rows."""
        nothing = Summary.empty(self.summary.feature_map, len(self.summary.columns.mean))
        return replace(self, summary=nothing, kept=self.kept[:0])

    def of_columns(self, names: Collection[str]) -> "Reference":
        """Rules and moments of some columns; features are of all columns together and stay."""
        rules = FrozenTable(tuple(c for c in self.rules.columns if c.name in names))
        places = [i for i, c in enumerate(self.rules.coordinates) if c.column in names]
        moments = self.summary.columns.taken(places)
        return replace(self, rules=rules, summary=replace(self.summary, columns=moments))

    @property
    def fingerprint(self) -> str:
        """Of rules and feature map: references with equal ones add up."""
        return fingerprint((self.rules, self.summary.feature_map))

    def __add__(self, other: "Reference") -> "Reference":
        """The reference of both tables together; see `merge`."""
        return self.merge(other)

    def merge(self, other: "Reference", *, rng: Seed = None) -> "Reference":
        """The reference of both tables; ``rng`` draws which rows stay.

        The rows kept are again drawn at random from all: as many of each table as a draw without
        replacement would give.
        """
        if self.fingerprint != other.fingerprint:
            raise ValueError(
                f"{self.source} and {other.source} have other rules or frequencies and cannot be "
                "added: make the second one like the first (samelaw profile --like, like= in "
                "Python)."
            )
        generator = as_seed(rng)[0]
        counts = self._shares(other, generator)
        sides = zip((self.kept, other.kept), counts, strict=True)
        some = [side[generator.permutation(len(side))[:count]] for side, count in sides]
        kept = np.concatenate(some)
        return replace(
            self,
            summary=self.summary + other.summary,
            kept=kept[generator.permutation(len(kept))],
            source=f"{self.source} + {other.source}",
        )

    def _shares(self, other: "Reference", rng: np.random.Generator) -> tuple[int, int]:
        """How many rows of each stay: none if one of them kept none."""
        limits = [len(one.kept) for one in (self, other) if len(one.kept) < one.rows]
        most = min(self.most_rows, self.rows + other.rows, *limits)
        first = int(rng.hypergeometric(self.rows, other.rows, most)) if most else 0
        return first, most - first

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file that is whole or absent; `load` is the way back."""
        plain, arrays = self.rules.state()
        facts = {"rules": plain, "source": self.source}
        frequencies = np.asarray(self.summary.feature_map.frequencies)  # type: ignore[attr-defined]
        arrays |= {"kept": self.kept, "frequencies": frequencies}
        _FORMAT.write(path, Container(arrays | self.summary.state(), facts))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Reference":
        """Read a file written by `save`; a damaged, foreign or newer one is an error."""
        if not Path(path).is_file():
            raise FileNotFoundError(f"{path} does not exist; check the path.")
        found = _FORMAT.read(path, MOST_BYTES)
        try:
            return cls._of_state(found.facts, found.arrays)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"{path} holds no whole reference ({error!r}).") from error

    @classmethod
    def _of_state(cls, facts: Mapping[str, Any], arrays: Mapping[str, Matrix]) -> "Reference":
        rules = FrozenTable.from_state(facts["rules"], arrays)
        summary = Summary.from_state(FourierFeatures(arrays["frequencies"]), arrays)
        kept = arrays["kept"]
        shapes = (kept.shape[1:], arrays["frequencies"].shape[0], len(summary.columns.mean))
        wide = len(rules.coordinates)
        if shapes != ((len(rules.columns),), wide, wide):
            raise ValueError(f"arrays of shapes {shapes} do not fit {wide} coordinates")
        return cls(rules, summary, kept, str(facts["source"]))


def prepared_rows(rows: int, source: str) -> int:
    """How many rows of a table are for preparation."""
    if rows < LEAST_ROWS:
        raise ValueError(
            f"{source} has {rows} rows; a reference takes at least {LEAST_ROWS}: keep the table."
        )
    return max(LEAST_ROWS // 2, min(int(PREPARATION[0] * rows), PREPARATION[1]))


def check_columns(rules: FrozenTable, table: Table) -> None:
    """Raise unless a table has all columns of the rules; their order does not matter."""
    if absent := [repr(name) for name in rules.names if name not in table.raw]:
        raise ValueError(
            f"{table.source} has no column {', '.join(absent[:5])}, which the reference has; add "
            "it, or make the reference without it (--ignore)."
        )


def compact(rules: FrozenTable) -> FrozenTable:
    """Rules that take little room: fewer quantiles of many columns, the most frequent words."""
    columns = max(1, len(rules.columns))
    knots = max(16, min(512, _KNOT_BYTES // (16 * columns)))
    words = max(2, _MOST_WORDS // max(1, sum(bool(c.words) for c in rules.columns)))
    return FrozenTable(tuple(compact_column(column, knots, words) for column in rules.columns))


def compact_column(column: FrozenColumn, knots: int, words: int) -> FrozenColumn:
    """The rules of a column with at most so many quantiles and words."""
    places = np.unique(np.linspace(0, len(column.knots) - 1, knots).round().astype(np.int64))
    taken = places if len(column.knots) > knots else slice(None)
    return replace(
        column,
        knots=column.knots[taken],
        scores=column.scores[taken],
        words=tuple(word for word in column.words if len(word) <= _LONGEST_WORD)[:words],
    )
