"""A test of two sketches: the labels of blocks are permuted, and no row is needed."""

from collections.abc import Iterator, Sequence

import numpy as np

from samelaw.core.checks import as_seed, as_share
from samelaw.core.types import Matrix, Seed
from samelaw.divergence.quadratic_form import SUBSPACE
from samelaw.divergence.sketch import MeanSketch, PooledSketch, Sketch
from samelaw.kernels.entropies import EntropyLike, as_entropy
from samelaw.testing.permuting.components import Component, components_of
from samelaw.testing.permuting.permutations import (
    Evaluation,
    Labels,
    as_permutations,
    null_distribution,
)
from samelaw.testing.permuting.units import Units
from samelaw.testing.result import TestResult
from samelaw.testing.standardize import NormalScores
from samelaw.testing.statistics import SecondOrder, component_name

ORDERS = (1, 10, 30)

RANDOM = "exact p-value (blocks of random rows)"
ORDERED = "approximate p-value (rows were not dealt to blocks at random)"


def sketch_test(
    x: Sketch,
    y: Sketch,
    *,
    means: Sequence[tuple[MeanSketch, MeanSketch]] = (),
    entropies: Sequence[EntropyLike] = ORDERS,
    random_blocks: bool = True,
    level: float = 0.05,
    permutations: int | None = None,
    rng: Seed = None,
) -> TestResult:
    """Test whether two samples follow the same law, from sketches of them alone.

    The p-value is exact if rows were dealt to blocks at random (`DealtSketch`) and the feature map
    owes nothing to them: frequencies and bandwidths chosen on other rows, or in advance.

    Parameters
    ----------
    x, y : Sketch
        Of one feature map and one size of blocks.
    means : sequence of pairs of MeanSketch
        Of the same blocks: order 1 at further bandwidths, for the price of means.
    entropies : sequence of Entropy or order
        Divergences that are fused; the largest decides.
    random_blocks : bool
        Whether rows were dealt at random; the result says what follows.
    level, permutations, rng
        As `two_sample_test` takes them.

    Notes
    -----
    O(G²D²) for G blocks, whatever the number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels import FourierFeatures
    >>> rng = np.random.default_rng(0)
    >>> features = FourierFeatures(rng.normal(size=(2, 8)))
    >>> x, y = (Sketch.of(features, rng.normal(s, size=(600, 2)), block=20) for s in (0, 0.5))
    >>> sketch_test(x, y, rng=0).reject
    True
    """
    level = as_share("level", level)
    generator, seed = as_seed(rng)
    pooled = PooledSketch(x + y)
    sizes = len(x.totals), len(y.totals)
    if min(sizes) < 2:
        raise ValueError(f"sketches of {sizes[0]} v {sizes[1]} blocks; a test takes at least two.")
    found = list(_components(pooled, means, sizes, entropies, generator))
    scaling = NormalScores()
    rescaled = [(one, scaling.fit(one)) for one in found]

    def evaluate(memberships: Matrix) -> Evaluation:
        ready = memberships.astype(np.float64)
        values = [rescale(one.evaluate(ready)) for one, rescale in rescaled]
        first = tuple((one.name, float(v[0])) for one, v in zip(found, values, strict=True))
        return Evaluation(np.max(values, axis=0), first)

    count = as_permutations(permutations, level)
    null = null_distribution(evaluate, Labels.of_sizes(sizes), count, generator)
    left = x.left_over + y.left_over
    return TestResult(
        statistic=null.observed,
        pvalue=null.pvalue,
        reject=bool(null.pvalue <= level),
        level=level,
        null_distribution=null.values[1:],
        method=f"sketches of {sizes[0]} v {sizes[1]} blocks of {x.block} rows, {left} rows left "
        "over",
        calibration=f"{RANDOM if random_blocks else ORDERED} from {null.kind}",
        sizes=(sizes[0] * x.block, sizes[1] * y.block),
        components=tuple(
            {"name": name, "value": value}
            for name, value in sorted(null.components, key=lambda one: -one[1])
        ),
        settings={"level": level, "permutations": count, "seed": seed},
        seed=seed,
    )


def _components(
    pooled: PooledSketch,
    means: Sequence[tuple[MeanSketch, MeanSketch]],
    sizes: tuple[int, int],
    entropies: Sequence[EntropyLike],
    rng: np.random.Generator,
) -> Iterator[Component]:
    labels, chosen = Labels.of_sizes(sizes), [as_entropy(one) for one in entropies]
    units = Units(labels, np.arange(sum(sizes)))
    start = rng.standard_normal((sum(sizes), SUBSPACE))
    factor = NormalScores().kernel_factor(pooled, chosen, sizes, SecondOrder())
    for entropy in chosen:
        matrix = pooled.quadratic_form(entropy, scale=factor) * labels.balance
        yield from components_of(component_name("features", entropy), matrix, units, start)
    order = as_entropy(1)
    for i, (x, y) in enumerate(means):
        matrix = (x + y).quadratic_form(order) * labels.balance
        yield from components_of(component_name(f"means {i}", order), matrix, units, start)
