"""Everything is computed where its input is: on the meta device tensors from elsewhere do not mix.

The meta device has shapes but no values. What must look at a value (a median, a count of rows)
cannot run there; it must get as far as that value and no mixture of devices may stop it before.
"""

import inspect
import math

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import Gaussian, Laplace
from samelaw.core.registry import members
from samelaw.extras import layers as representations

torch = need("torch")
need("torchmetrics")

from samelaw.extras.generators import GeneratorMetrics  # noqa: E402
from samelaw.learn import (  # noqa: E402
    AdaptiveGaussian,
    DeepKernel,
    DivergenceGain,
    FixedKernel,
    FourierLayer,
    LearnedKernel,
    MovingCovariance,
    Network,
    RepresentationEntropy,
    RepresentationJSD,
    RJSDLoss,
    TestPower,
    VariationalJSD,
    critics,
    tabular_network,
)
from samelaw.learn.adaptation import (  # noqa: E402
    AdaptationNetwork,
    AdaptationPlan,
    FeatureDomain,
    JointAdaptationLoss,
    LastStep,
    Outputs,
    class_weights,
    layer_divergences,
)
from samelaw.learn.adaptation.trainer import _Training  # noqa: E402
from samelaw.learn.layers import RobustScale  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")

KERNEL = Gaussian(1.5)
CRITICS = {name: getattr(critics, name) for name in critics.__all__ if name != "Critic"}
MIXED = "not on the expected device"


def meta(*shape):
    return torch.empty(*shape, device="meta")


X, Y = meta(20, 3), meta(14, 3)
LONG = meta(400, 3), meta(300, 3)  # beyond the pools of one kernel call
LAYERS = (X, meta(20, 4)), (Y, meta(14, 4))
ORDER = torch.empty(34, dtype=torch.int64, device="meta")
OTHERS = np.random.default_rng(0).normal(size=(3, 5))  # frequencies, or landmarks transposed
FEATURES = {
    "FourierFeatures": lambda: samelaw.kernels.FourierFeatures(OTHERS)(X),
    "NystromFeatures": lambda: samelaw.kernels.NystromFeatures(KERNEL, OTHERS.T)(X),
}
ESTIMATORS = {
    "GramEstimator": lambda: samelaw.GramEstimator(KERNEL)(X, Y),
    "FourierEstimator": lambda: samelaw.FourierEstimator(KERNEL)(X, Y),
    "NystromEstimator": lambda: samelaw.NystromEstimator(KERNEL, landmarks=OTHERS.T)(X, Y),
}


def loss(*args, on=(X, Y), **options):
    return RJSDLoss(*args, **options).to("meta")(*on)


def joint(*args, make=JointAdaptationLoss, on=LAYERS, **options):
    return make(*args, **options).to("meta")(*on)


def gram_of_pool():
    return KERNEL(torch.cat([X, Y]), torch.cat([X, Y]))


def critic(make):
    return make(network=torch.nn.Linear(3, 2)).to("meta")(X, Y)


def gradient(*args, rows=20, **options):
    leaf = meta(rows, 3).requires_grad_()
    RJSDLoss(*args, **options).to("meta")(leaf, Y).backward()
    return leaf.grad


def learner(representation):
    made = VariationalJSD(representation)
    made.build(torch.cat([X, Y]), np.random.default_rng(0))
    return made.to("meta")


def fourier():
    return FourierLayer(3, 8, kernel=KERNEL)


def filled(metric, *sides):
    metric = metric.to("meta")
    for side in sides or ((),):
        metric.update(X, *side)
    return metric.compute()


RUNS = {
    **{
        f"entropy {n}": lambda e=e: samelaw.rjsd(X, Y, kernel=KERNEL, entropy=e())
        for n, e in members("entropy").items()
    },
    **{f"loss {n}": lambda e=e: loss(KERNEL, e()) for n, e in members("entropy").items()},
    **{f"kernel {n}": lambda k=k: k()(X, Y) for n, k in members("kernel").items()},
    **{f"Gram {n}": lambda k=k: k()(X, X) for n, k in members("kernel").items()},
    **{f"critic {n}": lambda c=c: critic(c) for n, c in CRITICS.items()},
    **{
        f"log-ratio {n}": lambda c=c: c(network=torch.nn.Linear(3, 2)).to("meta").log_ratio(X, X, Y)
        for n, c in CRITICS.items()
    },
    "variational": lambda: learner(FourierLayer(3, 8))(X, Y),
    "log-ratio by features": lambda: learner(FourierLayer(3, 8)).log_ratio(X, X, Y),
    "log-ratio by a kernel": lambda: learner(LearnedKernel(KERNEL)).log_ratio(X, X, Y),
    "network of adaptation": lambda: AdaptationNetwork(None, 3, 2).to("meta")(X),
    "fixed kernel of a layer": lambda: FixedKernel(KERNEL).to("meta").bind(X, Y)(X, Y),
    **FEATURES,
    **ESTIMATORS,
    "matrix of bandwidths": lambda: Gaussian(np.eye(3))(X, Y),
    "balanced": lambda: samelaw.rjsd(X, Y, kernel=KERNEL, weights="balanced"),
    "weights of rows": lambda: samelaw.rjsd(
        X, Y, kernel=KERNEL, weights="balanced", sample_weights=(meta(20), None)
    ),
    "many samples": lambda: samelaw.generalized_divergence([X, Y, X], kernel=KERNEL),
    "pairs of samples": lambda: samelaw.pairwise_divergence(
        [X, Y, X], kernel=KERNEL, weights="balanced"
    ),
    "mmd": lambda: samelaw.mmd(X, Y, kernel=KERNEL, unbiased=True),
    "contributions": lambda: samelaw.divergence.contributions(X, Y, kernel=KERNEL),
    "entropy": lambda: samelaw.entropy(X, kernel=KERNEL),
    "mutual information": lambda: samelaw.mutual_information(X, X, kernels=[KERNEL] * 2),
    **{f"widths {b}": lambda b=b: gradient(bandwidth=b) for b in ("batch", "ema", "frozen", 0.5)},
    "default, layers": lambda: loss(on=LAYERS),
    "many rows, all directions": lambda: gradient(KERNEL, 10, rows=400),
    "order 1, many rows": lambda: loss(KERNEL, 1, on=LONG),
    "order 10, many rows": lambda: loss(KERNEL, 10, on=LONG),
    "corrected": lambda: loss(KERNEL, 3, corrected=True),
    "gradient": lambda: gradient(KERNEL, 10),
    "gradient by products": lambda: gradient(KERNEL, 3),
    "learnt": lambda: loss(LearnedKernel(KERNEL)),
    "deep": lambda: loss(DeepKernel(tabular_network(3))),
    "Fourier": lambda: loss(FourierLayer(3, 8)),
    "Fourier, few rows": lambda: loss(FourierLayer(3, 64)),
    "memory": lambda: loss(FourierLayer(3, 8), keep=0.5),
    "memory, balanced": lambda: loss(FourierLayer(3, 8), keep=0.5, weights="balanced"),
    "layers": lambda: loss(Gaussian(1.0) * Laplace(2.0), on=LAYERS),
    "joint": joint,
    "joint, left on the CPU": lambda: JointAdaptationLoss()(*LAYERS),
    "joint, von Neumann": lambda: joint(entropy=math.inf),
    "joint, corrected": lambda: joint(corrected=True),
    "joint, learnt": lambda: joint([AdaptiveGaussian(learnable=True)], on=(X, Y)),
    "joint, frequencies": lambda: joint(frequencies=8),
    "joint MMD": lambda: joint(make=JointAdaptationLoss.mmd),
    "joint MMD, frequencies": lambda: joint(make=JointAdaptationLoss.mmd, frequencies=8),
    "joint, weights of rows": lambda: JointAdaptationLoss()(*LAYERS, source_weights=meta(20)),
    "class weights": lambda: class_weights(ORDER, meta(3)),
    "gain": lambda: DivergenceGain()(gram_of_pool(), (20, 14), [ORDER]),
    "divergence": lambda: DivergenceGain(permutations=0)(gram_of_pool(), (20, 14), []),
    "power": lambda: TestPower()(gram_of_pool(), (20, 14), []),
    "moving covariance": lambda: MovingCovariance(3).to("meta")(X).density,
    "robust scale": lambda: RobustScale(X)(X),
}
OUTPUTS = [Outputs(x, x, torch.zeros(len(x), dtype=torch.int64, device="meta")) for x in (X, Y)]
LOOKS_AT_VALUES = {
    "a median of outputs": lambda x, y: Network().build(x, np.random.default_rng(0)),
    "landmarks far apart": samelaw.NystromEstimator(KERNEL),
    "a standard error as a number": lambda x, y: samelaw.standard_error(x, y, kernel=KERNEL),
    "shares from weights of rows": lambda x, y: samelaw.rjsd(
        x, y, kernel=KERNEL, sample_weights=(meta(20), None)
    ),
    "divergences as numbers": lambda x, y: layer_divergences(*OUTPUTS),
    "rows dealt to blocks": lambda x, y: filled(RepresentationEntropy(fourier())),
    "rows of two sides dealt to blocks": lambda x, y: filled(
        RepresentationJSD(fourier()), (True,), (False,)
    ),
    "neighbours, on the host": lambda x, y: filled(GeneratorMetrics(), (True,), (False,)),
    "HSIC, on the host": lambda x, y: representations.hsic(x, x),
    "CKA, on the host": lambda x, y: representations.cka(x, x),
    "information, on the host": lambda x, y: representations.shared_information(x, x),
    "layers, on the host": lambda x, y: representations.layer_information({"a": x}, {"b": x}),
}
CASES = {
    "AdaptationNetwork": "network of adaptation",
    "AdaptiveGaussian": "joint, learnt",
    "DeepKernel": "deep",
    "FixedKernel": "fixed kernel of a layer",
    "FourierLayer": "Fourier",
    "GeneratorMetrics": "neighbours, on the host",
    "JointAdaptationLoss": "joint",
    "LearnedKernel": "learnt",
    "MovingCovariance": "moving covariance",
    "RJSDLoss": "widths batch",
    "RepresentationEntropy": "rows dealt to blocks",
    "RepresentationJSD": "rows of two sides dealt to blocks",
    "VariationalJSD": "variational",
}
"""Where each public module is tried."""


@pytest.mark.parametrize("name", RUNS)
def test_stays_on_the_device_of_its_input(name):
    found = RUNS[name]()
    for tensor in found if isinstance(found, tuple) else (found,):
        assert tensor.device.type == "meta"


@pytest.mark.parametrize("name", LOOKS_AT_VALUES)
def test_gets_as_far_as_the_value_it_must_look_at(name):
    with pytest.raises((NotImplementedError, RuntimeError, TypeError)) as caught:
        LOOKS_AT_VALUES[name](X, Y)
    assert MIXED not in str(caught.value)


def test_the_battery_has_every_feature_map_and_estimator():
    assert set(members("feature map")) == set(FEATURES)
    assert set(members("estimator")) == set(ESTIMATORS)
    assert set(members("critic")) == set(CRITICS)


def test_the_battery_has_every_public_module():
    public = {
        name
        for room in (samelaw.learn, samelaw.learn.adaptation, samelaw.extras.generators)
        for name in room.__all__
        if isinstance(made := getattr(room, name), type)
        and issubclass(made, torch.nn.Module)
        and not inspect.isabstract(made)
    }
    assert public == set(CASES)
    assert set(CASES.values()) <= {*RUNS, *LOOKS_AT_VALUES}


def test_the_loss_follows_the_network_to_its_device():
    network = AdaptationNetwork(None, 3, 2).to("meta")
    joint_loss = JointAdaptationLoss([AdaptiveGaussian(learnable=True)])
    domain = FeatureDomain(torch.zeros(8, 3), torch.zeros(8, dtype=torch.int64))
    training = _Training(network, joint_loss, domain, domain, AdaptationPlan(), LastStep(), 0)
    held = [*joint_loss.parameters(), *joint_loss.buffers()]
    assert {tensor.device.type for tensor in held} == {"meta"}
    trained = [p for group in training.optimiser.param_groups for p in group["params"]]
    assert any(p is joint_loss.layers[0].tilt for p in trained)
