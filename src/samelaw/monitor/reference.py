"""A reference dealt out: rules from some rows, scores from others, and rows nobody looked at.

Rows are dealt at random without a look at them. Sending equal rows to one part, say, would make the
parts follow different laws, and the pairs would no longer be exchangeable.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samelaw.core.arrays import is_array, to_numpy
from samelaw.core.types import Matrix
from samelaw.monitor.score import STEADY, Features, Score, fit_score, stretched
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.names import check_names
from samelaw.tables.frozen import FrozenTable, freeze
from samelaw.tables.pairing.periods import keys_of
from samelaw.tables.reading.read import read_table
from samelaw.tables.table import Table

FEW = 0.1
"""A correlation of neighbouring stretches below which they are taken for independent."""


LEAST_STRETCHES = 200


MOST_ROWS = 200_000
"""Of a reference whose order is looked at: more would cost memory."""


SURE = 4.5
"""Standard errors beyond which a correlation of neighbours is no chance, of any of some hundred."""


LONGER = 1.25
"""Each try is longer by this factor."""


def long_enough(points: Matrix) -> int:
    """The shortest stretch of rows (n, k), in the order of time, that hardly knows the next.

    Tries longer and longer stretches until there would be too few of them, from the longest that
    is known to depend: rows of one day may hardly correlate, and their means all the more.

    Examples
    --------
    >>> long_enough(np.random.default_rng(0).normal(size=(4000, 2)))
    1
    """
    stretch = max(1, dependence(points)[0])
    while neighbours(points, stretch) > max(FEW, 3.0 * (stretch / len(points)) ** 0.5):
        longer = max(stretch + 1, int(stretch * LONGER))
        if len(points) // longer < LEAST_STRETCHES:
            break
        stretch = longer
    return stretch


def dependence(points: Matrix) -> tuple[int, float]:
    """The longest stretch, of 1, 2, 4, … rows, that certainly knows the next, and how well.

    Of rows (n, k) in the order of time, the last MOST_ROWS of them; (0, 0.0) if none does. The
    correlation is the largest, over columns and their squares, that is certain.

    Examples
    --------
    >>> dependence(np.random.default_rng(0).normal(size=(4000, 2)))
    (0, 0.0)
    """
    found, values, stretch = (0, 0.0), with_squares(points[-MOST_ROWS:]), 1
    least = np.maximum(STEADY**2 * values.var(axis=0), 1e-30)
    while len(values) >= LEAST_STRETCHES:
        z = values - values.mean(axis=0)
        products = z[1:] * z[:-1]
        # By its own spread: two neighbours with a rare value are no evidence.
        certain = products.sum(axis=0) > SURE * np.sqrt((products * products).sum(axis=0))
        known = products.mean(axis=0) / np.maximum((z * z).mean(axis=0), least)
        if np.any(certain & (known > FEW)):
            found = stretch, float(known[certain].max())
        values = values[: len(values) // 2 * 2].reshape(-1, 2, values.shape[1]).mean(axis=1)
        stretch *= 2
    return found


def with_squares(points: Matrix) -> Matrix:
    """Centred columns, and their squares."""
    z = points - points.mean(axis=0)
    return np.concatenate([z, z * z], axis=1)


def neighbours(points: Matrix, stretch: int) -> float:
    """The largest correlation, over columns and their squares, of a stretch with the next.

    Examples
    --------
    >>> neighbours(np.repeat(np.random.default_rng(0).normal(size=(500, 1)), 2, axis=0), 1) > 0.4
    True
    """
    values = with_squares(points)
    whole = len(values) // stretch * stretch
    means = values[:whole].reshape(-1, stretch, values.shape[1]).mean(axis=1)
    means -= means.mean(axis=0)
    least = np.maximum(STEADY**2 * values.var(axis=0), 1e-30)
    spread = np.maximum((means * means).mean(axis=0), least)
    return float(((means[1:] * means[:-1]).mean(axis=0) / spread).max())


LEAST_ROWS = 10

SHARES = {"preparation": (0.1, 2_000), "training": (0.4, 5_000), "holdout": (0.05, 1_000)}
"""Of the reference, and the most rows it is worth; all others pair."""

LEAST = {"preparation": 3, "training": 3, "holdout": 1}

ROWS = ("pairing", "holdout", "training")
"""Parts whose rows are kept."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows as coordinates (n, k), and which of their values (n, columns) are new.

    Where rows depend on their neighbours, a stretch of consecutive rows counts as one.
    """

    points: Matrix
    new: Matrix
    stretch: int = 1

    def __len__(self) -> int:
        return len(self.points) // self.stretch

    def take(self, places: Matrix | slice) -> "Rows":
        parts = (one.reshape(-1, self.stretch, one.shape[1]) for one in (self.points, self.new))
        points, new = (one[places].reshape(-1, one.shape[2]) for one in parts)
        return Rows(points, new, self.stretch)

    def features(self, score: Score) -> Features:
        return stretched(score.features(self.points, self.new), self.stretch)

    def joined(self, other: "Rows") -> "Rows":
        """With further rows after all others."""
        points = np.concatenate([self.points, other.points])
        return replace(self, points=points, new=np.concatenate([self.new, other.new]))

    def parted(self) -> tuple["Rows", "Rows"]:
        """Whole stretches, and the rows after the last of them."""
        end = len(self) * self.stretch
        whole = replace(self, points=self.points[:end], new=self.new[:end])
        return whole, replace(self, points=self.points[end:], new=self.new[end:])

    def state(self, name: str) -> dict[str, Matrix]:
        return {f"{name}.points": self.points, f"{name}.new": self.new}

    @classmethod
    def from_state(cls, name: str, arrays: Mapping[str, Matrix], stretch: int = 1) -> "Rows":
        return cls(arrays[f"{name}.points"], arrays[f"{name}.new"], stretch)


@dataclass(frozen=True, eq=False)
class FrozenReference:
    """What a monitor keeps of its reference.

    Parameters
    ----------
    rules : FrozenTable
        From the preparation rows.
    score : Score
        From the training rows.
    pairing : Rows
        Those not used yet, in the order of their use.
    holdout : Rows
        Describe what an alarm found.
    training : Rows
        Those that are looked at again on suspicion.
    left_over : float
        The largest correlation of a stretch of rows with the next.
    dependent : int
        So many rows in the order of the reference know as many next ones, although no fewer count
        as one; 0 if such are not found. What is left over is theirs then.
    """

    rules: FrozenTable
    score: Score
    pairing: Rows
    holdout: Rows
    training: Rows
    left_over: float = 0.0
    dependent: int = 0

    @property
    def stretch(self) -> int:
        return self.pairing.stretch

    def encode(self, table: Table) -> Rows:
        return Rows(*self.rules.encode(table))

    def without(self, used: int) -> "FrozenReference":
        """After the first pairing rows have been met."""
        return replace(self, pairing=self.pairing.take(slice(used, None)))

    def keeping(self, count: int) -> "FrozenReference":
        """With the first so many pairing rows alone."""
        return replace(self, pairing=self.pairing.take(slice(count)))

    def adding(self, rows: Rows) -> "FrozenReference":
        """With further rows to pair, after all others."""
        return replace(self, pairing=self.pairing.joined(rows))

    def state(self) -> tuple[dict[str, Any], dict[str, Matrix]]:
        """All of it as plain values and arrays; `from_state` is the way back."""
        rules, knots = self.rules.state()
        score, features = self.score.state()
        rows: dict[str, Matrix] = {}
        for name in ROWS:
            rows |= getattr(self, name).state(name)
        facts = {"stretch": self.stretch, "left_over": self.left_over, "dependent": self.dependent}
        return facts | {"rules": rules, "score": score}, knots | features | rows

    @classmethod
    def from_state(
        cls, plain: Mapping[str, Any], arrays: Mapping[str, Matrix]
    ) -> "FrozenReference":
        return cls(
            FrozenTable.from_state(plain["rules"], arrays),
            Score.from_state(plain["score"], arrays),
            **{name: Rows.from_state(name, arrays, plain["stretch"]) for name in ROWS},
            left_over=plain["left_over"],
            dependent=plain["dependent"],
        )


def freeze_reference(
    source: object,
    kinds: Mapping[str, Kind | str],
    ignore: tuple[str, ...],
    rng: np.random.Generator,
    stretch: int | None = 1,
) -> FrozenReference:
    """Deal the rows, find the rules on some, fit the scores on others, put the rest away.

    Rows that depend on their neighbours are dealt in stretches; None: as long as they need be.
    """
    table = read_table(source)
    check_names(ignore, table.names, table.source)
    if table.rows < LEAST_ROWS:
        raise ValueError(
            f"the reference has {table.rows} rows; a monitor needs at least {LEAST_ROWS}, and lasts"
            " for about half as many rows of the stream as the reference has."
        )
    table = replace(table, raw={n: c for n, c in table.raw.items() if n not in ignore})
    kinds = {**keys_of(table), **kinds}  # in a tenth of the rows they have gaps
    if stretch is None:
        stretch = long_enough(encoded(table, kinds))
    check_stretch(stretch, table.rows)
    parts = deal(table.rows // stretch, rng)
    preparation = parts["preparation"][:, None] * stretch + np.arange(stretch)
    rules = freeze(table.taken(preparation.ravel()), kinds)
    if not rules.coordinates:
        raise ValueError(
            f"there is no column to watch in {table.source}: expected numbers, categories or "
            "missing values; a column of another kind than it looks can be told so by kinds=."
        )
    points, new = (one[: table.rows // stretch * stretch] for one in rules.encode(table))
    rows = Rows(points, new, stretch)
    training = rows.take(parts["training"])
    score = fit_score(training.points, training.new, rules.coordinates, rng, stretch)
    pairing, holdout = rows.take(parts["pairing"]), rows.take(parts["holdout"])
    return FrozenReference(rules, score, pairing, holdout, training, *left(points, stretch))


def left(points: Matrix, stretch: int) -> tuple[float, int]:
    """`left_over` and `dependent` of rows of which so many count as one."""
    longest, known = dependence(points)
    if longest >= stretch:
        return known, longest
    return (0.0 if stretch == 1 else neighbours(points, stretch)), 0


def encoded(table: Table, kinds: Mapping[str, Kind | str]) -> Matrix:
    """All rows by rules of their own."""
    return freeze(table, kinds).encode(table)[0]


def check_stretch(stretch: int, rows: int) -> None:
    if rows // stretch < LEAST_ROWS:
        raise ValueError(
            f"stretch is {stretch} and the reference has {rows} rows; expected at least "
            f"{LEAST_ROWS} stretches, better 1,000: give more rows, or a shorter stretch."
        )


def deal(rows: int, rng: np.random.Generator) -> dict[str, Matrix]:
    """Numbers of the rows of each part.

    Examples
    --------
    >>> {part: len(rows) for part, rows in deal(1000, np.random.default_rng(0)).items()}
    {'preparation': 100, 'training': 400, 'holdout': 50, 'pairing': 450}
    """
    order = rng.permutation(rows)
    parts, start = {}, 0
    for name, (share, most) in SHARES.items():
        count = max(LEAST[name], min(int(share * rows), most))
        parts[name] = order[start : start + count]
        start += count
    return parts | {"pairing": order[start:]}


def as_batch(batch: object, names: tuple[str, ...]) -> Table:
    """A table of any source; a single row may come as a flat array or a dict of values."""
    if isinstance(batch, Mapping) and not any(map(_is_column, batch.values())):
        return read_table({name: [value] for name, value in batch.items()})
    if is_array(batch) and getattr(batch, "ndim", 0) == 1 and len(names) > 1:
        values = to_numpy(batch)
        return read_table(batch if values.dtype.names else values[None])
    return read_table(batch)


def _is_column(value: object) -> bool:
    if isinstance(value, str | bytes):
        return False
    return bool(value.ndim) if hasattr(value, "ndim") else hasattr(value, "__len__")
