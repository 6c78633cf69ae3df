import numpy as np
import pytest

import samelaw
from samelaw.core.kernel_algebra import Precomputed
from samelaw.problems.closed_forms import FiniteFeatures

ENTROPIES = [samelaw.VonNeumann(), samelaw.PowerSeries(3), samelaw.PowerSeries(10)]


@pytest.fixture
def features():
    rng = np.random.default_rng(0)
    waves = samelaw.FourierFeatures(rng.normal(size=(2, 6)))
    return waves(rng.normal(size=(60, 2))), waves(0.7 + rng.normal(size=(40, 2)))


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
@pytest.mark.parametrize("weights", ["proportional", "balanced", 0.3])
def test_agrees_with_the_gram_side(features, entropy, weights):
    first, second = features
    pool = np.concatenate(features)
    kernel = Precomputed(pool @ pool.T)
    x, y = np.arange(60)[:, None], np.arange(60, 100)[:, None]
    options = {"kernel": kernel, "entropy": entropy, "weights": weights}
    reading = samelaw.read_features(first, second, entropy=entropy, weights=weights)
    assert reading.value == pytest.approx(float(samelaw.rjsd(x, y, **options)), abs=1e-12)
    # Power series of low order take another exact route there.
    assert reading.corrected == pytest.approx(
        float(samelaw.rjsd_corrected(x, y, **options)), abs=1e-7
    )


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
def test_error_is_that_of_the_jackknife(features, entropy):
    def leave_out(side, row):
        kept = [np.delete(f, row, axis=0) if k == side else f for k, f in enumerate(features)]
        return samelaw.read_features(*kept, entropy=entropy, weights="balanced").value

    variance = 0.0
    for side, sample in enumerate(features):
        values = [leave_out(side, row) for row in range(len(sample))]
        variance += (len(sample) - 1) ** 2 * np.var(values, ddof=1) / len(sample)
    found = samelaw.read_features(*features, entropy=entropy, weights="balanced")
    tolerance = 0.05 if isinstance(entropy, samelaw.VonNeumann) else 0.01
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=tolerance)


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
@pytest.mark.parametrize("weights", ["balanced", 0.3])
def test_exact_leaves_the_rows_out_that_fill_a_direction_alone(entropy, weights):
    rng = np.random.default_rng(3)
    waves = samelaw.FourierFeatures(rng.normal(size=(2, 6)))
    close = [waves(0.02 * rng.normal(size=(n, 2)) + s) for n, s in ((30, 0.0), (20, 0.5))]
    far = waves(np.array([[2.0, -1.0], [-3.0, 1.0]]))
    features = [np.concatenate([close[0], far[:1]]), np.concatenate([close[1], far[1:]])]
    value = samelaw.read_features(*features, entropy=entropy, weights=weights).value
    bias, variance = 0.0, 0.0
    for side, sample in enumerate(features):
        kept = [
            [np.delete(f, row, axis=0) if k == side else f for k, f in enumerate(features)]
            for row in range(len(sample))
        ]
        without = [
            samelaw.read_features(*pair, entropy=entropy, weights=weights).value for pair in kept
        ]
        bias += (len(sample) - 1) * (np.mean(without) - value)
        variance += (len(sample) - 1) ** 2 * np.var(without, ddof=1) / len(sample)
    quick, exact = (
        samelaw.read_features(*features, entropy=entropy, weights=weights, exact=exact)
        for exact in (False, True)
    )
    assert exact.value == quick.value
    for found, wanted in (
        (exact.value - exact.corrected, bias),
        (exact.standard_error, np.sqrt(variance)),
    ):
        assert found == pytest.approx(wanted, rel=0.02)
    if isinstance(entropy, samelaw.VonNeumann):  # what the expansion gets wrong
        assert abs(quick.value - quick.corrected - bias) > 0.1 * abs(bias)


def test_correction_and_error_over_repetitions():
    laws = FiniteFeatures.random(12, 5, rng=1)
    truth = laws.rjsd()
    readings = []
    for seed in range(400):
        x, y = laws.draw(80, rng=seed)
        rows = [laws.features[sample[:, 0].astype(int)] for sample in (x, y)]
        readings.append(samelaw.read_features(*rows))
    plain = np.array([r.value for r in readings])
    corrected = np.array([r.corrected for r in readings])
    errors = np.array([r.standard_error for r in readings])
    noise = corrected.std(ddof=1) / 20
    assert abs(corrected.mean() - truth) < 0.15 * abs(plain.mean() - truth) + 3 * noise
    assert errors.mean() == pytest.approx(corrected.std(ddof=1), rel=0.12)
    covered = np.mean(abs(corrected - truth) < 1.96 * errors)
    assert 0.91 < covered < 0.985


def test_reads_tensors_of_any_library(xp, features):
    first, second = (xp.asarray(f) for f in features)
    expected = samelaw.read_features(*features)
    assert samelaw.read_features(first, second) == expected


def test_one_row_is_not_enough(features):
    with pytest.raises(ValueError, match="first has shape"):
        samelaw.read_features(features[0][:1], features[1])
