"""What the laws of the suite say they keep while they change something else."""

import numpy as np
import pytest
from experiments.suite import reporting_laws as reporting
from experiments.suite import tuning_laws as tuning
from scipy.stats import kendalltau

MEANS = {
    "Dirichlet concentration": (reporting.concentration, 0.5),
    "renewal gaps": (reporting.renewal_gaps, 0.5),
    "self-exciting gaps": (reporting.hawkes_gaps, 0.3),
    "skewness": (reporting.skewed(3), 4.0),
    "ARCH returns": (reporting.arch_returns, 0.4),
    "Wishart degrees": (reporting.wishart_degrees, 0.5),
    "Markov letters": (reporting.markov_letters, 0.3),
    "Ising lattice": (reporting.ising, 0.1),
    "Laplace": (tuning.laplace(3), 0.8),
    "Student": (tuning.student, 0.2),
    "counts": (tuning.poisson, 0.2),
    "copulas": (tuning.clayton(3), 1.0),
    "dependent spread": (tuning.dependent_spread, 0.4),
    "parity": (tuning.parity, 0.8),
}
SLOW = ("Ising lattice",)  # to draw
VARIANCES = ("skewness", "ARCH returns", "Laplace", "Student", "dependent spread", "parity")


def _both(law, strength, count=8_000):
    rng = np.random.default_rng(0)
    return law(rng, 0.0, count), law(rng, strength, count)


@pytest.mark.parametrize("name", MEANS)
def test_means_are_kept(name):
    x, y = _both(*MEANS[name], count=2_000 if name in SLOW else 8_000)
    error = np.sqrt(x.var(0) / len(x) + y.var(0) / len(y))
    assert np.abs((x.mean(0) - y.mean(0)) / error).max() < 4.5


@pytest.mark.parametrize("name", VARIANCES)
def test_variances_are_kept(name):
    x, y = (np.square(sample - sample.mean(0)) for sample in _both(*MEANS[name]))
    error = np.sqrt(x.var(0) / len(x) + y.var(0) / len(y))
    assert np.abs((x.mean(0) - y.mean(0)) / error).max() < 4.5


@pytest.mark.parametrize("strength", [0.0, 0.3])
def test_self_exciting_events_come_once_in_a_unit_of_time(strength):
    """The rate is base / (1 − branching ratio) = 1, and neighbouring gaps go together."""
    gaps = reporting.hawkes_gaps(np.random.default_rng(1), strength, 8_000)
    assert gaps.mean() == pytest.approx(1.0, abs=0.02)
    together = np.corrcoef(gaps[:, 10], gaps[:, 11])[0, 1]
    assert (together > 0.05) == (strength > 0)


@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_copulas_share_the_rank_correlation(strength):
    rows = tuning.clayton(2)(np.random.default_rng(2), strength, 8_000)
    assert kendalltau(*rows.T).statistic == pytest.approx(0.5, abs=0.03)


def test_communities_keep_the_density_and_hazards_the_median():
    x, y = _both(reporting.communities, 0.4)
    assert x.mean() == pytest.approx(y.mean(), abs=0.002)
    for strength in (0.0, 0.6):  # log 2 is the median; half a unit of censoring beside it
        rows = reporting.crossing_hazards(np.random.default_rng(3), strength, 20_000)
        assert np.mean(rows[:, 0] > np.log(2.0)) == pytest.approx(0.5 * 2**-0.5, abs=0.012)


def test_rankings_are_permutations_and_the_mallows_law_is_exact():
    """Inversions are a sum of truncated geometric numbers, one for each item inserted."""
    ranks = reporting.mallows(np.random.default_rng(4), 0.5, 8_000)
    assert (np.sort(ranks, axis=1) == np.arange(8)).all()
    inversions = sum((ranks[:, i] > ranks[:, j]) for i in range(8) for j in range(i + 1, 8))
    spread = np.exp(-0.8)
    chances = [spread ** np.arange(k + 1) for k in range(8)]
    expected = sum((np.arange(len(c)) * c).sum() / c.sum() for c in chances)
    assert inversions.mean() == pytest.approx(expected, abs=0.15)


def test_level_spacings_follow_the_surmise():
    """Mean ratio of consecutive spacings: .5307 for β = 1, .5996 for β = 2 (Atas et al. 2013)."""
    for strength, known in ((0.0, 0.5307), (1.0, 0.5996)):
        gaps = np.diff(reporting.repulsion(np.random.default_rng(5), strength, 6_000), axis=1)
        ratio = np.minimum(gaps[:, :-1], gaps[:, 1:]) / np.maximum(gaps[:, :-1], gaps[:, 1:])
        assert ratio.mean() == pytest.approx(known, abs=0.012)
