"""Metrics: the numbers of the estimators, mergeable, with an honest standard error."""

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import PowerSeries, Renyi, VonNeumann

torch = need("torch")
need("torchmetrics")

from samelaw.learn import FourierLayer, RepresentationEntropy, RepresentationJSD  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")

LAYER = FourierLayer(2, 8).double()


def rows(n, seed=0, shift=0.0):
    return torch.tensor(np.random.default_rng(seed).normal(size=(n, 2)) + shift)


def filled(metric, n=300, m=200, shift=1.0, seed=0, step=50):
    for real, sample in ((True, rows(n, seed)), (False, rows(m, seed + 1000, shift))):
        for batch in sample.split(step):
            metric.update(batch, real=real)
    return metric


@pytest.mark.parametrize("weights", ["balanced", "proportional", 0.3])
@pytest.mark.parametrize("entropy", [VonNeumann(), PowerSeries(10)], ids=repr)
def test_uncorrected_value_is_the_estimator(entropy, weights):
    metric = filled(RepresentationJSD(LAYER, entropy, weights=weights))
    totals = [metric.real_total, metric.generated_total]
    counts = [metric.real_rows, metric.generated_rows]
    densities = [t.sum(dim=0) / c.sum() for t, c in zip(totals, counts, strict=True)]
    estimator = samelaw.FourierEstimator(
        frequencies=(LAYER.frequencies / LAYER.bandwidth).detach(), entropy=entropy, weights=weights
    )
    expected = float(estimator(rows(300), rows(200, 1000, 1.0)))
    shares = samelaw.estimate.contract.priors(weights, (300, 200))  # type: ignore[attr-defined]
    assert float(metric._divergence(densities, shares)) == pytest.approx(expected, abs=1e-12)
    value, error = metric.compute()
    assert 0 < expected - float(value) < 3 * float(error) + 0.02  # the bias is upward


def test_correction_removes_the_bias():
    values = [
        float(filled(RepresentationJSD(LAYER), 60, 60, 0.0, s).compute()[0]) for s in range(60)
    ]
    plain = samelaw.FourierEstimator(frequencies=(LAYER.frequencies / LAYER.bandwidth).detach())
    biased = [float(plain(rows(60, s), rows(60, s + 1000))) for s in range(60)]
    assert abs(np.mean(values)) < 0.2 * np.mean(biased)


def test_standard_error_is_that_of_repetitions():
    found = [filled(RepresentationJSD(LAYER), seed=s).compute() for s in range(100)]
    values, errors = np.array([[float(v), float(e)] for v, e in found]).T
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.25)


def test_standard_error_of_an_entropy():
    found = []
    for seed in range(100):
        metric = RepresentationEntropy(LAYER)
        metric.update(rows(200, seed))
        found.append([float(part) for part in metric.compute()])
    values, errors = np.array(found).T
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.25)


@pytest.mark.parametrize("step", [1, 7, 64])
def test_batches_do_not_matter(step):
    one, many = (
        filled(RepresentationJSD(LAYER), step=300),
        filled(RepresentationJSD(LAYER), step=step),
    )
    for first, second in zip(one.compute(), many.compute(), strict=True):
        assert float(first) == pytest.approx(float(second), abs=1e-12)


def test_states_merge_by_sums():
    """What torchmetrics does over processes: every state is declared as a sum."""
    whole = filled(RepresentationJSD(LAYER))
    parts = [RepresentationJSD(LAYER) for _ in range(2)]
    for real, sample in ((True, rows(300)), (False, rows(200, 1000, 1.0))):
        half = len(sample) // 2
        parts[0].update(sample[:half], real=real)
        parts[1].update(sample[half:], real=real)
    assert set(parts[0]._reductions.values()) == {torchmetrics_sum()}
    parts[0].merge_state(parts[1])
    assert float(parts[0].real_rows.sum()) == 300
    value, error = parts[0].compute()
    expected, spread = whole.compute()
    assert float(value) == pytest.approx(float(expected), abs=2e-3)  # other blocks, same rows
    assert float(error) == pytest.approx(float(spread), rel=0.5)


def torchmetrics_sum():
    from torchmetrics.utilities import dim_zero_sum

    return dim_zero_sum


def test_real_side_may_survive_a_reset():
    metric = filled(RepresentationJSD(LAYER, keep_real=True))
    first = metric.compute()
    metric.reset()
    assert float(metric.real_rows.sum()) == 300
    assert float(metric.generated_rows.sum()) == 0
    metric.update(rows(200, 1000, 1.0), real=False)
    assert float(metric.compute()[0]) == pytest.approx(float(first[0]), abs=1e-12)
    forgetful = filled(RepresentationJSD(LAYER))
    forgetful.reset()
    assert float(forgetful.real_rows.sum()) == 0


@pytest.mark.parametrize("period", [1, 2, 32])
def test_blocks_are_even_whatever_the_period_of_the_data(period):
    """Rows that alternate between groups: no block may hold one group only."""
    metric = RepresentationEntropy(FourierLayer(1, 4).double())
    group = (torch.arange(3200) // period % 2).double()[:, None]
    metric.update(100.0 * group)
    per_block = metric.sample_total / metric.sample_rows[:, None, None]
    apart = (per_block - per_block.mean(dim=0)).abs().max()
    assert float(apart) < 0.05
    assert float(metric.sample_rows.max() - metric.sample_rows.min()) <= 3


@pytest.mark.parametrize("entropy", [VonNeumann(), Renyi(2.0)], ids=repr)
def test_effective_number_counts_modes(entropy):
    modes = 30.0 * torch.eye(2).double().repeat(200, 1)
    metric = RepresentationEntropy(FourierLayer(2, 256), entropy, effective_number=True)
    metric.update(modes + 0.01 * rows(400))
    value, error = metric.compute()
    assert float(value) == pytest.approx(2.0, abs=0.05)
    assert 0 <= float(error) < 0.1


def test_collapse_lowers_diversity():
    wide, narrow = RepresentationEntropy(LAYER), RepresentationEntropy(LAYER)
    wide.update(rows(200))
    narrow.update(0.05 * rows(200))
    assert float(wide.compute()[0]) > float(narrow.compute()[0]) + 0.5


def test_value_passes_no_gradient_and_needs_none():
    metric = RepresentationJSD(LAYER)
    with torch.inference_mode():
        filled(metric)
        value, _ = metric.compute()
    assert not value.requires_grad


def test_single_precision_and_images_are_taken():
    metric = RepresentationEntropy(FourierLayer(12, 4))
    metric.update(torch.randn(10, 3, 2, 2))
    metric.update(torch.randn(10, 3, 2, 2).bfloat16())
    assert float(metric.sample_rows.sum()) == 20
    assert metric.sample_total.dtype == torch.float64


def test_too_few_rows_or_blocks_are_refused():
    with pytest.raises(ValueError, match="two blocks"):
        RepresentationEntropy(LAYER, blocks=1)
    metric = RepresentationEntropy(LAYER)
    metric.update(rows(1))
    with pytest.raises(ValueError, match=r"seen 1 row\(s\)"):
        metric.compute()
