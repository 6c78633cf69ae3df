"""Deep kernels: a kernel whatever the network, trained on one half, tested on the other."""

import numpy as np
import pytest

from optional import need
from samelaw import Fuse, Gaussian, PowerSeries, rjsd, two_sample_test
from samelaw.testing import KernelGroup

torch = need("torch")

from samelaw.learn import (  # noqa: E402
    DeepKernel,
    DivergenceGain,
    LearnedKernel,
    RJSDLoss,
    TestPower,
    fit_kernel,
    tabular_network,
)

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")


def rows(n=20, d=3, seed=0, shift=0.0):
    return np.random.default_rng(seed).normal(size=(n, d)) + shift


def make(d=3, epsilon=0.2):
    torch.manual_seed(0)
    return DeepKernel.at_median(rows(50, d), epsilon=epsilon).double()


def test_formula():
    kernel = make(epsilon=0.25)
    x, y = torch.tensor(rows(5)), torch.tensor(rows(4, seed=1))
    near = Gaussian(float(kernel.features.bandwidth))(kernel.network(x), kernel.network(y))
    far = Gaussian(float(kernel.inputs.bandwidth))(x, y)
    torch.testing.assert_close(kernel(x, y), (0.75 * near + 0.25) * far, atol=1e-7, rtol=1e-6)


def test_positive_definite_with_ones_on_the_diagonal():
    gram = make()(rows(40), rows(40))
    np.testing.assert_allclose(np.diagonal(gram), 1.0, atol=1e-12)
    np.testing.assert_allclose(gram, gram.T, atol=1e-12)
    assert np.linalg.eigvalsh(gram).min() > -1e-12


def test_numpy_in_numpy_out_the_same_numbers():
    kernel = make()
    x, y = rows(5), rows(4, seed=1)
    gram = kernel(x, y)
    assert isinstance(gram, np.ndarray)
    assert gram.dtype == x.dtype
    np.testing.assert_allclose(gram, kernel(torch.tensor(x), torch.tensor(y)).detach(), atol=1e-12)
    assert kernel.training  # as it was


def test_large_samples_go_through_the_network_in_pieces():
    kernel = make()
    x = rows(2100)
    np.testing.assert_allclose(kernel(x, x[:3])[-4:], kernel(x[-4:], x[:3]), atol=1e-12)


def test_estimators_take_it_as_any_kernel():
    kernel = make()
    x, y = rows(15), rows(12, seed=1, shift=1.0)
    value = rjsd(x, y, kernel=kernel, entropy=PowerSeries(4))
    loss = RJSDLoss(kernel, PowerSeries(4))(torch.tensor(x), torch.tensor(y)).detach()
    assert float(value) == pytest.approx(float(loss), abs=1e-10)


def test_gradients_pass_gradcheck_in_every_parameter():
    kernel = make()
    x, y = torch.tensor(rows(4)), torch.tensor(rows(3, seed=1))
    names, values = zip(*kernel.named_parameters(), strict=True)

    def gram(*parameters):
        return torch.func.functional_call(kernel, dict(zip(names, parameters, strict=True)), (x, y))

    leaves = [v.detach().clone().requires_grad_() for v in values]
    assert torch.autograd.gradcheck(gram, leaves, fast_mode=True)


@pytest.mark.parametrize(
    "criterion", [DivergenceGain(), pytest.param(TestPower(), marks=pytest.mark.long)]
)
def test_training_finds_a_change_the_plain_kernel_misses(criterion):
    """Only the product of two of ten columns changes its sign."""

    def draw(n, seed, sign):
        sample = rows(n, 10, seed)
        sample[:, 1] = np.sign(sample[:, 0]) * sign * np.abs(sample[:, 1])
        return sample

    x, y = draw(400, 0, 1.0), draw(400, 1, -1.0)
    torch.manual_seed(0)
    kernel = DeepKernel.at_median(np.concatenate([x[:200], y[:200]]))
    history = fit_kernel(kernel, x[:200], y[:200], criterion=criterion, steps=40, rng=0)
    assert (history.best_step, max(v for _, v in history.validation)) in history.validation
    assert not kernel.training
    strategy = Fuse([KernelGroup([kernel], (4,))])
    learnt = two_sample_test(x[200:], y[200:], strategy=strategy, permutations=199, rng=0)
    assert learnt.pvalue < 0.01


@pytest.mark.long
def test_the_best_weights_are_restored():
    x, y = rows(60, 2), rows(60, 2, seed=1, shift=0.5)
    long = DeepKernel(tabular_network(2, hidden=8, outputs=4))
    start = {name: value.clone() for name, value in long.state_dict().items()}
    history = fit_kernel(long, x, y, steps=50, learning_rate=0.05, patience=8, rng=3)
    assert history.best_step < 50  # it overfits: the last weights are not the best
    short = DeepKernel(tabular_network(2, hidden=8, outputs=4))
    short.load_state_dict(start)
    fit_kernel(short, x, y, steps=history.best_step, learning_rate=0.05, patience=8, rng=3)
    for name, value in short.state_dict().items():
        torch.testing.assert_close(value, long.state_dict()[name])


def test_it_stops_when_patience_is_over():
    x, y = rows(60, 2), rows(60, 2, seed=1)
    kernel = DeepKernel(tabular_network(2, hidden=8, outputs=4))
    history = fit_kernel(kernel, x, y, steps=400, patience=2)
    assert history.stopped_early
    assert len(history.objective) == history.best_step + 20


def test_learnt_bandwidth_tells_apart_more_than_its_start():
    x, y = rows(120, 2), rows(120, 2, seed=1, shift=0.8)
    kernel = LearnedKernel(Gaussian(20.0))
    criterion = DivergenceGain(PowerSeries(4))
    history = fit_kernel(kernel, x, y, criterion=criterion, learning_rate=0.02, steps=60)
    assert max(value for _, value in history.validation) > 2 * history.objective[0]
    assert 0.3 < float(kernel.bandwidth) < 10
    assert isinstance(kernel.frozen(), Gaussian)


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="too few of the 4 rows"):
        fit_kernel(make(), rows(4), rows(4), validation=0.25)


def test_large_samples_reach_the_network_as_they_are():
    """Sketches centre rows for precision; a network must not notice."""
    seen = []

    class Watching(DeepKernel):
        def embed(self, x):
            seen.append(x.mean())
            return super().embed(x)

    kernel = Watching(tabular_network(2, hidden=4, outputs=3))
    x, y = rows(1100, 2, 0, shift=50.0), rows(1100, 2, 1, shift=50.0)
    strategy = Fuse([KernelGroup([kernel], (2,))])
    result = two_sample_test(x, y, strategy=strategy, permutations=19, rng=0)
    assert "sketches" in result.method
    assert all(abs(float(mean) - 50) < 2 for mean in seen)


@pytest.mark.parametrize(
    ("kernel", "columns", "options", "error", "said"),
    [
        (Gaussian(1.0), 2, {}, TypeError, r"parameters to learn, .* got Gaussian\(bandwidth=1.0\)"),
        (LearnedKernel(), 3, {}, ValueError, "x has 2 columns, y has 3"),
        (LearnedKernel(), 2, {"batch": 0}, ValueError, "batch must be a whole number"),
        (LearnedKernel(), 2, {"steps": -1}, ValueError, "steps must be a whole number"),
    ],
)
def test_what_no_kernel_learns_from(kernel, columns, options, error, said):
    with pytest.raises(error, match=said):
        fit_kernel(kernel, np.zeros((20, 2)), np.zeros((20, columns)), **options)


def test_one_column_may_come_as_a_vector():
    x, y = np.random.default_rng(0).normal(size=(2, 40))
    assert fit_kernel(DeepKernel.at_median(x), x, y, steps=2).best_step == 2
