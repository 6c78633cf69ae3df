"""A sample as sums over its rows: how many, their covariance in a feature space, their moments.

Sums add up, so samples of other files, days or machines merge without their rows, and a summary is
as large after a billion rows as after one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samelaw.core import threads
from samelaw.core.arrays import to_numpy
from samelaw.core.samples import as_samples
from samelaw.core.types import Array, Matrix
from samelaw.divergence.contract import Weights, priors
from samelaw.kernels.entropies import EntropyLike, VonNeumann, as_entropy
from samelaw.kernels.features import FeatureMap
from samelaw.kernels.fingerprint import fingerprint, same_map
from samelaw.kernels.operators import Covariance, density_divergence

_PIECE_ENTRIES = 1 << 20  # features of so many numbers stay in the cache
_VON_NEUMANN = VonNeumann()


@dataclass(frozen=True, eq=False)
class Moments:
    """Weight, means (k,) and centred sums of squares (k,) of columns.

    Squares around 0 would leave no digits for columns far from it.
    """

    weight: float
    mean: Matrix
    squares: Matrix

    @classmethod
    def of(cls, rows: Matrix) -> "Moments":
        values = rows.astype(np.float64)
        mean = values.mean(axis=0)
        return cls(float(len(values)), mean, ((values - mean) ** 2).sum(axis=0))

    def __add__(self, other: "Moments") -> "Moments":
        """Those of both together (Chan, Golub & LeVeque)."""
        weight = self.weight + other.weight
        if weight == 0.0:
            return self
        share, shift = other.weight / weight, other.mean - self.mean
        squares = self.squares + other.squares + shift**2 * (self.weight * share)
        return Moments(weight, self.mean + share * shift, squares)

    def taken(self, places: Sequence[int]) -> "Moments":
        """Those of some columns."""
        chosen = list(places)
        return Moments(self.weight, self.mean[chosen], self.squares[chosen])

    @property
    def variance(self) -> Matrix:
        """Over the rows seen, not corrected for their number."""
        return self.squares / self.weight


@dataclass(frozen=True, eq=False)
class Summary:
    """All that a sample says through a feature map, without its rows.

    Parameters
    ----------
    feature_map : FeatureMap
    covariance : Covariance
        Σ φφᵀ and the weight of the rows.
    total : array (D,)
        Σ φ.
    columns : Moments
        Of the rows themselves.
    rows : int
        Rows seen; the weight is less when the past was `faded`.

    Notes
    -----
    O(n D (d + D)) for n rows, and 8 D² bytes whatever their number: 131 kB for 64 frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels import FourierFeatures
    >>> x = np.random.default_rng(0).normal(size=(100, 1))
    >>> features = FourierFeatures(np.ones((1, 4)))
    >>> halves = Summary.of(features, x[:50]) + Summary.of(features, x[50:])
    >>> halves.rows, bool(abs(halves.columns.mean - x.mean()) < 1e-12)
    (100, True)
    """

    feature_map: FeatureMap
    covariance: Covariance
    total: Matrix
    columns: Moments
    rows: int

    @classmethod
    def empty(cls, feature_map: FeatureMap, columns: int) -> "Summary":
        """Of no rows, for streams to begin with."""
        size, none = feature_map.size, np.zeros(columns)
        moments = Moments(0.0, none, none)
        return cls(feature_map, Covariance(np.zeros((size, size)), 0.0), np.zeros(size), moments, 0)

    @classmethod
    def of(cls, feature_map: FeatureMap, x: Array) -> "Summary":
        """Of the rows of ``x`` (n, d)."""
        rows = as_rows(x)
        return cls.empty(feature_map, rows.shape[1])._with(rows)

    def update(self, x: Array) -> "Summary":
        """The summary of these rows too.

        A row with NaN or infinity is an error that names it, and leaves this summary as it is:
        added up, it would never leave the sums again.
        """
        rows = as_rows(x)
        if rows.shape[1] != len(self.columns.mean):
            raise ValueError(
                f"x has {rows.shape[1]} columns; the summary is of {len(self.columns.mean)}."
            )
        return self._with(rows)

    @threads.single
    def _with(self, rows: Matrix) -> "Summary":
        covariance, total, columns = self.covariance, self.total, self.columns
        for some in pieces(rows, self.feature_map.size):
            features = np.asarray(self.feature_map.features(some))
            outer = (features.T @ features).astype(np.float64)
            covariance += Covariance(outer, float(len(some)))
            total = total + features.sum(axis=0, dtype=np.float64)
            columns += Moments.of(some)
        return replace(
            self,
            covariance=covariance,
            total=total,
            columns=columns,
            rows=self.rows + len(rows),
        )

    def __add__(self, other: "Summary") -> "Summary":
        """The summary of both samples together, in any order up to rounding."""
        check_same_map(self, other)
        return Summary(
            self.feature_map,
            self.covariance + other.covariance,
            self.total + other.total,
            self.columns + other.columns,
            self.rows + other.rows,
        )

    def faded(self, keep: float) -> "Summary":
        """The same law with its past counting ``keep`` times as much: a moving average."""
        if not 0.0 < keep <= 1.0:
            raise ValueError(f"keep must be above 0 and at most 1, got {keep}.")
        moments = self.columns
        faded = Moments(moments.weight * keep, moments.mean, moments.squares * keep)
        return replace(
            self, covariance=self.covariance.faded(keep), total=self.total * keep, columns=faded
        )

    @property
    def mean(self) -> Matrix:
        """The mean feature (D,)."""
        return np.asarray(self.total / self.covariance.weight)

    @property
    def fingerprint(self) -> str:
        """What the feature map consists of: summaries with equal ones add up."""
        return fingerprint(self.feature_map)

    def divergence(
        self,
        other: "Summary",
        *,
        entropy: EntropyLike = _VON_NEUMANN,
        weights: Weights = "proportional",
    ) -> float:
        """RJSD between the two samples in the feature space, in nats, with its upward bias."""
        check_same_map(self, other)
        sides = (self.covariance, other.covariance)
        shares = priors(weights, [float(side.weight) for side in sides])
        densities = [side.density for side in sides]
        return float(density_divergence(densities, as_entropy(entropy), shares))

    def state(self) -> dict[str, Matrix]:
        """All sums as arrays, of the symmetric matrix its upper half; `from_state` is back."""
        moments = self.columns
        upper = np.triu_indices(len(self.total))
        return {
            "summary.covariance": self.covariance.total[upper],
            "summary.total": self.total,
            "summary.mean": moments.mean,
            "summary.squares": moments.squares,
            "summary.weight": np.array([float(self.covariance.weight)]),
            "summary.rows": np.array([self.rows]),
        }

    @classmethod
    def from_state(cls, feature_map: FeatureMap, arrays: Mapping[str, Matrix]) -> "Summary":
        """The summary that `state` wrote down, of the same feature map."""
        total, weight = arrays["summary.total"], float(arrays["summary.weight"][0])
        outer: Matrix = np.zeros((len(total), len(total)))
        first, second = np.triu_indices(len(total))
        outer[first, second] = outer[second, first] = arrays["summary.covariance"]
        moments = Moments(weight, arrays["summary.mean"], arrays["summary.squares"])
        rows = int(arrays["summary.rows"][0])
        return cls(feature_map, Covariance(outer, weight), total, moments, rows)


def check_same_map(one: object, other: object) -> None:
    """Raise unless two sums over rows were taken through the same feature map."""
    maps = [getattr(side, "feature_map", side) for side in (one, other)]
    if not same_map(*maps):
        kind = type(one).__name__.lower()
        raise ValueError(
            f"the two have other feature maps (a {kind} adds up only with one of the same "
            "frequencies or landmarks): make both with one map."
        )


def as_rows(x: Array) -> Matrix:
    """Rows (n, d) of one array as numpy; NaN and infinity are refused."""
    (x,) = as_samples(x=x)
    if isinstance(x, tuple):
        raise TypeError("x is a tuple of layers; expected one array.")
    return to_numpy(x)


def pieces(rows: Matrix, width: int, block: int = 1) -> Iterator[Matrix]:
    """Whole blocks of rows, few enough that their features stay in the cache."""
    step = max(1, _PIECE_ENTRIES // (width * block)) * block
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
