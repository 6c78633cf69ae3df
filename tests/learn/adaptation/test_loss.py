"""The loss of joint adaptation networks: its value, its gradient, its forms."""

import itertools
import math
from functools import partial

import pytest

import samelaw
from optional import need

torch = need("torch")
from joint_batches import batches, pairs_by_loops, published_variances  # noqa: E402
from samelaw.learn.adaptation.loss import JointAdaptationLoss, class_weights  # noqa: E402
from samelaw.learn.layer_kernels import (  # noqa: E402
    AdaptiveGaussian,
    GaussianScales,
)

ORDERS = [1, 2, 3, 10, math.inf]


def test_mmd_is_the_published_loss_up_to_its_factor_and_constant():
    """Published: kernels of a layer summed (5 of them), no pairs (i, i), plus 2/(n − 1)."""
    x, y = batches(6, 6)
    variances = published_variances(x, y)
    published = torch.tensor(2 / 5, dtype=torch.float64)
    within = pairs_by_loops(x, x, variances) + pairs_by_loops(y, y, variances)
    for i, j in itertools.product(range(6), range(6)):
        if i != j:
            published = published + 5 * within[i, j] / (6 * 5)
    published = published - 2 * 5 * pairs_by_loops(x, y, variances).mean()
    value = 5 * JointAdaptationLoss.mmd()(x, y) + 2 / 5
    torch.testing.assert_close(value, published)


@pytest.mark.parametrize("order", ORDERS)
def test_value_is_rjsd_under_the_bound_kernel(order):
    x, y = batches()
    loss = JointAdaptationLoss(entropy=order)
    entropy = samelaw.VonNeumann() if order == math.inf else samelaw.PowerSeries(order)
    expected = samelaw.rjsd(x, y, kernel=loss.kernel(x, y), entropy=entropy, weights="balanced")
    torch.testing.assert_close(loss(x, y), expected)
    assert 0 < loss(x, y) < math.log(2)


@pytest.mark.parametrize(("n", "m"), [(6, 6), (9, 4), (300, 280)])
def test_order_one_is_joint_mmd_with_squared_kernels(n, m):
    """Theorem 11 of the paper, value and gradient: RJSD of order 1 = ¼ MMD² under κ²."""
    x, y = batches(n, m)
    loss = JointAdaptationLoss(entropy=1)
    squared = samelaw.kernels.Product(tuple(k * k for k in loss.kernel(x, y).kernels))
    ours, theirs = loss(x, y), 0.25 * samelaw.mmd(x, y, kernel=squared)
    torch.testing.assert_close(ours, theirs)
    leaves = (*x, *y)
    for one, other in zip(
        torch.autograd.grad(ours, leaves), torch.autograd.grad(theirs, leaves), strict=True
    ):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("unbiased", [True, False])
def test_mmd_is_that_of_the_library(unbiased):
    x, y = batches(9, 4)
    loss = JointAdaptationLoss.mmd(unbiased=unbiased)
    expected = samelaw.mmd(x, y, kernel=loss.kernel(x, y), unbiased=unbiased)
    torch.testing.assert_close(loss(x, y), expected)


FORMS = {
    **{f"order {order}": partial(JointAdaptationLoss, entropy=order) for order in ORDERS},
    "corrected": partial(JointAdaptationLoss, corrected=True),
    "proportional": partial(JointAdaptationLoss, weights="proportional"),
    "MMD": JointAdaptationLoss.mmd,
    "biased MMD": partial(JointAdaptationLoss.mmd, unbiased=False),
    "Fourier": partial(JointAdaptationLoss, frequencies=8),
    "biased MMD, Fourier": partial(JointAdaptationLoss.mmd, unbiased=False, frequencies=8),
}
WITH_ROW_WEIGHTS = [name for name in FORMS if name not in ("corrected", "MMD", "proportional")]


@pytest.mark.parametrize("name", FORMS)
def test_gradient_passes_gradcheck(name):
    """At fixed widths: those that follow the batch are no part of the gradient."""
    x, y = batches(4, 3)
    wide = samelaw.Gaussian(2.0)
    if "Fourier" not in name:
        wide = GaussianScales(torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64))
    loss = FORMS[name]([wide, samelaw.Gaussian(0.92)])
    assert torch.autograd.gradcheck(lambda a, b, c, d: loss((a, b), (c, d)), (*x, *y))


@pytest.mark.parametrize("name", WITH_ROW_WEIGHTS)
def test_weights_of_rows_count_like_copies(name):
    x, y = batches()
    loss = FORMS[name]([samelaw.Gaussian(1.5), samelaw.Gaussian(0.92)])
    copied = tuple(torch.cat([layer, layer[:2]]) for layer in x)
    weights = torch.tensor([2.0, 2, 1, 1, 1, 1, 1])
    torch.testing.assert_close(loss(x, y, source_weights=weights), loss(copied, y))


def test_corrected_removes_the_bias_of_a_batch():
    """Mean over 30 pairs of batches of one law: plain is far above zero, corrected is not."""
    plain, corrected = JointAdaptationLoss(), JointAdaptationLoss(corrected=True)
    values = []
    for seed in range(30):
        x, _ = batches(32, 2, seed=seed)
        y, _ = batches(32, 2, seed=1000 + seed)
        values.append([plain(x, y).item(), corrected(x, y).item()])
    means = torch.tensor(values).mean(0)
    assert abs(means[1]) < 0.1 * means[0]


def test_corrected_takes_no_row_weights_and_no_high_order():
    x, y = batches()
    with pytest.raises(ValueError, match="takes no weights of rows"):
        JointAdaptationLoss(corrected=True)(x, y, source_weights=torch.ones(7))
    with pytest.raises(ValueError, match="order 1 to 5"):
        JointAdaptationLoss(entropy=10, corrected=True)


@pytest.mark.parametrize("make", [JointAdaptationLoss, JointAdaptationLoss.mmd])
def test_many_frequencies_approach_the_gram_form(make):
    x, y = batches(60, 50)
    torch.testing.assert_close(make(frequencies=900)(x, y), make()(x, y), rtol=0.03, atol=1e-3)


def test_frequencies_stay_the_same_and_follow_the_seed():
    x, y = batches(30, 20)
    loss = JointAdaptationLoss(frequencies=8, rng=3)
    torch.testing.assert_close(loss(x, y), loss(x, y))
    torch.testing.assert_close(loss(x, y), JointAdaptationLoss(frequencies=8, rng=3)(x, y))
    assert loss(x, y) != JointAdaptationLoss(frequencies=8, rng=4)(x, y)


def test_takes_tensors_tuples_and_lists():
    x, y = batches()
    loss = JointAdaptationLoss()
    torch.testing.assert_close(loss(list(x), list(y)), loss(x, y))
    alone = JointAdaptationLoss([AdaptiveGaussian()])
    torch.testing.assert_close(loss(x[0], y[0]), alone(x[0], y[0]))
    torch.testing.assert_close(loss(x[0].reshape(7, 2, 2), y[0].reshape(5, 2, 2)), loss(x[0], y[0]))


def test_wrong_number_of_layers_is_said():
    x, y = batches()
    with pytest.raises(ValueError, match="has 2 layers, the loss kernels for 1"):
        JointAdaptationLoss([AdaptiveGaussian()])(x, y)
    with pytest.raises(TypeError, match="AdaptiveGaussian"):
        JointAdaptationLoss([1.0])


def test_kernels_without_a_list_and_parts_of_frequencies_are_refused():
    with pytest.raises(TypeError, match="layers must be a list of kernels"):
        JointAdaptationLoss(AdaptiveGaussian())
    for make in (JointAdaptationLoss, JointAdaptationLoss.mmd):
        with pytest.raises(ValueError, match="frequencies must be a whole number"):
            make(frequencies=2.5)


def test_equal_rows_have_a_finite_loss_and_gradient():
    x = torch.ones(4, 3, requires_grad=True)
    for loss in (JointAdaptationLoss(), JointAdaptationLoss(frequencies=4)):
        value = loss(x, torch.ones(5, 3))
        (gradient,) = torch.autograd.grad(value, x)
        assert abs(value.item()) < 1e-6
        assert torch.isfinite(gradient).all()


@pytest.mark.parametrize("name", ["order 1", "order 3", "order inf", "proportional", "Fourier"])
def test_rounding_never_makes_the_value_negative(name):
    loss = FORMS[name]()
    for seed in range(30):
        x, y = batches(32, 32, torch.float32, seed=seed)
        near = [layer + 1e-4 * other for layer, other in zip(x, y, strict=True)]
        assert loss(x, near).item() >= 0


@pytest.mark.parametrize("name", FORMS)
def test_nan_in_nan_out(name):
    x, y = batches()
    broken = torch.where(torch.arange(7)[:, None] == 0, math.nan, x[0]), x[1]
    value = FORMS[name]()(broken, y)
    value.backward()
    assert math.isnan(value.item())
    assert bool(x[0].grad.isnan().any())


def test_weights_of_rows_are_checked_for_their_shape_only():
    x, y = batches()
    with pytest.raises(ValueError, match=r"source_weights has shape \(5,\); expected \(7,\)"):
        JointAdaptationLoss()(x, y, source_weights=torch.ones(5))
    assert math.isnan(JointAdaptationLoss()(x, y, source_weights=torch.zeros(7)).item())


def test_single_precision_is_enough():
    x, y = batches(64, 64)
    loss = JointAdaptationLoss()
    narrow = loss(*(tuple(layer.float() for layer in batch) for batch in (x, y)))
    assert narrow.dtype == torch.float32
    assert narrow.item() == pytest.approx(loss(x, y).item(), abs=1e-6)


class Inner(samelaw.kernels.Kernel):
    def similarities(self, x, y):
        return x @ y.T


@pytest.mark.parametrize("make", [JointAdaptationLoss, JointAdaptationLoss.mmd])
def test_a_layer_kernel_without_unit_diagonal_is_refused(make):
    x, y = batches()
    with pytest.raises(ValueError, match=r"κ\(x, x\) = 1, and .*Inner.* divide it by √"):
        make([AdaptiveGaussian(), Inner()])(x, y)


def test_autocast_does_not_reach_into_the_loss():
    x, y = batches(32, 32, dtype=torch.float32)
    loss = JointAdaptationLoss()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        narrow = tuple(layer.bfloat16() for layer in x), tuple(layer.bfloat16() for layer in y)
        assert loss(*narrow).dtype == torch.float32
        inside = loss(x, y).item()
    assert inside == loss(x, y).item()


def test_class_weights_even_out_the_shares():
    labels = torch.tensor([0, 0, 0, 1, 1, 2])
    wanted = torch.tensor([0.2, 0.3, 0.5])
    weights = class_weights(labels, wanted)
    share = torch.zeros(3).index_add(0, labels, weights) / weights.sum()
    torch.testing.assert_close(share, wanted)
    torch.testing.assert_close(weights.mean(), torch.tensor(1.0))


def test_class_weights_of_absent_classes_and_of_predictions():
    labels = torch.tensor([0, 0, 1])
    predictions = torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.65, 0.25]])
    weights = class_weights(labels, predictions)
    torch.testing.assert_close(weights, torch.tensor([0.15, 0.15, 0.45]) / 0.25)


@pytest.mark.parametrize("make", [JointAdaptationLoss, partial(JointAdaptationLoss.mmd)])
def test_fewer_frequencies_than_columns_are_said_once(make):
    x, y = batches()
    loss = make(frequencies=6)
    with pytest.warns(UserWarning, match=r"6 of the 7 directions.* frequencies=7 or more"):
        loss(x, y)
    loss(x, y)
