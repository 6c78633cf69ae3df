"""What an entropy loses with each block of rows, from one eigensystem, and the jackknife on it.

Leaving out a block of many moves the operator little: the new spectra follow from the old one by
an expansion, at the price of two products of matrices each.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from samelaw.core import linalg
from samelaw.core.arrays import namespace, to_numpy
from samelaw.core.types import Array, Matrix
from samelaw.kernels.entropies import Entropy, Renyi, divided_differences
from samelaw.kernels.operators import mixture, open_gap

_TRUSTED = 0.1  # of the standard error: what the expansion may leave out


@dataclass(frozen=True, eq=False)
class Blocks:
    """Sums Σ φφᵀ of the rows of each block (G, D, D), and how many rows each has (G,)."""

    total: Array
    rows: Matrix

    @property
    def count(self) -> float:
        """Rows in all."""
        return float(self.rows.sum())

    @cached_property
    def density(self) -> Array:
        """The operator of all rows."""
        return namespace(self.total).sum(self.total, axis=0) / self.count

    def step(self, block: int) -> Array:
        """How the operator changes when a block is left out."""
        rows = float(self.rows[block])
        return (rows * self.density - self.total[block, ...]) / (self.count - rows)


def entropies_without(
    whole: Array, blocks: Blocks, share: float, entropy: Entropy
) -> tuple[Array, Array]:
    """S(C), and S(C + πE) for the step E of leaving out each block, (G,).

    In the eigenbasis of C: Σ_a φ(λ_a + E_aa) + ½ Σ_{a≠b} h_ab E_ab², h the divided differences of
    φ′: exact along the diagonal, to second order off it. Two blocks are left out for real as well;
    if the expansion is off by more than a small part of the standard error, all of them are.

    Notes
    -----
    Cost 4GD³ in products, and G eigenvalue problems where rows are too few for the features.
    """
    values, vectors = linalg.eigensystem(whole)
    everything = range(len(blocks.rows))
    if isinstance(entropy, Renyi) and np.isinf(entropy.alpha):  # no sum to expand
        return entropy(values), _exact(whole, blocks, share, entropy, everything)
    xp = namespace(values)
    curvature = divided_differences(entropy, values)
    own = 0.5 * xp.linalg.diagonal(curvature)
    sums = []
    for block in everything:
        turned = share * (vectors.T @ (blocks.step(block) @ vectors))
        along = xp.linalg.diagonal(turned)
        across = 0.5 * xp.sum(curvature * turned * turned) - xp.sum(own * along * along)
        sums.append(xp.sum(entropy.phi(values + along)) + across)
    found = entropy.link(xp.stack(sums))
    probes = [everything[0], everything[-1]]
    exact = _exact(whole, blocks, share, entropy, probes)
    off = float(xp.mean(exact - xp.stack([found[k] for k in probes])))
    if abs(off) > _TRUSTED * float(np.std(to_numpy(found))) / math.sqrt(len(everything)):
        return entropy(values), _exact(whole, blocks, share, entropy, everything)
    return entropy(values), found + off


def _exact(
    whole: Array, blocks: Blocks, share: float, entropy: Entropy, which: Sequence[int]
) -> Array:
    """The entropies without some of the blocks, from their spectra."""
    changed = (whole + share * blocks.step(block) for block in which)
    return namespace(whole).stack([entropy(linalg.eigenvalues(matrix)) for matrix in changed])


@dataclass(frozen=True)
class Jackknifed:
    """A value, what to add for its bias, and the variance of both."""

    value: float
    correction: float
    variance: float

    @property
    def corrected(self) -> float:
        """The value without the leading term of its bias."""
        return self.value + self.correction

    @property
    def standard_error(self) -> float:
        return math.sqrt(self.variance)


def jackknife(value: float, without: Matrix, rows: Matrix) -> Jackknifed:
    """From the values without each block (G,): the jackknife for blocks of unequal size.

    Busing, Meijer and van der Leeden (1999); for equal sizes the usual one.
    """
    parts = rows / rows.sum()
    correction = float((len(rows) - 1) * value - np.sum((1.0 - parts) * without))
    pseudo = value / parts - (1.0 / parts - 1.0) * without
    spread = (pseudo - (value + correction)) ** 2 / (1.0 / parts - 1.0)
    return Jackknifed(float(value), correction, float(spread.mean()))


def entropy_of_blocks(blocks: Blocks, entropy: Entropy) -> Jackknifed:
    """The entropy of a sample from its blocks."""
    value, without = entropies_without(blocks.density, blocks, 1.0, entropy)
    return jackknife(float(value), to_numpy(without), blocks.rows)


def divergence_of_blocks(
    sides: Sequence[Blocks], entropy: Entropy, shares: Sequence[float]
) -> Jackknifed:
    """RJSD of two samples from their blocks; those of either are left out in turn."""
    mixed = mixture([side.density for side in sides], shares)
    inner = [entropies_without(side.density, side, 1.0, entropy) for side in sides]
    found = []
    for k, (side, share) in enumerate(zip(sides, shares, strict=True)):
        whole, without = entropies_without(mixed, side, share, entropy)
        value = open_gap(whole, [own for own, _ in inner], entropy, shares)
        own = [inner[j][1] if j == k else inner[j][0] for j in range(len(sides))]
        changed = open_gap(without, own, entropy, shares)
        found.append(jackknife(float(value), to_numpy(changed), side.rows))
    return Jackknifed(
        found[0].value, sum(f.correction for f in found), sum(f.variance for f in found)
    )
