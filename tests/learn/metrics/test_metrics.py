"""Metrics: the numbers of the estimators, mergeable, with an honest standard error."""

import math
import pickle

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import Gaussian, PowerSeries, Renyi, VonNeumann

torch = need("torch")
need("torchmetrics")

from samelaw.learn import FourierLayer, RepresentationEntropy, RepresentationJSD  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")

LAYER = FourierLayer(2, 8, kernel=Gaussian(1.0)).double()


def rows(n, seed=0, shift=0.0):
    return torch.tensor(np.random.default_rng(seed).normal(size=(n, 2)) + shift)


def divergence(*args, **options):
    return RepresentationJSD(*args, with_error=True, **options)


def filled(metric, n=300, m=200, shift=1.0, seed=0, step=50):
    for real, sample in ((True, rows(n, seed)), (False, rows(m, seed + 1000, shift))):
        for batch in sample.split(step):
            metric.update(batch, real=real)
    return metric


@pytest.mark.parametrize("weights", ["balanced", "proportional", 0.3])
@pytest.mark.parametrize("entropy", [VonNeumann(), PowerSeries(10)], ids=repr)
def test_value_is_the_estimator_less_its_bias(entropy, weights):
    metric = filled(divergence(LAYER, entropy, weights=weights))
    estimator = samelaw.FourierEstimator(
        frequencies=(LAYER.frequencies / LAYER.bandwidth).detach(), entropy=entropy, weights=weights
    )
    expected = float(estimator(rows(300), rows(200, 1000, 1.0)))
    value, error = metric.compute()
    assert 0 < expected - float(value) < 3 * float(error) + 0.02  # the bias is upward


def test_correction_removes_the_bias():
    values = [float(filled(divergence(LAYER), 60, 60, 0.0, s).compute()[0]) for s in range(30)]
    plain = samelaw.FourierEstimator(frequencies=(LAYER.frequencies / LAYER.bandwidth).detach())
    biased = [float(plain(rows(60, s), rows(60, s + 1000))) for s in range(30)]
    assert abs(np.mean(values)) < 0.2 * np.mean(biased)


def test_standard_error_is_that_of_repetitions():
    found = [filled(divergence(LAYER), seed=s, step=300).compute() for s in range(60)]
    values, errors = np.array([[float(v), float(e)] for v, e in found]).T
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.25)


def test_standard_error_of_an_entropy():
    found = []
    for seed in range(60):
        metric = RepresentationEntropy(LAYER, with_error=True)
        metric.update(rows(200, seed))
        found.append([float(part) for part in metric.compute()])
    values, errors = np.array(found).T
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.25)


@pytest.mark.parametrize("step", [1, 7, 64])
def test_batches_do_not_matter(step):
    one, many = (
        filled(divergence(LAYER), step=300),
        filled(divergence(LAYER), step=step),
    )
    for first, second in zip(one.compute(), many.compute(), strict=True):
        assert float(first) == pytest.approx(float(second), abs=1e-12)


def test_states_merge_by_sums():
    """What torchmetrics does over processes: every state is declared as a sum."""
    whole = filled(divergence(LAYER))
    parts = [divergence(LAYER) for _ in range(2)]
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
    metric = filled(divergence(LAYER, keep_real=True))
    first = metric.compute()
    metric.reset()
    assert float(metric.real_rows.sum()) == 300
    assert float(metric.generated_rows.sum()) == 0
    metric.update(rows(200, 1000, 1.0), real=False)
    assert float(metric.compute()[0]) == pytest.approx(float(first[0]), abs=1e-12)
    forgetful = filled(divergence(LAYER))
    forgetful.reset()
    assert float(forgetful.real_rows.sum()) == 0


@pytest.mark.parametrize("period", [1, 2, 32])
def test_blocks_are_even_whatever_the_period_of_the_data(period):
    """Rows that alternate between groups: no block may hold one group only."""
    metric = RepresentationEntropy(FourierLayer(1, 4, kernel=Gaussian(1.0)).double())
    group = (torch.arange(3200) // period % 2).double()[:, None]
    metric.update(100.0 * group)
    per_block = metric.sample_total / metric.sample_rows[:, None, None]
    apart = (per_block - per_block.mean(dim=0)).abs().max()
    assert float(apart) < 0.05
    assert float(metric.sample_rows.max() - metric.sample_rows.min()) <= 3


@pytest.mark.parametrize("entropy", [VonNeumann(), Renyi(2.0)], ids=repr)
def test_effective_number_counts_modes(entropy):
    modes = 30.0 * torch.eye(2).double().repeat(200, 1)
    metric = RepresentationEntropy(
        FourierLayer(2, 128, kernel=Gaussian(1.0)), entropy, effective_number=True
    )
    metric.update(modes + 0.01 * rows(400))
    assert float(metric.compute()) == pytest.approx(2.0, abs=0.05)
    assert 0 <= float(metric.standard_error) < 0.1


def test_collapse_lowers_diversity():
    wide, narrow = RepresentationEntropy(LAYER, 10), RepresentationEntropy(LAYER, 10)
    wide.update(rows(200))
    narrow.update(0.05 * rows(200))
    assert float(wide.compute()) > float(narrow.compute()) + 0.5


def test_value_passes_no_gradient_and_needs_none():
    metric = divergence(LAYER)
    with torch.inference_mode():
        filled(metric)
        value, _ = metric.compute()
    assert not value.requires_grad


def test_single_precision_and_images_are_taken():
    metric = RepresentationEntropy(FourierLayer(12, 12, kernel=Gaussian(1.0)))
    metric.update(torch.randn(10, 3, 2, 2))
    metric.update(torch.randn(10, 3, 2, 2).bfloat16())
    assert float(metric.sample_rows.sum()) == 20
    assert metric.sample_total.dtype == torch.float64


def test_too_few_rows_or_blocks_are_refused():
    with pytest.raises(ValueError, match="two blocks"):
        RepresentationEntropy(LAYER, blocks=1)
    metric = RepresentationEntropy(LAYER)
    metric.update(rows(1))
    with pytest.raises(ValueError, match=r"seen 1 sample row\(s\)"):
        metric.compute()
    sides = RepresentationJSD(LAYER)
    sides.update(rows(30), real=True)
    sides.update(rows(1), real=False)
    with pytest.raises(ValueError, match=r"seen 1 generated row\(s\)"):
        sides.compute()


@pytest.mark.parametrize("options", [{}, {"dist_sync_on_step": True}], ids=["one", "two"])
@pytest.mark.parametrize("keep_real", [True, False])
def test_forward_adds_every_row_once(keep_real, options):
    """`forward` resets and adds up again: the real side was doubled each time."""
    metric = divergence(LAYER, keep_real=keep_real, **options)
    sides = ((True, rows(300)), (False, rows(200, 1000, 1.0)))
    for real, sample in sides:
        for batch in sample.split(50):
            metric(batch, real=real)
    assert float(metric.real_rows.sum()) == 300
    assert float(metric.generated_rows.sum()) == 200
    updated = filled(divergence(LAYER))
    for found, expected in zip(metric.compute(), updated.compute(), strict=True):
        assert float(found) == pytest.approx(float(expected), abs=1e-12)


def test_forward_gives_the_value_of_the_batch_against_the_real_rows_kept():
    metric = divergence(LAYER, keep_real=True)
    first = metric(rows(300), real=True)
    assert math.isnan(float(first[0]))  # nothing generated yet
    batch = rows(60, 1000, 1.0)
    found = [float(metric(batch, real=False)[0]) for _ in range(3)]
    alone = divergence(LAYER)
    alone.update(rows(300), real=True)
    alone.update(batch, real=False)
    assert found == pytest.approx([float(alone.compute()[0])] * 3, abs=2e-3)  # other blocks


class Brightness(torch.nn.Module):  # type: ignore[name-defined]
    """A stand-in for a feature network of images: means of the channels and of the halves."""

    def __init__(self):
        super().__init__()
        self.mix = torch.nn.Linear(6, 4)
        self.drop = torch.nn.Dropout(0.5)
        self.seen = []

    def forward(self, images):
        self.seen.append((images.dtype, float(images.max())))
        halves = [part.float().mean(dim=(2, 3)) for part in images.chunk(2, dim=2)]
        return self.drop(self.mix(torch.cat(halves, dim=1)))


def images(n, seed, low=0, high=256):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(low, high, (n, 3, 4, 4), dtype=torch.uint8, generator=generator)


def test_bytes_go_through_a_feature_network():
    """No feature map, no sizes: a network and images, as with FID."""
    torch.manual_seed(0)
    metric = RepresentationJSD(feature=Brightness(), frequencies=16)
    metric.train()  # a trainer does so to all modules
    assert not metric.feature.training
    metric.update(images(200, 0), real=True)
    metric.update(images(150, 1), real=False)
    assert {dtype for dtype, _ in metric.feature.seen} == {torch.float32}
    assert max(top for _, top in metric.feature.seen) <= 1.0
    same = float(metric.compute())
    metric.reset()
    metric.update(images(200, 0), real=True)
    metric.update(images(150, 1, low=60), real=False)
    assert float(metric.compute()) > same + 5 * float(metric.standard_error)


def test_bytes_stay_bytes_for_networks_that_want_them():
    metric = RepresentationEntropy(feature=Brightness(), images_to_unit=False)
    metric.update(images(40, 0))
    assert metric.feature.seen[0][0] == torch.uint8


def test_any_callable_is_a_feature():
    metric, expected = (
        RepresentationEntropy(LAYER, feature=torch.tanh),
        RepresentationEntropy(LAYER),
    )
    metric.update(rows(100))
    expected.update(torch.tanh(rows(100)))
    assert float(metric.compute()) == float(expected.compute())


def test_scalar_by_default_with_the_error_beside_it():
    metric, pair = filled(RepresentationJSD(LAYER)), filled(divergence(LAYER))
    value, error = pair.compute()
    assert metric.compute().shape == ()
    assert (float(metric.compute()), float(metric.standard_error)) == (float(value), float(error))


def test_nan_comes_out_and_reset_forgets_it():
    """One policy with the losses: no exception at step 30,000, and no number that is wrong."""
    metric = filled(RepresentationJSD(LAYER))
    bad = rows(10)
    bad[3, 1] = math.nan
    metric.update(bad, real=False)
    assert math.isnan(float(metric.compute()))
    assert math.isnan(float(metric.standard_error))
    metric.reset()
    assert math.isfinite(float(filled(metric).compute()))


def test_wrappers_of_torchmetrics_work():
    from torchmetrics.wrappers import BootStrapper, MetricTracker

    boot = BootStrapper(RepresentationJSD(LAYER), num_bootstraps=20)
    torch.manual_seed(0)
    filled(boot)
    found = boot.compute()
    single = filled(RepresentationJSD(LAYER))
    assert float(found["std"]) == pytest.approx(float(single.standard_error), rel=0.6)
    tracker = MetricTracker(RepresentationJSD(LAYER), maximize=False)
    for shift in (2.0, 0.1, 1.0):
        tracker.increment()
        filled(tracker, shift=shift)
    assert tracker.compute_all().shape == (3,)
    assert tracker.best_metric(return_step=True)[1] == 1


def test_values_are_drawn():
    need("matplotlib").use("Agg")
    _, axes = filled(RepresentationJSD(LAYER)).plot()
    assert len(axes.collections) + len(axes.lines) > 0
    filled(divergence(LAYER)).plot([torch.tensor(0.1), torch.tensor(0.2)])
    import matplotlib.pyplot as plt

    plt.close("all")


def saved(tmp_path, **options):
    path = tmp_path / "real.safetensors"
    metric = filled(RepresentationJSD(frequencies=8, **options))
    metric.save_real(path)
    return metric, path


def test_the_real_side_is_kept_in_a_file(tmp_path):
    metric, path = saved(tmp_path)
    other = RepresentationJSD(frequencies=8)
    other.load_real(path)
    for _ in range(2):  # kept on reset
        other.update(rows(200, 1000, 1.0), real=False)
        assert float(other.compute()) == pytest.approx(float(metric.compute()), abs=1e-12)
        assert float(other.standard_error) == pytest.approx(float(metric.standard_error), abs=1e-12)
        other.reset()
    assert path.stat().st_size < 32 * 16 * 17 / 2 * 8 + 4000  # half of the matrices, and no rows
    assert [p.name for p in tmp_path.iterdir()] == ["real.safetensors"]


def test_files_that_do_not_fit_are_refused(tmp_path):
    _, path = saved(tmp_path)
    for metric, message in (
        (RepresentationJSD(FourierLayer(2, 8, rng=1)), "another feature map"),
        (RepresentationJSD(frequencies=8, blocks=16), "use blocks=32"),
        (RepresentationJSD(frequencies=8, feature=Brightness()), "another feature network"),
    ):
        with pytest.raises(ValueError, match=message):
            metric.load_real(path)
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match="damaged"):
        RepresentationJSD(frequencies=8).load_real(path)
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="is no samelaw real statistics"):
        RepresentationJSD(frequencies=8).load_real(path)
    with pytest.raises(ValueError, match="no real rows"):
        RepresentationJSD(LAYER).save_real(path)


def test_a_new_metric_loads_the_feature_map_of_one_that_made_it():
    """As a model does whose checkpoint was written after the first evaluation."""
    made = filled(RepresentationJSD(frequencies=8))
    fresh = RepresentationJSD(frequencies=8)
    fresh.load_state_dict(made.state_dict())
    assert not any(parameter.requires_grad for parameter in fresh.parameters())
    assert float(filled(fresh).compute()) == float(made.compute())
    with pytest.raises(RuntimeError, match=r"feature_map\.frequencies"):
        RepresentationJSD(frequencies=4).load_state_dict(made.state_dict())


def test_sums_in_single_precision():
    metric = filled(RepresentationJSD(LAYER).set_dtype(torch.float32))
    expected = float(filled(RepresentationJSD(LAYER)).compute())
    assert metric.real_total.dtype == torch.float32
    assert float(metric.compute()) == pytest.approx(expected, abs=1e-4)


def defaults(*batches_of_rows, metric=None):
    """The default metric after batches (real, rows), in this order."""
    metric = metric or RepresentationJSD(frequencies=8)
    for real, sample in batches_of_rows:
        metric.update(sample, real=real)
    return float(metric.compute())


def test_the_default_map_does_not_depend_on_the_first_batch():
    """The width came from whatever batch came first: .25 or .38 for the same rows."""
    real, generated = rows(1500), 3 * rows(700, 1, 1.0)
    narrow = real[real.norm(dim=1).argsort()]
    expected = defaults((True, real), (False, generated))
    orders = {
        "generated first": [(False, generated), (True, real)],
        "batch by batch": [(True, part) for part in real.split(64)] + [(False, generated)],
        "alternating": [
            pair
            for part in zip(real.split(150), generated.split(70), strict=True)
            for pair in zip((False, True), part[::-1], strict=True)
        ],
        "narrow first": [(True, narrow[:50]), (True, real), (False, generated)],
    }
    for name, order in orders.items():
        assert defaults(*order) == pytest.approx(expected, rel=0.05), name


def test_few_rows_give_a_value_too():
    metric = RepresentationJSD(frequencies=8)
    assert math.isnan(metric(rows(60), real=True))
    found = defaults((False, rows(50, 1, 2.0)), metric=metric)
    assert found > 0.2
    width = float(metric.feature_map.bandwidth)
    assert width == pytest.approx(float(FourierLayer.at_median(rows(60)).bandwidth))
    metric.reset()
    defaults((True, 100 * rows(2000)), (False, rows(50)), metric=metric)
    assert float(metric.feature_map.bandwidth) == width
    fresh = RepresentationJSD()
    fresh.update(rows(1), real=True)
    with pytest.raises(ValueError, match=r"seen 1 real row\(s\)"):
        fresh.compute()


def test_a_layer_without_a_width_gets_it_from_real_rows():
    real, generated = 50 * rows(300), 50 * rows(200, 1, 1.0)
    metric = RepresentationJSD(FourierLayer(2, 8))
    first = defaults((False, 1000 * generated), (True, real), metric=metric)
    known = RepresentationJSD(FourierLayer.at_median(real, 8))
    second = defaults((False, 1000 * generated), (True, real), metric=known)
    assert first == pytest.approx(second, abs=1e-3)  # another median of an even number


@pytest.mark.parametrize("options", [{}, {"dist_sync_on_step": True}], ids=["one", "two"])
def test_forward_while_rows_wait_adds_every_row_once(options):
    metric = RepresentationJSD(frequencies=8, **options)
    for real, sample in ((True, rows(1600)), (False, rows(200, 1000, 1.0))):
        for batch in sample.split(100):
            metric(batch, real=real)
    assert (float(metric.real_rows.sum()), float(metric.generated_rows.sum())) == (1600, 200)
    expected = defaults(
        (True, rows(1000)), (True, rows(1600)[1000:]), (False, rows(200, 1000, 1.0))
    )
    assert float(metric.compute()) == pytest.approx(expected, abs=1e-9)


def started(n=300, **options):
    metric = RepresentationJSD(frequencies=8, **options)
    batch = rows(n)
    metric.update(batch, real=True)
    batch.zero_()  # as a loader does that fills one batch again and again
    return metric


def test_rows_that_wait_are_copied_kept_and_saved():
    generated = (False, rows(200, 1000, 1.0))
    expected = defaults((True, rows(300)), generated)
    assert defaults(generated, metric=started()) == pytest.approx(expected)
    kept = started(keep_real=True)
    kept.reset()
    assert defaults(generated, metric=kept) == pytest.approx(expected)
    loaded = RepresentationJSD(frequencies=8)
    for metric in (kept, loaded):
        metric.persistent(True)
    kept.reset()
    loaded.load_state_dict(kept.state_dict())
    assert defaults(generated, metric=loaded) == pytest.approx(expected)
    sent = pickle.loads(pickle.dumps(started()))
    assert defaults(generated, metric=sent) == pytest.approx(expected)


@pytest.mark.parametrize("n", [300, 1200], ids=["which wait as well", "which have a map"])
def test_rows_that_wait_are_merged_with_others(n):
    merged, other = started(), started(n)
    other.update(rows(200, 1000, 1.0), real=False)
    merged.merge_state(other)
    value = float(merged.compute())
    assert float(merged.real_rows.sum()) == 300 + n
    assert value == pytest.approx(float(other.compute()), abs=0.03)


def test_a_collection_keeps_metrics_of_other_features_apart():
    from torchmetrics import MetricCollection

    makers = {
        "plain": lambda: RepresentationJSD(frequencies=16),
        "order 3": lambda: RepresentationJSD(entropy=3, frequencies=16),
        "squares": lambda: RepresentationJSD(feature=torch.square, frequencies=16),
    }
    together = MetricCollection({name: make() for name, make in makers.items()})
    for batch in rows(300).split(100):
        together.update(batch, real=True)
    together.update(rows(200, 1000, 1.0), real=False)
    found = {name: float(value) for name, value in together.compute().items()}
    alone = {
        name: defaults((True, rows(300)), (False, rows(200, 1000, 1.0)), metric=make())
        for name, make in makers.items()
    }
    assert found == pytest.approx(alone)


def test_frequencies_are_as_many_as_columns_where_that_is_affordable():
    for columns, expected in ((3, 128), (200, 200)):
        metric = RepresentationEntropy()
        metric.update(torch.randn(50, columns))
        metric.compute()
        assert metric.sample_total.shape[1:] == (2 * expected, 2 * expected)
    metric = RepresentationEntropy()
    metric.update(torch.randn(50, 300))
    with pytest.warns(UserWarning, match=r"256 fixed .* of the 300 .*frequencies="):
        metric.compute()
    with pytest.warns(UserWarning, match="4 fixed frequencies"):
        RepresentationEntropy(FourierLayer(5, 4))


def test_copies_of_real_rows_are_flagged():
    real = rows(600)
    copied = filled(RepresentationJSD(LAYER), shift=1.0)
    copied.reset()
    copied.update(real, real=True)
    copied.update(real[torch.randperm(600, generator=torch.Generator().manual_seed(0))], real=False)
    with pytest.warns(UserWarning, match="generated rows are copies of real ones"):
        value = float(copied.compute())
    assert value < 0
    for seed in range(20):  # the same law, other rows: not a word
        filled(RepresentationJSD(LAYER), shift=0.0, seed=seed).compute()


def test_nothing_in_a_metric_learns_and_the_layer_it_was_given_still_does():
    layer = FourierLayer(2, 8, kernel=Gaussian(1.0))
    metric = RepresentationJSD(layer)
    assert not any(p.requires_grad for p in metric.parameters())
    assert all(p.requires_grad for p in layer.parameters())
