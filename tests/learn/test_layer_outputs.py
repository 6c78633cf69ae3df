"""Outputs of layers: those of the forward pass, from tensors and loaders alike."""

import pytest

from optional import need

torch = need("torch")
from torch import nn  # noqa: E402

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
        layer_outputs(idle, torch.zeros(2, 3))
