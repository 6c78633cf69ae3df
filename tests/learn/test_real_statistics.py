"""The names of what made the features."""

import numpy as np

from optional import need

torch = need("torch")
need("torchmetrics")

from samelaw.kernels import FourierFeatures, NystromFeatures  # noqa: E402
from samelaw.learn import FourierLayer  # noqa: E402
from samelaw.learn.real_statistics import digest  # noqa: E402


def test_what_gives_other_features_has_another_name():
    points = np.random.default_rng(0).normal(size=(4, 2))
    layer = FourierLayer(2, 4)
    things = [
        None,
        layer,
        FourierLayer(2, 4, rng=1),
        FourierLayer(2, 4, network=torch.nn.Linear(2, 2)),
        FourierFeatures(points.T),
        FourierFeatures(2 * points.T),
        NystromFeatures(landmarks=points),
        torch.tanh,
    ]
    names = [digest(thing) for thing in things]
    assert len(set(names)) == len(names)
    assert digest(FourierLayer(2, 4)) == digest(layer)
    with torch.no_grad():
        layer.log_bandwidth += 0.1
    assert digest(FourierLayer(2, 4)) != digest(layer)
