"""A drift monitor as an estimator of scikit-learn: fitted to a reference, it scores rows."""

from typing import Any, Self

import numpy as np

from samelaw.core.optional import require

require(__name__, "sklearn")

from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from samelaw.core.checks import as_share
from samelaw.core.types import Matrix
from samelaw.divergence.witness import whitened_witness
from samelaw.monitor.drift_reading import DriftReading
from samelaw.monitor.monitor import DriftMonitor
from samelaw.monitor.promises import Ever, Promise
from samelaw.monitor.reference import LEAST_ROWS, Rows, as_batch
from samelaw.monitor.tests_after_alarm import centred
from samelaw.results.words import listed
from samelaw.tables.reading.frames import as_frame


class DriftEstimator(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn estimator of what is usual, and a monitor of a stream against it.

    Parameters
    ----------
    promise : Ever or RunLength, optional
        The bound on false alarms of `update`; ``Ever(0.05)`` by default.
    share : float
        Of the reference rows that `predict` calls unusual.
    random_state : int, RandomState or None

    Attributes
    ----------
    monitor_ : DriftMonitor
    offset_ : float
        The score below which a row is unusual.
    drift_detected_ : bool
        Whether `update` has raised an alarm.

    Notes
    -----
    ``score_samples`` and ``predict`` look at each row by itself and change nothing; only `update`
    feeds the stream. Columns are numbers, with or without gaps: mixed tables go to `DriftMonitor`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> estimator = DriftEstimator(random_state=0).fit(rng.normal(size=(2000, 2)))
    >>> estimator.predict(np.array([[0.0, 0.0], [4.0, -4.0]]))
    array([ 1, -1])
    >>> estimator.update(rng.normal(size=(200, 2)) + 1).alarm
    True
    """

    def __init__(
        self, *, promise: Promise | None = None, share: float = 0.05, random_state: Any = None
    ) -> None:
        self.promise = promise
        self.share = share
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:
        """Take rows (n, d) as the reference."""
        rows = self._checked(X, reset=True)
        share = as_share("share", self.share)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        names = self._names()
        self.monitor_ = DriftMonitor(
            dict(zip(names, rows.T, strict=True)),
            promise=self.promise or Ever(),
            kinds=dict.fromkeys(names, "numeric"),
            rng=seed,
        )
        self.drift_detected_ = False
        self.offset_ = float(np.quantile(self._scores(rows), share))
        return self

    def score_samples(self, X: Any) -> Matrix:
        """How usual rows are: the higher, the more like the reference.

        Minus the squared distance from the mean feature, whitened by the covariance of features.
        """
        check_is_fitted(self)
        return self._scores(self._checked(X))

    def decision_function(self, X: Any) -> Matrix:
        """The score less what unusual rows stay below."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Matrix:
        """−1 for unusual rows, 1 for others."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def update(self, X: Any) -> DriftReading:
        """Judge further rows of the stream."""
        check_is_fitted(self)
        rows = self._checked(X)
        reading = self.monitor_.update(dict(zip(self._names(), rows.T, strict=True)))
        self.drift_detected_ = reading.alarm
        return reading

    def _checked(self, X: Any, reset: bool = False) -> Matrix:
        least = LEAST_ROWS if reset else 1
        try:
            rows = validate_data(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite=False,
                ensure_min_samples=least,
            )  # fmt: skip
        except (TypeError, ValueError) as error:
            raise _with_names(error, X) from error
        return np.asarray(rows)

    def _names(self) -> list[str]:
        known = getattr(self, "feature_names_in_", None)
        names = [f"x{i + 1}" for i in range(self.n_features_in_)] if known is None else known
        return [str(name) for name in names]

    def _scores(self, rows: Matrix) -> Matrix:
        reference = self.monitor_._reference
        table = as_batch(dict(zip(self._names(), rows.T, strict=True)), reference.rules.names)
        waves = centred(reference.score, Rows(*reference.rules.encode(table)))
        waves = waves[len(reference.score.centre) :].T
        known = np.array(float(len(reference.holdout)))
        whitened = whitened_witness(waves, reference.score.eigenvalues, known)
        return np.asarray(-np.sum(waves * whitened, axis=1))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _with_names(error: Exception, X: object) -> Exception:
    """What is wrong with the columns of a frame; scikit-learn quotes a value of one of them."""
    frame = as_frame(X) if "convert" in str(error) or isinstance(error, TypeError) else None
    others = [] if frame is None else [n for n, t in frame.schema.items() if not t.is_numeric()]
    if not others:
        return error
    return ValueError(
        f"{listed([repr(name) for name in others])} {'holds' if len(others) == 1 else 'hold'} no "
        "numbers; encode or drop such columns (OrdinalEncoder), or give the table to "
        "samelaw.DriftMonitor, which takes categories, dates and text as they are."
    )
