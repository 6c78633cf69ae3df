"""Every critic against closed forms: laws on finitely many points, where all means are exact."""

import math

import numpy as np
import pytest

from optional import need

torch = need("torch")

from samelaw.core.registry import members  # noqa: E402
from samelaw.learn import critics  # noqa: E402
from samelaw.learn.critics import LabelNetwork, Scores  # noqa: E402
from samelaw.problems.closed_forms import CauchyPair, DiscretePair  # noqa: E402

LAWS = DiscretePair([0.5, 0.2, 0.2, 0.1], [0.1, 0.3, 0.2, 0.4])
CRITICS = members("critic")
LOWER = [name for name in CRITICS if name != "CLUB"]


def weights():
    return torch.tensor(LAWS.first), torch.tensor(LAWS.second)


def posterior():
    p, q = weights()
    return q / (p + q), p / (p + q)  # of labels 0 and 1


def at(scores):
    """The same scores for the atoms of both laws, weighted by their probabilities."""
    return Scores(scores, scores, weights())


def optimum(name):
    """T(z, l) of the atoms at which the bound is tight."""
    log_ratio = torch.stack([math.log(2) + torch.log(p) for p in posterior()], dim=1)
    return log_ratio + (1.0 if name == "NWJ" else 0.0)


def test_seven_critics_are_there():
    assert set(CRITICS) == {"NWJ", "DonskerVaradhan", "InfoNCE", "JSBound", "SMILE", "MINE", "CLUB"}
    assert set(CRITICS) <= set(critics.__all__)


@pytest.mark.parametrize("name", LOWER)
def test_tight_at_the_density_ratio(name):
    assert CRITICS[name]().bound(at(optimum(name))).item() == pytest.approx(LAWS.jsd(), abs=1e-12)


@pytest.mark.parametrize("name", LOWER)
def test_below_the_divergence_for_every_other_score(name):
    generator = torch.Generator().manual_seed(0)
    critic = CRITICS[name]()
    for _ in range(200):
        wrong = 2.0 * torch.randn(4, 2, generator=generator, dtype=torch.float64)
        assert critic.bound(at(wrong)).item() <= LAWS.jsd() + 1e-12


@pytest.mark.parametrize("name", LOWER)
def test_stationary_at_the_optimum(name):
    scores = optimum(name).requires_grad_()
    critic = CRITICS[name]()
    (gradient,) = torch.autograd.grad(critic.objective(at(scores)), scores)
    assert gradient.abs().max() < 1e-7


def test_club_is_its_gaussian_formula():
    mean = torch.tensor([0.9, 0.4, 0.5, 0.2], dtype=torch.float64)
    scores = torch.stack([mean, torch.full((4,), 0.3, dtype=torch.float64)], dim=1)
    variance = math.exp(math.tanh(0.3))
    p, q = (w.numpy() for w in weights())
    m = mean.numpy()
    joint = 0.5 * p @ -((m - 1) ** 2) + 0.5 * q @ -(m**2)
    product = 0.5 * (p + q) @ (-0.5 * ((m - 1) ** 2 + m**2))
    expected = (joint - product) / (2 * variance)
    assert critics.CLUB().bound(at(scores)).item() == pytest.approx(expected, abs=1e-12)


def test_club_lies_above_with_the_true_mean_and_the_least_variance():
    """No lower bound: the posterior mean with e^-1 as variance overshoots the divergence."""
    _, one = posterior()
    best = torch.stack([one, torch.full_like(one, -20.0)], dim=1)
    assert critics.CLUB().bound(at(best)).item() > 1.2 * LAWS.jsd()


def test_infonce_is_the_mean_of_two_divergences():
    p, q = (w.numpy() for w in weights())
    m = (p + q) / 2
    kl = [0.5 * np.sum(a * np.log(a / m)) for a in (p, q)]
    assert critics.InfoNCE().bound(at(optimum("InfoNCE"))).item() == pytest.approx(sum(kl))


def test_smile_without_clipping_is_the_js_bound():
    scores = torch.tensor([[0.3, -1.0], [2.0, 0.1], [-0.4, 0.4], [0.0, 3.0]], dtype=torch.float64)
    plain = critics.JSBound().bound(at(scores)).item()
    assert critics.SMILE(clip=50.0).bound(at(scores)).item() == pytest.approx(plain, abs=1e-12)
    assert critics.SMILE(clip=0.5).bound(at(scores)).item() != pytest.approx(plain, abs=1e-3)


def test_exact_labels_equal_all_pairs():
    """The average over the product law from 2N scores is the one over all N² pairs."""
    torch.manual_seed(0)
    network = LabelNetwork(1, 8).double()
    x, y = torch.randn(7, 1, dtype=torch.float64), torch.randn(7, 1, dtype=torch.float64)
    critic = critics.NWJ(network=network)
    z, labels = torch.cat([x, y]), torch.tensor([1.0] * 7 + [0.0] * 7, dtype=torch.float64)
    pairs = torch.cat([z.repeat_interleave(14, 0), labels.repeat(14)[:, None]], dim=1)
    everywhere = network.last(torch.tanh(network.first(pairs)))[:, 0]
    matched = network.last(torch.tanh(network.first(torch.cat([z, labels[:, None]], 1))))[:, 0]
    expected = matched.mean() - torch.exp(everywhere - 1).mean()
    assert critic(x, y).item() == pytest.approx(expected.item(), abs=1e-12)


def test_mine_learns_with_its_average_and_reads_the_bound():
    critic = critics.MINE(keep=0.9)
    scores = optimum("MINE").requires_grad_()
    value = critic.objective(at(scores))
    assert value.item() == pytest.approx(LAWS.jsd(), abs=1e-12)
    assert critic.average.item() == pytest.approx(1.0)
    louder = (scores + 1.0).detach().requires_grad_()
    (gradient,) = torch.autograd.grad(critic.objective(at(louder)), louder)
    assert critic.average.item() == pytest.approx(0.9 + 0.1 * math.e, rel=1e-6)
    pull = math.e / critic.average.item()  # E e^T over its average: no longer one
    assert gradient.sum().item() == pytest.approx(1.0 - pull, rel=1e-6)


@pytest.mark.parametrize("name", CRITICS)
def test_gradcheck(name):
    torch.manual_seed(1)
    critic = CRITICS[name](hidden=3, scaled=False)
    x, y = (torch.randn(k, 2, dtype=torch.float64) for k in (5, 4))
    critic.double().prepare(x, y, rng=0)
    parameters = [p for p in critic.parameters()]

    def objective(*values):
        found = torch.func.functional_call(
            critic, dict(zip(dict(critic.named_parameters()), values, strict=True)), (x, y)
        )
        return found

    if name == "MINE":  # its gradient is not that of its value, on purpose
        pytest.skip("the moving average takes the place of the denominator")
    assert torch.autograd.gradcheck(objective, tuple(parameters), atol=1e-6)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] * (name != "JSBound")) for name in CRITICS],
)
def test_standard_error_is_that_of_repetitions(name):
    problem = CauchyPair(3.0)
    critic = CRITICS[name](scaled=False)
    critic.fit((problem.draw(128, rng=s) for s in range(60)), rng=0)
    found = [critic.estimate(*problem.draw(150, rng=1000 + s)) for s in range(200)]
    errors = np.mean([f.standard_error for f in found])
    assert errors == pytest.approx(np.std([f.value for f in found], ddof=1), rel=0.15)


@pytest.mark.parametrize("name", CRITICS)
def test_unequal_sizes_stay_balanced(name):
    """Every row of x doubled: the same empirical laws, so the same value."""
    problem = CauchyPair(3.0)
    x, y = problem.draw(40, rng=0)
    critic = CRITICS[name]().double()
    critic.prepare(x, y, rng=0)
    once = critic.estimate(x, y).value
    assert critic.estimate(np.concatenate([x, x]), y).value == pytest.approx(once, abs=1e-12)


def test_network_of_ones_own_and_its_shape():
    critic = critics.JSBound(network=torch.nn.Linear(2, 2))
    x = torch.randn(20, 2, generator=torch.Generator().manual_seed(0))
    assert critic.fit(x, x + 3, steps=5, rng=0).value is not None
    with pytest.raises(ValueError, match=r"must give \(n, 2\)"):
        critics.JSBound(network=torch.nn.Linear(2, 3)).fit(x, x + 1, steps=1)


def lobes(rng, side):
    """A ring with six lobes; of the other side, they are in the gaps."""
    angle = rng.uniform(0, 2 * np.pi, 8_000)
    angle = angle[rng.uniform(size=8_000) < (1 + side * np.cos(6 * angle)) / 2][:2_000]
    radius = 1 + 0.1 * rng.normal(size=2_000)
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def test_learning_is_waited_for_where_nothing_is_seen_at_first():
    """After 110 steps the bound is still 0, and patience once ended there; the JSD is .307."""
    rng = np.random.default_rng(1)
    fit = critics.JSBound().fit(lobes(rng, 1), lobes(rng, -1), rng=1)
    assert max(score for step, score in fit.history.validation if step <= 110) < 0.01
    assert fit.value == pytest.approx(0.307, abs=0.04)


def test_shuffled_mine_is_noisier():
    problem = CauchyPair(4.0)
    pairs = [problem.draw(128, rng=s) for s in range(80)]
    exact, shuffled = (critics.MINE(shuffled=s).fit(iter(pairs), rng=0) for s in (False, True))
    late = [[r.value for r in f.history.readings[40:]] for f in (exact, shuffled)]
    assert np.std(late[1]) > 1.2 * np.std(late[0])
