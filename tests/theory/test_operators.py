"""D1–D5, DA1: mean embeddings and covariance operators of samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samelaw
from oracles import atoms_of, spectrum
from samelaw.core.registry import members
from samelaw.kernels.operators import gram_density
from strategies import SEEDS, finite_problems

SIZES = st.integers(1, 8)


def drawn_features(seed, n, size=4):
    features = np.random.default_rng(seed).standard_normal((n, size))
    return features / np.linalg.norm(features, axis=1, keepdims=True)


@given(finite_problems(), SIZES, SIZES, SEEDS)
def test_d1_mmd_is_the_distance_of_the_mean_features(problem, n, m, seed):
    x, y = problem.draw(n, m, rng=seed)
    means = [problem.features[z[:, 0].astype(int)].mean(axis=0) for z in (x, y)]
    expected = np.sum((means[0] - means[1]) ** 2)
    assert samelaw.mmd(x, y, kernel=problem.kernel()) == pytest.approx(expected, abs=1e-12)
    embedded = samelaw.kernels.mean_embedding(problem.features[x[:, 0].astype(int)])
    np.testing.assert_allclose(embedded, means[0], atol=1e-15)


@given(SEEDS, SIZES)
def test_d2_uncentred_covariance_is_covariance_plus_the_mean_with_itself(seed, n):
    features = drawn_features(seed, n)
    mean = features.mean(axis=0)
    centred = np.cov(features.T, bias=True)
    density = samelaw.kernels.Covariance.of(features).density
    np.testing.assert_allclose(density - np.outer(mean, mean), centred, atol=1e-14)
    np.testing.assert_allclose(samelaw.kernels.centred_covariance(features), centred, atol=1e-14)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, n)
    weighted = np.cov(features.T, aweights=weights, bias=True)
    found = samelaw.kernels.centred_covariance(features, weights)
    np.testing.assert_allclose(found, weighted, atol=1e-14)


@given(finite_problems(), SEEDS)
def test_d3_covariance_gives_the_expectation_of_products(problem, seed):
    f, g = np.random.default_rng(seed).standard_normal((2, problem.features.shape[1]))
    expectation = problem.first @ ((problem.features @ f) * (problem.features @ g))
    density = samelaw.kernels.Covariance.of(problem.features, problem.first).density
    assert g @ density @ f == pytest.approx(expectation, abs=1e-12)


@pytest.mark.parametrize("name", members("kernel"))
@given(seed=SEEDS, n=SIZES)
def test_d4_unit_diagonal_makes_a_law_of_the_spectrum(name, seed, n):
    x = np.random.default_rng(seed).standard_normal((n, 2))
    kernel = members("kernel")[name]()
    eigenvalues = np.linalg.eigvalsh(gram_density(kernel(x, x)))
    assert np.all(eigenvalues > -1e-12)
    assert eigenvalues.sum() == pytest.approx(1.0, abs=1e-12)


@given(SEEDS, SIZES)
def test_d5_covariance_is_self_adjoint_positive_and_the_mean_of_outer_products(seed, n):
    features = drawn_features(seed, n)
    density = samelaw.kernels.Covariance.of(features).density
    outer = sum(np.outer(phi, phi) for phi in features) / n
    np.testing.assert_allclose(density, outer, atol=1e-14)
    np.testing.assert_array_equal(density, density.T)
    assert np.linalg.eigvalsh(density).min() > -1e-14


@given(finite_problems(), finite_problems())
def test_da1_hadamard_product_is_the_covariance_of_tensor_features(left, right):
    pairs = np.random.default_rng(0).integers(0, [len(left.first), len(right.first)], size=(9, 2))
    kernel = left.kernel() * right.kernel()
    gram = kernel(tuple(pairs.T[:, :, None]), tuple(pairs.T[:, :, None]))
    tensor = np.einsum("ni,nj->nij", left.features[pairs[:, 0]], right.features[pairs[:, 1]])
    covariance = samelaw.kernels.Covariance.of(tensor.reshape(9, -1)).density
    np.testing.assert_allclose(
        spectrum(gram_density(gram))[::-1][:3], spectrum(covariance)[::-1][:3], atol=1e-12
    )
    assert len(spectrum(gram_density(gram))) == len(spectrum(covariance))


@given(finite_problems())
def test_da1_independent_variables_add_their_entropies(problem):
    """The joint operator of a product law is the tensor product, so its entropy is the sum."""
    atoms = atoms_of(problem)
    grid = np.array([(a, b) for a in atoms[:, 0] for b in atoms[:, 0]])
    weights = np.outer(problem.first, problem.second).ravel()
    joint = samelaw.entropy(
        (grid[:, :1], grid[:, 1:]),
        kernel=problem.kernel() * problem.kernel(),
        sample_weights=weights,
    )
    marginals = [
        samelaw.entropy(atoms, kernel=problem.kernel(), sample_weights=law)
        for law in (problem.first, problem.second)
    ]
    assert joint == pytest.approx(sum(marginals), abs=1e-10)
