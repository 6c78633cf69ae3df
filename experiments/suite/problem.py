"""A two-sample problem of the suite: a family, a sampler, a strength and two sizes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Random = np.random.Generator

Law = Callable[[Random, float, int], Array]
"""(generator, strength, count) → rows (count, d); strength 0 is the law of the first sample."""

Sampler = Callable[[Random, float, int, int], tuple[Array, Array]]
"""(generator, strength, n, m) → x (n, d), y (m, d); at strength 0 both follow one law."""


@dataclass(frozen=True)
class Problem:
    """One row of the table."""

    name: str
    family: str
    sampler: Sampler
    strength: float
    sizes: tuple[int, int]
    columns: int

    def draw(self, rng: Random, strength: float | None = None) -> tuple[Array, Array]:
        """Both samples, at another strength if one is given."""
        chosen = self.strength if strength is None else strength
        return self.sampler(rng, chosen, *self.sizes)


def of(law: Law) -> Sampler:
    """The first sample from the law at strength 0, the second from the law itself."""

    def sampler(rng: Random, strength: float, n: int, m: int) -> tuple[Array, Array]:
        return law(rng, 0.0, n), law(rng, strength, m)

    return sampler


def lazily(make: Callable[[], Sampler]) -> Sampler:
    """A sampler of data that are read when first drawn from."""

    def sampler(rng: Random, strength: float, n: int, m: int) -> tuple[Array, Array]:
        return make()(rng, strength, n, m)

    return sampler


def mixed(first: Callable[[Random, int], Array], second: Callable[[Random, int], Array]) -> Law:
    """A law of which a share ``strength`` of the rows follows a second one."""

    def law(rng: Random, strength: float, count: int) -> Array:
        other = rng.random(count) < strength
        return np.where(other[:, None], second(rng, count), first(rng, count))

    return law


def from_rows(plain: Array, other: Array, base: float = 0.0) -> Sampler:
    """Real rows, none twice: Y has a share ``base + strength`` of the others, X ``base``."""

    def sampler(rng: Random, strength: float, n: int, m: int) -> tuple[Array, Array]:
        a, b = rng.binomial(n, base), rng.binomial(m, base + strength)
        first, second = rng.permutation(len(plain)), rng.permutation(len(other))
        if n - a + m - b > len(first) or a + b > len(second):
            raise ValueError(f"{len(first)} and {len(second)} rows are too few for {n} v {m}.")
        x = np.concatenate([plain[first[: n - a]], other[second[:a]]])
        y = np.concatenate([plain[first[n - a : n - a + m - b]], other[second[a : a + b]]])
        return x, y

    return sampler
