"""Compare two tables: one verdict, how large the change is, and where it sits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from samelaw.comparison.all_rows import with_all_rows
from samelaw.comparison.assemble import assemble
from samelaw.comparison.drawn_rows import Request
from samelaw.comparison.duplicates import distinct_rows
from samelaw.comparison.engines import is_dask, sketched_pair
from samelaw.comparison.held_tables import HeldTables
from samelaw.comparison.joint_test import JointTest, fitting
from samelaw.comparison.large_tables import ToStream, held, open_large, rows_to_compare
from samelaw.comparison.plan import Plan, Stages, Streams
from samelaw.comparison.reference_tables import (
    is_reference,
    profiled_side,
    refuse_beside_reference,
    some_columns,
    with_reference,
    without_rows,
)
from samelaw.comparison.result import Comparison
from samelaw.comparison.row_counter import RowCounter
from samelaw.comparison.streamed import streamed_test
from samelaw.comparison.summarize import describe_groups
from samelaw.comparison.summary_test import summary_comparison
from samelaw.comparison.target import check_target
from samelaw.core import threads
from samelaw.core.array import as_share
from samelaw.core.checks import as_progress, as_seed
from samelaw.core.types import Matrix, Progress, Seed
from samelaw.data.columns import Column, Kind
from samelaw.data.csv import CsvFormat
from samelaw.data.databases import is_address
from samelaw.data.kinds import read_column
from samelaw.data.names import check_names
from samelaw.data.pair import Sample, TablePair, pair_tables
from samelaw.data.read import STDIN, read_table
from samelaw.data.table import Table
from samelaw.twosample.budget import Budget
from samelaw.twosample.group_units import Groups
from samelaw.twosample.permutations import Sequential, as_permutations
from samelaw.twosample.sketch_test import sketch_test


def compare(
    a: Any,
    b: Any,
    *,
    level: float = 0.05,
    min_effect: float = 0.0,
    same_within: float | None = None,
    columns: Sequence[str] | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, Kind | str] | None = None,
    groups: str | Groups | None = None,
    unique: bool = False,
    target: str | None = None,
    permutations: int | None = None,
    rng: Seed = None,
    memory: float | None = None,
    progress: Progress | bool | None = None,
    allow_schema: bool = False,
    sample: int | None = None,
    where: str | None = None,
    sep: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
) -> Comparison:
    """Whether two tables follow the same law, how far apart they are, and where they differ.

    All columns together, every column alone and every pair of columns are tested at once, on the
    same permutations of the rows: one exact p-value for the whole, and names of columns that are
    wrong with probability at most the level. Names of pairs are exact when the tables follow one
    law, approximate when columns moved and their dependence did not.

    Parameters
    ----------
    a, b : path, frame, array or dict
        Whatever `samelaw.data.read.read_table` reads: CSV, Parquet, Arrow, JSON, Excel, .npy, a
        folder or pattern of files, ``"-"`` for standard input, a frame of pandas, polars or
        pyarrow, an array (n, d), a dict; a `Reference` or the file of one (.safetensors); a
        Dask dataframe, all rows of which its cluster sums and 20,000 of which it draws; a table of
        a database, as ``"duckdb:///shop.db?table=orders"``, ``"sqlite:///shop.db?query=…"`` or
        ``"postgresql://host/shop?table=public.orders"``.
    level : float
        Probability of a false alarm.
    min_effect : float
        A significant change whose effect is not shown to exceed this is "too little to matter".
    same_within : float, optional
        Ask the other question: are the tables the same, up to effects below this? They are only
        if the upper limit of every effect is below; the chance of a wrong yes is the level.
    columns, ignore : names
        Compare only these; leave these out.
    kinds : {name: kind}
        Kinds not to be found by looking, such as ``{"zip": "categorical"}``.
    groups : name of a column, or Groups, optional
        Rows that share a value of this column (a customer, a day) are not independent; `Groups`
        says how they are permuted. The column itself is not compared.
    unique : bool
        Compare the distinct rows of each table: a row that was written 200 times counts once. The
        p-value is then not exact, as large tables have more rare rows among their distinct ones.
    target : name of a column, optional
        What a model predicts from the other columns: the result then says whether the inputs
        changed, the target, or the relation between them (`Comparison.target`), the last by an
        approximate test.
    permutations : int, optional
        999 by default.
    rng : int, Generator or None
        Every stage (permutations, effects, rows that stand out, …) has a stream of its own.
    memory : float, optional
        Bytes the comparison may take beyond the tables, at least 2²⁷ (128 MiB); 4 GiB by default.
        What does not fit goes to block sketches or is thinned at random; the result says so. Where
        tables are read piece by piece all of it is within, by default a quarter of the machine.
    progress : callable(done, total) or True
        In hundredths; in rows where tables are read piece by piece.
    allow_schema : bool
        Columns that vanished, appeared or changed their declared type are a difference, whatever
        the values say; True only tells of them.
    sample : int, optional
        Compare so many rows of each table, drawn at random by ``rng``.
    where : str, optional
        A condition in SQL that rows of both tables must fulfil, as ``"price > 5"``. It goes to the
        database; files and frames are filtered by DuckDB as they are read.
    sep, header, encoding : str, bool, str, optional
        The separator of CSV files, whether their first line holds names, and how they are encoded
        ("cp1252"), where looking finds another answer.

    Returns
    -------
    Comparison

    Notes
    -----
    Up to 2,000 pooled rows every row is permuted; above, blocks of rows are, and the cost is
    linear in the rows. The level is exact either way: kinds, scales, classes and bandwidths depend
    on the pool only, and what pairs are ranked by within a table is found anew each time.

    Files and frames of 500,000 rows or more, of both together, are read piece by piece, twice, and
    take about half a gigabyte whatever their rows: every row enters the verdict, p-values and
    effects, in bins; rows to show are drawn at random. A ``sample`` is drawn as they are read; with
    ``unique`` they are read four times; with ``groups`` as many groups and rows are drawn as fit.

    Examples
    --------
    >>> import numpy as np
    >>> draw = np.random.default_rng(0).normal
    >>> a = {"x": draw(size=150), "y": draw(size=150)}
    >>> b = {"x": draw(size=120), "y": draw(size=120) + 1}
    >>> result = compare(a, b, rng=1)
    >>> result.verdict, result.columns_changed
    ('different', ('y',))
    """
    level = as_share("level", level)
    _check_questions(min_effect, same_within)
    if unique and groups is not None:
        raise ValueError(
            "unique (--unique) drops repeated rows and groups (--groups) keeps the rows of a group "
            "together; give one of them."
        )
    count = _as_count(permutations, level)
    stages = Stages(as_progress(progress))
    generator, seed = as_seed(rng)
    budget = Budget.of(memory)
    streams = Streams.spawned(generator)
    ignore = tuple(ignore)
    belong = Groups(groups) if isinstance(groups, str) else groups
    drawn = None if sample is None else Sample(sample, streams.sample)
    text = CsvFormat(sep, header, encoding)
    told = kinds
    if is_dask(a) or is_dask(b):
        refuse_beside_reference(None, belong, unique)
        a, b = (some_columns(t, columns, ignore) if is_dask(t) else t for t in (a, b))
    if is_dask(a) and is_dask(b):
        (first, second), sketches = sketched_pair(a, b, kinds, streams.rows)
        halved = sketches is not None and same_within is None
        found = compare(
            first,
            second,
            level=0.5 * level if halved else level,
            min_effect=min_effect,
            same_within=same_within,
            target=target,
            permutations=permutations,
            rng=streams.units,
            memory=memory,
            progress=progress,
            sample=sample,
        )
        found = replace(found, seed=seed, settings={**found.settings, "seed": seed})
        if sketches is None or not halved:
            return found
        return with_all_rows(
            found, sketch_test(*sketches, level=0.5 * level, rng=streams.joint), level
        )
    if is_dask(a) or is_dask(b):
        a, b = profiled_side(a, b, kinds, streams.rows)
        kinds = None
    kept_side = "A" if is_reference(a) else "B" if is_reference(b) else ""
    if kept_side and (bare := without_rows(a, b)) is not None:
        if same_within is not None:
            raise ValueError(f"{bare.source} keeps no rows: sameness cannot be shown by it.")
        refuse_beside_reference(kinds, belong, unique)
        other = read_table(b if kept_side == "A" else a, text=text)
        _check_rows("B" if kept_side == "A" else "A", other)
        said = {"level": level, "min_effect": min_effect, "seed": seed}
        return summary_comparison(
            bare,
            replace(other, raw={n: c for n, c in other.raw.items() if n not in ignore}),
            level=level,
            min_effect=min_effect,
            settings=said,
            rng=streams.joint,
            seed=seed,
        )
    if kept_side:
        a, b, told = with_reference(a, b, kinds, belong, unique, text)
    settings = {
        "level": level,
        "min_effect": min_effect,
        "same_within": same_within,
        "columns": None if columns is None else list(columns),
        "ignore": list(ignore),
        "kinds": {name: str(kind) for name, kind in (kinds or {}).items()},
        "groups": None if belong is None else belong.labels,
        "swap": bool(belong and belong.swap),
        "thin": False if belong is None else belong.thin,
        "unique": unique,
        "target": target,
        "permutations": count,
        "seed": seed,
        "memory": memory,
        "allow_schema": allow_schema,
        "sample": sample,
        "where": where,
        "sep": sep,
        "header": header,
        "encoding": encoding,
    }
    questions = (min_effect, same_within, memory, unique, allow_schema, target)
    apart = (str(belong.labels),) if belong else ()
    wanted = columns if columns is None or isinstance(columns, str) else (*columns, *apart)
    kept = None
    if not kept_side and (large := open_large((a, b), wanted, text, where)) is not None:
        request = Request(columns, (*ignore, *apart), kinds, unique, target)
        budget = Budget.of_machine(memory)
        counter = RowCounter(stages.report, sum(one.rows for one in large.batches))
        some = rows_to_compare(
            large, request, sample=drawn, groups=belong, budget=budget, streams=streams,
            counter=counter,
        )  # fmt: skip
        if isinstance(some, ToStream):
            tests = streamed_test(
                some.batches,
                some.request,
                level=level,
                permutations=count,
                streams=streams,
                budget=budget,
                counter=counter,
            )
            pair = replace(tests.pair, notes=(*tests.pair.notes, *some.notes))
            plan = Plan(pair, level, count, streams, None, *questions)
            return assemble(plan, tests, stages, settings, seed)
        kept, drawn = some, None
    if kept is None and (where is not None or is_address(a) or is_address(b)):
        a, b = (held(source, wanted, text, where) for source in (a, b))
    tables = _read_tables((a, b), wanted, text) if kept is None else kept.tables
    pair, coded = _paired(
        tables, columns, (*ignore, *apart), told, belong, unique, budget, streams.rows, drawn, kept
    )
    del tables, kept  # a gigabyte for millions of rows; the pair keeps them where they are few
    stages.done("read")
    if target is not None:
        check_target(target, pair)
    plan = Plan(pair, level, count, streams, coded, *questions)
    with threads.fitting(sum(pair.sizes)):
        found = assemble(plan, JointTest.of(plan, stages), stages, settings, seed)
    if not kept_side:
        return found
    # rows of a reference have no numbers that anyone could look up
    return replace(found, rows=tuple(row for row in found.rows if row.table != kept_side))


def _check_questions(min_effect: float, same_within: float | None) -> None:
    if not 0 <= min_effect < 1:
        raise ValueError(f"min_effect must be at least 0 and below 1, got {min_effect}.")
    if same_within is None:
        return
    if not 0 < same_within < 1:
        raise ValueError(f"same_within must be above 0 and below 1, got {same_within}.")
    if min_effect:
        raise ValueError(
            "min_effect (--min-effect) asks whether a difference is shown, same_within "
            "(--same-within) whether sameness is; give one of them."
        )


def _as_count(permutations: int | None, level: float) -> int:
    count = as_permutations(permutations, level)
    if isinstance(count, Sequential):
        raise TypeError(
            f"permutations must be a whole number for compare, got {count!r}: all columns and "
            "pairs are judged on the same permutations, so none of them may stop early. Leave it "
            f"out, or pass permutations={count.most}."
        )
    return count


def _read_tables(
    sources: tuple[Any, Any], columns: Sequence[str] | None, text: CsvFormat
) -> tuple[Table, Table]:
    if all(isinstance(source, str) and source == STDIN for source in sources):
        raise ValueError("both tables are standard input (-), which can be read once; name a file.")
    wanted = None if isinstance(columns, str) else columns  # a text is refused later
    a, b = (read_table(source, wanted, text=text) for source in sources)
    return a, b


def _paired(
    tables: tuple[Table, Table],
    columns: Sequence[str] | None,
    ignore: tuple[str, ...],
    kinds: Mapping[str, Kind | str] | None,
    groups: Groups | None,
    unique: bool,
    budget: Budget,
    rng: np.random.Generator,
    sample: Sample | None,
    kept: HeldTables | None,
) -> tuple[TablePair, Groups | None]:
    """Both tables as one pair, and the groups with a number for every row."""
    for side, table in zip("AB", tables, strict=True):
        _check_rows(side, table)
    thin = rng if groups is None else None
    pair = pair_tables(
        *tables,
        columns=columns,
        ignore=ignore,
        kinds=kinds,
        thin=None if unique else thin,
        sample=sample,
    )
    of_table = pair.chosen
    pair = pair if kept is None else kept.numbered(pair)
    pair = distinct_rows(pair) if unique and not (kept and kept.distinct) else pair
    pair = fitting(pair, budget, thin)
    if groups is None:
        return pair, None
    column = _group_column(str(groups.labels), tables)
    column = column if of_table is None else column.taken(of_table)
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
