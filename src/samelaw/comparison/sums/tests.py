"""Each view alone and pairs of views, from sums over blocks alone.

The same statistics as of rows (`twotables.joint_test`), of values in bins; all columns together
are looked at in `streaming.block_joint`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from samelaw.comparison.columns.functions import functions_of, known_rows
from samelaw.comparison.contrasts import contrasts_of
from samelaw.comparison.effects.operators import class_codes, excess_divergence, shared_out
from samelaw.comparison.pairs.classes import Classes, kind_of
from samelaw.comparison.pairs.tests import dependence_changes
from samelaw.comparison.sums.block_sums import BlockSums
from samelaw.comparison.sums.scheme import BinnedView
from samelaw.comparison.view_tests import scores_of_pairs, statistic_of
from samelaw.core.types import Matrix, Progress
from samelaw.tables.columns.views import ColumnView
from samelaw.testing.permuting.units import Units

_CELL = 4.0  # bytes


class PairLooks:
    """Which pairs of views are counted, and in which classes of bins.

    Cells are cut finely enough for the test of a dependence and for the effect of a pair, which
    have classes of their own.

    Parameters
    ----------
    looks : sequence of BinnedView
    sizes : (int, int)
        Rows of A and of B.
    room : float
        Bytes for the counts of all pairs.
    blocks : int
    """

    def __init__(
        self, looks: Sequence[BinnedView], sizes: tuple[int, int], room: float, blocks: int
    ) -> None:
        self.classes = [look.classes(sizes) for look in looks]
        self.coarse = [look.coarse() for look in looks]
        both = [np.stack([c.codes, w]) for c, w in zip(self.classes, self.coarse, strict=True)]
        cut = [np.unique(one, axis=1, return_inverse=True) for one in both]
        self.meaning = [codes for codes, _ in cut]  # (2, K): class and coarse class of a fine one
        self.fine = [place.ravel() for _, place in cut]
        used = [i for i, own in enumerate(self.classes) if own.count]
        self.possible = [
            (i, j) for i, j in combinations(used, 2) if looks[i].column != looks[j].column
        ]
        sizes_of = [self.meaning[i].shape[1] * self.meaning[j].shape[1] for i, j in self.possible]
        fit = int(room / (_CELL * blocks * max(sizes_of, default=1)))
        self.most = fit
        self.pairs = self.possible if len(self.possible) <= fit else []


@dataclass(frozen=True, eq=False)
class BlockTests:
    """What the sums over blocks say of every view and pair.

    Parameters
    ----------
    sums : BlockSums
    looks : PairLooks
    units : Units
    kept : sequence of int
        Views whose values differ at all, by their number in the scheme.
    """

    sums: BlockSums
    looks: PairLooks
    units: Units
    kept: Sequence[int]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of views, by their number among those that are kept."""
        place = {view: k for k, view in enumerate(self.kept)}
        return [(place[i], place[j]) for i, j in self.looks.pairs if i in place and j in place]

    def view(self, k: int) -> tuple[ColumnView, Matrix, Matrix]:
        """A view with one row per bin that holds something; its counts (U, r) and in all (r,)."""
        place = self.kept[k]
        look, pool = self.sums.scheme.looks[place], self.sums.all_bins[place].sum(axis=0)
        some = np.flatnonzero(pool)
        view = look.of_column(look.view.column.taken(some))
        return view, self.sums.bins[place][:, some], pool[some].astype(np.float64)

    def alone(self, memberships: Matrix) -> Matrix:
        """Statistics (H, B + 1) of the views."""
        contrasts = list(contrasts_of(self.units, memberships))
        found = []
        for k, place in enumerate(self.kept):
            view, counts, pool = self.view(k)
            functions = functions_of(view, pool, self.sums.scheme.looks[place].spiked)
            sums = counts @ functions.values.astype(np.float64)
            known = known_rows(view)
            known = None if known is None else counts @ known
            found.append(statistic_of(sums, functions.forms, contrasts, known))
        return np.array(found, dtype=np.float32)

    def paired(self, memberships: Matrix, held: float, progress: Progress | None) -> Matrix:
        """Statistics (P, B + 1) of the pairs."""
        classes = [self._class(k) for k in range(len(self.kept))]
        by_id = {id(own): k for k, own in enumerate(classes)}
        number = {pair: k for k, pair in enumerate(self.looks.pairs)}

        def tally(one: Classes, other: Classes) -> Matrix:
            i, j = self.kept[by_id[id(one)]], self.kept[by_id[id(other)]]
            swapped = (i, j) not in number
            cells = self.sums.cells[number[(j, i) if swapped else (i, j)]]
            cells = cells.transpose(0, 2, 1) if swapped else cells
            return self._merged(cells, i, j, 0, (one.count, other.count))

        found = dependence_changes(
            classes, self.pairs, self.units, memberships, progress, held, tally
        )
        return scores_of_pairs(found, [kind_of(classes[i], classes[j]) for i, j in self.pairs])

    def _class(self, k: int) -> Classes:
        """The classes of the bins that hold something."""
        own = self.looks.classes[self.kept[k]]
        some = np.flatnonzero(self.sums.all_bins[self.kept[k]].sum(axis=0))
        return Classes(own.view, own.codes[some], own.count, own.ordered)

    def _merged(self, cells: Matrix, i: int, j: int, which: int, counts: tuple[int, int]) -> Matrix:
        """Fine cells (U, K, L) summed over the classes that they belong to."""
        dtype = np.float32 if self.units.sizes.sum() < 2**24 else np.float64
        first, second = (
            (self.looks.meaning[view][which][:, None] == np.arange(count)).astype(dtype)
            for view, count in zip((i, j), counts, strict=True)
        )
        return np.asarray(np.einsum("ukl,ka,lb->uab", cells.astype(dtype), first, second,
                                    optimize=True))  # fmt: skip

    def of_view(self, k: int) -> Matrix:
        """Counts (U, r) of the classes of a view in its effect."""
        view, counts, pool = self.view(k)
        codes = class_codes(view, pool)
        classes = (codes[:, None] == np.arange(int(codes.max()) + 1)).astype(np.float64)
        return shared_out(counts @ classes, self.units)

    def of_all(self, rng: np.random.Generator) -> tuple[Matrix, Units, Matrix]:
        """Operators of all columns together; waves were not scaled to rows of norm 1."""
        totals = self.sums.covariances[-1]
        return totals / (totals.shape[1] // 2), self.units, np.arange(self.units.count)

    def of_pair(self, k: int) -> Matrix:
        table = self._coarse(k)
        table = table[:, table.sum(axis=0) > 0]
        return shared_out(table, self.units)

    def cells(self, k: int) -> Matrix:
        cells, member = self._cells(k), self.units.labels.observed
        return np.stack([cells[member].sum(axis=0), cells[~member].sum(axis=0)])

    def _coarse(self, k: int) -> Matrix:
        """Counts (U, r) of the cells of coarse classes."""
        cells = self._cells(k)
        return cells.reshape(len(cells), -1)

    def _cells(self, k: int) -> Matrix:
        """Counts (U, K, L) of the cells of coarse classes."""
        i, j = (self.kept[view] for view in self.pairs[k])
        cells = self.sums.cells[self.looks.pairs.index((i, j))]
        counts = (int(self.looks.coarse[i].max()) + 1, int(self.looks.coarse[j].max()) + 1)
        return self._merged(cells, i, j, 1, counts).astype(np.float64)

    def apart(self) -> Matrix:
        member = self.units.labels.observed
        found = []
        for k in range(len(self.pairs)):
            table = self._coarse(k)
            sides = np.stack([table[member].sum(axis=0), table[~member].sum(axis=0)])
            rows = sides.sum(axis=1)
            shares = sides / np.maximum(rows[:, None], 1.0)
            found.append(excess_divergence(shares, (max(int(rows[0]), 1), max(int(rows[1]), 1))))
        return np.array(found)
