"""What representations know of each other: closed forms, unrelated variables, invariances."""

import math

import numpy as np
import pytest

from samelaw import Gaussian, VonNeumann, mutual_information
from samelaw.extras.layers import cka, hsic, layer_information, shared_information
from samelaw.kernels import Categorical


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def test_information_of_a_class_with_itself_is_its_entropy():
    """Shuffled pairs of classes are independent: S(X) + S(X) − S(X, X) = log 4."""
    label = np.arange(400) % 4
    found = shared_information(label, label, entropy=VonNeumann(), shuffles=20)
    assert found == pytest.approx(math.log(4), abs=0.02)
    exact = mutual_information(label, label, kernels=[Categorical()] * 2)
    assert found == pytest.approx(float(exact), abs=0.02)


def test_images_are_measures_and_labels_are_classes():
    """Pixels of 8 bits were classes: every image another one, HSIC 0 and CKA NaN."""
    images = np.random.default_rng(0).integers(0, 255, (60, 4, 4)).astype("uint8")
    for pixels in (images, images.reshape(60, 16)):
        measured = np.asarray(pixels, dtype=float).reshape(60, 16)
        assert hsic(pixels, pixels) == hsic(measured, measured) > 0.0
        assert cka(pixels, pixels) == pytest.approx(1.0)
    label = np.arange(60) % 3
    words = np.array(["red", "green", "blue"])[label]
    assert hsic(label, words) == pytest.approx(hsic(label, label))
    found = layer_information({"image": images, "label": label}, {"word": words}, batch=30)
    assert found.cka[1, 0] == pytest.approx(1.0)
    with pytest.raises(ValueError, match=r"id is one column of whole numbers, 40 different ones"):
        layer_information({"id": np.arange(60) % 40})


def test_unrelated_variables_share_nothing():
    """Of the same pairs the plain difference of entropies is a third of a nat and more."""
    values = [
        shared_information(normal(100, 3, seed=s), normal(100, 3, seed=s + 50)) for s in range(20)
    ]
    assert abs(np.mean(values)) < 4 * np.std(values) / math.sqrt(20)
    plain = mutual_information(normal(100, 3), normal(100, 3, seed=50), entropy=10)
    assert float(plain) > 0.3


def hsic_by_loops(k, other):
    """The U-statistic itself: over all four different rows."""
    n, total, count = len(k), 0.0, 0
    for i in range(n):
        for j in range(n):
            for q in range(n):
                for r in range(n):
                    if len({i, j, q, r}) == 4:
                        total += k[i, j] * (other[i, j] + other[q, r] - 2 * other[i, q])
                        count += 1
    return total / count


def test_hsic_is_the_mean_over_four_different_rows():
    x, y = normal(7, 2), normal(7, 1, seed=1)
    kernels = Gaussian(1.0), Gaussian(0.5)
    expected = hsic_by_loops(kernels[0](x, x), kernels[1](y, y))
    assert hsic(x, y, kernels=kernels) == pytest.approx(expected, rel=1e-10)


def test_cka_is_one_for_equal_geometry_and_near_zero_for_none():
    x, turn = normal(60, 4), np.linalg.qr(normal(4, 4, seed=1))[0]
    assert cka(x, 3.0 * x @ turn + 5.0) == pytest.approx(1.0, abs=1e-9)
    assert abs(np.mean([cka(x, normal(60, 40, seed=s)) for s in range(2, 22)])) < 0.05
    assert math.isnan(cka(x, np.zeros((60, 2))))


def test_a_matrix_holds_the_values_of_its_pairs():
    x, y = normal(80, 3), np.arange(80) % 3
    found = layer_information({"x": x}, {"label": y, "x": x}, batch=80)
    assert found.names == (("x",), ("label", "x"))
    assert found.hsic[0, 0] == pytest.approx(hsic(x, y), rel=1e-9)
    assert found.cka[0, 1] == pytest.approx(1.0)
    assert np.isnan(found.information_error).all()  # one batch
    alone = layer_information({"x": x, "label": y}, batch=80)
    np.testing.assert_allclose(alone.cka, alone.cka.T)


def test_minibatches_agree_with_each_other():
    x = normal(600, 3)
    noisy = x + 0.5 * normal(600, 3, seed=1)
    found = layer_information(
        {"x": x}, {"noisy": noisy, "other": normal(600, 3, seed=2)}, batch=100
    )
    assert abs(found.information[0, 1]) < 4 * found.information_error[0, 1]
    assert found.information[0, 0] > 10 * found.information_error[0, 0]
    whole = layer_information({"x": x}, {"noisy": noisy}, batch=600)
    assert found.cka[0, 0] == pytest.approx(whole.cka[0, 0], abs=0.05)


def test_tensors_are_taken_and_what_does_not_fit_is_named():
    with pytest.raises(ValueError, match="a has 5, b has 6 rows"):
        layer_information({"a": np.zeros((5, 1)), "b": np.zeros((6, 1))})
    with pytest.raises(ValueError, match="at least one representation"):
        layer_information({})
    with pytest.raises(ValueError, match="needs at least 4 rows, got 3"):
        hsic(normal(3, 1), normal(3, 1))
    with pytest.raises(ValueError, match="NaN"):
        shared_information(np.array([[np.nan], [1.0]]), np.zeros((2, 1)))
