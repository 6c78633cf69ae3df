"""One pass over a table gives a sketch for each of its groups.

Of all rows of a group the covariance in a feature space, which adds up and gives divergences; of
some of its rows, drawn at random, the rows themselves, which a permutation test needs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Unpack

import numpy as np

from samelaw.core import threads
from samelaw.core.arrays import to_numpy
from samelaw.core.checks import is_null
from samelaw.core.container import Container, Format
from samelaw.core.samples import as_samples
from samelaw.core.types import Array, Matrix
from samelaw.divergence.contract import Weights
from samelaw.divergence.summary import as_rows, pieces
from samelaw.extras.groups.divergences import (
    SecondOrderForm,
    bias_by_size,
    divergence_of,
    symmetric,
)
from samelaw.extras.groups.recipe import GroupPlan, PlanOptions
from samelaw.kernels.entropies import EntropyLike, VonNeumann, as_entropy
from samelaw.kernels.features import FourierFeatures
from samelaw.kernels.fingerprint import fingerprint
from samelaw.kernels.operators import Covariance, density_divergence

_FORMAT = Format("sketches of groups", 1)
_VON_NEUMANN = VonNeumann()
_BUFFERED = 2**17  # rows that wait before those with the largest keys are dropped


@dataclass(frozen=True, eq=False)
class GroupSketches:
    """Sketches of the groups of a table.

    Parameters
    ----------
    plan : GroupPlan
    names : tuple of str
        Of the groups, in the order in which they were first seen.
    counts : array (G,)
        Rows of each group.
    totals : array (G, D(2D + 1))
        Σφφᵀ over all rows of each group, on and above the diagonal.
    rows : array (k, d)
        Rows kept, less the centre of the plan, in no order.
    codes : array (k,)
        Which group each is of.
    keys : array (k,)
        A random number each: the rows with the smallest ones are kept.

    Notes
    -----
    Which rows are kept depends on random numbers alone, not on the rows, their order, or how they
    came in parts.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat(["a", "b", "c"], 200)
    >>> x = rng.normal(size=(600, 2)) + (labels == "c")[:, None]
    >>> sketches = GroupSketches.of(x, labels, rng=0)
    >>> sketches.divergences() > 0.05
    array([[False, False,  True],
           [False, False,  True],
           [ True,  True, False]])
    """

    plan: GroupPlan
    names: tuple[str, ...]
    counts: Matrix
    totals: Matrix
    rows: Matrix
    codes: Matrix
    keys: Matrix

    @classmethod
    def empty(cls, plan: GroupPlan) -> "GroupSketches":
        """Of no rows, for streams to begin with."""
        size = plan.feature_map.size
        return cls(
            plan,
            (),
            np.zeros(0, dtype=np.int64),
            np.zeros((0, size * (size + 1) // 2)),
            np.zeros((0, plan.columns), dtype=np.float32),
            np.zeros(0, dtype=np.int32),
            np.zeros(0),
        )

    @classmethod
    def of(cls, x: Array, labels: Array, **options: Unpack[PlanOptions]) -> "GroupSketches":
        """Of the rows of ``x`` (n, d), whose groups are ``labels`` (n,).

        Options are those of `GroupPlan.of`.
        """
        return cls.empty(GroupPlan.of(x, **options)).update(x, labels)

    @classmethod
    def of_samples(
        cls, groups: Mapping[str, Array], **options: Unpack[PlanOptions]
    ) -> "GroupSketches":
        """Of samples by name."""
        named = {f"group {name}": sample for name, sample in groups.items()}
        if len(named) < len(groups):
            raise ValueError(f"names of groups must differ as text, got {list(groups)}.")
        parts = [as_rows(sample) for sample in as_samples(**named)]
        labels = np.repeat(np.array([*map(str, groups)], dtype=object), [*map(len, parts)])
        return cls.of(np.concatenate(parts), labels, **options)

    @classmethod
    def of_batches(
        cls, plan: GroupPlan, batches: Iterable[tuple[Array, Array]], *, part: int = 0
    ) -> "GroupSketches":
        """Of rows that come some at a time, each batch with its labels.

        ``part`` tells machines apart that sketch parts of one table: each draws its own numbers.
        """
        growing = _Growing(cls.empty(plan), part)
        for x, labels in batches:
            growing.add(plan.moved(x), labels)
        return growing.done()

    def update(self, x: Array, labels: Array, *, part: int = 0) -> "GroupSketches":
        """With these rows too; a row with NaN is an error, and these sketches stay as they are."""
        growing = _Growing(self, part)
        growing.add(self.plan.moved(x), labels)
        return growing.done()

    def __add__(self, other: "GroupSketches") -> "GroupSketches":
        """Of the rows of both: groups of the same name add up."""
        if self.fingerprint != other.fingerprint:
            raise ValueError(
                "the two were made with other plans: prepare one GroupPlan and make both with it."
            )
        growing = _Growing(self, 0)
        growing.merge(other)
        return growing.done()

    @property
    def fingerprint(self) -> str:
        """What the plan consists of: sketches with equal ones add up."""
        return fingerprint(self.plan)

    def place(self, name: object) -> int:
        """The number of a group."""
        try:
            return self.names.index(str(name))
        except ValueError:
            known = ", ".join(self.names[:8]) + (", …" if len(self.names) > 8 else "")
            raise ValueError(f"no group is called {str(name)!r}; the groups are {known}.") from None

    def covariance(self, name: object) -> Covariance:
        """Of all rows of a group."""
        g, size = self.place(name), self.plan.feature_map.size
        return Covariance(symmetric(self.totals[g], size), float(self.counts[g]))

    def divergence(
        self,
        one: object,
        other: object,
        *,
        entropy: EntropyLike = _VON_NEUMANN,
        weights: Weights = "balanced",
    ) -> float:
        """RJSD between two groups, in nats, with its upward bias."""
        from samelaw.divergence.contract import priors

        sides = [self.covariance(name) for name in (one, other)]
        shares = priors(weights, [float(side.weight) for side in sides])
        densities = [side.density for side in sides]
        return float(density_divergence(densities, as_entropy(entropy), shares))

    def divergences(
        self, names: Sequence[object] | None = None, *, entropy: EntropyLike = _VON_NEUMANN
    ) -> Matrix:
        """All divergences between groups (G, G), in nats, to second order, less their bias.

        Exact for order 1. What is estimated without bias may come out below 0 for equal laws.

        Parameters
        ----------
        names : sequence of names, optional
            Some of the groups; all by default.
        entropy : Entropy or order

        Notes
        -----
        Rows are not needed, and 10,000 groups take one product of matrices. Groups far from each
        other are farther in the second order than in the divergence itself, which is at most log 2.
        """
        some = np.arange(len(self.names)) if names is None else np.array([*map(self.place, names)])
        size = self.plan.feature_map.size
        density = symmetric(self.totals.sum(axis=0) / self.counts.sum(), size)
        form = SecondOrderForm.around(density, self.plan, as_entropy(entropy))
        means, bias = form.means(self.totals[some], self.counts[some])
        found = -2.0 * (means @ means.T)
        own = 0.5 * np.diagonal(found)
        found -= own[:, None] + own[None, :]
        found -= bias[:, None] + bias[None, :]
        found *= 0.25
        np.fill_diagonal(found, 0.0)
        return np.asarray(found)

    def distances(self, control: object) -> Matrix:
        """How far each group is from one of them (G,): RJSD over log 2, less its bias.

        0 for equal laws, 1 for laws without common ground; in population at most the share of rows
        that changed.
        """
        middle = self.place(control)
        size = self.plan.feature_map.size
        densities = (symmetric(total / count, size) for total, count in self._sums())
        first = symmetric(self.totals[middle] / self.counts[middle], size)
        found = np.array([divergence_of(density, first) for density in densities])
        bias = bias_by_size(self.plan, self.counts)
        found -= bias + bias[middle]
        found[middle] = 0.0
        return np.asarray(found / np.log(2.0))

    def _sums(self) -> Iterable[tuple[Matrix, float]]:
        return zip(self.totals, self.counts, strict=True)

    def tested(self) -> tuple[Matrix, Matrix]:
        """Rows kept, group after group, and how many there are of each group."""
        order = np.lexsort((self.keys, self.codes))
        return self.rows[order], np.bincount(self.codes, minlength=len(self.names))

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file, whole or absent; it holds the rows that were kept."""
        plan = self.plan
        arrays = {
            "pool": plan.pool,
            "centre": plan.centre,
            "frequencies": np.asarray(plan.feature_map.frequencies),
            "counts": self.counts,
            "totals": self.totals,
            "rows": self.rows,
            "codes": self.codes,
            "keys": self.keys,
        }
        facts = {
            "names": list(self.names),
            "keep": plan.keep,
            "keep_control": plan.keep_control,
            "control": plan.control,
            "seed": plan.seed,
        }
        _FORMAT.write(path, Container(arrays, facts))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "GroupSketches":
        """Read what `save` wrote; anything else is refused."""
        found = _FORMAT.read(path)
        arrays, facts = found.arrays, found.facts
        plan = GroupPlan(
            arrays["pool"],
            arrays["centre"],
            FourierFeatures(arrays["frequencies"]),
            facts["keep"],
            facts["keep_control"],
            facts["control"],
            facts["seed"],
        )
        kept = (arrays[name] for name in ("counts", "totals", "rows", "codes", "keys"))
        return cls(plan, tuple(facts["names"]), *kept)


class _Growing:
    """Sketches that grow in place, for the length of a pass."""

    def __init__(self, start: GroupSketches, part: int) -> None:
        self.plan, self.part = start.plan, part
        self.codes_of = {name: code for code, name in enumerate(start.names)}
        self.counts, self.totals = start.counts.copy(), start.totals.copy()
        self.kept = [(start.rows, start.codes, start.keys)]
        self.limit: Matrix = np.full(len(start.names), np.inf)  # keys beyond are not kept
        self.waiting = 0
        numbers = np.random.PCG64(np.random.SeedSequence([self.plan.seed, 2, part]))
        self.rng = np.random.Generator(numbers.advance(int(start.counts.sum())))

    @threads.single
    def add(self, rows: Matrix, labels: Array) -> None:
        codes = self._codes(labels, len(rows))
        order = np.argsort(codes, kind="stable")
        found, starts, counts = np.unique(codes[order], return_index=True, return_counts=True)
        self.counts[found] += counts
        upper = np.triu_indices(self.plan.feature_map.size)
        for code, start, count in zip(found, starts, counts, strict=True):
            own = rows[order[start : start + count]]
            for some in pieces(own, self.plan.feature_map.size):
                features = np.asarray(self.plan.feature_map.features(some))
                self.totals[code] += (features.T @ features)[upper]
        self._keep(rows, codes, self.rng.random(len(rows)))

    def merge(self, other: GroupSketches) -> None:
        codes = self._named(np.array(other.names, dtype=object))
        self.counts[codes] += other.counts
        self.totals[codes] += other.totals
        self._keep(other.rows, codes[other.codes].astype(np.int32), other.keys)

    def done(self) -> GroupSketches:
        self._drop()
        rows, codes, keys = self.kept[0]
        count = len(self.codes_of)
        return GroupSketches(
            self.plan,
            tuple(self.codes_of),
            self.counts[:count],
            self.totals[:count],
            rows,
            codes,
            keys,
        )

    def _codes(self, labels: Array, count: int) -> Matrix:
        words = as_labels(labels)
        if len(words) != count:
            raise ValueError(f"{count} rows came with {len(words)} labels.")
        names, first, inverse = np.unique(words, return_index=True, return_inverse=True)
        codes: Matrix = np.empty(len(names), dtype=np.int32)
        order = np.argsort(first)  # groups are numbered as they are first seen
        codes[order] = self._named(names[order])
        return np.asarray(codes[inverse])

    def _named(self, names: Matrix) -> Matrix:
        codes = [self.codes_of.setdefault(str(name), len(self.codes_of)) for name in names]
        missing = len(self.codes_of) - len(self.counts)
        if missing > 0:  # room for more: a sorted table brings new groups with every batch
            more = max(missing, len(self.counts) // 2)
            self.counts = np.concatenate([self.counts, np.zeros(more, dtype=np.int64)])
            none = np.zeros((more, self.totals.shape[1]))
            self.totals = np.concatenate([self.totals, none])
            self.limit = np.concatenate([self.limit, np.full(more, np.inf)])
        return np.array(codes, dtype=np.int64)

    def _keep(self, rows: Matrix, codes: Matrix, keys: Matrix) -> None:
        near = np.flatnonzero(keys < self.limit[codes])
        self.kept.append((rows[near], codes[near], keys[near]))
        self.waiting += len(near)
        if self.waiting > max(_BUFFERED, len(self.kept[0][0])):
            self._drop()

    def _drop(self) -> None:
        """Of every group those with the smallest keys."""
        rows, codes, keys = (np.concatenate(arrays) for arrays in zip(*self.kept, strict=True))
        order = np.lexsort((keys, codes))
        sizes = np.bincount(codes, minlength=len(self.counts))
        place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        most = np.full(len(self.counts), self.plan.keep)
        if self.plan.control in self.codes_of:
            most[self.codes_of[self.plan.control]] = self.plan.keep_control
        inside = order[place < np.repeat(most, sizes)]
        full = np.flatnonzero(sizes >= most)
        ends = np.cumsum(np.minimum(sizes, most))
        self.limit[full] = keys[inside][ends[full] - 1]
        inside = np.sort(inside)
        self.kept, self.waiting = [(rows[inside], codes[inside], keys[inside])], 0


def as_labels(labels: Array) -> Matrix:
    """Names of the groups of rows (n,); a row without one is an error."""
    found = to_numpy(labels)
    if found.ndim != 1:
        raise ValueError(f"labels must be one name per row, got shape {found.shape}.")
    if found.dtype.kind in "OfmM":
        missing = np.array([is_null(one) for one in found.tolist()], dtype=bool)
        if missing.any():
            raise ValueError(
                f"{int(missing.sum())} rows have no label, the first is row "
                f"{int(np.flatnonzero(missing)[0])}: drop them or name their group."
            )
    return (
        np.array([str(one) for one in found.tolist()], dtype=object)
        if (found.dtype.kind == "O")
        else found.astype(str)
    )
