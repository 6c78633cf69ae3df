"""One row on a side: a number where there is one, else an error that names the sample.

Never NaN: there was none in the input. NaN in the input comes out of every loss as NaN.
"""

import math

import pytest

import samelaw
from optional import need
from samelaw import Gaussian

torch = need("torch")

from samelaw.learn import (  # noqa: E402
    DivergenceGain,
    FourierLayer,
    RJSDLoss,
    TestPower,
    VariationalJSD,
    critics,
    fit_kernel,
)
from samelaw.learn.adaptation import JointAdaptationLoss  # noqa: E402
from samelaw.learn.deep_kernel import DeepKernel  # noqa: E402
from samelaw.learn.layers import tabular_network  # noqa: E402

ONE, TWO = torch.zeros(1, 3), torch.ones(2, 3)
GRAM = Gaussian(1.0)(torch.cat([ONE, TWO]), torch.cat([ONE, TWO]))


def prepared(make):
    torch.manual_seed(0)
    learner = make()
    learner.prepare(torch.randn(9, 3), torch.randn(9, 3), rng=0)
    return learner


LOSSES = {
    **{f"widths {b}": lambda b=b: RJSDLoss(bandwidth=b) for b in ("batch", "ema", "frozen", 0.5)},
    "von Neumann": lambda: RJSDLoss(Gaussian(1.0), math.inf),
    "Fourier": lambda: RJSDLoss(FourierLayer(3, 4)),
    "memory": lambda: RJSDLoss(FourierLayer(3, 4), keep=0.5),
    "joint": JointAdaptationLoss,
    "joint, frequencies": lambda: JointAdaptationLoss(frequencies=4),
    "MMD": lambda: JointAdaptationLoss.mmd(unbiased=False),
    "critic": lambda: prepared(critics.JSBound),
    "learner": lambda: prepared(VariationalJSD),
}
NEED_TWO = {
    "corrected": lambda: RJSDLoss(corrected=True),
    "Fourier, corrected": lambda: RJSDLoss(FourierLayer(3, 4), 3, corrected=True),
    "joint, corrected": lambda: JointAdaptationLoss(corrected=True),
    "unbiased MMD": JointAdaptationLoss.mmd,
    "unbiased MMD, frequencies": lambda: JointAdaptationLoss.mmd(frequencies=4),
}
OTHERS = {
    "a critic's reading": lambda: prepared(critics.JSBound).read(ONE, TWO),
    "power": lambda: TestPower()(GRAM, (1, 2), []),
    "rjsd": lambda: samelaw.rjsd(ONE, TWO, kernel=Gaussian(1.0), corrected=True),
    "standard error": lambda: samelaw.standard_error(ONE, TWO, kernel=Gaussian(1.0)),
}


@pytest.mark.parametrize("name", LOSSES)
def test_one_row_gives_a_number_and_a_finite_gradient(name):
    leaf = ONE.clone().requires_grad_()
    value = LOSSES[name]()(leaf, TWO)
    value.backward()
    assert math.isfinite(value.item())
    assert bool(leaf.grad.isfinite().all())


@pytest.mark.parametrize("name", NEED_TWO)
def test_forms_without_bias_say_that_they_need_two(name):
    with pytest.raises(ValueError, match="needs at least 2 rows in x, got 1"):
        NEED_TWO[name]()(ONE, TWO)
    with pytest.raises(ValueError, match="needs at least 2 rows in y, got 1"):
        NEED_TWO[name]()(TWO, ONE)


@pytest.mark.parametrize("name", OTHERS)
def test_what_needs_two_rows_says_so(name):
    with pytest.raises(ValueError, match="needs at least 2 rows in x, got 1"):
        OTHERS[name]()


def test_learning_from_one_row_is_refused():
    for learn in (
        lambda: VariationalJSD().fit(ONE, TWO, rng=0),
        lambda: fit_kernel(DeepKernel(tabular_network(3)), ONE, TWO, steps=2),
    ):
        with pytest.raises(ValueError, match="of the 1 rows of x: two or more are needed"):
            learn()
    assert math.isfinite(float(DivergenceGain()(GRAM, (1, 2), [torch.arange(3)])))


@pytest.mark.parametrize("name", [*LOSSES, *NEED_TWO])
def test_nan_in_nan_out(name):
    x, y = TWO.clone(), torch.zeros(3, 3)
    x[0, 0] = math.nan
    assert math.isnan({**LOSSES, **NEED_TWO}[name]()(x, y).item())
