"""Diagnostics of an adaptation: divergences, classes, the picture; a training on image files."""

import numpy as np
import pytest

from optional import need

torch = need("torch")

from samelaw.learn.adaptation.diagnostics import (  # noqa: E402
    feature_picture,
    layer_divergences,
    per_class_accuracy,
)
from samelaw.learn.adaptation.selection import Outputs  # noqa: E402


def outputs(shift=0.0, n=400, seed=0):
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(n) % 3
    features = torch.randn(n, 5, generator=generator) + shift
    return Outputs(features, 3.0 * torch.nn.functional.one_hot(labels, 3).float(), labels)


def test_layer_divergences_see_the_layer_that_moved():
    same = layer_divergences(outputs(), outputs(seed=1))
    moved = layer_divergences(outputs(), outputs(1.0, seed=1))
    assert abs(same["features"]) < 1e-3
    assert moved["features"] > 0.02
    assert moved["joint"] > 10 * abs(same["joint"])
    assert moved["probabilities"] == pytest.approx(same["probabilities"], abs=1e-6)


def test_per_class_accuracy_counts_known_rows_only():
    logits = torch.eye(3)[[0, 0, 1, 1, 2]]
    found = per_class_accuracy(
        Outputs(logits, logits, torch.tensor([0, 1, 1, 1, -1])), ("dog", "cat", "owl")
    )
    assert found == {
        "dog": {"accuracy": 1.0, "rows": 1},
        "cat": {"accuracy": pytest.approx(2 / 3), "rows": 3},
    }


def test_picture_keeps_distances_of_features_that_lie_in_a_plane():
    plane = torch.zeros(30, 6)
    plane[:, 1:3] = torch.randn(30, 2, generator=torch.Generator().manual_seed(0))
    out = Outputs(plane, plane, torch.zeros(30, dtype=torch.int64))
    source, target = feature_picture(before=(out, out)).panels["before"]
    np.testing.assert_allclose(source, target, atol=1e-12)
    apart = np.linalg.norm(source[0] - source[1])
    assert apart == pytest.approx(float((plane[0] - plane[1]).norm()), rel=1e-6)


def test_picture_draws_a_panel_per_stage():
    need("matplotlib").use("Agg")
    from matplotlib import pyplot as plt

    picture = feature_picture(before=(outputs(), outputs(2.0)), after=(outputs(), outputs(0.1)))
    figure = picture.plot()
    assert [axis.get_title() for axis in figure.axes] == ["before", "after"]
    plt.close(figure)
