"""What a search found, as a comparison: verdict, effects, columns, pairs, rows, pictures, notes."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.comparison.column_functions import MOST_PAIRS
from samelaw.comparison.effect import POWER_SCORE, Effect, effect_size, rows_factor
from samelaw.comparison.effect_operators import class_operators, joint_operators
from samelaw.comparison.findings import (
    ColumnFinding,
    MissingFinding,
    PairFinding,
    Picture,
    RowFinding,
)
from samelaw.comparison.joint_test import Plan, Search, Stages
from samelaw.comparison.locate import Witness, directions, picture, principal_plane, witness
from samelaw.comparison.pair_obstacles import obstacle
from samelaw.comparison.plain_measures import measures
from samelaw.comparison.result import Comparison
from samelaw.comparison.summarize import describe, describe_pair, panel, shown_value
from samelaw.core.types import Matrix
from samelaw.data.kinds import Column, Kind
from samelaw.data.pair import TablePair
from samelaw.show.words import confidence, listed, source_names, two_digits

DIFFERENT = "different"
ALIKE = "no difference found"
TOO_LITTLE = "different, but too little to matter"
NOT_SHOWN = "not shown to be the same"

_EFFECT_LABELLINGS = 100
_EFFECT_UNITS = 4_000
_ROWS_KEPT = 20
_PAIRS_KEPT = 50


class Findings:
    """Turns what was found into a `Comparison`."""

    def __init__(
        self,
        plan: Plan,
        search: Search,
        min_effect: float,
        steps: Stages,
        same_within: float | None = None,
        belong: Matrix | None = None,
    ) -> None:
        self.plan, self.search, self.min_effect, self.steps = plan, search, min_effect, steps
        self.same_within = same_within
        self.belong = np.arange(sum(plan.pair.sizes)) if belong is None else belong
        self.n = plan.pair.sizes[0]
        self.names = search.statistics.names
        _, self.alone, self.paired = search.steps.adjusted
        (self.draws,) = plan.rng.spawn(1)  # a stream of its own: other draws stay where they were
        self.effects = self._effects()
        self.joint_effect = self._joint_effect()

    def comparison(self, settings: Mapping[str, Any], seed: int | None) -> Comparison:
        """All findings, in words and numbers."""
        pair, search, level = self.plan.pair, self.search, self.plan.level
        significant = bool(search.steps.pvalue <= level)
        marginals, pairs = self._marginals(), self._pairs()
        changed = _changed(marginals, pairs)
        effect, effect_of, interval = self._largest(marginals, significant)
        matters = significant and interval[0] >= self.min_effect
        verdict = DIFFERENT if matters else TOO_LITTLE if significant else ALIKE
        sentence = _sentence(verdict, pair, marginals, pairs, self.min_effect)
        limit, same, rows_needed = self._sameness()
        if same is not None:
            verdict = f"the same within {self.same_within:g}" if same else NOT_SHOWN
            sentence = _same_sentence(verdict, pair, self.same_within, limit, level)
        seen, points = self._focus(changed)
        rows = self._rows(seen)
        drawn = self._picture(seen, pairs, marginals)
        found = Comparison(
            verdict=verdict,
            sentence=sentence,
            statistic=float(search.steps.values[0]),
            pvalue=search.steps.pvalue,
            level=level,
            reject=matters,
            null_distribution=search.steps.values[1:].copy(),
            effect=effect,
            effect_of=effect_of,
            effect_interval=interval,
            detectable_effect=self._detectable(),
            min_effect=self.min_effect,
            columns_changed=changed,
            column_groups=_groups_of(pairs),
            marginals=marginals,
            pairs=pairs[:_PAIRS_KEPT],
            missing=self._missing(marginals),
            rows=rows,
            directions=self._directions(points, changed),
            panels=self._panels(),
            picture=drawn,
            schema_changes=tuple(pair.schema_changes),
            left_out=tuple(pair.left_out),
            sizes=pair.table_sizes,
            sources=pair.sources,
            notes=(*pair.notes, *self._notes()),
            settings=settings,
            seed=seed,
            method=f"step-down max-T over all columns together ({search.route}), "
            f"{len(marginals)} columns alone and {len(search.statistics.pairs)} pairs; "
            f"{search.units.exactness} from {len(search.members) - 1} relabellings",
            same_within=self.same_within,
            same=same,
            effect_limit=limit,
            rows_needed=rows_needed,
        )
        self.steps.done("where")
        return found

    def _effects(self) -> list[Effect]:
        few = self.search.members[:_EFFECT_LABELLINGS]
        units = self.search.units
        return [
            effect_size(class_operators(column, missing, units), units, few, self.draws)
            for column, missing in self.names
        ]

    def _joint_effect(self) -> Effect:
        rng = self.plan.rng
        units, chosen = self.search.units.some(_EFFECT_UNITS, rng)
        few = self.search.members[:_EFFECT_LABELLINGS][:, chosen]
        operators = joint_operators(self.search.points, units, rng)
        return effect_size(operators, units, few, self.draws)

    def _score(self) -> float:
        """Normal quantile for limits that hold for all effects at once."""
        from scipy.special import ndtri

        return float(ndtri(1.0 - self.plan.level / (2 * (len(self.names) + 1))))

    def _sameness(self) -> tuple[float, bool | None, tuple[int, int] | None]:
        """Upper limit of all effects, whether it is low enough, and the rows it would take.

        Every effect must be below, so the limits need no adjusting for their number: tables that
        differ more in one of them pass only if that limit is wrong. Each has half the level: at
        the whole of it sparse tables were called the same wrongly in up to 8 % of runs.
        """
        from scipy.special import ndtri

        score = float(ndtri(1.0 - 0.5 * self.plan.level))
        effects = (self.joint_effect, *self.effects)
        limit = max(effect.interval(score)[1] for effect in effects)
        if self.same_within is None:
            return limit, None, None
        if limit < self.same_within:
            return limit, True, None
        factor = rows_factor(effects, self.same_within, score)
        if factor is None:
            return limit, False, None
        n, m = (two_digits(factor * size) for size in self.plan.pair.sizes)
        return limit, False, (n, m)

    def _marginals(self) -> tuple[ColumnFinding, ...]:
        score = self._score()
        found = [
            ColumnFinding(
                column=column.name,
                kind=column.kind.value,
                missing=missing,
                changed=bool(pvalue <= self.plan.level),
                pvalue=float(pvalue),
                effect=effect.value,
                effect_interval=effect.interval(score),
                sentence=describe(column, missing, self.n),
                measures=measures(column, missing, self.n, self.belong, self.plan.level),
            )
            for (column, missing), pvalue, effect in zip(
                self.names, self.alone, self.effects, strict=True
            )
        ]
        order = np.lexsort([-self.search.statistics.alone[:, 0], self.alone])
        return tuple(found[i] for i in order)

    def _pairs(self) -> tuple[PairFinding, ...]:
        """Pairs, the clearest first; a sentence only for those worth one."""
        found = []
        order = np.argsort(self.paired, kind="stable")
        for rank, k in enumerate(order):
            i, j = self.search.statistics.pairs[k]
            reached = bool(self.paired[k] <= self.plan.level)
            if not reached and rank >= _PAIRS_KEPT:
                break
            one, other = self.names[i], self.names[j]
            reason = self._obstacle(i, j)
            said = f"not comparable: {reason}" if reason else describe_pair(one, other, self.n)
            found.append(
                PairFinding(
                    columns=(one[0].name, other[0].name),
                    names=(_name(*one), _name(*other)),
                    changed=reached and not reason,
                    pvalue=float(self.paired[k]),
                    sentence=said,
                    comparable=not reason,
                )
            )
        return tuple(found)

    def _obstacle(self, i: int, j: int) -> str:
        one, other = (self.search.statistics.views[k] for k in (i, j))
        alone = self.obstacles[i] or self.obstacles[j]
        if alone or (one.whole and other.whole):
            return alone
        return obstacle(one, other, self.n, (self._moved(i), self._moved(j)))

    @cached_property
    def obstacles(self) -> list[str]:
        """Why a view cannot be compared together with any other; empty where it can."""
        views = self.search.statistics.views
        moved = [self._moved(i) for i in range(len(views))]
        return [
            obstacle(view, view, self.n, (m, m)) if view.count else ""
            for view, m in zip(views, moved, strict=True)
        ]

    def _moved(self, i: int) -> bool:
        return bool(self.alone[i] <= self.plan.level)

    def _largest(
        self, marginals: Sequence[ColumnFinding], significant: bool
    ) -> tuple[float, str, tuple[float, float]]:
        """The largest effect, what it was found on, and limits that hold for all at once."""
        score = self._score()
        candidates = [(self.joint_effect.value, "all columns", self.joint_effect.interval(score))]
        candidates += [(found.effect, found.name, found.effect_interval) for found in marginals]
        value, name, _ = max(candidates, key=lambda item: item[0])
        low = max(interval[0] for _, _, interval in candidates) if significant else 0.0
        high = max(interval[1] for _, _, interval in candidates)
        return value, name, (min(low, value), high)

    def _detectable(self) -> float:
        """The effect that stands out of the null spread of the noisiest look at the tables."""
        spread = max(effect.spread for effect in (self.joint_effect, *self.effects))
        return min((self._score() + POWER_SCORE) * spread, 1.0)

    def _missing(self, marginals: Sequence[ColumnFinding]) -> tuple[MissingFinding, ...]:
        tested = {found.column: found for found in marginals if found.missing}
        found = []
        for column in self.plan.pair.columns:
            if column.missing.any():
                shares = [
                    float(s.mean()) for s in (column.missing[: self.n], column.missing[self.n :])
                ]
                test = tested.get(column.name)
                changed, pvalue = (test.changed, test.pvalue) if test else (False, 1.0)
                found.append(MissingFinding(column.name, shares[0], shares[1], changed, pvalue))
        return tuple(found)

    def _focus(self, changed: Sequence[str]) -> tuple[Witness, Matrix]:
        """The witness, and the coordinates of what changed."""
        owners = self._owners(changed)
        prepared, rng = self.search.prepared, self.plan.rng
        points = self.search.points if owners is None else prepared.coordinates(owners)
        return witness(points, self.plan.pair.sizes, rng), points

    def _owners(self, changed: Sequence[str]) -> list[int] | None:
        owners = self.search.prepared.views
        chosen = [i for i, owner in enumerate(owners) if owner.column in changed]
        return chosen or None

    def _rows(self, seen: Witness) -> tuple[RowFinding, ...]:
        """The rows of B most unlike A, then those of A most unlike B."""
        found: list[RowFinding] = []
        for table, sign in (("B", 1.0), ("A", -1.0)):
            own = (seen.rows >= self.n) == (table == "B")
            rows, score = seen.rows[own], sign * seen.score[own]
            for place in np.argsort(-score, kind="stable")[:_ROWS_KEPT]:
                row = int(rows[place])
                values = {c.name: shown_value(c, row) for c in self.plan.pair.columns}
                inner = self.plan.pair.row_in_table(row)
                found.append(RowFinding(table, inner, float(score[place]), values))
        return tuple(found)

    def _directions(self, points: Matrix, changed: Sequence[str]) -> tuple[Any, ...]:
        prepared = self.search.prepared
        owners = self._owners(changed) or range(len(prepared.views))
        names = [prepared.views[i].name for i in owners]
        widths = [prepared.width(i) for i in owners]
        place = np.repeat(np.arange(len(names)), widths)
        return directions(points, names, place, self.plan.pair.sizes, self.plan.rng)

    def _panels(self) -> tuple[Any, ...]:
        tested = {id(column) for column, missing in self.names if not missing}
        drawn = [column for column in self.plan.pair.columns if id(column) in tested]
        return tuple(panel(column, self.n) for column in drawn)

    def _picture(
        self, seen: Witness, pairs: Sequence[PairFinding], marginals: Sequence[ColumnFinding]
    ) -> Picture:
        """Two columns that changed, as they are; else the plane of largest variation."""
        rng, sizes = self.plan.rng, self.plan.pair.sizes
        columns = {c.name: c for c in self.plan.pair.columns if _drawable(c)}
        together = [p.columns for p in pairs if p.changed and set(p.columns) <= set(columns)]
        alone = [m.column for m in marginals if m.changed and m.column in columns and not m.missing]
        axes = together[0] if together else tuple(dict.fromkeys(alone))[:2]
        if len(axes) == 1:
            axes = (*axes, *(name for name in columns if name != axes[0]))[:2]
        if len(axes) < 2:
            plane = principal_plane(self.search.points, rng)
            return picture(seen, ("first direction", "second direction"), plane, sizes, rng)
        plane = np.stack([_filled(columns[name]) for name in axes], axis=1)
        return picture(seen, (axes[0], axes[1]), plane, sizes, rng)

    def _notes(self) -> list[str]:
        notes = [f"{c.name}: {note}" for c in self.plan.pair.columns for note in c.notes]
        if self.search.units.ways:
            notes.append(f"Groups: {self.search.units.ways}.")
        if self.search.statistics.pairs:
            known = zip(self.obstacles, self.names, strict=True)
            reasons = dict.fromkeys(why for why, (_, missing) in known if why and not missing)
            notes += [f"{why}: pairs with this column are not compared." for why in reasons]
        aspects = len(self.names)
        if aspects > 1 and not self.search.statistics.pairs:
            count = aspects * (aspects - 1) // 2
            if count > MOST_PAIRS:
                notes.append(
                    f"{count:,} pairs of columns are too many to look at one by one (the limit is "
                    f"{MOST_PAIRS:,}); name fewer columns to have them tested."
                )
        return notes


def _name(column: Column, missing: bool) -> str:
    return f"{column.name} (missing)" if missing else column.name


def _drawable(column: Column) -> bool:
    return column.kind in (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME)


def _filled(column: Column) -> Matrix:
    return np.where(column.missing, np.nanmedian(column.values), column.values)


def _changed(marginals: Sequence[ColumnFinding], pairs: Sequence[PairFinding]) -> tuple[str, ...]:
    names = [found.column for found in marginals if found.changed]
    names += [name for found in pairs if found.changed for name in found.columns]
    return tuple(dict.fromkeys(names))


def _groups_of(pairs: Sequence[PairFinding]) -> tuple[tuple[str, ...], ...]:
    """Sets of columns connected by changed pairs."""
    groups: list[list[str]] = []
    for found in pairs:
        if found.changed:
            touching = [g for g in groups if set(g) & set(found.columns)]
            merged = list(dict.fromkeys([n for g in touching for n in g] + list(found.columns)))
            groups = [g for g in groups if g not in touching] + [merged]
    return tuple(tuple(group) for group in groups)


def _sentence(
    verdict: str,
    pair: TablePair,
    marginals: Sequence[ColumnFinding],
    pairs: Sequence[PairFinding],
    min_effect: float,
) -> str:
    a, b = source_names(pair.sources)
    if verdict == ALIKE:
        return f"No difference found between {a} and {b}."
    alone = list(dict.fromkeys(found.name for found in marginals if found.changed))
    changed = [p.names for p in pairs if p.changed]
    together = [(" and " if len(changed) == 1 else " with ").join(names) for names in changed]
    parts = []
    if alone:
        parts.append(f"{listed(alone)} changed")
    if together:
        parts.append(f"{listed(together, 2)} no longer go together as before")
    where = ", and ".join(parts) or "in all columns together, in none or no two of them clearly"
    text = f"{b} differs from {a}: {where}."
    if verdict == TOO_LITTLE:
        text += f" Its effect is not shown to reach {min_effect:g}, so it may not matter."
    return text


def _same_sentence(
    verdict: str, pair: TablePair, bound: float | None, limit: float, level: float
) -> str:
    a, b = source_names(pair.sources)
    sure = f"({confidence(level)} sure)"
    if verdict == NOT_SHOWN:
        return (
            f"{b} is not shown to be the same as {a} within {bound:g}: an effect up to "
            f"{limit:.2g} may be there {sure}."
        )
    return f"{b} is the same as {a} within {bound:g}: no effect is above {limit:.2g} {sure}."
