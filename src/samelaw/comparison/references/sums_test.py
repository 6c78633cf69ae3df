"""A table against a reference that keeps no rows: what sums can say, by an approximate test.

All columns together are compared by what the feature map makes of a row (`summary_joint`), every
column by its means and shares (`summary_columns`). Features are of all columns of the reference at
once: if only some of them are compared, these are tested one by one.
"""

import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from samelaw.comparison.constants import POWER_SCORE
from samelaw.comparison.effects.intervals import Effect
from samelaw.comparison.findings import ColumnFinding, Picture
from samelaw.comparison.options import Question
from samelaw.comparison.references.as_table import presence_notes, unseen_values
from samelaw.comparison.references.reference import Reference
from samelaw.comparison.references.sums_columns import LEAST, column_findings
from samelaw.comparison.references.sums_joint import Joint, joint_test
from samelaw.comparison.result import Comparison
from samelaw.comparison.verdict import ALIKE, DIFFERENT, TOO_LITTLE, schema_words, too_little
from samelaw.core.types import Matrix
from samelaw.divergence.summary import Moments
from samelaw.results.words import listed, source_names
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.raw_column import Form, RawColumn
from samelaw.tables.columns.raw_words import RawWords
from samelaw.tables.frozen import FrozenColumn
from samelaw.tables.pairing.pair import shared_columns
from samelaw.tables.pairing.schema_changes import NUMBERS, TEXT, Change, SchemaChange, one_sided
from samelaw.tables.table import Table

T = TypeVar("T")

METHOD = "approximate p-value: the reference keeps no rows; "
_ALL_COLUMNS = "all columns together by the divergence of their sums"
_NUMBERS = (Kind.NUMERIC, Kind.INTEGER)
_UNKNOWN = Effect(math.nan, 1.0, 0.0, 0.0, 0.0)


def summary_comparison(
    reference: Reference, table: Table, side: str, question: Question
) -> Comparison:
    """What can be said without rows, as a comparison; labelled approximate.

    ``side``, "A" or "B", is that of the reference.
    """
    table = table.filled(reference.rules.names)
    tables = _in_order(_named(reference), table, side)
    shared = shared_columns(*tables, question.columns, question.ignore)
    some = reference.of_columns(shared)
    whole = some.rules.coordinates == reference.rules.coordinates
    _check_enough(some, table, whole, question.min_effect)
    changes = _schema_changes(some, tables, table, side, question)
    rng = question.streams.joint
    points, _ = some.rules.encode(table)
    joint = None
    if whole:
        joint = joint_test(some, points[rng.permutation(len(points))], question.permutations, rng)
    marginals = column_findings(
        some, Moments.of(points), level=question.level, factor=1.0 + whole, side=side
    )
    return _answer(some, table, side, question, joint, marginals, changes)


def _answer(
    reference: Reference,
    table: Table,
    side: str,
    question: Question,
    joint: Joint | None,
    marginals: tuple[ColumnFinding, ...],
    changes: tuple[SchemaChange, ...],
) -> Comparison:
    effect, score = joint.effect if joint else _UNKNOWN, _score(question.level)
    pvalue = _pvalue(joint, marginals)
    significant = pvalue <= question.level
    low, high = effect.interval(score) if joint else (0.0, 1.0)
    matters = significant and low >= question.min_effect
    schema = () if question.allow_schema else tuple(c for c in changes if c.difference)
    verdict = DIFFERENT if matters or schema else TOO_LITTLE if significant else ALIKE
    changed = tuple(dict.fromkeys(found.column for found in marginals if found.changed))
    sources = _in_order(reference.source, table.source, side)
    said = _said(verdict, sources, changed, schema, significant)
    nothing: Matrix = np.empty(0)
    return Comparison(
        verdict=verdict,
        sentence=said + too_little(question.min_effect) * (verdict == TOO_LITTLE),
        statistic=joint.statistic if joint else 0.0,
        pvalue=pvalue,
        level=question.level,
        reject=matters or bool(schema),
        schema_differs=bool(schema),
        null_distribution=joint.null if joint else nothing,
        effect=effect.value,
        effect_of="all columns" if joint else "columns whose effect sums cannot tell",
        effect_interval=(low if significant else 0.0, high),
        detectable_effect=min(1.0, (score + POWER_SCORE) * effect.spread),
        min_effect=question.min_effect,
        columns_changed=changed,
        column_groups=(),
        marginals=marginals,
        pairs=(),
        missing=(),
        rows=(),
        directions=(),
        panels=(),
        picture=Picture(("", ""), (), (), (), ()),
        schema_changes=changes,
        left_out=(),
        sizes=_in_order(reference.rows, table.rows, side),
        sources=sources,
        notes=(*table.notes, *_notes(reference, table, joint)),
        settings=question.settings(),
        seed=question.seed,
        method=f"{METHOD}{_ALL_COLUMNS + ', ' if joint else ''}columns by means and shares",
        effect_limit=high,
    )


def _in_order(reference: T, table: T, side: str) -> tuple[T, T]:
    """That of A, that of B."""
    return (reference, table) if side == "A" else (table, reference)


def _named(reference: Reference) -> Table:
    """A reference as a table of which nothing but names is known."""
    nothing = RawWords(np.empty(0, dtype=np.int64), ())
    raw: dict[str, RawColumn] = dict.fromkeys(reference.rules.names, nothing)
    return Table(raw, reference.rows, reference.source)


def _check_enough(some: Reference, table: Table, whole: bool, min_effect: float) -> None:
    """Raise where nothing is left to compare, or where an answer could not be relied on."""
    if not some.rules.coordinates:
        raise ValueError(
            f"no column is left to compare: {some.source} keeps nothing of "
            f"{listed([*map(repr, some.rules.names)])} (dates, text, constants)."
        )
    if min_effect and not whole:
        raise ValueError(
            f"min_effect (--min-effect) needs all columns of {some.source}, which keeps no rows: "
            "its sums know the effect on all of them together only. Compare all columns, or with "
            "a reference that keeps rows."
        )


def _schema_changes(
    some: Reference, tables: tuple[Table, Table], table: Table, side: str, question: Question
) -> tuple[SchemaChange, ...]:
    """Columns of one side only, unless columns were named, and numbers that became text."""
    found = [] if question.columns is not None else one_sided(*tables, set(question.ignore))
    worded = [c.name for c in some.rules.columns if _worded(c, table.raw[c.name])]
    one, other = _in_order(NUMBERS, TEXT, side)
    return (
        *found,
        *(
            SchemaChange(
                Change.TYPE,
                name,
                f"{name}: {one} in A, {other} in B.",
                difference=True,
                types=(one, other),
            )
            for name in worded
        ),
    )


def _worded(column: FrozenColumn, raw: RawColumn) -> bool:
    """Whether a column of numbers has values and none of them is a number."""
    return column.kind in _NUMBERS and raw.known > 0 and raw.count(Form.NUMBER) == 0


def _pvalue(joint: Joint | None, marginals: Sequence[ColumnFinding]) -> float:
    """Of everything; that of columns knows of the joint test already.

    No less than the draws of the joint test can give: tails of a normal law are not known better.
    """
    smallest = min(found.pvalue for found in marginals)
    if joint is None:
        return max(smallest, LEAST)
    return min(1.0, max(joint.least, min(2.0 * joint.pvalue, smallest)))


def _score(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(1.0 - 0.5 * level))


def _said(
    verdict: str,
    sources: tuple[str, str],
    changed: Sequence[str],
    schema: Sequence[SchemaChange],
    significant: bool,
) -> str:
    a, b = source_names(sources)
    label = "(approximate: the reference keeps no rows)"
    if verdict == ALIKE:
        return f"No difference found between {a} and {b} {label}."
    where = f"{listed(changed)} changed" if changed else "all columns taken together changed"
    where = where if significant else "no other difference found"
    words = f"{schema_words(schema)}; {where}" if schema else where
    return f"{b} differs from {a}: {words} {label}."


def _notes(reference: Reference, table: Table, joint: Joint | None) -> list[str]:
    """What sums cannot tell, and what the rules of the reference make of the table."""
    rules = reference.rules
    notes = [
        f"{reference.source} keeps sums of {reference.rows:,} rows and none of the rows: pairs "
        "of columns, shapes of columns and rows that stand out cannot be told."
    ]
    if joint is None:
        notes.append(
            "its sums are of all its columns together; as only some of them are compared, they "
            "are tested one by one, and the effect is not known."
        )
    said = (unseen_values(c, table.raw[c.name]) for c in rules.columns)
    return [*notes, *presence_notes(reference), *filter(None, said)]
