"""Compare two tables: one verdict, how large the change is, and where it sits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from samelaw.comparison.assemble import Findings
from samelaw.comparison.joint_test import Plan, Search, Stages
from samelaw.comparison.result import Comparison
from samelaw.comparison.summarize import describe_groups
from samelaw.core import threads
from samelaw.core.array import as_share
from samelaw.core.checks import as_progress, as_seed
from samelaw.core.types import Matrix
from samelaw.data.kinds import Column, Kind, Table, read_column
from samelaw.data.names import check_names
from samelaw.data.pair import pair_tables
from samelaw.data.read import read_table
from samelaw.twosample.permutations import as_permutations
from samelaw.twosample.units import Groups


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
    permutations: int | None = None,
    rng: Any = None,
    memory: float | None = None,
    progress: Any = None,
) -> Comparison:
    """Whether two tables follow the same law, how far apart they are, and where they differ.

    All columns together, every column alone and every pair of columns are tested at once, on the
    same relabellings of the rows: one exact p-value for the whole, and names of columns that are
    wrong with probability at most the level. Names of pairs are exact when the tables follow one
    law, approximate when columns moved and their dependence did not.

    Parameters
    ----------
    a, b : path, frame, array or dict
        Whatever `samelaw.data.read.read_table` reads: CSV, Parquet, Arrow, JSON lines, .npy, a
        folder or pattern of files, a frame of pandas, polars or pyarrow, an array (n, d), a dict.
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
        says how they are relabelled. The column itself is not compared.
    permutations : int, optional
        Relabellings; 999 by default.
    rng : int, Generator or None
    memory : float, optional
        Bytes the test of all columns together may use.
    progress : callable(done, total) or True

    Returns
    -------
    Comparison

    Notes
    -----
    Up to 2,000 pooled rows every row is relabelled; above, blocks of rows are, and the cost is
    linear in the rows. The level is exact either way: kinds, scales, classes and bandwidths depend
    on the pool only, and what pairs are ranked by within a table is found anew for every labelling.

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
    if not 0 <= min_effect < 1:
        raise ValueError(f"min_effect must be at least 0 and below 1, got {min_effect}.")
    _check_same_within(same_within, min_effect)
    generator, seed = as_seed(rng)
    steps = Stages(as_progress(progress))
    named = columns is not None and not isinstance(columns, str)  # a text is refused below
    belong = Groups(groups) if isinstance(groups, str) else groups
    apart = (str(belong.labels),) if belong else ()
    wanted = (*(columns or ()), *apart) if named else None
    tables = read_table(a, wanted), read_table(b, wanted)
    for side, table in zip("AB", tables, strict=True):
        _check_rows(side, table)
    pair = pair_tables(*tables, columns=columns, ignore=(*ignore, *apart), kinds=kinds)
    if belong is None:
        pair = pair.thinned(generator)
    coded = None
    if belong is not None:
        column = _group_column(str(belong.labels), tables)
        pair = replace(pair, notes=(*pair.notes, *describe_groups(column, pair.sizes[0])))
        coded = replace(belong, labels=_codes(column))
    del tables, table  # a gigabyte for millions of rows, and the pair holds what is compared
    steps.done("read")
    plan = Plan(pair, level, as_permutations(permutations, level), generator, memory)  # type: ignore[arg-type]
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
        "permutations": plan.permutations,
        "seed": seed,
    }
    together = None if coded is None else coded.labels
    with threads.fitting(sum(pair.sizes)):
        search = Search.of(plan, coded, steps)
        found = Findings(plan, search, min_effect, steps, same_within, together)
        return found.comparison(settings, seed)


def _check_same_within(same_within: float | None, min_effect: float) -> None:
    if same_within is None:
        return
    if not 0 < same_within < 1:
        raise ValueError(f"same_within must be above 0 and below 1, got {same_within}.")
    if min_effect:
        raise ValueError(
            "min_effect (--min-effect) asks whether a difference is shown, same_within "
            "(--same-within) whether sameness is; give one of them."
        )


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
