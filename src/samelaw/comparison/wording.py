"""Numbers in words, the same in the terminal and in the report."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from samelaw.comparison.effects.limits import ALL_COLUMNS
from samelaw.comparison.findings import RowFinding, Rule
from samelaw.results.escape_controls import legible
from samelaw.results.words import amount, at_least, confidence, decimal, percent, points

if TYPE_CHECKING:  # which prints itself in these words
    from samelaw.comparison.result import Comparison

NEARLY_ALL = 0.98
_GAP_KEPT = 0.9  # share of a rule's gap that new rows keep, above which it is not worth a remark
NO_DIFFERENCE = "no difference found"


def pvalue_and_level(comparison: "Comparison") -> str:
    """The p-value, its level, and how many permutations it rests on."""
    tried = len(comparison.null_distribution)
    text = f"{decimal(comparison.pvalue)} (level {comparison.level:g}"
    if not tried:
        return f"{text})"
    if comparison.method.startswith("approximate"):
        return f"{text}; approximate, from {tried:,} bootstrap draws)"
    if comparison.pvalue * (tried + 1) < 1.5:
        return f"{text}; the least that {tried:,} permutations can give)"
    return f"{text}; from {tried:,} permutations)"


def dependence_words(comparison: "Comparison") -> str:
    """Why the p-value may be far off: tables that share rows; empty if they do not."""
    shared = comparison.duplicates
    if shared is None or shared.same_rows or not shared.entangled:
        return ""
    return f"the p-value supposes independent samples, but {shared.overlap} (see the notes)"


def effect_words(comparison: "Comparison") -> str:
    """The effect with its interval and where it was found."""
    low, high = comparison.effect_interval
    if math.isnan(comparison.effect):
        return f"not known of {legible(comparison.effect_of)}"
    return (
        f"{effect_estimate(comparison)} on a scale from 0 (same law) to 1 (nothing in common); "
        f"{confidence(comparison.level)} interval {decimal(low)} to {decimal(high)}, on "
        f"{legible(comparison.effect_of)}"
    )


def effect_estimate(comparison: "Comparison") -> str:
    """The effect; where a difference was found whose estimate is 0, what it lies below."""
    if comparison.effect == 0 and comparison.pvalue <= comparison.level:
        return f"below {amount(comparison.effect_interval[1])}"
    return decimal(comparison.effect)


def changed_words(comparison: "Comparison") -> str:
    """How many columns changed by themselves and how many pairs; empty if none."""
    count, every = len(comparison.changed_alone), comparison.columns_compared
    pairs = comparison.pairs_changed
    if not (count or pairs):
        return ""
    word = "pair" if pairs == 1 else "pairs"
    beside = f", {pairs:,} {word} of columns by how they go together" if pairs else ""
    return f"{count:,} of {every:,} columns{beside}"


def rule_words(comparison: "Comparison") -> str:
    """Where the change is clearest, and what that rests on; empty if no rule was shown."""
    rule = comparison.rule
    if rule is None:
        return ""
    said = decimal(rule.pvalue)
    return (
        f"{legible(rule.text)}: {shares_of_rule(rule, 'A', 'B')} "
        f"(p {said if said[0] == '<' else f'= {said}'} on rows that it was not found on)"
    )


def shares_of_rule(rule: Rule, a: str, b: str) -> str:
    """Its shares of both tables, and the gap to expect among new rows where that is smaller."""
    said = f"{percent(rule.share_a)} of {a}, {percent(rule.share_b)} of {b}"
    if abs(rule.expected_gap) >= _GAP_KEPT * abs(rule.gap):
        return said
    gap = points(abs(rule.expected_gap)).removeprefix("+")
    return f"{said}; expect a gap of about {gap} point{'s' * (gap != '1')} among new rows"


def rows_title(table: str, rows: Sequence[RowFinding]) -> str:
    """What rows of a table stand for: "no longer seen" only where that is so of each."""
    if table == "B":
        return "Rows of B least like A"
    gone = all(row.unseen for row in rows)
    return "Rows of A no longer seen in B" if gone else "Rows of A that are rarer in B"


def detectable_words(comparison: "Comparison") -> str:
    """What as many rows as were compared could have shown: of large tables not all are."""
    looked_at = comparison.duplicates
    n, m = looked_at.rows if looked_at and any(looked_at.rows) else comparison.sizes
    of, worst = comparison.detectable_worst_of, comparison.detectable_worst
    least = _and_worst(comparison.detectable_effect, worst, of, "where they are hardest to find")
    found = least or f"{amount(comparison.detectable_effect)} on all columns together"
    return f"effects from about {found} are found 8 times in 10 with {n:,} v {m:,} rows"


def _of_what(of: str) -> str:
    return "all columns together" if of == ALL_COLUMNS else legible(of)


def _and_worst(value: float, worst: float, of: str, why: str) -> str:
    """A number of all columns together and a larger one of a column or pair; empty if none is."""
    if worst <= value or not of:
        return ""
    return f"{amount(value)} on all columns together, or {amount(worst)} on {legible(of)}, {why},"


def _may_remain(comparison: "Comparison") -> str:
    """Upper limits of the effect of all columns together and of the one that is known least."""
    high, limit = comparison.effect_interval[1], comparison.effect_limit
    of = comparison.effect_limit_of
    return _and_worst(high, limit, of, "where the limit is highest") or amount(high)


def meaning(comparison: "Comparison") -> str:
    """What the lower end says of the rows, the upper end of the effect: it is no share of rows."""
    low, high = comparison.effect_interval
    sure = f"({confidence(comparison.level)} sure)"
    if comparison.duplicates and comparison.duplicates.same_rows:
        return "Every row of A is in B, as often, so nothing is left that could differ."
    if comparison.same is not None:
        return _sameness(comparison, sure)
    if comparison.schema_differs and comparison.pvalue > comparison.level:
        return (
            "Columns differ, their values are not found to: an effect up to "
            f"{_may_remain(comparison)} may remain in those that were compared {sure}."
        )
    if comparison.verdict == NO_DIFFERENCE:
        return (
            "Not finding a difference does not prove that there is none: one with an effect up "
            f"to {_may_remain(comparison)} may remain{among(comparison)} {sure}."
        )
    if not comparison.values_differ:
        return (
            "A difference was found, but its effect is not shown to reach "
            f"{comparison.min_effect:g}, which you said matters; it is at most {amount(high)} "
            f"{sure}."
        )
    if low <= 0 and dependence_words(comparison):
        return "No more need be behind it than the rows that both tables have."
    if low * comparison.sizes[0] < 1:
        return (
            "A difference was found, but not how many rows would have to change to turn A into B: "
            f"the effect on {_of_what(comparison.effect_of)} may be anything up to {amount(high)} "
            f"{sure}."
        )
    share = "Nearly all" if low > NEARLY_ALL else f"At least {at_least(low)} of the"
    return f"{share} rows would have to change to turn A into B {sure}."


def among(comparison: "Comparison") -> str:
    """Where something may remain, if of other columns nothing is known."""
    unknown = any(not out.same for out in comparison.left_out)
    return " in the columns compared" if unknown else ""


def _sameness(comparison: "Comparison", sure: str) -> str:
    """What was shown about sameness, and the rows it would take."""
    bound, limit = comparison.same_within, amount(comparison.effect_limit)
    if comparison.same:
        return (
            f"No effect above {limit} is left{among(comparison)} {sure}; you asked for none that "
            f"reaches {bound:g}."
        )
    if comparison.schema_differs:
        return f"Tables of other columns are not the same; values differ by at most {limit} {sure}."
    if comparison.rows_needed is None:
        return (
            f"The effect itself, {decimal(comparison.effect)}, is not below {bound:g}: more rows "
            "like these would not show it either."
        )
    n, m = comparison.rows_needed
    return (
        f"An effect up to {limit} may be there {sure}. About {n:,} v {m:,} rows like these would "
        f"show that none reaches {bound:g}."
    )
