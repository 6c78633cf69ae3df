"""The metric is the function on the rows it has seen."""

import math

import pytest

from optional import need

torch = need("torch")
need("torchmetrics")

from samelaw.extras.generators import GeneratorMetrics, generator_scores  # noqa: E402


def sides():
    torch.manual_seed(0)
    return torch.randn(80, 3), 0.5 * torch.randn(60, 3)


def filled(metric, real, generated, step=25):
    for side, sample in ((True, real), (False, generated)):
        for batch in sample.split(step):
            metric.update(batch, real=side)
    return metric


def test_values_are_those_of_the_function():
    real, generated = sides()
    metric = filled(GeneratorMetrics(), real, generated)
    expected = generator_scores(real, generated)
    found = metric.compute()
    assert {name: float(v) for name, v in found.items()} == pytest.approx(
        {name: score.value for name, score in expected.scores.items()}, rel=1e-5, abs=1e-7
    )
    assert metric.scores()["frechet"].standard_error == pytest.approx(
        expected["frechet"].standard_error
    )


def test_bytes_go_through_the_network_once():
    class Counted(torch.nn.Flatten):  # type: ignore[name-defined]
        calls = 0

        def forward(self, x):
            Counted.calls += 1
            assert x.is_floating_point()
            return super().forward(x)

    images = torch.randint(0, 256, (40, 1, 2, 2), dtype=torch.uint8)
    metric = filled(GeneratorMetrics(Counted()), images, images, step=40)
    metric.compute()
    assert Counted.calls == 2


def test_nan_comes_out_and_an_empty_side_is_named():
    real, generated = sides()
    generated[0, 0] = math.nan
    metric = filled(GeneratorMetrics(), real, generated)
    assert all(math.isnan(float(value)) for value in metric.compute().values())
    metric.reset()
    metric.update(real, real=True)
    with pytest.raises(ValueError, match="no generated rows"):
        metric.compute()


def test_a_call_on_a_batch_adds_it_and_takes_nothing_away():
    """It was an error, after which all rows were gone."""
    real, generated = sides()
    metric = GeneratorMetrics()
    metric.update(real, real=True)
    assert all(math.isnan(value) for value in metric(generated, real=False).values())
    expected = filled(GeneratorMetrics(), real, generated).compute()
    assert metric.compute() == expected


def test_tracked_and_reset():
    from torchmetrics.wrappers import MetricTracker

    real, generated = sides()
    tracker = MetricTracker(GeneratorMetrics(), maximize=False)
    for factor in (2.0, 1.0):
        tracker.increment()
        filled(tracker, real, factor * generated)
    assert tracker.compute_all()["rjsd"].shape == (2,)
