"""The answer in one word and in one sentence, and the columns it names."""

from collections import Counter
from collections.abc import Collection, Sequence

from samelaw.comparison.effects.limits import Sameness
from samelaw.comparison.findings import ColumnFinding, PairFinding, Rule, known_effect
from samelaw.comparison.plan import Plan
from samelaw.comparison.wording import shares_of_rule
from samelaw.results.words import amount, confidence, in_a_row, listed, shorten, source_names
from samelaw.tables.pairing.left_out import LeftOut
from samelaw.tables.pairing.rewritten import Cause
from samelaw.tables.pairing.schema_changes import Change, SchemaChange

DIFFERENT = "different"
ALIKE = "no difference found"
TOO_LITTLE = "different, but too little to matter"
NOT_SHOWN = "not shown to be the same"

_LONGEST = 30  # characters of a name beside others
_OVERALL = "the tables differ overall, but no single column or pair stands out"
_NAMED = 4  # columns that a sentence names
_NAMED_PAIRS = 2
_SEEN = 2  # remarks in a sentence
_SAID = 3  # columns of another type that a sentence names


def changed_columns(
    marginals: Sequence[ColumnFinding], pairs: Sequence[PairFinding]
) -> tuple[str, ...]:
    """Names, each once, of columns that changed alone or as one of a pair, by effect."""
    alone = [(known_effect(found), (found.column,)) for found in marginals if found.changed]
    together = [(known_effect(found), found.columns) for found in pairs if found.changed]
    ranked = sorted([*alone, *together], key=lambda item: -item[0])
    return tuple(dict.fromkeys(name for _, names in ranked for name in names))


def column_groups(pairs: Sequence[PairFinding]) -> tuple[tuple[str, ...], ...]:
    """Sets of columns connected by changed pairs."""
    groups: list[list[str]] = []
    for found in pairs:
        if found.changed:
            touching = [g for g in groups if set(g) & set(found.columns)]
            merged = list(dict.fromkeys([n for g in touching for n in g] + list(found.columns)))
            groups = [g for g in groups if g not in touching] + [merged]
    return tuple(tuple(group) for group in groups)


def verdict_of(
    significant: bool,
    matters: bool,
    sameness: Sameness,
    plan: Plan,
    schema: Sequence[SchemaChange] = (),
) -> str:
    """What was asked for: a difference, or sameness."""
    if sameness.same is not None:
        return f"the same within {plan.same_within:g}" if sameness.same else NOT_SHOWN
    return DIFFERENT if matters or schema else TOO_LITTLE if significant else ALIKE


def sentence_of(
    verdict: str,
    plan: Plan,
    marginals: Sequence[ColumnFinding],
    pairs: Sequence[PairFinding],
    sameness: Sameness,
    schema: Sequence[SchemaChange] = (),
    seen: Sequence[str] = (),
    rule: Rule | None = None,
    significant: bool = True,
    causes: Sequence[Cause] = (),
) -> str:
    """The verdict for people who want no statistics.

    ``causes`` move values and come before them; ``seen`` is what no test can show, or what may be
    all there is to a difference.
    """
    a, b = source_names(plan.pair.sources)
    if sameness.same is not None:
        said = _same_sentence(a, b, sameness, plan, schema, _scope(plan, marginals))
        return said + _look([cause.text for cause in causes])
    if verdict == ALIKE:
        look = _look([*(cause.text for cause in causes), *seen])
        return f"No difference found between {a} and {b}{_scope(plan, marginals)}.{look}"
    nothing = f"no other difference found{_scope(plan, marginals)}"
    explained = {name for cause in causes for name in cause.columns}
    where = _where(marginals, pairs, explained) if significant else nothing
    said = "; ".join(filter(None, [schema_words(schema), *_leading(causes), where]))
    clearest = "" if rule and explained.issuperset(rule.columns) else _clearest(rule, a, b)
    text = f"{b} differs from {a}: {said}.{clearest}{_look(seen)}"
    return text + too_little(plan.min_effect) * (verdict == TOO_LITTLE)


def identical(sources: tuple[str, str], rows: int, order: str, *, all_columns: bool) -> str:
    """That nothing differs, of tables whose rows are the same."""
    a, b = source_names(sources)
    where = "" if all_columns else " in the columns that were compared"
    return f"{a} and {b} are identical{where}: the same {rows:,} rows {order}."


def too_little(min_effect: float) -> str:
    """Why a difference may be none that matters."""
    return f" Its effect is not shown to reach {min_effect:g}, so it may not matter."


def _scope(plan: Plan, marginals: Sequence[ColumnFinding]) -> str:
    """In which columns nothing was found, if there are others of which nothing is known."""
    left = [out for out in plan.pair.left_out if not out.same]
    if not left:
        return ""
    whole = {found.column for found in marginals if not (found.missing or found.part)}
    whole -= {out.column for out in left}
    if not whole:
        names = [out.column for out in left]
        return f"; no column was compared as a whole ({_few(names)})"
    count = "one column" if len(whole) == 1 else f"{len(whole):,} columns"
    return f" in the {count} compared; {_uncompared(left)}"


def _uncompared(left: Sequence[LeftOut]) -> str:
    """What became of the others: "2 were not (id, at), 1 only in part (comment)"."""
    none = [out.column for out in left if not out.in_part]
    some = [out.column for out in left if out.in_part]
    were = "was" if len(none or some) == 1 else "were"
    if not none:
        return f"{len(some):,} {were} only in part ({_few(some)})"
    beside = f", {len(some):,} only in part ({_few(some)})" if some else ""
    return f"{len(none):,} {were} not ({_few(none)}){beside}"


def _few(names: Sequence[str]) -> str:
    return in_a_row([shorten(name, _LONGEST) for name in names], _NAMED)


def schema_words(schema: Sequence[SchemaChange]) -> str:
    """What became of columns, in few words: "y is gone, z is new, qty is text, not numbers"."""
    parts = []
    for kind, are in ((Change.ONLY_IN_A, "gone"), (Change.ONLY_IN_B, "new")):
        names = [change.column for change in schema if change.kind is kind]
        if names:
            parts.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {are}")
    typed = [change for change in schema if change.types]
    said = [f"{change.column} is {change.types[1]}, not {change.types[0]}" for change in typed]
    parts += said[:_SAID]
    if len(said) > _SAID:
        left = len(said) - _SAID
        parts.append(f"{left} more column{'s are' if left > 1 else ' is'} of another type")
    return ", ".join(parts)


def _look(seen: Sequence[str]) -> str:
    """Some of what no test can show; what is below has all."""
    more = f"; and {len(seen) - _SEEN:,} more below" if len(seen) > _SEEN else ""
    return f" Worth a look: {'; '.join(seen[:_SEEN])}{more}." if seen else ""


def _leading(causes: Sequence[Cause]) -> list[str]:
    """The first causes; the list below has all."""
    left = len(causes) - _SEEN
    more = [f"{left:,} more cause{'s' * (left > 1)} below"] if left > 0 else []
    return [*(cause.text for cause in causes[:_SEEN]), *more]


def _clearest(rule: Rule | None, a: str, b: str) -> str:
    if rule is None:
        return ""
    return f" Clearest where {rule.text}: {shares_of_rule(rule, a, b)}."


def pairs_first(marginals: Sequence[ColumnFinding], pairs: Sequence[PairFinding]) -> bool:
    """Whether the largest effect of what changed is that of a pair."""
    alone, together = (
        max((known_effect(one) for one in found if one.changed), default=-1.0)
        for found in (marginals, pairs)
    )
    return together > alone


def _where(
    marginals: Sequence[ColumnFinding], pairs: Sequence[PairFinding], explained: Collection[str]
) -> str:
    """What changed and no cause explains, the largest effect first; a number if it is too much."""
    own = [found for found in marginals if found.column not in explained]
    both = [found for found in pairs if not set(explained).intersection(found.columns)]
    alone, together = _alone(own), [found.names for found in both if found.changed]
    parts = []
    if len(alone) > _NAMED:
        parts.append(f"{_count(marginals)} changed, most of all {listed(alone[:_NAMED])}")
    elif alone:
        parts.append(f"{listed(alone)} changed")
    if together:
        parts.append(f"{_pairs(together)} no longer go together as before")
    if not parts:
        return "" if explained else _OVERALL
    return ", and ".join(parts[::-1] if pairs_first(own, both) else parts)


def _alone(marginals: Sequence[ColumnFinding]) -> list[str]:
    """What changed by itself; columns instead of several things about each if it is too much."""
    changed = [found for found in marginals if found.changed]
    if len(changed) <= _NAMED:
        return [found.name for found in changed]
    often = Counter(found.column for found in changed)
    names = (found.name if often[found.column] == 1 else found.column for found in changed)
    return list(dict.fromkeys(names))


def _count(marginals: Sequence[ColumnFinding]) -> str:
    """Columns whose own values changed; pairs are told apart."""
    every = {found.column for found in marginals}
    changed = {found.column for found in marginals if found.changed}
    return f"{len(changed):,} of {len(every):,} columns"


def _pairs(together: Sequence[tuple[str, str]]) -> str:
    if len(together) == 1:
        return " and ".join(together[0])
    named = [" with ".join(names) for names in together]
    left = len(named) - _NAMED_PAIRS
    more = f"{left:,} more pair{'s' if left > 1 else ''}"
    return listed(named if left <= 0 else [*named[:_NAMED_PAIRS], more])


def _same_sentence(
    a: str, b: str, sameness: Sameness, plan: Plan, schema: Sequence[SchemaChange], scope: str
) -> str:
    bound, sure = plan.same_within, f"({confidence(plan.level)} sure)"
    if schema:
        return f"{b} is not the same as {a}: {schema_words(schema)}."
    if not sameness.same:
        return (
            f"{b} is not shown to be the same as {a} within {bound:g}: an effect up to "
            f"{amount(sameness.limit)} may be there {sure}."
        )
    return (
        f"{b} is the same as {a} within {bound:g}: no effect is above {amount(sameness.limit)} "
        f"{sure}{scope}."
    )
