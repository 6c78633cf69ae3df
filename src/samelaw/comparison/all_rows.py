"""A comparison of drawn rows and a test of all rows in blocks, as one answer at one level.

Columns, pairs and effects come from the rows drawn, at half the level; all rows of both tables
enter by the test of their blocks, at the other half.
"""

from dataclasses import replace
from typing import TypeVar

from samelaw.comparison.findings import ColumnFinding, PairFinding
from samelaw.comparison.question import Question
from samelaw.comparison.result import Comparison
from samelaw.comparison.verdict import DIFFERENT, TOO_LITTLE, schema_words, too_little
from samelaw.permuting.permutations import as_permutations
from samelaw.show.words import source_names
from samelaw.twosample.result import TestResult

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
