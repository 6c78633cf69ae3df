"""Entropies and information of samples: one spectrum each, or a difference of several.

One column of words, of flags, or of at most 20 different whole numbers (each twice on average, or
more often) is classes: without a kernel it is seen through `Categorical`. Floats are measures, and
so are several columns.
"""

from collections.abc import Sequence

from samelaw.core import linalg, threads
from samelaw.core.arrays import namespace, rows, stack_rows
from samelaw.core.checks import as_share
from samelaw.core.samples import as_samples, as_weights, check_libraries
from samelaw.core.types import Array, Sample
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel, as_variable
from samelaw.kernels.entropies import EntropyLike, VonNeumann, as_entropy
from samelaw.kernels.operators import gram_density, gram_entropy, mixture_weights

_VON_NEUMANN = VonNeumann()


@threads.fitting_samples
def entropy(
    x: Sample,
    *,
    kernel: Kernel | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
    sample_weights: Array | None = None,
) -> Array:
    """Representation entropy S(K/n) of a sample (proposition 2 of the paper), in nats.

    At most log n, reached when no two points resemble each other; 0 when all coincide. Its
    exponential counts the effectively different points (the Vendi score).

    Parameters
    ----------
    x : array (n, d), or tuple of arrays
        A tuple gives the joint entropy of its members.
    kernel : Kernel, optional
        Gaussian at the median distance by default, `Categorical` for classes.
    entropy : Entropy or order
    sample_weights : array (n,), optional
        How much each row counts; not negative.

    Returns
    -------
    scalar array

    Notes
    -----
    Cost O(n²d + n³).

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import Gaussian
    >>> float(entropy(np.array([0.0, 100.0]), kernel=Gaussian(1.0)).round(4))
    0.6931
    """
    chosen = as_entropy(entropy)
    x, kernel = as_variable("x", x, kernel)
    weights = None if sample_weights is None else as_weights("sample_weights", sample_weights, x)
    gram = grams.gram(as_kernel(kernel, x), x)
    return gram_entropy(gram, chosen, weights)


@threads.fitting_samples
def joint_entropy(
    *variables: Array,
    kernels: Sequence[Kernel] | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
) -> Array:
    """Entropy of variables observed together: S of the Hadamard product of their Gram matrices.

    Parameters
    ----------
    *variables : arrays (n, d_k)
        Rows belong together.
    kernels : sequence of Kernel, optional
        One per variable; Gaussian at each median distance by default, `Categorical` for classes.
    entropy : Entropy or order

    Returns
    -------
    scalar array
        In nats, at most log n.

    Notes
    -----
    Cost O(n²d + n³).

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels import Categorical
    >>> a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> float(joint_entropy(a, b, kernels=[Categorical()] * 2).round(4))  # log 4
    1.3863
    """
    return _joint(_grams(variables, kernels), entropy)


def _grams(variables: Sequence[Array], kernels: Sequence[Kernel] | None) -> list[Array]:
    if not variables:
        raise ValueError("expected at least one variable.")
    given = kernels if kernels is not None else (None,) * len(variables)
    if len(given) != len(variables):
        raise ValueError(f"got {len(given)} kernels for {len(variables)} variables.")
    names = [f"variable {i}" for i in range(len(variables))]
    checked = [as_variable(*each) for each in zip(names, variables, given, strict=True)]
    check_libraries({name: v for name, (v, _) in zip(names, checked, strict=True)})
    sizes = [rows(variable) for variable, _ in checked]
    if len(set(sizes)) > 1:
        raise ValueError(f"variables have {sizes} rows; observed together, they must be equal.")
    return [grams.gram(as_kernel(kernel, v), v) for v, kernel in checked]


def _joint(matrices: Sequence[Array], entropy: EntropyLike) -> Array:
    product = matrices[0]
    for gram in matrices[1:]:
        product = product * gram
    return gram_entropy(product, as_entropy(entropy))


@threads.fitting_samples
def conditional_entropy(
    x: Array,
    y: Array,
    *,
    kernels: Sequence[Kernel] | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
) -> Array:
    """S(X, Y) − S(Y): what X adds once Y is known.

    Parameters
    ----------
    x, y : arrays (n, d_x) and (n, d_y)
        Rows belong together.
    kernels : pair of Kernel, optional
        Of x and of y; Gaussian at each median distance by default, `Categorical` for classes.
    entropy : Entropy or order

    Returns
    -------
    scalar array
        In nats, at least 0.

    Notes
    -----
    Cost O(n²d + n³).

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels import Categorical
    >>> x, y = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> float(conditional_entropy(x, y, kernels=[Categorical()] * 2).round(4))  # log 2
    0.6931
    """
    matrices = _grams((x, y), kernels)
    return _joint(matrices, entropy) - _joint(matrices[1:], entropy)


@threads.fitting_samples
def mutual_information(
    x: Array,
    y: Array,
    *,
    kernels: Sequence[Kernel] | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
) -> Array:
    """S(X) + S(Y) − S(X, Y): what two variables tell of each other.

    With the von Neumann entropy it is in population 0 for independent variables. In a sample it is
    larger, the more so the fewer rows there are and the sharper the kernels: compare it with that
    of shuffled partners, or take `samelaw.extras.layers.shared_information`, which does.

    Parameters
    ----------
    x, y : arrays (n, d_x) and (n, d_y)
        Rows belong together.
    kernels : pair of Kernel, optional
        Of x and of y; Gaussian at each median distance by default, `Categorical` for classes.
    entropy : Entropy or order

    Returns
    -------
    scalar array
        In nats; 0 if one variable is constant.

    Notes
    -----
    Cost O(n²d + n³).

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels import Categorical
    >>> x = np.array([0, 0, 1, 1])
    >>> float(mutual_information(x, x, kernels=[Categorical()] * 2).round(4))  # log 2
    0.6931
    """
    return total_correlation(x, y, kernels=kernels, entropy=entropy)


@threads.fitting_samples
def total_correlation(
    *variables: Array,
    kernels: Sequence[Kernel] | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
) -> Array:
    """Σ_k S(X_k) − S(X_1, …, X_K): how far variables are from independence together.

    Parameters
    ----------
    *variables : arrays (n, d_k)
        Rows belong together.
    kernels : sequence of Kernel, optional
        One per variable; Gaussian at each median distance by default, `Categorical` for classes.
    entropy : Entropy or order

    Returns
    -------
    scalar array
        In nats; of two variables their `mutual_information`, with the same bias.

    Notes
    -----
    Cost O(n²d + n³).

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels import Categorical
    >>> x = np.array([0, 0, 1, 1])
    >>> float(total_correlation(x, x, x, kernels=[Categorical()] * 3).round(4))  # 2 log 2
    1.3863
    """
    matrices = _grams(variables, kernels)
    total: Array = 0.0
    for gram in matrices:
        total = total + _joint([gram], entropy)
    return total - _joint(matrices, entropy)


@threads.fitting_samples
def kernel_kl(
    x: Sample, y: Sample, *, kernel: Kernel | None = None, regularization: float = 0.01
) -> Array:
    """Kernel Kullback–Leibler divergence Tr C_X (log C_X − log C_R) of two samples.

    The relative entropy of Bach (2022). Empirical operators have different ranges, where it is
    infinite, so Y is replaced by the mixture C_R = (1−r) C_Y + r C_X: finite, at most log(1/r),
    zero for equal samples, and the divergence itself as r → 0.

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d)
    kernel : Kernel, optional
        Gaussian at the median distance of both by default.
    regularization : float
        r, strictly between 0 and 1. Rounding adds about 10⁻¹³ / r: nothing is gained below 10⁻⁶,
        and below 10⁻¹⁰ the digits are lost.

    Returns
    -------
    scalar array

    Notes
    -----
    Cost O(N²d + N³) with eigenvectors. Gradients exist only where eigenvalues are distinct (no
    duplicated rows): for learning take `rjsd`, which has no such limit.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(50, 1))
    >>> bool(abs(kernel_kl(x, x)) < 1e-9)
    True
    """
    x, y = as_samples(x=x, y=y)
    mix = as_share("regularization", regularization)
    gram = grams.gram(as_kernel(kernel, x, y), stack_rows((x, y)))
    xp = namespace(gram)
    n = rows(x)
    weights = mixture_weights((mix, 1.0 - mix), (n, rows(y)), gram)
    values, vectors = linalg.eigensystem(gram_density(gram, weights))
    # ⟨φ_i, log C_R φ_i⟩ = Σ_k λ_k log λ_k V_ik² / w_i, and −φ(λ) = λ log λ
    own = (vectors[:n, :] ** 2) @ -_VON_NEUMANN.phi(values)
    cross = xp.sum(own) / mix  # mean over X of own / w
    return -gram_entropy(gram[:n, :n], _VON_NEUMANN) - cross
