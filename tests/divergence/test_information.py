"""Information quantities under the categorical kernel are Shannon's."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samelaw
from optional import need
from oracles import spectrum
from samelaw import Gaussian, PowerSeries
from samelaw.kernels import Categorical
from samelaw.problems.closed_forms import FiniteFeatures, shannon_entropy
from strategies import SEEDS

PAIR = [Categorical()] * 2


def shannon(*columns):
    _, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return shannon_entropy(counts / counts.sum())


@given(SEEDS, st.integers(1, 30))
def test_shannon_quantities_of_codes(seed, n):
    a, b, c = np.random.default_rng(seed).integers(0, 3, size=(3, n))
    close = {"abs": 1e-12}
    assert samelaw.entropy(a, kernel=Categorical()) == pytest.approx(shannon(a), **close)
    assert samelaw.joint_entropy(a, b, kernels=PAIR) == pytest.approx(shannon(a, b), **close)
    conditional = shannon(a, b) - shannon(b)
    assert samelaw.conditional_entropy(a, b, kernels=PAIR) == pytest.approx(conditional, **close)
    mutual = shannon(a) + shannon(b) - shannon(a, b)
    assert samelaw.mutual_information(a, b, kernels=PAIR) == pytest.approx(mutual, **close)
    total = shannon(a) + shannon(b) + shannon(c) - shannon(a, b, c)
    kernels = [Categorical()] * 3
    assert samelaw.total_correlation(a, b, c, kernels=kernels) == pytest.approx(total, **close)


@given(SEEDS, st.integers(2, 12))
def test_kernel_information_is_symmetric_and_not_negative(seed, n):
    x, y = np.random.default_rng(seed).standard_normal((2, n, 2))
    value = samelaw.mutual_information(x, y)
    assert value >= -1e-12
    assert value == pytest.approx(float(samelaw.mutual_information(y, x)), abs=1e-12)


def test_constant_variable_carries_no_information(to_xp):
    x = to_xp(np.random.default_rng(0).standard_normal((8, 1)))
    constant = to_xp(np.ones((8, 1)))
    assert float(samelaw.mutual_information(x, constant)) == pytest.approx(0.0, abs=1e-12)
    own = float(samelaw.entropy(x))
    assert float(samelaw.conditional_entropy(x, constant)) == pytest.approx(own, abs=1e-12)


def test_entropy_of_a_tuple_is_the_joint_entropy():
    x, y = np.random.default_rng(0).standard_normal((2, 7, 2))
    assert samelaw.entropy((x, y)) == samelaw.joint_entropy(x, y)


def test_entropy_with_weights_is_that_of_repeated_rows(to_xp):
    x = np.random.default_rng(0).standard_normal((4, 2))
    for entropy in (samelaw.VonNeumann(), PowerSeries(1), samelaw.Renyi(2)):
        options = {"kernel": Gaussian(1.0), "entropy": entropy}
        value = samelaw.entropy(to_xp(x), sample_weights=[1, 2, 3, 1], **options)
        repeated = samelaw.entropy(np.repeat(x, [1, 2, 3, 1], axis=0), **options)
        assert float(value) == pytest.approx(float(repeated), abs=1e-12)


@pytest.mark.parametrize("mix", [0.01, 0.3])
def test_kernel_kl_of_codes_is_the_relative_entropy_to_the_mixture(mix, to_xp):
    first, second = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.5, 0.25])
    x, y = np.repeat([0, 1], [2, 2]), np.repeat([0, 1, 2], [1, 2, 1])
    mixed = (1 - mix) * second + mix * first
    expected = sum(p * math.log(p / q) for p, q in zip(first, mixed, strict=True) if p > 0)
    value = samelaw.kernel_kl(to_xp(x), to_xp(y), kernel=Categorical(), regularization=mix)
    assert float(value) == pytest.approx(expected, abs=1e-12)


@given(SEEDS, st.integers(1, 9), st.integers(1, 9), st.floats(0.01, 0.9))
def test_kernel_kl_is_that_of_the_operators_and_bounded(seed, n, m, mix):
    from scipy.linalg import logm

    problem = FiniteFeatures.random(6, 3, rng=seed)
    x, y = problem.draw(n, m, rng=seed)
    first, second = (
        samelaw.kernels.Covariance.of(problem.features[z[:, 0].astype(int)]).density for z in (x, y)
    )
    value = samelaw.kernel_kl(x, y, kernel=problem.kernel(), regularization=mix)
    assert -1e-10 <= value <= math.log(1 / mix) + 1e-10
    mixed = mix * first + (1 - mix) * second
    if len(spectrum(mixed)) == 3 and spectrum(mixed)[0] > 1e-3:  # else it has no logarithm
        own = spectrum(first)
        expected = np.sum(own * np.log(own)) - np.trace(first @ logm(mixed)).real
        assert value == pytest.approx(expected, abs=1e-9)


def test_kernel_kl_and_rjsd_agree_on_the_mixture():
    """RJSD is the mean of two relative entropies to the middle: one each way at r = ½."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((8, 2)), rng.standard_normal((8, 2)) + 1
    options = {"kernel": Gaussian(1.0), "regularization": 0.5}
    halves = samelaw.kernel_kl(x, y, **options), samelaw.kernel_kl(y, x, **options)
    assert sum(halves) / 2 == pytest.approx(
        float(samelaw.rjsd(x, y, kernel=Gaussian(1.0))), abs=1e-12
    )


@pytest.mark.parametrize("mix", [0, 1, -0.1, math.nan])
def test_regularization_is_a_share(mix):
    with pytest.raises(ValueError, match="regularization must lie strictly between 0 and 1"):
        samelaw.kernel_kl(np.ones(3), np.zeros(3), regularization=mix)


def test_variables_must_belong_together():
    x, y = np.ones((3, 1)), np.ones((4, 1))
    with pytest.raises(ValueError, match="expected at least one variable"):
        samelaw.joint_entropy()
    with pytest.raises(ValueError, match=r"variables have \[3, 4\] rows"):
        samelaw.mutual_information(x, y)
    with pytest.raises(ValueError, match="got 1 kernels for 2 variables"):
        samelaw.joint_entropy(x, x, kernels=[Gaussian(1.0)])
    torch = need("torch")
    with pytest.raises(TypeError, match="variable 0 is a numpy array, variable 1 is a torch array"):
        samelaw.joint_entropy(x, torch.ones(3, 1))


def test_labels_are_classes_and_images_are_measures_everywhere(to_xp):
    """One rule for `mutual_information` and `samelaw.extras.layers`."""
    label = np.arange(60) % 3
    found = samelaw.mutual_information(to_xp(label), to_xp(label))
    assert float(found) == pytest.approx(math.log(3), abs=1e-6)
    rows = to_xp(np.random.default_rng(0).integers(0, 255, (60, 16)).astype("uint8"))
    measured = to_xp(np.asarray(rows).astype(float))
    same = samelaw.mutual_information(measured, measured)
    assert float(samelaw.mutual_information(rows, rows)) == pytest.approx(float(same))


WORDS = np.array(["a", "b", "c"] * 20)
CLASSES = {
    "whole numbers": np.arange(60) % 3,
    "a column of them": (np.arange(60) % 3)[:, None],
    "a list": [0, 1, 2] * 20,
    "words": WORDS,
    "words as objects": WORDS.astype(object),
    "words, each once": np.array([f"w{i}" for i in range(60)]),
    "flags": np.arange(60) % 2 == 0,
    "one value": np.zeros(60, dtype=int),
}
MEASURES = {
    "floats": np.arange(60) % 3.0,
    "columns of whole numbers": np.arange(120).reshape(60, 2),
    "columns of flags": np.arange(120).reshape(60, 2) % 2 == 0,
}


@pytest.mark.parametrize("name", CLASSES)
def test_one_column_of_few_values_is_classes(name):
    codes = np.unique(CLASSES[name], return_inverse=True)[1].reshape(-1)
    shared = shannon(codes)
    own = samelaw.entropy(CLASSES[name])
    assert float(own) == pytest.approx(shared, abs=1e-9)
    assert float(own) == pytest.approx(float(samelaw.joint_entropy(CLASSES[name])))
    layers = (codes, np.ones((60, 1)))
    if name == "whole numbers":
        assert float(samelaw.entropy(layers)) == pytest.approx(shared, abs=1e-9)


@pytest.mark.parametrize("name", MEASURES)
def test_floats_and_several_columns_are_measures(name):
    measured = np.asarray(MEASURES[name], dtype=float)
    assert samelaw.entropy(MEASURES[name]) == samelaw.entropy(measured)


@pytest.mark.parametrize("values", [np.arange(60) % 21, np.arange(60) % 40, np.arange(3)])
def test_whole_numbers_that_may_be_either_are_asked_about(values):
    said = r"different ones in \d+ rows, .* kernel samelaw.kernels.Categorical\(\), .* pass floats"
    for function in (samelaw.entropy, lambda v: samelaw.mutual_information(v, v)):
        with pytest.raises(ValueError, match=said):
            function(values)
    assert samelaw.entropy(1.0 * values) > 0
    assert samelaw.entropy(values, kernel=Categorical()) == pytest.approx(shannon(values))
