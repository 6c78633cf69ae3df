"""Thousands of groups against one control, with false-discovery control."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from samelaw.core import threads
from samelaw.core.checks import as_progress, as_seed, as_share, shown
from samelaw.core.types import Array, Matrix, Progress, Seed
from samelaw.extras.groups.control_result import ControlTests
from samelaw.extras.groups.control_sums import ControlDraws, ControlSums, GroupRows, groups_at_once
from samelaw.extras.groups.row_backend import RowBackend, row_features
from samelaw.extras.groups.sketches import GroupSketches
from samelaw.kernels.bandwidths import GeometricGrid, QuantileGrid
from samelaw.kernels.formulas import Gaussian
from samelaw.kernels.grids import KernelCollection
from samelaw.testing.combine import Maximum
from samelaw.testing.component_groups import KernelGroup, MomentGroup, ScoreGroup
from samelaw.testing.fuse import Fuse
from samelaw.testing.permuting.permutations import Permutations, Sequential, as_permutations
from samelaw.testing.row_scores import KernelPurity, Leverage, MeanDistance, NeighbourDistance
from samelaw.testing.scales import View
from samelaw.testing.standardize import NormalScores, from_normal_each, to_normal_each
from samelaw.testing.statistics import SecondOrder

MOST_PERMUTATIONS = 1_000_000
"""Of a group for which nothing else decides before."""

_EXCEEDANCES = 20
_FIRST, _LOOK = 64, 256  # permutations after which groups are looked at
_ROWS = 1 << 14  # of groups that are worked on together
_SHARED = 16  # groups with the same draws: with more, false discoveries would come in flocks
_ROUNDED = 1e-4  # of a standard deviation: what single precision makes of equal values

# Fewer kernels than two samples get: neighbouring bandwidths say nearly the same.
DEFAULT = Fuse(
    (
        KernelGroup(
            KernelCollection((Gaussian,), GeometricGrid(3, (0.25, 2.0), part=(7 / 15, 12 / 15))),
            (30,),
        ),
        KernelGroup(KernelCollection((Gaussian,), QuantileGrid((0.5,), (1.0,))), view=View.NORMAL),
        KernelGroup(KernelCollection((Gaussian,), QuantileGrid((0.05,), (1.0,))), penalty=0.35),
        MomentGroup(1, view=View.NORMAL),
        MomentGroup(2, penalty=0.25),
        ScoreGroup(
            (MeanDistance(View.NORMAL), KernelPurity(), Leverage(), NeighbourDistance(5)),
            penalty=0.25,
        ),
    )
)
"""What is fused for many groups."""


def control_tests(
    groups: GroupSketches | Mapping[str, Array],
    control: object = None,
    *,
    strategy: Fuse = DEFAULT,
    level: float = 0.05,
    permutations: Permutations = None,
    dependent: bool = False,
    rng: Seed = None,
    progress: Progress | bool | None = None,
) -> ControlTests:
    """Test many groups against one control: thousands of groups, one pass, exact p-values.

    Every group is compared by the fused statistic of the strategy, in explicit features that are
    learnt once from rows of all groups. Permutations are drawn until `exceedances` of them reach
    the observed value of a group, or until all groups that are left are discovered.

    Parameters
    ----------
    groups : GroupSketches, or mapping of name to array (n_k, d)
    control : name
        By default the control the sketches were made with.
    strategy : Fuse
        With the second-order statistic, normal scores and the maximum.
    level : float
        Of the false-discovery rate.
    permutations : int or Sequential, optional
        So many for every group, or the rule of each group by itself. By default a million at the
        most, 20 exceedances, and as few as the discoveries need.
    dependent : bool
        Adjust by Benjamini–Yekutieli instead of Benjamini–Hochberg (valid under any dependence).
    rng : int, Generator or None
    progress : callable or True, optional
        Called with the number of groups that are decided and of all.

    Returns
    -------
    ControlTests

    Notes
    -----
    Exact for independent rows: the features come from all groups, whichever rows of a group and the
    control change places. By default how many permutations a group may get depends on how many
    *other* groups are undecided, not on its own values.

    `group_tests` takes any strategy and all pairs; it costs a Gram matrix for every pair.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> groups = {f"g{i}": rng.normal(size=(40, 3)) + (i == 7) for i in range(9)}
    >>> groups["control"] = rng.normal(size=(400, 3))
    >>> found = control_tests(groups, "control", rng=0)
    >>> [name for name, reject in zip(found.names, found.reject) if reject]
    ['g7']
    """
    level = as_share("level", level)
    generator, seed = as_seed(rng)
    show = as_progress(progress)
    sketches = _sketches(groups, control, generator)
    chosen = sketches.plan.control if control is None else str(control)
    if chosen is None:
        raise ValueError("control is None: name the group that the others are tested against.")
    middle = sketches.place(chosen)
    tested = [g for g in range(len(sketches.names)) if g != middle]
    if not tested:
        raise ValueError(f"there is no group beside the control {chosen!r}.")
    rule = _Rule.of(permutations, level, len(tested), dependent)
    with threads.fitting(_ROWS):
        family = _Family.of(sketches, middle, tested, _checked(strategy), generator)
        family.run(rule, show)
    counted = permutations is None or isinstance(permutations, int)
    settings = {
        "strategy": repr(strategy),
        "permutations": permutations if counted else repr(permutations),
        "dependent": dependent,
    }
    return _result(sketches, middle, family, rule, seed, settings)


def _sketches(
    groups: GroupSketches | Mapping[str, Array], control: object, rng: np.random.Generator
) -> GroupSketches:
    if isinstance(groups, GroupSketches):
        return groups
    if not isinstance(groups, Mapping):
        raise TypeError(
            f"groups must be GroupSketches or a mapping of name to array, got {shown(groups)}."
        )
    most = max((len(sample) for sample in groups.values()), default=2)
    options = {"keep": max(most, 2), "keep_control": max(most, 2), "frequencies": 32}
    return GroupSketches.of_samples(groups, control=control, rng=rng, **options)


def _checked(strategy: Fuse) -> Fuse:
    plain = isinstance(strategy, Fuse) and (
        strategy.statistic == SecondOrder()
        and strategy.scaling == NormalScores()
        and strategy.combine == Maximum()
        and strategy.weights is None
    )
    if not plain:
        raise ValueError(
            "control_tests takes a Fuse with the second-order statistic, normal scores, the "
            f"maximum and equal weights, got {shown(strategy)}; group_tests takes any strategy."
        )
    return strategy


@dataclass(frozen=True)
class _Rule:
    """When a group has enough permutations, and when all have.

    Parameters
    ----------
    exceedances, most : int
    share : float or None
        level / number of tests: what is left is discovered once exceedances / (B + 1) is at most
        ``share`` times the number of groups that are left. None: every group for itself.
    """

    level: float
    dependent: bool
    exceedances: int
    most: int
    share: float | None

    @classmethod
    def of(cls, permutations: Permutations, level: float, tests: int, dependent: bool) -> "_Rule":
        if permutations is None:
            share = level / tests
            if dependent:
                share /= float(np.sum(1.0 / np.arange(1, tests + 1)))
            most = max(MOST_PERMUTATIONS, math.ceil(1.0 / share))
            return cls(level, dependent, _EXCEEDANCES, most, share)
        found = as_permutations(permutations, level / tests)
        if isinstance(found, Sequential):
            return cls(level, dependent, found.exceedances, found.most, None)
        return cls(level, dependent, found + 1, found, None)

    def ends(self) -> list[int]:
        """Permutations after which all groups that are left are looked at together."""
        found = [min(_LOOK, self.most)]
        while found[-1] < self.most:
            found.append(min(2 * found[-1], self.most))
        return found

    def all_discovered(self, drawn: int, left: int) -> bool:
        if self.share is None:
            return False
        return self.exceedances / (drawn + 1) <= self.share * left


@dataclass(eq=False)
class _Family:
    """All tests, and how far each of them is."""

    control: ControlSums
    penalties: Matrix  # (K,)
    skewness: Matrix  # (K,)
    component_names: Sequence[str]
    rows: Matrix  # of all groups, one after the other, the smallest group first
    starts: Matrix
    sizes: Matrix
    groups: Matrix  # numbers among all sketches
    rng: np.random.Generator
    described: str

    def __post_init__(self) -> None:
        shape = len(self.groups), len(self.penalties)
        self.mean, self.deviation = np.zeros(shape), np.zeros(shape)
        self.scores = np.zeros(shape)  # of the observed values
        self.bars = np.zeros(shape)  # what a permuted value must reach
        self.hits: Matrix = np.zeros(shape[0], dtype=np.int64)
        self.drawn: Matrix = np.zeros(shape[0], dtype=np.int64)

    @classmethod
    def of(
        cls,
        sketches: GroupSketches,
        middle: int,
        tested: Sequence[int],
        strategy: Fuse,
        rng: np.random.Generator,
    ) -> "_Family":
        rows, sizes = sketches.tested()
        few = [sketches.names[g] for g in (middle, *tested) if sizes[g] < 2]
        if few:
            raise ValueError(
                f"a test needs at least two rows in a group, got one in {', '.join(few[:5])}"
                f"{f' and {len(few) - 5} more' if len(few) > 5 else ''}: leave them out."
            )
        starts = np.cumsum(sizes) - sizes
        backend = RowBackend.of(sketches.plan.pool, sketches.plan.seed)
        resolved = [group.resolve(backend) for group in strategy.components]
        backend.settle()
        found = [(one, group) for group in resolved for one in group.components(backend)]
        maps = row_features([one for one, _ in found])
        moments = [one.moments() for one, _ in found]
        order = np.array(tested)[np.argsort(sizes[np.array(tested)], kind="stable")]
        return cls(
            control=ControlSums.of(maps, rows[starts[middle] : starts[middle] + sizes[middle]]),
            penalties=np.array([group.penalty for _, group in found]),
            skewness=np.array([0.0 if one is None else one.skewness for one in moments]),
            component_names=[one.name for one, _ in found],
            rows=rows,
            starts=starts[order],
            sizes=sizes[order],
            groups=order,
            rng=rng,
            described=backend.describe(),
        )

    def run(self, rule: _Rule, progress: Progress | None) -> None:
        """Permutations in rounds, each twice as long as all before."""
        count = len(self.groups)
        left = np.arange(count)
        for end in rule.ends():
            for some in groups_at_once(self.sizes[left], _ROWS):
                self._some(left[some], end, rule)
            left = left[self.hits[left] < rule.exceedances]
            if progress is not None:
                progress(count - len(left), count)
            if not len(left) or rule.all_discovered(end, len(left)):
                break
        if progress is not None:
            progress(count, count)

    def _some(self, some: Matrix, end: int, rule: _Rule) -> None:
        """More permutations for some of the groups, until there are ``end`` of each."""
        control, sizes = self.control, self.sizes[some]
        places = [np.arange(s, s + n) for s, n in zip(self.starts[some], sizes, strict=True)]
        features = control.features(self.rows[np.concatenate(places)])
        rows = [GroupRows.of(own) for own in np.split(features, np.cumsum(sizes)[:-1])]
        if not self.drawn[some[0]]:
            self.mean[some], self.deviation[some] = control.moments(features, sizes)
            observed = np.concatenate([own.observed(control) for own in rows])
            self._observe(some, observed)
        draws = ControlDraws(control, self.rng)
        for first in range(0, len(some), _SHARED):
            sharing = slice(first, first + _SHARED)
            self._permute(some[sharing], rows[sharing], draws, end, rule)

    def _permute(
        self,
        some: Matrix,
        rows: Sequence[GroupRows],
        draws: ControlDraws,
        end: int,
        rule: _Rule,
    ) -> None:
        """More permutations for groups that share their draws from the control."""
        control, sizes = self.control, self.sizes[some]
        longest = int(min(sizes.max(), control.size))
        waiting, done = list(range(len(some))), int(self.drawn[some[0]])
        while waiting and done < end:
            first = _FIRST if done == 0 else end - done
            count = min(first, draws.at_once(longest), end - done)
            own = {place: rows[place].own(control, self.rng, count) for place in waiting}
            shortest = min(int(sizes[place] - own[place].max()) for place in waiting)
            sums = draws.sums(count, shortest, longest)
            for place, back in own.items():
                drawn = sums[sizes[place] - back - shortest, np.arange(count)]
                values = rows[place].permuted(control, back, drawn, self.rng)
                self._count(int(some[place]), values, rule)
            waiting = [place for place in waiting if self.hits[some[place]] < rule.exceedances]
            done += count

    def _observe(self, some: Matrix, values: Matrix) -> None:
        """Scores of the observed values (G, K), and what permuted ones must reach for the same."""
        mean, deviation = self.mean[some], self.deviation[some]
        found = to_normal_each(values, mean=mean, deviation=deviation, skewness=self.skewness)
        self.scores[some] = found - self.penalties
        least = self.scores[some].max(axis=1, keepdims=True) - _ROUNDED + self.penalties
        bars = mean + deviation * from_normal_each(least, self.skewness)
        self.bars[some] = np.where(deviation > 0.0, bars, np.where(least > 0.0, np.inf, -np.inf))

    def _count(self, g: int, values: Matrix, rule: _Rule) -> None:
        """Stop counting at the permutation with which there are enough exceedances."""
        hits = np.flatnonzero((values >= self.bars[g]).any(axis=1))
        missing = rule.exceedances - self.hits[g]
        if len(hits) >= missing:
            self.drawn[g] += hits[missing - 1] + 1
            self.hits[g] = rule.exceedances
        else:
            self.drawn[g] += len(values)
            self.hits[g] += len(hits)

    def pvalues(self, rule: _Rule) -> Matrix:
        """Exact for every rule that does not look at the values of the group (Besag & Clifford)."""
        stopped = self.hits >= rule.exceedances
        return np.where(
            stopped,
            self.hits / np.maximum(self.drawn, 1),
            (1.0 + self.hits) / (1.0 + self.drawn),
        )


def _result(
    sketches: GroupSketches,
    middle: int,
    family: _Family,
    rule: _Rule,
    seed: int | None,
    settings: Mapping[str, object],
) -> ControlTests:
    from scipy.stats import false_discovery_control

    order = np.argsort(family.groups)
    pvalues = family.pvalues(rule)[order]
    groups = family.groups[order]
    adjusted = false_discovery_control(pvalues, method="by" if rule.dependent else "bh")
    largest = family.scores[order].argmax(axis=1)
    names = [sketches.names[g] for g in groups]
    return ControlTests(
        control=sketches.names[middle],
        names=names,
        distances=sketches.distances(sketches.names[middle])[groups],
        statistics=family.scores[order].max(axis=1),
        pvalues=pvalues,
        adjusted=adjusted,
        reject=adjusted <= rule.level,
        components=[family.component_names[k] for k in largest],
        permutations=family.drawn[order],
        rows=sketches.counts[groups],
        tested=family.sizes[order],
        control_rows=(int(sketches.counts[middle]), family.control.size),
        level=rule.level,
        method=f"Fuse over {len(family.penalties)} components, {family.described}",
        seed=seed,
        settings=settings,
    )
