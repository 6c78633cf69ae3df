"""The way two tables are compared: on a cluster, against a reference, piece by piece, in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, cast

import numpy as np

from samelaw.comparison.assemble import assemble
from samelaw.comparison.columns.shown import describe_groups
from samelaw.comparison.joint_test import JointTest, fitting
from samelaw.comparison.options import Question
from samelaw.comparison.plan import check_target
from samelaw.comparison.references.as_table import (
    as_reference,
    is_reference,
    refuse_beside_reference,
    refuse_without_rows,
    seen_keys,
    with_reference,
    without_rows,
)
from samelaw.comparison.references.compare import apart_words, of_references
from samelaw.comparison.references.dask_door import is_dask
from samelaw.comparison.references.reference import Reference
from samelaw.comparison.references.sums_test import summary_comparison
from samelaw.comparison.result import Comparison
from samelaw.comparison.rows.duplicates import distinct_rows, rows_apart
from samelaw.comparison.sums.displayed_rows import Request
from samelaw.comparison.sums.large_tables import held, open_large, rows_to_hold
from samelaw.comparison.sums.streamed import streamed_test
from samelaw.core import threads
from samelaw.core.memory import Budget
from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.kinds import read_column
from samelaw.tables.columns.names import check_names
from samelaw.tables.pairing.pair import TablePair, pair_tables
from samelaw.tables.reading.batches import Batches
from samelaw.tables.reading.databases import DatabaseRows, one_snapshot
from samelaw.tables.reading.frames import read_once
from samelaw.tables.reading.read import STDIN, read_table
from samelaw.tables.table import Table
from samelaw.testing.permuting.group_units import Groups

Sources = tuple[Any, Any]


def compared(a: Any, b: Any, question: Question) -> Comparison:
    """The answer; tables of one database are read in one transaction."""
    with one_snapshot(a, b) as (first, second):
        return _routed(first, second, question)


def _routed(a: Any, b: Any, question: Question) -> Comparison:
    """The answer, by the first of these ways that fits what the tables are."""
    budget = Budget.of(question.memory)
    a, b = map(read_once, (a, b))
    if question.where is not None and any(is_dask(one) or is_reference(one) for one in (a, b)):
        raise ValueError(
            "where (--where) cannot be applied to a reference or a Dask dataframe: make the "
            "reference of rows that fulfil the condition, or filter the dataframe before."
        )
    if is_dask(a) or is_dask(b):
        cluster = import_module("samelaw.extras.dask.compare")  # a leaf that no room imports
        a, b = cluster.gathered((a, b), cluster.ROOM * Budget.of_machine(question.memory).total)
        if is_dask(a) or is_dask(b):
            return cast(Comparison, cluster.on_cluster(a, b, question, budget))
    if is_reference(a) or is_reference(b):
        return against_reference(a, b, question, budget)
    large = open_large((a, b), question.read, question.text, question.where)
    if large is not None:
        return _large(large, question)
    if question.where is not None or any(isinstance(one, DatabaseRows) for one in (a, b)):
        a, b = (held(one, question.read, question.text, question.where) for one in (a, b))
    return _in_memory(_read((a, b), question), question, budget)


def against_reference(
    a: Any,
    b: Any,
    question: Question,
    budget: Budget,
    *,
    settings: Mapping[str, object] | None = None,
    unread: tuple[str, ...] = (),
) -> Comparison:
    """A reference on one side or both: by the rows it kept, or by its sums if it kept none.

    ``unread`` are columns to be ignored that are known to be there and were not kept.
    """
    side, text = ("A" if is_reference(a) else "B"), question.text
    a, b = (
        as_reference(one) if is_reference(one) else held(one, None, text, None) for one in (a, b)
    )
    if (bare := without_rows(a, b)) is not None:
        return _against_sums(bare, b if side == "A" else a, side, question)
    first, second, told = with_reference(
        a, b, question.kinds, question.groups, question.unique, text
    )
    first = replace(first, unread=(*first.unread, *unread))
    found = of_kept((first, second), question, budget, kinds=told, settings=settings)
    sides = "AB" if is_reference(a) and is_reference(b) else side
    return of_references(found, a if is_reference(a) else b, sides)


def of_kept(
    tables: tuple[Table, Table],
    question: Question,
    budget: Budget,
    *,
    kinds: Mapping[str, Kind | str],
    settings: Mapping[str, object] | None,
) -> Comparison:
    """Tables as a reference sees them: rows that it kept of the other table are no other rows."""
    a, b = tables
    names = [name for name in kinds if name in a.raw and name in b.raw]
    rows = rows_apart(seen_keys(a, names), seen_keys(b, names)) if names else None
    if rows is None:
        return _in_memory(tables, question, budget, kinds=kinds, settings=settings)
    some = (a.taken(rows[0]), b.taken(rows[1]))
    notes = (apart_words((a.rows, b.rows), rows),)
    return _in_memory(some, question, budget, kinds=kinds, settings=settings, notes=notes)


def _against_sums(bare: Reference, source: Any, side: str, question: Question) -> Comparison:
    """What sums can answer; the rest is refused, as an answer to less than was asked misleads."""
    refuse_beside_reference(question.kinds, question.groups, question.unique)
    refuse_without_rows(
        bare.source,
        {
            "same_within (--same-within)": question.same_within is not None,
            "target (--target)": question.target is not None,
            "sample (--sample)": question.sample is not None,
        },
    )
    other = read_table(source, text=question.text)
    _check_rows("B" if side == "A" else "A", other)
    question.stages.done("read")
    found = summary_comparison(bare, other, side, question)
    question.stages.done("where")
    return found


def _large(batches: tuple[Batches, Batches], question: Question) -> Comparison:
    """Tables that can be read piece by piece: all their rows, or those that were asked for."""
    budget = Budget.of_machine(question.memory)
    held_rows = rows_to_hold(
        batches,
        sample=question.drawn,
        groups=question.groups,
        unique=question.unique,
        budget=budget,
        rng=question.streams.rows,
        stages=question.stages,
    )
    if held_rows is None:
        return _piece_by_piece(batches, question, budget)
    drawn = replace(question, sample=None)
    return _in_memory(
        held_rows.tables, drawn, budget, settings=question.settings(), notes=held_rows.notes
    )


def _piece_by_piece(
    batches: tuple[Batches, Batches], question: Question, budget: Budget
) -> Comparison:
    with threads.fitting(0):  # pieces are small, however many rows there are
        tests = streamed_test(
            batches,
            Request(question.columns, question.left_out, question.kinds, question.target),
            level=question.level,
            permutations=question.permutations,
            streams=question.streams,
            budget=budget,
            stages=question.stages,
        )
        plan = question.plan(tests.pair)
        return assemble(plan, tests, question.stages, question.settings(), question.seed)


def _in_memory(
    tables: tuple[Table, Table],
    question: Question,
    budget: Budget,
    *,
    kinds: Mapping[str, Kind | str] | None = None,
    settings: Mapping[str, object] | None = None,
    notes: tuple[str, ...] = (),
) -> Comparison:
    """Tables in memory; ``notes`` say how their rows were chosen, if they are some of more."""
    told = question.kinds if kinds is None else kinds
    pair, coded = _paired(tables, question, told, budget, notes)
    del tables  # a gigabyte for millions of rows; the pair keeps them where they are few
    question.stages.done("read")
    if question.target is not None:
        check_target(question.target, pair)
    plan = question.plan(pair, coded)
    said = dict(question.settings() if settings is None else settings)
    with threads.fitting(0):  # matrices of at most some thousand units, however many rows
        tests = JointTest.of(plan, question.stages)
        return assemble(plan, tests, question.stages, said, question.seed)


def _read(sources: Sources, question: Question) -> tuple[Table, Table]:
    if all(isinstance(source, str) and source == STDIN for source in sources):
        raise ValueError("both tables are standard input (-), which can be read once; name a file.")
    a, b = (read_table(source, question.read, text=question.text) for source in sources)
    return a, b


def _paired(
    tables: tuple[Table, Table],
    question: Question,
    kinds: Mapping[str, Kind | str] | None,
    budget: Budget,
    notes: tuple[str, ...],
) -> tuple[TablePair, Groups | None]:
    """Both tables as one pair, and the groups with a number for every row."""
    for side, table in zip("AB", tables, strict=True):
        _check_rows(side, table)
    groups, unique = question.groups, question.unique
    thin = question.streams.rows if groups is None else None
    pair = pair_tables(
        *tables,
        columns=question.columns,
        ignore=question.left_out,
        kinds=kinds,
        thin=None if unique else thin,
        sample=question.drawn,
        groups=None if groups is None else str(groups.labels),
    )
    pair = replace(pair, notes=(*pair.notes, *notes))
    pair = distinct_rows(pair) if unique else pair
    pair = fitting(pair, budget, thin)
    if groups is None:
        return pair, None
    column = _group_column(str(groups.labels), tables)
    if question.sample is not None and pair.chosen is not None:
        column = column.taken(pair.chosen)
    pair = replace(pair, notes=(*pair.notes, *describe_groups(column, pair.sizes[0])))
    return pair, replace(groups, labels=_codes(column))


def _check_rows(side: str, table: Table) -> None:
    if table.rows < 2:
        rows = "no rows" if table.rows == 0 else "one row"
        raise ValueError(
            f"{table.source} ({side}) has {rows}; a comparison needs at least two in each table."
        )


def _group_column(name: str, tables: Sequence[Table]) -> Column:
    for table in tables:
        check_names((name,), table.names, table.source)
    return read_column(name, [table.raw[name] for table in tables], Kind.CATEGORICAL)


def _codes(column: Column) -> Matrix:
    """Codes of the group of each row; a row without one is a group of its own."""
    codes = column.values.astype(np.int64)
    alone = codes < 0
    codes[alone] = len(column.categories) + np.arange(int(alone.sum()))
    return codes
