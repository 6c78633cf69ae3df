"""What is in a reference, in words: what it can tell, and what it gives away."""

from collections.abc import Iterator

from samelaw.comparison.references.reference import Reference
from samelaw.results.escape_controls import legible
from samelaw.results.text_columns import columns, wrapped
from samelaw.results.words import in_a_row, quoted
from samelaw.tables.columns.column import Kind
from samelaw.tables.frozen import FrozenColumn

_WIDTH = 80
_SHOWN = 3


def describe(reference: Reference) -> str:
    """All that a file holds, as text."""
    head = [line for said in _head(reference) for line in wrapped(said, _WIDTH)]
    lines = [*head, "", *columns(list(_lines(reference)), _WIDTH, ["Column", "Kept"])]
    return "\n".join(map(legible, lines))


def _head(reference: Reference) -> Iterator[str]:
    frequencies = reference.summary.feature_map.size // 2
    yield f"A reference of {reference.rows:,} rows of {reference.source}."
    yield (
        f"It holds sums over all of them ({frequencies} frequencies, means and variances) and "
        + (
            f"{len(reference.kept):,} rows drawn at random, as normal scores and places of "
            "categories: these can reveal rows."
            if len(reference.kept)
            else "no rows, so that tests against it are approximate."
        )
    )
    same = f"{reference.fingerprint[:16]} (references with the same add up)"
    yield f"Rules and frequencies: {same}; rows that they were made of are not counted above."


def _lines(reference: Reference) -> Iterator[tuple[str, str]]:
    for column in reference.rules.columns:
        gaps = "; some values missing" if column.gaps else ""
        yield column.name, f"{column.kind.value}: {_kept(column)}{gaps}"


def _kept(column: FrozenColumn) -> str:
    match column.kind:
        case Kind.NUMERIC | Kind.INTEGER:
            inner = column.knots[1:-1]
            ends = f"{column.show(float(inner[0]))} to {column.show(float(inner[-1]))}"
            return f"{len(inner)} quantiles from {ends}"
        case Kind.CATEGORICAL:
            return (
                f"{len(column.words)} categories: {in_a_row([*map(quoted, column.words)], _SHOWN)}"
            )
        case Kind.BOOLEAN:
            return "true or false"
        case Kind.CONSTANT:
            value = quoted(column.words[0]) if column.words else column.show(float(column.knots[0]))
            return f"always {value}"
        case Kind.EMPTY:
            return "no value"
    return "only whether there is a value"
