"""What every entropy promises, on every array library."""

import math

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import LogDet, PowerSeries, Renyi, VonNeumann
from samelaw.core.registry import members
from samelaw.kernels import Tsallis
from samelaw.kernels.entropies import Entropy

samelaw.VonNeumann  # noqa: B018 - loading the module fills the registry

ENTROPIES = {
    **{name: cls() for name, cls in members("entropy").items()},
    **{f"PowerSeries({p})": PowerSeries(p) for p in (1, 2, 3, 6, 40)},
    **{f"Renyi({a})": Renyi(a) for a in (0.5, 1, 1.5, 3, 10)},
    **{f"Tsallis({q})": Tsallis(q) for q in (0.5, 1, 1.5, 3)},
}
ADDITIVE = [n for n, e in ENTROPIES.items() if type(e).link is Entropy.link]
GRID = np.linspace(0.02, 1.0, 50)
SPECTRUM = np.array([0.5, 0.25, 0.15, 0.1])


@pytest.fixture(params=ENTROPIES)
def entropy(request):
    return ENTROPIES[request.param]


def test_nothing_is_added_by_an_eigenvalue_of_zero(entropy, to_xp, to_numpy):
    assert float(to_numpy(entropy.phi(to_xp(np.zeros(1))))[0]) == 0.0
    padded = entropy(to_xp(np.append(SPECTRUM, np.zeros(3))))
    assert float(padded) == pytest.approx(float(entropy(SPECTRUM)), abs=1e-14)


@pytest.mark.parametrize("name", ADDITIVE)
def test_phi_is_concave(name):
    phi = ENTROPIES[name].phi
    a, b = GRID[:, None], np.append(0.0, GRID)[None, :]
    assert np.all(phi((a + b) / 2) >= (phi(a) + phi(b)) / 2 - 1e-14)


def test_derivative_is_that_of_phi(entropy):
    step = 1e-5
    numeric = (entropy.phi(GRID + step) - entropy.phi(GRID - step)) / (2 * step)
    np.testing.assert_allclose(entropy.derivative(GRID), numeric, rtol=1e-6, atol=1e-7)


def test_derivative_agrees_with_autograd(entropy):
    torch = need("torch")
    values = torch.asarray(GRID).requires_grad_()
    torch.sum(entropy.phi(values)).backward()
    np.testing.assert_allclose(
        values.grad.numpy(), entropy.derivative(GRID), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_value_and_derivatives_are_finite_in_the_rounding_noise(entropy, dtype):
    torch = need("torch")
    noise = np.array([0.0, 1e-20, -1e-20, -1e-17, 1e-8, 1.0, 1.0 + 1e-7], dtype=dtype)
    assert np.all(np.isfinite(entropy.phi(noise)))
    assert np.all(np.isfinite(entropy.derivative(noise)))
    values = torch.asarray(noise).requires_grad_()
    torch.sum(entropy.phi(values)).backward()
    assert bool(torch.all(torch.isfinite(values.grad)))


def test_certainty_has_entropy_zero_and_the_least_volume(entropy, to_xp):
    expected = np.log1p(1 / entropy.ridge) if isinstance(entropy, LogDet) else 0.0
    found = float(entropy(to_xp(np.array([1.0, 0.0, 0.0]))))
    assert found == pytest.approx(expected, abs=1e-12)


def test_uniform_spectrum_has_the_most(entropy):
    rng = np.random.default_rng(0)
    spectra = rng.dirichlet(np.ones(5), size=200)
    values = entropy(spectra)
    assert values.shape == (200,)
    assert np.all(values >= -1e-13)
    assert np.all(values <= entropy(np.full(5, 0.2)) + 1e-12)


def test_order_of_the_eigenvalues_does_not_matter(entropy):
    assert entropy(SPECTRUM[::-1]) == pytest.approx(float(entropy(SPECTRUM)), abs=1e-14)


def test_coefficients_are_those_of_phi(entropy):
    coefficients = entropy.coefficients()
    if coefficients is None:
        assert not isinstance(entropy, PowerSeries) or entropy.order > 20
        return
    powers = GRID[:, None] ** np.arange(1, len(coefficients) + 1)
    np.testing.assert_allclose(powers @ coefficients, entropy.phi(GRID), atol=1e-11)


def test_every_library_gives_the_numbers_of_numpy(entropy, to_xp, to_numpy):
    for function in (entropy.phi, entropy.derivative):
        np.testing.assert_allclose(
            to_numpy(function(to_xp(GRID))), function(GRID), rtol=1e-12, atol=1e-13
        )
    assert float(entropy(to_xp(SPECTRUM))) == pytest.approx(float(entropy(SPECTRUM)), abs=1e-13)


def test_single_precision_stays_single_and_close(entropy, xp, to_xp):
    value = entropy(to_xp(SPECTRUM, "float32"))
    assert value.dtype == xp.float32
    assert float(value) == pytest.approx(float(entropy(SPECTRUM)), abs=3e-6)


@pytest.mark.parametrize(
    ("entropy", "expected"),
    [
        (Renyi(1), VonNeumann()(SPECTRUM)),
        (Renyi(1 + 1e-7), VonNeumann()(SPECTRUM)),
        (Renyi(2), -math.log(np.sum(SPECTRUM**2))),
        (Renyi(math.inf), math.log(2)),
        (Renyi(1e-9), math.log(4)),
        (Tsallis(1), VonNeumann()(SPECTRUM)),
        (Tsallis(1 - 1e-7), VonNeumann()(SPECTRUM)),
        (Tsallis(2), 1 - np.sum(SPECTRUM**2)),
        (PowerSeries(1), 1 - np.sum(SPECTRUM**2)),
        (PowerSeries(2000), VonNeumann()(SPECTRUM)),
    ],
    ids=repr,
)
def test_limits(entropy, expected, to_xp):
    assert float(entropy(to_xp(SPECTRUM))) == pytest.approx(float(expected), abs=1e-6)


@pytest.mark.parametrize(
    "make", [lambda: PowerSeries(0), lambda: PowerSeries(2.5), lambda: PowerSeries(True)]
)
def test_order_of_a_series_is_a_positive_whole_number(make):
    with pytest.raises(ValueError, match=r"order must be a whole number.*VonNeumann"):
        make()


@pytest.mark.parametrize("alpha", [0, -1.0, math.nan])
def test_renyi_refuses_orders_that_are_not_positive(alpha):
    with pytest.raises(ValueError, match="alpha must be positive"):
        Renyi(alpha)


@pytest.mark.parametrize("q", [0, -1.0, math.nan, math.inf])
def test_tsallis_refuses_orders_that_are_not_positive_and_finite(q):
    with pytest.raises(ValueError, match="q must be positive and finite"):
        Tsallis(q)
