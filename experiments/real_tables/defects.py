"""What is planted into one half of a real table: eighteen defects, fixed before any was tried.

A defect says into which columns of a table it can be planted, and plants itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from experiments.real_tables.tables import Frame, Rng, with_columns

Values = np.ndarray[Any, Any]
Places = list[tuple[str, ...]]

FEWEST = 200
"""Rows of a table that defects are planted into."""
DIGITS = 6


@dataclass(frozen=True)
class Defect:
    """A kind of defect.

    Parameters
    ----------
    what : str
    places : callable(frame)
        The columns, or pairs of columns, where it can be planted; ``[()]`` if it has no column.
    plant : callable(frame, columns, rng)
        Half B with the defect; the frame is its own and may be written to.
    """

    what: str
    places: Callable[[Frame], Places]
    plant: Callable[[Frame, tuple[str, ...], Rng], Frame]


def known(frame: Frame, name: str) -> Values:
    """The values of a numeric column that are there."""
    values = frame[name].to_numpy(float)
    return values[np.isfinite(values)]


def numbers(frame: Frame) -> list[str]:
    """Numeric columns with many values, few of them missing, that are not just numbered rows."""
    return [name for name in frame.select_dtypes("number") if _measured(frame, name)]


def _measured(frame: Frame, name: str) -> bool:
    values = known(frame, name)
    distinct, full = len(np.unique(values)), len(values) == frame[name].notna().sum()
    counted = digits(values) == 0 and distinct > 0.9 * len(values)
    return full and len(values) >= 0.8 * len(frame) and distinct >= 20 and not counted


def digits(values: Values) -> int:
    """Decimal places with which values are written, at most six."""
    for count in range(DIGITS):
        if np.allclose(values, np.round(values, count), rtol=0.0, atol=1e-9):
            return count
    return DIGITS


def words(frame: Frame) -> list[str]:
    """Columns that hold nothing but words, few of them missing."""
    return [
        name
        for name in frame.select_dtypes(["object", "str"])
        if frame[name].notna().mean() >= 0.8
        and all(isinstance(one, str) for one in frame[name].dropna())
    ]


def labels(frame: Frame) -> list[str]:
    """Columns of two to twenty different words."""
    return [name for name in words(frame) if 2 <= frame[name].nunique() <= 20]


def dates(frame: Frame) -> list[str]:
    """Columns of twenty dates or more, without a time of day."""
    return [
        name
        for name in words(frame)
        if frame[name].nunique() >= 20
        and frame[name].dropna().str.fullmatch(r"\d{4}-\d\d-\d\d").all()
    ]


def as_written(value: Any) -> Any:
    """A value as it stands in the file: whole numbers without a point."""
    return f"{value:.15g}" if isinstance(value, int | float) else value


def alone(names: list[str]) -> Places:
    return [(name,) for name in names]


def some(frame: Frame, name: str, share: float, rng: Rng) -> Values:
    """So large a share of the rows of a half, among those with a value there."""
    rows = np.flatnonzero(frame[name].notna())
    return rng.permutation(rows)[: max(1, round(share * len(frame)))]


def changed(share: float, how: Callable[[Values], Values]) -> Any:
    """Plant into some values of a numeric column."""

    def plant(frame: Frame, columns: tuple[str, ...], rng: Rng) -> Frame:
        (name,) = columns
        values, rows = frame[name].to_numpy(float, copy=True), some(frame, name, share, rng)
        values[rows] = np.round(how(values)[rows], digits(known(frame, name)))
        return with_columns(frame, {name: values})

    return plant


def written(word: str | None, share: float) -> Any:
    """Write a word, or nothing, in place of some values."""

    def plant(frame: Frame, columns: tuple[str, ...], rng: Rng) -> Frame:
        (name,) = columns
        values = frame[name].map(as_written, na_action="ignore").astype(object)
        values.iloc[some(frame, name, share, rng)] = word
        return with_columns(frame, {name: values})

    return plant


def kept(keep: Callable[[Frame, str, Rng], Values]) -> Any:
    """Leave rows out."""

    def plant(frame: Frame, columns: tuple[str, ...], rng: Rng) -> Frame:
        return frame[keep(frame, columns[0], rng)].reset_index(drop=True)

    return plant


def relabelled(new: Callable[[Any, str], str]) -> Any:
    """Write another word for the second most common one of a column."""

    def plant(frame: Frame, columns: tuple[str, ...], rng: Rng) -> Frame:
        (name,) = columns
        counts = frame[name].value_counts().index
        return with_columns(
            frame, {name: frame[name].replace(counts[1], new(counts[0], counts[1]))}
        )

    return plant


def _second(low: float, high: float) -> Callable[[Frame], Places]:
    """Columns whose second most common word makes up so much."""

    def places(frame: Frame) -> Places:
        shares = {name: frame[name].value_counts(normalize=True).iloc[1] for name in labels(frame)}
        return alone([name for name, share in shares.items() if low <= share <= high])

    return places


def _where(holds: Callable[[Values], bool]) -> Callable[[Frame], Places]:
    """Numeric columns of which this holds."""
    return lambda frame: alone([name for name in numbers(frame) if holds(known(frame, name))])


def _respelled(_: Any, word: str) -> str:
    return word.upper() if word.upper() != word else f"{word}."


def _movable(values: Values) -> bool:
    """Whether three tenths of a standard deviation can be written."""
    return bool(0.3 * values.std() >= 10.0 ** -digits(values))


def _mostly_not_zero(values: Values) -> bool:
    return bool(np.mean(values == 0.0) <= 0.5)


def _apart(frame: Frame) -> Places:
    """Pairs of numeric columns whose middle halves do not overlap."""
    ends = {name: np.quantile(known(frame, name), [0.25, 0.75]) for name in numbers(frame)}
    return [
        (one, other)
        for one, other in combinations(ends, 2)
        if ends[one][1] < ends[other][0] or ends[other][1] < ends[one][0]
    ]


def _related(frame: Frame) -> Places:
    """A numeric column, and another that its ranks depend on."""
    ranks = frame[numbers(frame)].corr("spearman").abs()
    return [pair for pair in combinations(ranks, 2) if ranks.loc[pair] >= 0.5]


def _swap(frame: Frame, columns: tuple[str, ...], rng: Rng) -> Frame:
    one, other = columns
    rows = some(frame, one, 0.05, rng)
    values = frame[[one, other]].to_numpy(float, copy=True)
    values[rows] = values[rows, ::-1]
    return with_columns(frame, {one: values[:, 0], other: values[:, 1]})


def _shuffle(frame: Frame, columns: tuple[str, ...], rng: Rng) -> Frame:
    return with_columns(frame, {columns[0]: rng.permutation(frame[columns[0]].to_numpy())})


def _repeat(frame: Frame, columns: tuple[str, ...], rng: Rng) -> Frame:
    again = rng.permutation(len(frame))[: round(0.1 * len(frame))]
    return frame.iloc[np.concatenate([np.arange(len(frame)), again])].reset_index(drop=True)


def _later(frame: Frame, columns: tuple[str, ...], rng: Rng) -> Frame:
    """Three tenths of a standard deviation later, in whole days."""
    import pandas as pd

    (name,) = columns
    days = pd.to_datetime(frame[name])
    moved = days + pd.Timedelta(days=max(1, round(0.3 * days.std() / pd.Timedelta(days=1))))
    return with_columns(frame, {name: moved.dt.strftime("%Y-%m-%d")})


def _not_half_of_second(frame: Frame, name: str, rng: Rng) -> Values:
    held = (frame[name] == frame[name].value_counts().index[1]).to_numpy()
    return ~(held & (rng.random(len(frame)) < 0.5))


def _below_the_top(frame: Frame, name: str, rng: Rng) -> Values:
    return ~(frame[name].to_numpy(float) > np.quantile(known(frame, name), 0.95))


def _clipped(values: Values) -> Values:
    return np.minimum(values, np.nanquantile(values, 0.9))


def _cut_off(share: float) -> Callable[[Values], bool]:
    """Whether about that share lies above its quantile, which ties may hinder."""
    return lambda values: bool(np.mean(values > np.quantile(values, 1.0 - share)) >= share / 2)


def _any_column(frame: Frame) -> Places:
    return alone([*numbers(frame), *labels(frame)])


def _told_apart(frame: Frame) -> Places:
    return [()] if frame.duplicated().mean() <= 0.01 else []


EVERY = 1.0
KINDS = {
    "units": Defect(
        "×1,000 in 3 % of the rows", _where(_mostly_not_zero), changed(0.03, lambda v: 1e3 * v)
    ),
    "shift": Defect(
        "a column .3 sd higher", _where(_movable), changed(EVERY, lambda v: v + 0.3 * np.nanstd(v))
    ),
    "spread": Defect(
        "distances from the mean × 1.5",
        _where(_movable),
        changed(EVERY, lambda v: np.nanmean(v) + 1.5 * (v - np.nanmean(v))),
    ),
    "sign": Defect(
        "sign flipped in 2 % of the rows",
        _where(lambda v: v.min() >= 0 and _mostly_not_zero(v)),
        changed(0.02, lambda v: -v),
    ),
    "sentinel": Defect(
        "−999 in 3 % of the rows",
        _where(lambda v: v.min() > -999),
        changed(0.03, lambda v: np.full_like(v, -999.0)),
    ),
    "imputed": Defect(
        "15 % of the values replaced by the mean",
        _where(_movable),
        changed(0.15, lambda v: np.full_like(v, np.nanmean(v))),
    ),
    "clipped": Defect(
        "values cut off at the 90 % quantile", _where(_cut_off(0.1)), changed(EVERY, _clipped)
    ),
    "rounded": Defect(
        "rounded to whole numbers",
        _where(lambda v: digits(v) > 0 and v.std() >= 2),
        changed(EVERY, np.round),
    ),
    "text": Defect(
        "“unknown” in 3 % of a numeric column",
        lambda frame: alone(numbers(frame)),
        written("unknown", 0.03),
    ),
    "missing": Defect("10 % more missing values", _any_column, written(None, 0.1)),
    "merged": Defect(
        "a category merged into the commonest",
        _second(0.05, 0.4),
        relabelled(lambda first, _: first),
    ),
    "respelled": Defect(
        "a category spelled differently", _second(0.05, 0.4), relabelled(_respelled)
    ),
    "thinned": Defect(
        "half of the rows of a category dropped", _second(0.2, 0.5), kept(_not_half_of_second)
    ),
    "top": Defect(
        "rows of the top 5 % of a column dropped", _where(_cut_off(0.05)), kept(_below_the_top)
    ),
    "swapped": Defect("two columns exchanged in 5 % of the rows", _apart, _swap),
    "decoupled": Defect("a column shuffled that another depends on", _related, _shuffle),
    "later": Defect("dates .3 sd later", lambda frame: alone(dates(frame)), _later),
    "repeated": Defect("10 % of the rows written twice", _told_apart, _repeat),
}


def tables_for(kind: str, tables: dict[str, Frame], seed: int) -> Iterator[str]:
    """Names of the tables that a defect can be planted into, in an order drawn for its kind."""
    order = np.random.default_rng([seed, list(KINDS).index(kind)]).permutation(list(tables))
    for name in map(str, order):
        if len(tables[name]) >= FEWEST and KINDS[kind].places(tables[name]):
            yield name
