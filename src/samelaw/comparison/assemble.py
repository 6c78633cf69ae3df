"""What was tested and measured, as a comparison: verdict, effects, columns, pairs, rows, notes."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from samelaw.comparison.columns.measures import measures
from samelaw.comparison.columns.remarks import remarks
from samelaw.comparison.columns.words import describe
from samelaw.comparison.constants import MOST_PAIRS, PAIRS_KEPT
from samelaw.comparison.effects.limits import Effects
from samelaw.comparison.examined import Examined
from samelaw.comparison.findings import ColumnFinding, MissingFinding, PairFinding, Rule, by_effect
from samelaw.comparison.pairs.obstacles import Obstacles
from samelaw.comparison.pairs.words import OTHERWISE, UNCHANGED, describe_pair
from samelaw.comparison.plan import Plan, Stages
from samelaw.comparison.result import Comparison
from samelaw.comparison.rows.duplicates import UNKNOWN, duplicates_of
from samelaw.comparison.rows.witness import locate
from samelaw.comparison.rules.search import find_rule
from samelaw.comparison.target import target_finding
from samelaw.comparison.verdict import (
    changed_columns,
    column_groups,
    identical,
    sentence_of,
    verdict_of,
)
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.panels import Panel, panel
from samelaw.tables.pairing.rewritten import Cause


def assemble(
    plan: Plan, tests: Examined, stages: Stages, settings: Mapping[str, object], seed: int | None
) -> Comparison:
    """All findings, in words and numbers."""
    parts = Assembly(plan, tests)
    pair, steps, effects = plan.pair, tests.steps, parts.effects
    marginals, pairs = parts.marginals(), parts.pairs()
    significant = bool(steps.pvalue <= plan.level)
    largest = effects.largest(marginals, pairs[:PAIRS_KEPT], significant)
    matters = significant and largest.interval[0] >= plan.min_effect
    schema = () if plan.allow_schema else pair.schema_differences
    sameness = effects.sameness(plan.same_within, tests.sizes)
    sameness = sameness.unless(bool(schema))
    verdict = verdict_of(significant, matters, sameness, plan, schema)
    repeated, ends, keys = UNKNOWN, [], []
    written = [change.cause for change in pair.schema_changes if change.cause]
    if tests.complete:  # of some of the rows they would be told as if of all
        repeated, ends = duplicates_of(pair), list(remarks(pair.columns, pair.sizes[0]))
        keys = pair.identifiers
    remarked = [remark for key in keys for remark in key.remarks()]
    causes = [*repeated.causes(), *written]
    seen = [*repeated.remarks(), *remarked, *ends]
    rule = parts.rule() if significant else None
    located = locate(plan, tests, marginals, pairs)
    stages.done("where")
    sentence = sentence_of(
        verdict, plan, marginals, pairs, sameness, schema, seen, rule, significant, causes
    )
    if repeated.same_rows:
        told = not any(settings.get(name) for name in ("columns", "ignore", "groups"))
        same = identical(pair.sources, pair.sizes[0], repeated.same_rows, all_columns=told)
        asked = plan.same_within is not None
        sentence = f"{same} As independent samples: {sentence}" if asked else same
    target = target_finding(plan, tests, marginals, pairs)
    return Comparison(
        verdict=verdict,
        sentence=sentence if target is None else f"{sentence} {target.sentence}",
        statistic=float(steps.values[0]),
        pvalue=steps.pvalue,
        level=plan.level,
        reject=matters or bool(schema),
        schema_differs=bool(schema),
        null_distribution=steps.values[1:].copy(),
        effect=largest.value,
        effect_of=largest.of,
        effect_interval=largest.interval,
        detectable_effect=effects.detectable,
        min_effect=plan.min_effect,
        columns_changed=changed_columns(marginals, pairs),
        column_groups=column_groups(pairs),
        marginals=marginals,
        pairs=pairs[:PAIRS_KEPT],
        pairs_changed=sum(pair.changed for pair in pairs),
        missing=parts.missing(marginals),
        rows=located.rows,
        directions=located.directions,
        panels=parts.panels(),
        picture=located.picture,
        schema_changes=tuple(pair.schema_changes),
        left_out=tuple(pair.left_out),
        sizes=pair.table_sizes,
        sources=pair.sources,
        causes=(*causes, *map(Cause, repeated.remarks())),
        duplicates=repeated,
        identifiers=tuple(keys),
        rule=rule,
        target=target,
        notes=(
            *repeated.notes(pair.sources),
            *pair.notes,
            *(f"{remark}." for remark in (*remarked, *ends)),
            *(note for key in keys for note in key.notes()),
            *tests.notes,
            *parts.notes(),
        ),
        settings=settings,
        seed=seed,
        method=parts.method(),
        same_within=plan.same_within,
        same=sameness.same,
        effect_limit=sameness.limit,
        effect_limit_of=effects.widest.of,
        detectable_worst=effects.hardest.value,
        detectable_worst_of=effects.hardest.of,
        rows_needed=sameness.rows_needed,
    )


class Assembly:
    """Findings on columns and pairs from the tests and the effects."""

    def __init__(self, plan: Plan, tests: Examined) -> None:
        self.plan, self.tests = plan, tests
        self.n = plan.pair.sizes[0]
        self.views, self.told = tests.columns.views, tests.told
        _, self.alone, self.paired = tests.steps.adjusted
        self.effects = Effects.of(plan, tests)
        moved = [bool(pvalue <= plan.level) for pvalue in self.alone]
        self.obstacles = Obstacles(tests.columns.classes, self.n, moved)

    def marginals(self) -> tuple[ColumnFinding, ...]:
        """One finding per column view: those that changed first, each by its effect."""
        plan, score = self.plan, self.effects.score
        told = self.told
        rows = len(told.views[0].column.missing)
        groups = plan.group_of_row if self.tests.complete else np.arange(rows)
        found = [
            ColumnFinding(
                column=view.column.name,
                kind=view.whole.kind.value,
                missing=view.missing,
                changed=bool(pvalue <= plan.level),
                pvalue=float(pvalue),
                effect=effect.value,
                effect_interval=effect.interval(score),
                sentence=describe(view, told.first),
                measures=measures(view, told.first, groups, plan.level, told.worth),
                part=view.part,
            )
            for view, pvalue, effect in zip(told.views, self.alone, self.effects.views, strict=True)
        ]
        return tuple(sorted(found, key=by_effect))

    def pairs(self) -> tuple[PairFinding, ...]:
        """The clearest pairs: those that changed first, each by its effect.

        Only those that are kept get words, which take a look at all rows.
        """
        order = np.argsort(self.paired, kind="stable")
        reached = int((self.paired <= self.plan.level).sum())
        found = [(self._pair(int(k)), int(k)) for k in order[: max(reached, PAIRS_KEPT)]]
        found.sort(key=lambda item: by_effect(item[0]))
        shown = [replace(one, sentence=self._said(one, k)) for one, k in found[:PAIRS_KEPT]]
        return (*shown, *(pair for pair, _ in found[PAIRS_KEPT:]))

    def _pair(self, k: int) -> PairFinding:
        i, j = self.tests.columns.pairs[k]
        one, other = self.views[i], self.views[j]
        reason = self.obstacles.of(i, j)
        effect, interval = self.effects.of_dependence(k)
        return PairFinding(
            columns=(one.column.name, other.column.name),
            names=(one.name, other.name),
            changed=bool(self.paired[k] <= self.plan.level) and not reason,
            pvalue=float(self.paired[k]),
            sentence="",
            comparable=not reason,
            effect=effect,
            effect_interval=interval,
        )

    def _said(self, found: PairFinding, k: int) -> str:
        i, j = self.tests.columns.pairs[k]
        reason = self.obstacles.of(i, j)
        if reason:
            return f"not comparable: {reason}"
        said = describe_pair(self.views[i], self.views[j], self.n)
        return said or (OTHERWISE if found.changed else UNCHANGED)

    def missing(self, marginals: tuple[ColumnFinding, ...]) -> tuple[MissingFinding, ...]:
        """Shares of missing values of every column that has some."""
        tested = {found.column: found for found in marginals if found.missing}
        found = []
        for view in self.told.views:
            if view.missing:
                a, b = (float(s.mean()) for s in np.split(view.column.missing, [self.told.first]))
                test = tested[view.column.name]
                found.append(MissingFinding(test.column, a, b, test.changed, test.pvalue))
        return tuple(found)

    def rule(self) -> Rule | None:
        """Where the change sits in words, if rows that were held out agree.

        Rows of groups are not independent, and Fisher's test takes them as such: there is none.
        """
        if self.plan.groups is not None:
            return None
        found = find_rule(self.views, self.plan.pair.sizes, self.plan.streams.rules)
        return found if found and found.pvalue <= self.plan.level else None

    def panels(self) -> tuple[Panel, ...]:
        """Both tables in every column whose values are compared."""
        views, n = self.told.views, self.told.first
        drawn = (v for v in views if not (v.missing or (v.of and v.of.kind is Kind.DATETIME)))
        return tuple(panel(view, n) for view in drawn)

    def notes(self) -> list[str]:
        """What was done on the way that a reader should know."""
        notes = [f"{c.name}: {note}" for c in self.plan.pair.columns for note in c.remarks]
        if self.tests.units.ways:
            notes.append(f"Groups: {self.tests.units.ways}.")
        return notes + (self._incomparable() if self.tests.columns.pairs else self._too_many())

    def _incomparable(self) -> list[str]:
        known = zip(self.obstacles.alone, self.views, strict=True)
        reasons = dict.fromkeys(why for why, view in known if why and not view.missing)
        return [f"{why}: pairs with this column are not compared." for why in reasons]

    def _too_many(self) -> list[str]:
        count = self.tests.columns.possible_pairs
        most = self.tests.columns.most_pairs
        if count <= most:
            return []
        why = "" if most == MOST_PAIRS else f" with {len(self.tests.memberships)} permutations"
        return [
            f"{count:,} pairs of columns are too many to look at one by one (the limit is "
            f"{most:,}{why}); name fewer columns to have them tested."
        ]

    def method(self) -> str:
        """Everything that was looked at, and what the p-value rests on."""
        tests = self.tests
        exactness = tests.units.exactness
        if self.plan.unique:
            exactness = "approximate p-value (distinct rows only)"
        return (
            f"step-down max-T over all columns together ({tests.route}), "
            f"{len(self.views)} columns alone and {len(tests.columns.pairs)} pairs; "
            f"{exactness} from {len(tests.memberships) - 1} permutations"
        )
