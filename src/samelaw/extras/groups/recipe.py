"""What all groups of a table are seen through, learnt from some rows of all of them."""

from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from samelaw.core import threads
from samelaw.core.checks import as_count, as_seed, check_squares
from samelaw.core.types import Array, Matrix, Seed
from samelaw.divergence.summary import as_rows
from samelaw.kernels.bandwidths import default_kernel
from samelaw.kernels.features import FourierFeatures, draw_frequencies

PREPARED = 2_000
"""Rows that scales, bandwidths and landmarks are learnt from."""

_FARTHEST = 1e17  # from the centre of the rows: squares, summed over columns, stay finite


class PlanOptions(TypedDict, total=False):
    """What `GroupPlan.of` may be told beside the rows."""

    control: object
    keep: int
    keep_control: int
    frequencies: int
    rng: Seed


@dataclass(frozen=True, eq=False)
class GroupPlan:
    """What all groups are seen through: sketches with one plan add up.

    Parameters
    ----------
    pool : array (R, d)
        Rows of all groups, drawn without regard to their labels, less ``centre``.
    centre : array (d,)
    feature_map : FourierFeatures
        Of which covariances are taken.
    keep, keep_control : int
        Rows kept of every group, and of the control, at most; they are drawn at random.
    control : str, optional
    seed : int
    """

    pool: Matrix
    centre: Matrix
    feature_map: FourierFeatures
    keep: int
    keep_control: int
    control: str | None
    seed: int

    @classmethod
    @threads.single
    def of(
        cls,
        rows: Array,
        *,
        control: object = None,
        keep: int = 500,
        keep_control: int = 10_000,
        frequencies: int = 32,
        rng: Seed = None,
    ) -> "GroupPlan":
        """From some rows of the table, of which at most 2,000 are drawn.

        For p-values to be exact the rows must have been drawn at random from the whole table, or be
        others than those that are sketched: the first rows of a table sorted by group are neither.

        Parameters
        ----------
        rows : array (n, d)
        control : name, optional
            The group that others will be tested against, of which more rows are kept.
        keep, keep_control : int
        frequencies : int
            Of the Fourier features: a group takes 8·D(2D + 1) bytes beside its rows.
        rng : int, Generator or None
        """
        found = as_rows(rows)
        if len(found) < 2:
            raise ValueError(f"a plan is made from at least two rows, got {len(found)}.")
        as_count("keep", keep, 2)
        as_count("keep_control", keep_control, 2)
        as_count("frequencies", frequencies)
        generator, seed = as_seed(rng)
        seed = int(generator.integers(2**32)) if seed is None else seed
        generator = np.random.default_rng([seed, 1])
        some = generator.permutation(len(found))[:PREPARED]
        pool = found[some].astype(np.float64)  # in random order: the first of them are a sample too
        centre = np.median(pool, axis=0)  # about the mean one broken value rounds all others away
        check_squares(pool, centre)
        pool = _moved(pool, centre)
        kernel = default_kernel(pool)
        drawn = draw_frequencies(kernel, pool.shape[1], frequencies, rng=generator)
        named = None if control is None else str(control)
        wide = FourierFeatures(np.asarray(drawn, dtype=np.float32))
        return cls(pool, centre, wide, keep, keep_control, named, seed)

    @property
    def columns(self) -> int:
        return int(self.pool.shape[1])

    def moved(self, x: Array) -> Matrix:
        """Rows (n, d) less the centre, in single precision."""
        rows = as_rows(x)
        if rows.shape[1] != self.columns:
            raise ValueError(f"x has {rows.shape[1]} columns; the sketches are of {self.columns}.")
        return _moved(rows, self.centre)

    def kept(self, name: str) -> int:
        """Rows kept of a group, at most."""
        return self.keep_control if name == self.control else self.keep


def _moved(rows: Matrix, centre: Matrix) -> Matrix:
    with np.errstate(over="ignore"):
        moved = np.subtract(rows, centre, dtype=np.float64).astype(np.float32)
    if moved.size and not float(np.abs(moved).max()) <= _FARTHEST:
        raise ValueError(
            "rows lie so far from their mean that squares overflow in single precision: rescale "
            "the rows, or look for broken values."
        )
    return moved
