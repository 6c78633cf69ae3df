"""A comparison of drawn rows and a test of all rows in blocks, as one answer at one level.

Columns, pairs and effects come from the rows drawn, at half the level; all rows of both tables
enter by the test of their blocks, at the other half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from samelaw.comparison.dispatch import against_reference, of_kept
from samelaw.comparison.findings import ColumnFinding, PairFinding
from samelaw.comparison.options import Question
from samelaw.comparison.references.as_table import (
    as_reference,
    is_reference,
    refuse_beside_reference,
    with_reference,
)
from samelaw.comparison.references.compare import of_references
from samelaw.comparison.references.dask_door import KEPT, SOURCE, is_dask
from samelaw.comparison.result import Comparison
from samelaw.comparison.verdict import DIFFERENT, TOO_LITTLE, schema_words, too_little
from samelaw.core.memory import Budget
from samelaw.extras.dask.profile import ROOM as ROOM
from samelaw.extras.dask.profile import gathered as gathered
from samelaw.extras.dask.profile import profile_dask, sketched_pair, with_named_index
from samelaw.results.words import in_a_row, source_names
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.names import check_distinct, check_names
from samelaw.tables.table import Table
from samelaw.testing.permuting.permutations import as_permutations
from samelaw.testing.result import TestResult
from samelaw.testing.sketch_test import sketch_test

_Finding = TypeVar("_Finding", ColumnFinding, PairFinding)


def half_level(question: Question) -> float:
    """Half the level, which the permutations must reach, or no column would ever be named."""
    half = 0.5 * question.level
    try:
        as_permutations(question.permutations, half)
    except ValueError as error:
        raise ValueError(
            f"two Dask dataframes are tested twice, each time at half the level: {error}"
        ) from None
    return half


def with_all_rows(found: Comparison, whole: TestResult, level: float) -> Comparison:
    """The comparison of drawn rows, made at half the level, with what all rows say."""
    shown = found.pvalue <= found.level
    pvalue = min(1.0, 2.0 * min(found.pvalue, whole.pvalue))
    n, m = (f"{size:,}" for size in whole.sizes)
    note = (
        f"All columns together were tested on all rows ({n} v {m} in {whole.method}): "
        f"p = {whole.pvalue:.3g}; columns, pairs and effects on the rows drawn, each at half the "
        "level."
    )
    found = replace(
        found,
        level=level,
        pvalue=pvalue,
        marginals=tuple(_doubled(one) for one in found.marginals),
        pairs=tuple(_doubled(one) for one in found.pairs),
        notes=(*found.notes, note),
        method=f"{found.method}; and of all rows: {whole.method}; {whole.calibration}",
        settings={**found.settings, "level": level},
    )
    if shown or not whole.reject:
        return found
    enough = found.min_effect == 0.0 or found.schema_differs
    return replace(
        found,
        verdict=DIFFERENT if enough else TOO_LITTLE,
        reject=enough,
        sentence=_sentence(found, enough),
    )


def _sentence(found: Comparison, enough: bool) -> str:
    """What only all rows show, after what became of columns."""
    a, b = source_names(found.sources)
    schema = [change for change in found.schema_changes if change.difference]
    before = f": {schema_words(schema)}; and" if found.schema_differs else ""
    text = (
        f"{b} differs from {a}{before} in all columns taken together, as all rows show; no column "
        "or pair by itself on the rows drawn."
    )
    text += too_little(found.min_effect) * (not enough)
    return text if found.target is None else f"{text} {found.target.sentence}"


def _doubled(one: _Finding) -> _Finding:
    return replace(one, pvalue=min(1.0, 2.0 * one.pvalue))


def some_columns(frame: Any, columns: Sequence[str] | None, ignore: tuple[str, ...]) -> Any:
    """A dataframe without the columns that nobody asked for."""
    labels = {str(label): label for label in frame.columns}
    wanted = tuple(labels) if columns is None else columns
    check_names(wanted, tuple(labels), SOURCE)
    return frame[[labels[name] for name in wanted if name not in ignore]]


def profiled_side(
    a: Any, b: Any, kinds: Mapping[str, Kind | str] | None, rng: np.random.Generator
) -> tuple[Any, Any]:
    """A Dask dataframe as a reference, by the rules of the other side if that is one."""
    frame, other = (a, b) if is_dask(a) else (b, a)
    like = as_reference(other) if is_reference(other) else None
    made = profile_dask(frame, like=like, keep=KEPT, kinds=None if like else kinds, rng=rng)
    return (made, other) if is_dask(a) else (other, made)


def on_cluster(a: Any, b: Any, question: Question, budget: Budget) -> Comparison:
    """Dask dataframes: two of them by all their rows, one of them as a reference."""
    fixed = question.kinds if is_reference(a) or is_reference(b) else None
    refuse_beside_reference(fixed, question.groups, question.unique)
    a, b = (with_named_index(one) if is_dask(one) else one for one in (a, b))
    if is_dask(a) and is_dask(b):
        return _of_two_frames(a, b, question, budget)
    columns, ignore = question.columns, question.ignore
    known = map(str, (a if is_dask(a) else b).columns)
    unread = tuple(name for name in known if name in ignore)
    a, b = (some_columns(one, columns, ignore) if is_dask(one) else one for one in (a, b))
    a, b = profiled_side(a, b, question.kinds, question.streams.rows)
    free, said = replace(question, kinds=None), question.settings()
    return against_reference(a, b, free, budget, settings=said, unread=unread)


def _of_two_frames(a: Any, b: Any, question: Question, budget: Budget) -> Comparison:
    """Rows drawn of each dataframe, looked at one by one, and all rows in blocks."""
    half = None if question.same_within is not None else half_level(question)
    columns = FrameColumns.of(a, b, question)
    kinds = columns.kinds(question.kinds)
    references, sketches = sketched_pair(*columns.frames(a, b), kinds, question.streams.rows)
    level = question.level if half is None or sketches is None else half
    first, second, told = with_reference(*references, None, None, False, question.text)
    inner, said = question.of_all_columns(level), question.settings()
    sides = columns.tables(first, second)
    found = of_kept(sides, inner, budget, kinds=told, settings=said)
    found = of_references(found, references[0], "AB")
    if half is None or sketches is None:
        return found
    whole = sketch_test(
        *sketches, level=half, permutations=question.permutations, rng=question.streams.joint
    )
    return with_all_rows(found, whole, question.level)


_SHOWN = 5


Names = Sequence[str]


@dataclass(frozen=True)
class FrameColumns:
    """Names of columns that both dataframes have, and those of one of them only."""

    shared: tuple[str, ...]
    alone: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @classmethod
    def of(cls, a: Any, b: Any, question: Question) -> "FrameColumns":
        """What is asked, of dataframes that have it; columns that are named must be in both."""
        first, second = (check_distinct(frame.columns, SOURCE) for frame in (a, b))
        either = tuple(dict.fromkeys((*first, *second)))
        check_names((*question.ignore, *(question.kinds or ())), either, "either dataframe")
        for own in (first, second):
            check_names(question.columns or (), own, SOURCE)
        wanted = first if question.columns is None else dict.fromkeys(question.columns)
        shared = tuple(n for n in wanted if n in second and n not in question.ignore)
        if not shared:
            raise ValueError(_nothing_shared(first, second))
        if question.columns is not None:
            return cls(shared)
        left = {*shared, *question.ignore}
        gone, new = (tuple(n for n in own if n not in left) for own in (first, second))
        return cls(shared, (gone, new))

    def frames(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Both dataframes in the columns they share."""
        return some_columns(a, self.shared, ()), some_columns(b, self.shared, ())

    def kinds(self, asked: Mapping[str, Kind | str] | None) -> dict[str, Kind | str]:
        """Kinds that were asked for, of columns that are compared."""
        return {name: kind for name, kind in (asked or {}).items() if name in self.shared}

    def tables(self, a: Table, b: Table) -> tuple[Table, Table]:
        """The rows drawn of each, which know of the columns that were left behind."""
        return replace(a, unread=self.alone[0]), replace(b, unread=self.alone[1])


def _nothing_shared(first: Names, second: Names) -> str:
    named = [in_a_row([repr(name) for name in names], _SHOWN) for names in (first, second)]
    return (
        f"the two Dask dataframes share no column to compare: the first has {named[0]}, the second "
        f"{named[1]}; rename them to match."
    )
