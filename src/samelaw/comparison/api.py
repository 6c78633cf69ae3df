"""Compare two tables: one verdict, how large the change is, and where it sits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from samelaw.comparison.dispatch import compared
from samelaw.comparison.options import Question
from samelaw.comparison.result import Comparison
from samelaw.core.types import Progress, Seed
from samelaw.tables.columns.column import Kind
from samelaw.tables.reading.formats import CsvFormat
from samelaw.testing.permuting.group_units import Groups


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
    groups: str | Groups | Mapping[str, Any] | None = None,
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
    skip: int | None = None,
    sheet: str | None = None,
) -> Comparison:
    """Whether two tables follow the same law, how far apart they are, and where they differ.

    All columns together, every column alone and every pair of columns are tested at once, on the
    same permutations of the rows: one exact p-value for the whole, and names of columns that are
    wrong with probability at most the level. Names of pairs are exact when the tables follow one
    law, approximate when columns moved and their dependence did not.

    Parameters
    ----------
    a, b : path, frame, array or dict
        Whatever `samelaw.tables.read_table` reads: CSV, Parquet, Arrow, JSON, Excel, .npy, a
        folder or pattern of files, ``"-"`` for standard input, a frame of pandas, polars or
        pyarrow, an array (n, d), a dict of columns, a list of records; a `Reference` or the file
        of one (.safetensors); a Dask dataframe, which is gathered if it fits, else its cluster sums
        its rows and draws 20,000 of them; a table of a database, as ``"duckdb:///shop.db?table=orders"``,
        ``"sqlite:///shop.db?query=…"`` or ``"postgresql://host/shop?table=public.orders"``.
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
        says how they are permuted (or a dict of its arguments, as `Comparison.settings` has it).
        The column itself is not compared.
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
    skip, sheet : int, str, optional
        Lines above the names of CSV files and sheets, which looking finds if they are shorter than
        the others; the sheet of Excel files, the first by default.

    Returns
    -------
    Comparison

    Notes
    -----
    Up to 2,000 pooled rows every row is permuted; above, blocks of rows are, and the cost is
    linear in the rows. The level is exact either way: kinds, scales, classes and bandwidths depend
    on the pool only, and what pairs are ranked by within a table is found anew each time.

    Dates, and keys that count up, that tell the tables apart completely are named in ``left_out``
    and not compared, unless ``kinds`` names them; rows of one law are told apart so in less than
    one of 10⁹ draws.

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
    question = Question.of(
        level=level,
        min_effect=min_effect,
        same_within=same_within,
        columns=columns,
        ignore=ignore,
        kinds=kinds,
        groups=groups,
        unique=unique,
        target=target,
        permutations=permutations,
        rng=rng,
        memory=memory,
        progress=progress,
        allow_schema=allow_schema,
        sample=sample,
        where=where,
        text=CsvFormat(sep, header, encoding, skip, sheet),
    )
    return compared(a, b, question)
