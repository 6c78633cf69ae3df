"""The names of what made the features."""

import numpy as np

from optional import need

torch = need("torch")
need("torchmetrics")

from samelaw import Gaussian  # noqa: E402
from samelaw.kernels import FourierFeatures, NystromFeatures  # noqa: E402
from samelaw.learn import FourierLayer  # noqa: E402
from samelaw.learn.metrics.real_statistics import digest  # noqa: E402


def fourier(**options):
    return FourierLayer(2, 4, kernel=Gaussian(1.0), **options)


def test_what_gives_other_features_has_another_name():
    points = np.random.default_rng(0).normal(size=(4, 2))
    layer = fourier()
    things = [
        None,
        layer,
        fourier(rng=1),
        fourier(network=torch.nn.Linear(2, 2)),
        FourierFeatures(points.T),
        FourierFeatures(2 * points.T),
        NystromFeatures(landmarks=points),
        torch.tanh,
    ]
    names = [digest(thing) for thing in things]
    assert len(set(names)) == len(names)
    assert digest(fourier()) == digest(layer)
    with torch.no_grad():
        layer.log_bandwidth += 0.1
    assert digest(fourier()) != digest(layer)
