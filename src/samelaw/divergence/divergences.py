"""Divergences between samples: RJSD, its form for many samples, and MMD."""

import sys
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from samelaw.core import threads
from samelaw.core.arrays import is_array, namespace, parts, rows, to_numpy
from samelaw.core.checks import shown
from samelaw.core.samples import as_samples, as_weights
from samelaw.core.types import Array, Progress, Sample
from samelaw.divergence.bias import corrected_divergence, unbiased_divergence
from samelaw.divergence.contract import Weights, priors
from samelaw.divergence.gram import sample_divergence
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel
from samelaw.kernels.entropies import Entropy, EntropyLike, VonNeumann, as_entropy
from samelaw.kernels.operators import entropy_gap, gram_entropy, pooled_weights

_VON_NEUMANN = VonNeumann()


@threads.fitting_samples
def rjsd(
    x: Sample,
    y: Sample,
    *,
    kernel: Kernel | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
    weights: Weights = "proportional",
    sample_weights: tuple[Array | None, Array | None] | None = None,
    corrected: bool | Literal["unbiased"] = False,
) -> Array:
    """Representation Jensen–Shannon divergence between two samples, in nats.

    S(πC_X + (1−π)C_Y) − πS(C_X) − (1−π)S(C_Y), where C is the uncentred covariance operator of
    the sample in the space of the kernel: propositions 8 (kernel) and 10 (power series) of the
    paper. It is 0 for equal samples and at most ``entropy.bound((π, 1 − π))``: log 2 for the von
    Neumann entropy and π = ½, with which it is in population a lower bound of the classical
    Jensen–Shannon divergence. Rényi entropies take their mean inside the logarithm (`Renyi`).

    Parameters
    ----------
    x : array (n, d), or tuple of arrays
        First sample X. A tuple holds layers or groups of columns; their kernels are multiplied.
    y : array (m, d), or tuple of arrays
        Second sample Y, of the same array library.
    kernel : Kernel, optional
        κ; Gaussian at the median distance of the pooled sample by default.
    entropy : Entropy or order
        S; the power series ``entropy=10`` resists the upward bias of small bandwidths and high
        dimension.
    weights : "proportional", "balanced" or float
        π: n/(n+m) as in the paper's estimator, ½ as in its definition, or a number.
    sample_weights : pair of arrays (n,) and (m,), optional
        Non-negative weights of the rows; their sums take the place of n and m. Gradients flow
        to them, with π held constant. Not with ``corrected``.
    corrected : bool or "unbiased"
        Take the upward bias of small samples out; the value may then be negative when the samples
        are alike. True subtracts its leading term, so that O(n⁻²) remains: nearly nothing for a
        power series, and for von Neumann with a sharp kernel up to half of it. It adds no variance;
        gradients flow for orders up to 5; two rows or more each. "unbiased" is exactly unbiased
        for a kernel chosen without these samples: power series up to order 20 only, more rows than
        the order, a mean over four random orders of the rows (the same in every call).

    Returns
    -------
    scalar array
        Of the library of ``x``; gradients flow to the samples and to the kernel's parameters. At
        least 0 unless corrected.

    See Also
    --------
    FourierEstimator : linear in n, for large samples.
    standard_error : of the corrected value.

    Notes
    -----
    Cost O(N²d + N³) with N = n + m, corrected a few times that; plain ``entropy=1`` costs O(N²d)
    and O(N) memory.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(100, 2)), rng.normal(size=(80, 2)) + 1
    >>> bool(0 < rjsd(x, y, corrected=True) < rjsd(x, y) < np.log(2))
    True
    """
    chosen, estimate = as_entropy(entropy), _form(corrected, sample_weights)
    x, y = as_samples(x=x, y=y)
    if sample_weights is None:
        shares = priors(weights, (rows(x), rows(y)))
        return estimate((x, y), as_kernel(kernel, x, y), chosen, shares)
    row_weights, sizes = _weigh(("x", "y"), (x, y), sample_weights, weights)
    shares = priors(weights, sizes)
    return sample_divergence((x, y), as_kernel(kernel, x, y), chosen, shares, row_weights)


def _form(
    corrected: bool | str, sample_weights: object
) -> Callable[[Sequence[Sample], Kernel, Entropy, Sequence[float]], Array]:
    """The estimate that ``corrected`` asks for."""
    if corrected not in (False, True, "unbiased"):
        raise ValueError(f'corrected must be True, False or "unbiased", got {shown(corrected)}.')
    if corrected and sample_weights is not None:
        raise ValueError("corrected takes no sample_weights: leave one of the two out.")
    if corrected == "unbiased":
        return unbiased_divergence
    return corrected_divergence if corrected else sample_divergence


def _weigh(
    names: Sequence[str],
    samples: Sequence[Sample],
    given: Array | Sequence[Array | None],
    weights: Weights,
) -> tuple[tuple[Array | None, ...], tuple[float, ...]]:
    """Normalised row weights and the total weight of each sample (if it plays a part)."""
    if not isinstance(given, Sequence) and not (is_array(given) and given.ndim):
        raise TypeError(f"sample_weights needs {len(samples)} arrays, got {shown(given)}.")
    if len(given) != len(samples):
        raise ValueError(f"sample_weights needs {len(samples)} arrays, got {len(given)}.")
    scaled = tuple(
        None if w is None else as_weights(f"sample_weights of {name}", w, sample)
        for name, sample, w in zip(names, samples, given, strict=True)
    )
    if not isinstance(weights, str) or weights != "proportional":
        return scaled, tuple(float(rows(sample)) for sample in samples)
    return scaled, _totals(names, samples, given)


def _totals(
    names: Sequence[str], samples: Sequence[Sample], given: Sequence[Array | None]
) -> tuple[float, ...]:
    """The total weight of each sample, in units of the largest weight: huge ones would overflow."""
    kept = [
        np.ones(rows(sample)) if w is None else np.asarray(to_numpy(w), dtype=np.float64)
        for sample, w in zip(samples, given, strict=True)
    ]
    largest = max(float(w.max()) for w in kept)
    totals = tuple(float(np.sum(w / largest)) for w in kept)
    least = totals.index(min(totals))
    if totals[least] < sys.float_info.min:
        raise ValueError(
            f"sample_weights of {names[least]} are nothing beside the others, so that its share of "
            'the mixture is 0: bring them to one scale, or give the share by weights="balanced" or '
            "a number."
        )
    return totals


@threads.fitting_samples
def generalized_divergence(
    samples: Sequence[Sample],
    *,
    kernel: Kernel | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
    weights: Weights = "proportional",
) -> Array:
    """RJSD of k ≥ 2 samples: S(Σ π_k C_k) − Σ π_k S(C_k), at most the entropy of the weights.

    Parameters
    ----------
    samples : sequence of arrays (n_k, d)
    kernel, entropy
        As in `rjsd`.
    weights : "proportional", "balanced" or sequence of k floats
        The shares π.

    Returns
    -------
    scalar array

    Notes
    -----
    Cost O(N²d + N³) with N the number of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> points = [np.zeros((2, 1)), np.full((2, 1), 50.0), np.full((2, 1), -50.0)]
    >>> from samelaw.kernels import Categorical
    >>> float(generalized_divergence(points, kernel=Categorical()).round(4))  # log 3
    1.0986
    """
    checked = _as_groups(samples)
    shares = priors(weights, [rows(sample) for sample in checked])
    chosen = as_kernel(kernel, *checked)
    return sample_divergence(checked, chosen, as_entropy(entropy), shares)


def _as_groups(samples: Sequence[Sample]) -> list[Sample]:
    try:
        samples = list(samples)
    except TypeError as error:
        raise TypeError(f"samples must be a sequence of arrays, got {shown(samples)}.") from error
    if len(samples) < 2:
        raise ValueError(f"expected at least two samples, got {len(samples)}.")
    return as_samples(**{f"samples[{i}]": sample for i, sample in enumerate(samples)})


@threads.fitting_samples
def pairwise_divergence(
    samples: Sequence[Sample],
    *,
    kernel: Kernel | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
    weights: Weights = "proportional",
    progress: Progress | None = None,
) -> Array:
    """RJSD between all pairs of k samples under one kernel, as a symmetric (k, k) matrix.

    The Gram matrix and the entropy of each sample are computed once.

    Parameters
    ----------
    samples : sequence of arrays (n_k, d)
    kernel : Kernel, optional
        Gaussian at the median distance of all samples by default, so that pairs are comparable.
    entropy
        As in `rjsd`.
    weights : "proportional" or "balanced"
        A share of the first sample of a pair would make a table that is not symmetric.
    progress : callable, optional
        Called with (pairs done, pairs in all).

    Returns
    -------
    array (k, k)

    Notes
    -----
    Cost O(N²d) for the N rows of all samples, and O((n_i + n_j)³) for each pair.

    Examples
    --------
    >>> import numpy as np
    >>> groups = [np.zeros((3, 1)), np.zeros((3, 1)), np.ones((3, 1))]
    >>> pairwise_divergence(groups).round(3)
    array([[0.   , 0.   , 0.684],
           [0.   , 0.   , 0.684],
           [0.684, 0.684, 0.   ]])
    """
    _check_symmetric(weights)
    measure = as_entropy(entropy)
    checked = _as_groups(samples)
    chosen = as_kernel(kernel, *checked)
    xp = namespace(*parts(checked[0]))
    blocks = [grams.gram(chosen, sample) for sample in checked]
    single = [gram_entropy(block, measure) for block in blocks]
    count = len(checked)
    zero = xp.zeros_like(single[0])
    table = [[zero] * count for _ in range(count)]
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    for done, (a, b) in enumerate(pairs, start=1):
        cross = grams.similarities(chosen, checked[a], checked[b])
        gram = xp.concat(
            [xp.concat([blocks[a], cross], axis=1), xp.concat([cross.T, blocks[b]], axis=1)]
        )
        sizes = (rows(checked[a]), rows(checked[b]))
        shares = priors(weights, sizes)
        mixed = gram_entropy(gram, measure, pooled_weights(shares, sizes, gram))
        table[a][b] = table[b][a] = entropy_gap(mixed, (single[a], single[b]), measure, shares)
        if progress is not None:
            progress(done, len(pairs))
    return xp.stack([xp.stack(row) for row in table])


def _check_symmetric(weights: Weights) -> None:
    """Raise for shares that depend on which sample of a pair comes first."""
    shares = None if isinstance(weights, str) else priors(weights, (1.0, 1.0))
    if shares is not None and shares[0] != shares[1]:
        raise ValueError(
            'weights must be "proportional" or "balanced" for all pairs of samples, got '
            f"{shown(weights)}: with it the divergence of x from y is not that of y from x. Call "
            "rjsd for each pair in its order."
        )


@threads.fitting_samples
def mmd(x: Sample, y: Sample, *, kernel: Kernel | None = None, unbiased: bool = False) -> Array:
    """Squared maximum mean discrepancy ‖μ_X − μ_Y‖² of two samples.

    ``PowerSeries(1)`` makes RJSD equal to π(1−π) times this with the squared kernel (theorem 11).

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d)
    kernel : Kernel, optional
        Gaussian at the median distance by default.
    unbiased : bool
        The U-statistic, without the pairs (i, i): its mean is right, it may be negative.

    Returns
    -------
    scalar array

    Notes
    -----
    Cost O((n + m)² d), memory O(n + m): the Gram matrix is never held.

    Examples
    --------
    >>> import numpy as np
    >>> float(mmd(np.zeros((3, 1)), np.zeros((2, 1))))
    0.0
    """
    x, y = as_samples(x=x, y=y)
    chosen = as_kernel(kernel, x, y)
    xx, yy, xy = (
        grams.kernel_mean(chosen, *pair, unit=unbiased) for pair in ((x, x), (y, y), (x, y))
    )
    if not unbiased:
        return xx + yy - 2.0 * xy
    for name, sample in (("x", x), ("y", y)):
        if rows(sample) < 2:
            raise ValueError(f"the unbiased form needs two rows in {name}, got {rows(sample)}.")
    n, m = rows(x), rows(y)
    return (n * xx - 1.0) / (n - 1) + (m * yy - 1.0) / (m - 1) - 2.0 * xy
