"""The monitor as scikit-learn knows estimators."""

import pickle

import numpy as np
import pytest

from monitors import normal
from optional import need

need("sklearn")
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

from samelaw import RunLength  # noqa: E402
from samelaw.extras import DriftEstimator  # noqa: E402

RNG = np.random.default_rng
CHECKS = list(estimator_checks_generator(DriftEstimator(), mark="skip"))


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
@pytest.mark.filterwarnings("ignore")
def test_it_passes_the_checks_of_the_library(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def fitted():
    return DriftEstimator(random_state=0).fit(normal(RNG(0), 3_000, 3))


def test_rows_far_out_or_out_of_step_score_low(fitted):
    rows = np.array([[0.0, 0.0, 0.0], [1.0, -1.0, 0.5], [4.0, 4.0, 4.0], [5.0, -5.0, 0.0]])
    assert fitted.predict(rows).tolist() == [1, 1, -1, -1]
    assert fitted.score_samples(rows)[:2].min() > fitted.score_samples(rows)[2:].max()
    share = (fitted.predict(normal(RNG(1), 2_000, 3)) < 0).mean()
    assert share == pytest.approx(0.05, abs=0.02)


def test_only_update_changes_the_monitor(fitted):
    before = fitted.monitor_.to_bytes()
    fitted.predict(normal(RNG(2), 50, 3))
    fitted.score_samples(normal(RNG(3), 50, 3))
    assert fitted.monitor_.to_bytes() == before
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.update(normal(RNG(4), 300, 3) + 1).alarm
    assert copy.drift_detected_
    assert not fitted.drift_detected_


def test_promise_and_share_are_those_asked_for():
    found = DriftEstimator(promise=RunLength(500), share=0.2, random_state=1)
    found.fit(normal(RNG(0), 500, 2))
    assert "500 rows" in found.monitor_.reading.promise
    assert (found.predict(normal(RNG(0), 500, 2)) < 0).mean() == pytest.approx(0.2, abs=0.01)
    with pytest.raises(ValueError, match="share"):
        DriftEstimator(share=2.0).fit(normal(RNG(0), 50, 2))


def test_columns_that_are_no_numbers_are_named():
    frame = need("pandas").DataFrame({"x": np.arange(400.0), "city": ["Rome", "Bari"] * 200})
    with pytest.raises(ValueError, match=r"'city' holds no numbers; .* samelaw\.DriftMonitor"):
        DriftEstimator().fit(frame)
