"""Outputs of layers: those of the forward pass, from tensors and loaders alike."""

import copy

import numpy as np
import pytest

from optional import need

torch = need("torch")
from torch import nn  # noqa: E402

from samelaw.extras.layers import cka  # noqa: E402
from samelaw.learn import layer_outputs  # noqa: E402


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Tanh(), nn.Linear(4, 2))


def test_outputs_are_those_of_the_forward_pass_and_nothing_stays_behind():
    net, rows = network(), torch.randn(10, 3)
    found = layer_outputs(net, rows, layers=["0", "2", ""], batch=4)
    first = net[0](rows)
    torch.testing.assert_close(found["0"], first)
    torch.testing.assert_close(found["2"], first.tanh())  # evaluation: no dropout
    torch.testing.assert_close(found[""], net[3](first.tanh()))
    assert net.training
    assert not found["0"].requires_grad
    assert not any(module._forward_hooks for module in net.modules())


def test_a_loader_of_pairs_gives_the_same():
    net, rows = network(), torch.randn(10, 3)
    pairs = [(part, torch.zeros(len(part))) for part in rows.split(3)]
    plain, loaded = layer_outputs(net, rows), layer_outputs(net, pairs)
    assert list(plain) == list(loaded) == ["0", "3"]
    for name, values in plain.items():
        torch.testing.assert_close(loaded[name], values)


def test_images_become_rows_and_tuples_their_first_member():
    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Conv2d(1, 2, 3)

        def forward(self, x):
            return self.inner(x), None

    found = layer_outputs(Pair(), torch.zeros(5, 1, 6, 6).bfloat16().float(), layers=["", "inner"])
    assert {tuple(rows.shape) for rows in found.values()} == {(5, 32)}


def test_unknown_and_unused_layers_are_named():
    with pytest.raises(ValueError, match="no layer head; its layers are 0, 1, 2, 3"):
        layer_outputs(network(), torch.zeros(2, 3), layers=["head"])
    idle = nn.ModuleDict({"used": nn.Linear(3, 2), "idle": nn.Linear(3, 2)})
    idle.forward = lambda x: idle["used"](x)
    with pytest.raises(ValueError, match="did not use idle"):
        layer_outputs(idle, torch.zeros(2, 3), layers=["used", "idle"])
    assert list(layer_outputs(idle, torch.zeros(2, 3))) == ["used"]  # what nobody asked for


def test_a_layer_used_twice_has_its_outputs_side_by_side():
    net = nn.ModuleDict({"shared": nn.Linear(3, 3)})
    net.forward = lambda x: net["shared"](net["shared"](x))
    rows = torch.randn(10, 3)
    once = net["shared"](rows)
    expected = torch.cat([once, net["shared"](once)], dim=1)
    torch.testing.assert_close(layer_outputs(net, rows, batch=4)["shared"], expected)


def test_transformers_and_layers_without_a_row_per_input():
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    found = layer_outputs(encoder, torch.randn(5, 4, 8))  # attention never calls its out_proj
    assert {rows.shape[0] for rows in found.values()} == {5}
    turned = nn.Sequential(nn.Flatten(0, 1), nn.Linear(8, 2))
    with pytest.raises(ValueError, match=r"layer 1 gives shape \(20, 2\) for 5 inputs"):
        layer_outputs(turned, torch.randn(5, 4, 8), layers=["1"])


def test_every_layer_is_in_its_own_mode_again():
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    net[1].eval()  # frozen statistics
    layer_outputs(net, torch.randn(6, 3))
    assert net.training
    assert net[0].training
    assert not net[1].training


@pytest.mark.parametrize(
    ("inputs", "error", "said"),
    [
        (np.zeros((4, 3)), TypeError, r"inputs must be a tensor or batches, got ndarray of shape"),
        ([{"rows": torch.zeros(4, 3)}], TypeError, "a batch of inputs must be a tensor, got {"),
        (torch.zeros(0, 3), ValueError, "inputs has no rows"),
        ([], ValueError, "no layer gave anything"),
    ],
)
def test_inputs_that_are_none(inputs, error, said):
    with pytest.raises(error, match=said):
        layer_outputs(network(), inputs)


class AddsInPlace(nn.Module):
    """A residual block as it is often written: ``z += x`` changes what the layer gave."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 6)

    def forward(self, x):
        z = self.first(x)
        z += x
        return z


@pytest.mark.parametrize("first", [nn.Linear(6, 6), nn.ReLU(inplace=True), AddsInPlace()])
def test_layers_that_write_over_what_they_are_given_change_no_output(first):
    """Of a layer followed by a ReLU in place the negative numbers were gone, and of the inputs."""
    torch.manual_seed(0)
    x = torch.randn(40, 6)
    before = x.clone()
    network = nn.Sequential(first, nn.ReLU(inplace=True), nn.Linear(6, 2))
    plain = copy.deepcopy(network)
    for module in plain.modules():
        if isinstance(module, nn.ReLU):
            module.inplace = False
    names = ["0.first" if isinstance(first, AddsInPlace) else "0", "2"]
    found = layer_outputs(network, x, layers=names)
    expected = layer_outputs(plain, x, layers=names)
    for name in names:
        torch.testing.assert_close(found[name], expected[name])
    if isinstance(first, AddsInPlace):
        torch.testing.assert_close(found["0.first"], first.first(before).detach())
    torch.testing.assert_close(x, before)


def test_a_layer_and_its_own_relu_are_not_alike():
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(6, 16), nn.ReLU(inplace=True))
    found = layer_outputs(network, torch.randn(300, 6), layers=["0", "1"])
    assert cka(found["0"], found["1"]) < 0.99
