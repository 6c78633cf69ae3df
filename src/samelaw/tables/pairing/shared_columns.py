"""The columns that two tables share, by their names; what nobody has or can mean is refused."""

from collections.abc import Collection, Iterable, Sequence

from samelaw.results.words import in_a_row
from samelaw.tables.columns.names import check_names, no_names
from samelaw.tables.pairing.schema_changes import SHOWN
from samelaw.tables.table import Table


def shared_columns(
    a: Table,
    b: Table,
    columns: Sequence[str] | None,
    ignore: Collection[str],
    chosen: Iterable[str] = (),
) -> list[str]:
    """Names of the columns that are compared; names that nobody knows are refused.

    ``chosen`` are columns whose kinds were told.
    """
    for option, names in (("columns", columns), ("ignore", ignore)):
        if isinstance(names, str):
            raise ValueError(f"{option} is the text {names!r}; expected a list of names.")
    either = tuple(dict.fromkeys((*a.names, *b.names)))
    check_names((*ignore, *chosen), either, "either table")
    for table in (a, b):
        check_names(columns or (), table.names, table.source)
    if columns is None:
        _check_first_lines(a, b)
    return _shared(a, b, columns, ignore)


def _check_first_lines(a: Table, b: Table) -> None:
    """Rows that were taken for names would be compared as columns gone and columns new."""
    if set(a.names) == set(b.names):
        return
    for table in (a, b):
        if table.first_line:
            raise no_names(table.source, table.first_line)


def _shared(
    a: Table, b: Table, columns: Sequence[str] | None, ignore: Collection[str]
) -> list[str]:
    wanted = a.names if columns is None else tuple(dict.fromkeys(columns))
    both = [name for name in wanted if name in b.raw and name not in ignore]
    if not both and any(name in b.raw for name in wanted):
        raise ValueError("every column that both tables have is ignored; leave one to compare.")
    if not both:
        alone = 1 in (len(a.names), len(b.names))
        other = ", or say what separates values (--sep, sep= in Python)" if alone else ""
        raise ValueError(
            f"{a.source} and {b.source} share no column to compare: the first has "
            f"{_named(a)}, the second {_named(b)}; rename them to match{other}."
        )
    return both


def _named(table: Table) -> str:
    return in_a_row([repr(name) for name in table.names], SHOWN)
