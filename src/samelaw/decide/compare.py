"""Compare two tables: one verdict, how large the change is, and where it sits."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from samelaw.core.array import as_share
from samelaw.data.columns import Column, Kind, Table, check_names, read_column
from samelaw.data.pairing import TablePair, pair_tables
from samelaw.data.preparation import Prepared, prepare
from samelaw.data.tables import read_table
from samelaw.decide.aspects import MOST_PAIRS, ColumnStatistics
from samelaw.decide.comparison import (
    ColumnFinding,
    Comparison,
    MissingFinding,
    PairFinding,
    Picture,
    RowFinding,
)
from samelaw.decide.describe import describe, describe_pair, listed, panel, percent, shown_value
from samelaw.decide.effect import POWER_SCORE, Effect, class_operators, effect_size, joint_operators
from samelaw.decide.explain import Witness, directions, picture, principal_plane, witness
from samelaw.decide.fuse import Fuse, FusedStatistic
from samelaw.decide.permutation import Labels, Progress, as_permutations
from samelaw.decide.problem import Problem
from samelaw.decide.sources import SketchSource
from samelaw.decide.stepdown import StepDown, step_down
from samelaw.decide.units import Units
from samelaw.estimate.collection import Pool
from samelaw.estimate.running import as_progress, as_seed

Matrix = np.ndarray[Any, Any]

DIFFERENT = "different"
ALIKE = "no difference found"
TOO_LITTLE = "different, but too little to matter"

SHARES = (1.0, 1.0, 0.5)
"""Relative levels of all columns together, of columns alone, and of pairs."""

MOST_JOINT_ROWS = 4_000
"""Rows on which all columns are tested together when groups forbid blocks."""

_EFFECT_LABELLINGS = 100
_EFFECT_UNITS = 4_000
_ROWS_KEPT = 20
_PAIRS_KEPT = 50


def compare(
    a: Any,
    b: Any,
    *,
    level: float = 0.05,
    min_effect: float = 0.0,
    columns: Sequence[str] | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, Kind | str] | None = None,
    group: str | None = None,
    permutations: int | None = None,
    rng: Any = None,
    memory: float | None = None,
    progress: Any = None,
) -> Comparison:
    """Whether two tables follow the same law, how far apart they are, and where they differ.

    All columns together, every column alone and every pair of columns are tested at once, on the
    same relabellings of the rows: one exact p-value for the whole, and names that are wrong with
    probability at most the level.

    Parameters
    ----------
    a, b : path, frame, array or dict
        Whatever `samelaw.data.tables.read_table` reads: CSV, Parquet, Arrow, JSON lines, .npy, a
        folder or pattern of files, a frame of pandas, polars or pyarrow, an array (n, d), a dict.
    level : float
        Probability of a false alarm.
    min_effect : float
        A significant change whose effect is not shown to exceed this is "too little to matter".
    columns, ignore : names
        Compare only these; leave these out.
    kinds : {name: kind}
        Kinds not to be found by looking, such as ``{"zip": "categorical"}``.
    group : name, optional
        Rows that share a value of this column (a customer, a day) are not independent and are
        relabelled together. The column itself is not compared.
    permutations : int, optional
        Relabellings; 999 by default.
    rng : int, Generator or None
    memory : float, optional
        Bytes the test of all columns together may use.
    progress : callable(done, total) or True

    Returns
    -------
    Comparison

    Notes
    -----
    Up to 2,000 pooled rows every row is relabelled; above, blocks of rows are, and the cost is
    linear in the rows. The level is exact either way: kinds, scales, ranks, bandwidths and
    regressions depend on the pool only.

    Examples
    --------
    >>> import numpy as np
    >>> draw = np.random.default_rng(0).normal
    >>> a = {"x": draw(size=150), "y": draw(size=150)}
    >>> b = {"x": draw(size=120), "y": draw(size=120) + 1}
    >>> result = compare(a, b, rng=1)
    >>> result.verdict, result.columns_changed
    ('different', ('y',))
    """
    level = as_share("level", level)
    if not 0 <= min_effect < 1:
        raise ValueError(f"min_effect must be at least 0 and below 1, got {min_effect}.")
    generator, seed = as_seed(rng)
    steps = _Steps(as_progress(progress))
    tables = read_table(a), read_table(b)
    for side, table in zip("AB", tables, strict=True):
        _check_rows(side, table)
    left = (*ignore, *((group,) if group else ()))
    pair = pair_tables(*tables, columns=columns, ignore=left, kinds=kinds)
    groups = None if group is None else _groups(group, tables)
    del tables, table  # a gigabyte for millions of rows, and the pair holds what is compared
    steps.done("read")
    plan = _Plan(pair, level, as_permutations(permutations, level), generator, memory)  # type: ignore[arg-type]
    search = _Search.of(plan, groups, steps)
    settings = {
        "level": level,
        "min_effect": min_effect,
        "columns": None if columns is None else list(columns),
        "ignore": list(ignore),
        "kinds": {name: str(kind) for name, kind in (kinds or {}).items()},
        "group": group,
        "permutations": plan.permutations,
        "seed": seed,
    }
    return _Report(plan, search, min_effect, steps).comparison(settings, seed)


def _check_rows(side: str, table: Table) -> None:
    if table.rows < 2:
        rows = "no rows" if table.rows == 0 else "one row"
        raise ValueError(
            f"{table.source} ({side}) has {rows}; a comparison needs at least two in each table."
        )


def _groups(name: str, tables: Sequence[Table]) -> Matrix:
    """Codes of the group of each row; a row without one is a group of its own."""
    for table in tables:
        check_names((name,), table.names, table.source)
    column = read_column(name, [table.stored[name] for table in tables], Kind.CATEGORICAL)
    codes = column.values.astype(np.int64)
    alone = codes < 0
    codes[alone] = len(column.categories) + np.arange(int(alone.sum()))
    return codes


class _Steps:
    """Progress over stages of unequal length, in hundredths."""

    ENDS: Mapping[str, int] = {"read": 8, "joint": 60, "columns": 75, "pairs": 90, "where": 100}

    def __init__(self, report: Progress | None) -> None:
        self.report = report
        self.start = 0

    def done(self, stage: str) -> None:
        self.start = self.ENDS[stage]
        if self.report is not None:
            self.report(self.start, 100)

    def within(self, stage: str) -> Callable[[int, int], None] | None:
        if self.report is None:
            return None
        report, start, end = self.report, self.start, self.ENDS[stage]
        return lambda done, total: report(start + (end - start) * done // max(total, 1), 100)


@dataclass(frozen=True, eq=False)
class _Plan:
    """What is compared and how."""

    pair: TablePair
    level: float
    permutations: int
    rng: np.random.Generator
    memory: float | None


@dataclass(frozen=True, eq=False)
class _Search:
    """Everything found on the same relabellings."""

    prepared: Prepared
    points: Matrix
    units: Units
    members: Matrix
    statistics: ColumnStatistics
    steps: StepDown
    route: str

    @classmethod
    def of(cls, plan: _Plan, groups: Matrix | None, steps: _Steps) -> "_Search":
        prepared = prepare(plan.pair)
        points = prepared.coordinates()
        units = None if groups is None else Units.of_groups(groups, plan.pair.sizes)
        fused, rows = _joint(points, plan, units, steps.within("joint"))
        if units is None:
            units = _units_of(fused, plan.pair.sizes)
        members = _members(units.labels, plan)
        joint = fused.evaluate(members if rows is None else members[:, units.unit[rows]])
        route = fused.source.describe()
        del fused  # with its copy of all rows
        steps.done("joint")
        statistics = ColumnStatistics(plan.pair.columns, units, members, plan.rng)
        steps.done("columns")
        families = (joint[None], statistics.alone, statistics.of_pairs(steps.within("pairs")))
        found = step_down(families, plan.level, SHARES)
        steps.done("pairs")
        return cls(prepared, points, units, members, statistics, found, route)


def _joint(
    points: Matrix, plan: _Plan, units: Units | None, progress: Progress | None
) -> tuple[FusedStatistic, Matrix | None]:
    """The statistic of all columns together; with groups, also the rows it looks at."""
    sizes, rows = plan.pair.sizes, None
    labels = Labels(sizes)
    if units is not None:
        rows = np.sort(plan.rng.permutation(len(points))[:MOST_JOINT_ROWS])
        points = points[rows]
        first = int((rows < sizes[0]).sum())
        labels = Labels((first, len(rows) - first), units.unit[rows])
    problem = Problem(
        pool=Pool(points),
        labels=labels,
        level=plan.level,
        permutations=plan.permutations,
        rng=plan.rng,
        seed=None,
        memory=plan.memory,
        progress=progress,
    )
    return FusedStatistic(Fuse(), problem), rows


def _units_of(fused: FusedStatistic, sizes: tuple[int, int]) -> Units:
    source = fused.source
    if isinstance(source, SketchSource):
        return Units.of_blocks(source.rows, source.block, sum(sizes))
    return Units.of_rows(sizes)


def _members(labels: Labels, plan: _Plan) -> Matrix:
    """Memberships of the units, the observed first; all of them when they are few."""
    if 1 / labels.count > plan.level:
        n, m = plan.pair.sizes
        raise ValueError(
            f"{n} v {m} rows have only {labels.count:g} relabellings: no p-value can reach level "
            f"{plan.level}. Collect more rows"
            + (" or groups." if labels.blocks is not None else ".")
        )
    if labels.uniform and labels.count <= plan.permutations + 1:
        return labels.every()
    drawn = labels.draw(plan.rng, plan.permutations)
    return np.concatenate([labels.observed[None], drawn])


class _Report:
    """Turns what was found into a `Comparison`."""

    def __init__(self, plan: _Plan, search: _Search, min_effect: float, steps: _Steps) -> None:
        self.plan, self.search, self.min_effect, self.steps = plan, search, min_effect, steps
        self.n = plan.pair.sizes[0]
        self.names = search.statistics.names
        _, self.alone, self.paired = search.steps.adjusted
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
        seen, points = self._focus(changed)
        rows = self._rows(seen)
        drawn = self._picture(seen, pairs, marginals)
        found = Comparison(
            verdict=verdict,
            sentence=_sentence(verdict, pair, marginals, pairs, interval, self.min_effect),
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
            sizes=pair.sizes,
            sources=pair.sources,
            notes=(*pair.notes, *self._notes()),
            settings=settings,
            seed=seed,
            method=f"step-down max-T over all columns together ({search.route}), "
            f"{len(marginals)} columns alone and {len(search.statistics.pairs)} pairs; exact "
            f"p-value from {len(search.members) - 1} relabellings",
        )
        self.steps.done("where")
        return found

    def _effects(self) -> list[Effect]:
        few = self.search.members[:_EFFECT_LABELLINGS]
        units = self.search.units
        return [
            effect_size(class_operators(column, missing, units), units, few)
            for column, missing in self.names
        ]

    def _joint_effect(self) -> Effect:
        rng = self.plan.rng
        units, chosen = self.search.units.some(_EFFECT_UNITS, rng)
        few = self.search.members[:_EFFECT_LABELLINGS][:, chosen]
        operators = joint_operators(self.search.points, units, rng)
        return effect_size(operators, units, few)

    def _score(self) -> float:
        """Normal quantile for limits that hold for all effects at once."""
        from scipy.special import ndtri

        return float(ndtri(1.0 - self.plan.level / (2 * (len(self.names) + 1))))

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
            one, other = (self.names[i] for i in self.search.statistics.pairs[k])
            changed = bool(self.paired[k] <= self.plan.level)
            if not changed and rank >= _PAIRS_KEPT:
                break
            found.append(
                PairFinding(
                    columns=(one[0].name, other[0].name),
                    names=(_name(*one), _name(*other)),
                    changed=changed,
                    pvalue=float(self.paired[k]),
                    sentence=describe_pair(one, other, self.n),
                )
            )
        return tuple(found)

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
        owners = self.search.prepared.owners
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
                inner = row - (self.n if table == "B" else 0)
                found.append(RowFinding(table, inner, float(score[place]), values))
        return tuple(found)

    def _directions(self, points: Matrix, changed: Sequence[str]) -> tuple[Any, ...]:
        prepared = self.search.prepared
        owners = self._owners(changed) or range(len(prepared.owners))
        names = [prepared.owners[i].name for i in owners]
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
    interval: tuple[float, float],
    min_effect: float,
) -> str:
    a, b = _short(pair.sources)
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
        text += f" The change is not shown to reach {percent(min_effect)}, so it may not matter."
    return text


def _short(sources: tuple[str, str]) -> tuple[str, str]:
    """File names without their folders, unless they are the same; A and B for objects."""
    if sources[0] == sources[1] or any(source.startswith("the ") for source in sources):
        return "A", "B"
    first, second = (Path(source).name or source for source in sources)
    return (first, second) if first != second else sources
