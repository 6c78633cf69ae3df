"""What is in a reference, in words: what it can tell, and what it gives away."""

from collections.abc import Iterator

from samelaw.columns.column import Kind
from samelaw.references.private_reference import equivalent_rows
from samelaw.references.reference import Reference
from samelaw.show.legible import legible
from samelaw.show.text_columns import columns, wrapped
from samelaw.show.words import clock, in_a_row, number, quoted
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
    if reference.noise is not None:
        yield from _private(reference)
        return
    yield (
        f"It holds sums over all of them ({frequencies} frequencies, means and variances) and "
        + (
            f"{len(reference.kept):,} rows drawn at random, as normal scores and places of "
            "categories: these can reveal rows."
            if len(reference.kept)
            else "no rows, so that tests against it are approximate."
        )
    )
    yield _rules(reference)


def _rules(reference: Reference) -> str:
    same = f"{reference.fingerprint[:16]} (references with the same add up)"
    return f"Rules and frequencies: {same}; rows that they were made of are not counted above."


def _private(reference: Reference) -> Iterator[str]:
    """What is known of a private reference, and what its noise costs."""
    noise = reference.noise
    assert noise is not None
    tables = "; ".join(f"ε = {one.epsilon:g}, δ = {one.delta:g}" for one in noise.budgets)
    several = f" of {len(noise.budgets)} tables, a budget each" * (len(noise.budgets) > 1)
    yield (
        f"It is private{several} ({tables}; one row replaced by another, the number of rows being "
        "public): rules of other rows, and noised sums of features and coordinates. No rows, so "
        "that tests against it are approximate."
    )
    yield (
        f"Noise: standard deviation {number(noise.matrix)} in the sums of "
        f"{reference.summary.feature_map.size // 2} frequencies. Its cost: the covariance is as "
        f"uncertain as that of {equivalent_rows(reference):,} rows without noise."
    )
    yield _rules(reference)


def _lines(reference: Reference) -> Iterator[tuple[str, str]]:
    for column in reference.rules.columns:
        gaps = "; some values missing" if column.gaps else ""
        yield column.name, f"{column.kind.value}: {_kept(column)}{gaps}"


def _kept(column: FrozenColumn) -> str:
    match column.kind:
        case Kind.NUMERIC | Kind.INTEGER:
            inner = column.knots[1:-1]
            show = clock if column.of_day else number
            ends = f"{show(float(inner[0]))} to {show(float(inner[-1]))}"
            return f"{len(inner)} quantiles from {ends}"
        case Kind.CATEGORICAL:
            return (
                f"{len(column.words)} categories: {in_a_row([*map(quoted, column.words)], _SHOWN)}"
            )
        case Kind.BOOLEAN:
            return "true or false"
        case Kind.CONSTANT:
            value = quoted(column.words[0]) if column.words else number(float(column.knots[0]))
            return f"always {value}"
        case Kind.EMPTY:
            return "no value"
    return "only whether there is a value"
