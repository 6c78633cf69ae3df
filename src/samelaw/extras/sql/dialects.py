"""What five databases spell in their own way: names, words, numbers, chance, quantiles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from samelaw.tables.reading.addresses import name_parts


@dataclass(frozen=True)
class Dialect:
    """One database's SQL, as far as block sums need it.

    Parameters
    ----------
    name : str
    double, text : str
        Types that hold numbers and words, and NULL.
    random : str
        A number for each row that has nothing to do with what the row holds, from ``{seed}``.
        Blocks by a hash of the content would put equal rows into one block: false alarms.
    finite : str
        ``{value}``, or NULL if it is no number (NaN).
    quantiles : str
        Of ``{column}`` at ``{shares}``, as one list; empty where statements are only written.
    quote : str
        The sign around names.
    backslash : bool
        Whether a backslash in a word begins an escape.
    temporary : str
        Where a table that ends with the session is named.
    only_reads : str
        What makes the rest of a transaction write to temporary tables only.
    declared : str
        A query for the name and category of types by their ``{numbers}``, where a description of
        columns has numbers only.
    fence : str
        What keeps a subquery from being copied into each of its thousand uses.
    """

    name: str
    double: str
    text: str
    random: str
    finite: str
    quantiles: str = ""
    quote: str = '"'
    backslash: bool = False
    temporary: str = ""
    only_reads: str = ""
    declared: str = ""
    fence: str = ""

    def identifier(self, name: str) -> str:
        """One name, in quotes: whatever it holds, it stays a name."""
        if not name or "\0" in name:
            raise ValueError(f"{name!r} is no name of a table or column; expected letters.")
        return _between(self.quote, name, backslash=self.quote == "`")

    def table(self, name: str) -> str:
        """``schema.table``, each part in quotes; a dot inside a part needs "double quotes"."""
        return ".".join(map(self.identifier, name_parts(name)))

    def word(self, text: str) -> str:
        """A literal; a quote in it cannot end it."""
        if "\0" in text:
            raise ValueError(f"{text!r} holds the sign NUL, which databases refuse.")
        return _between("'", text, backslash=self.backslash)

    def number(self, value: float) -> str:
        """A literal that is read back as the same double, never as a decimal of few digits."""
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be written in SQL; expected a finite number.")
        written = repr(float(value))
        written = written if "e" in written else f"{written}e0"
        return f"({written})" if value < 0 or written.startswith("-") else written

    def quantiles_of(self, column: str, shares: Sequence[float]) -> str:
        written = ", ".join(map(self.number, shares))
        return self.quantiles.format(column=column, shares=written)


def _between(quote: str, text: str, *, backslash: bool) -> str:
    if not backslash:
        return quote + text.replace(quote, quote * 2) + quote
    for sign, other in (("\\", r"\\"), ("\n", r"\n"), ("\r", r"\r"), (quote, f"\\{quote}")):
        text = text.replace(sign, other)
    return quote + text + quote


DIALECTS = {
    one.name: one
    for one in (
        Dialect(
            "duckdb",
            double="DOUBLE",
            text="VARCHAR",
            random="HASH(ROW_NUMBER() OVER (), {seed})",
            finite="NULLIF({value}, CAST('NaN' AS DOUBLE))",
            quantiles="QUANTILE_DISC({column}, [{shares}])",
            temporary="temp.",
        ),
        Dialect(
            "postgres",
            double="DOUBLE PRECISION",
            text="TEXT",
            random="HASHINT8EXTENDED(ROW_NUMBER() OVER (), {seed})",
            finite="NULLIF({value}, CAST('NaN' AS DOUBLE PRECISION))",
            quantiles="PERCENTILE_DISC(ARRAY[{shares}]) WITHIN GROUP (ORDER BY {column})",
            temporary="pg_temp.",
            only_reads="SET TRANSACTION READ ONLY",
            declared=(
                "SELECT oid, typname, typcategory FROM pg_catalog.pg_type WHERE oid IN ({numbers})"
            ),
            fence=" OFFSET 0",
        ),
        Dialect(
            "bigquery",
            double="FLOAT64",
            text="STRING",
            random="RAND()",
            finite="IF(IS_NAN({value}), NULL, {value})",
            quote="`",
            backslash=True,
        ),
        Dialect(
            "snowflake",
            double="DOUBLE",
            text="VARCHAR",
            random="RANDOM({seed})",
            finite="NULLIF({value}, CAST('NaN' AS DOUBLE))",
            backslash=True,
        ),
        Dialect(
            "clickhouse",
            double="Nullable(Float64)",
            text="Nullable(String)",
            random="sipHash64(rowNumberInAllBlocks(), {seed})",
            finite="if(isNaN({value}), NULL, {value})",
            quote="`",
            backslash=True,
        ),
    )
}


def dialect_named(name: str) -> Dialect:
    """The dialect of this name; another name is an error that lists them."""
    if name not in DIALECTS:
        raise ValueError(f"no dialect is called {name!r}; choose one of {', '.join(DIALECTS)}.")
    return DIALECTS[name]
