"""Networks have the shapes of the paper; scales are robust."""

import pytest

from optional import need

torch = need("torch")
from samelaw.learn import (  # noqa: E402
    image_network,
    tabular_network,
)
from samelaw.learn.layers import LabelNetwork, RobustScale  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")


def test_networks_have_the_shapes_of_the_paper():
    images = image_network()
    assert (
        images(torch.zeros(2, 3, 64, 64)).shape == images(torch.zeros(2, 12288)).shape == (2, 300)
    )
    assert image_network((1, 28, 28), outputs=7)(torch.zeros(2, 784)).shape == (2, 7)
    for network in (images, tabular_network(5)):
        assert isinstance(network[-1], torch.nn.Tanh)
        assert not any(isinstance(m, torch.nn.modules.batchnorm._BatchNorm) for m in network)
    assert [m.out_channels for m in images if isinstance(m, torch.nn.Conv2d)] == [16, 32, 64, 128]


def test_robust_scale_is_not_moved_by_an_outlier_and_leaves_constants_alone():
    pool = torch.tensor([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [1e6, 5.0]])
    scaled = RobustScale(pool)(pool)
    assert bool((scaled[:3].abs() < 1).all())
    assert bool(torch.isfinite(scaled).all())
    assert torch.equal(scaled[:, 1], torch.zeros(4))


def test_label_network_is_one_network_of_row_and_label():
    torch.manual_seed(0)
    network, rows = LabelNetwork(3, 8), torch.randn(5, 3)
    for label in (0, 1):
        whole = torch.cat([rows, torch.full((5, 1), float(label))], dim=1)
        expected = network.last(torch.tanh(network.first(whole)))[:, 0]
        torch.testing.assert_close(network(rows)[:, label], expected)
