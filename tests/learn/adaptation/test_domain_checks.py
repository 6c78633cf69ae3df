import pytest

from optional import need

torch = need("torch")

from samelaw.learn.adaptation import AdaptationNetwork, FeatureDomain, adapt  # noqa: E402
from turned_classes import network, turned_classes  # noqa: E402


@pytest.mark.parametrize(
    ("columns", "labels", "said"),
    [
        (
            5,
            [0, 1],
            r"source has 5 columns, the network takes 3; say AdaptationNetwork\(None, 5, 2\)",
        ),
        (3, [0, 2], "labels of the source go from 0 to 2; expected 0 to 1"),
        (3, None, "labels of the source go from -1 to -1"),
    ],
)
def test_a_source_that_does_not_fit_the_network(columns, labels, said):
    source = FeatureDomain(torch.zeros(2, columns), labels)
    with pytest.raises(ValueError, match=said):
        adapt(AdaptationNetwork(None, 3, 2), None, source, source, rng=0)


@pytest.mark.parametrize(
    ("inputs", "error", "said"),
    [
        (torch.zeros(5, 3), ValueError, "the target has 3 columns, the network takes 2"),
        (torch.zeros(1, 2), ValueError, r"the target has 1 row\(s\); at least 2"),
        (torch.zeros(5, 2).double(), TypeError, "target have dtype torch.float64, the network"),
    ],
)
def test_a_target_that_does_not_fit_the_network(inputs, error, said):
    with pytest.raises(error, match=said):
        adapt(network(), None, turned_classes()[0], FeatureDomain(inputs), rng=0)
