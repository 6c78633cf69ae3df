"""The reporting half: written down before any tuning, never used to choose anything.

Strengths were set by ``python -m experiments.suite pilot --half reporting``: rivals alone, at a few
strengths each; what they found is in `pilot.json` (Markov letters: between two of those). The
default was not run.
"""

from experiments.suite import reporting_laws as laws
from experiments.suite.problem import Problem, lazily, of

PROBLEMS = (
    Problem("Dirichlet concentration", "compositions", of(laws.concentration), 0.35, (100, 100), 6),
    Problem("Dirichlet mean", "compositions", of(laws.composition_mean), 0.28, (150, 150), 20),
    Problem("rougher curves", "curves", of(laws.rough_curves), 0.2, (100, 100), 50),
    Problem("fractional paths", "curves", of(laws.fractional_paths), 0.055, (60, 60), 100),
    Problem("late bumps", "curves", of(laws.late_bumps), 0.048, (40, 400), 200),
    Problem("renewal gaps", "event gaps", of(laws.renewal_gaps), 0.27, (200, 200), 10),
    Problem("self-exciting gaps", "event gaps", of(laws.hawkes_gaps), 0.15, (150, 150), 20),
    Problem("hidden communities", "graphs", of(laws.communities), 0.1, (100, 100), 190),
    Problem("uneven degrees", "graphs", of(laws.degrees), 0.135, (200, 200), 30),
    Problem("skewness, one column", "skewness", of(laws.skewed(1)), 4.0, (400, 400), 1),
    Problem("skewness, five columns", "skewness", of(laws.skewed(5)), 2.8, (300, 300), 5),
    Problem("ARCH returns", "volatility", of(laws.arch_returns), 0.38, (200, 200), 20),
    Problem("leverage", "volatility", of(laws.leverage), 0.32, (300, 300), 10),
    Problem("topic shares", "documents", of(laws.topic_shares), 0.47, (100, 100), 100),
    Problem("bursty words", "documents", of(laws.burstiness), 0.32, (60, 60), 1500),
    Problem(
        "Wishart degrees", "covariance matrices", of(laws.wishart_degrees), 0.35, (100, 100), 10
    ),
    Problem("Wishart axis", "covariance matrices", of(laws.wishart_axis), 0.17, (40, 400), 6),
    Problem("Mallows rankings", "rankings", of(laws.mallows), 0.075, (200, 200), 8),
    Problem("Plackett-Luce rankings", "rankings", of(laws.plackett_luce), 0.4, (200, 200), 10),
    Problem("Markov letters", "sequences", of(laws.markov_letters), 0.14, (200, 200), 120),
    Problem("motif in sequences", "sequences", of(laws.motif), 0.32, (150, 150), 160),
    Problem("level repulsion", "spectra", of(laws.repulsion), 0.21, (200, 200), 12),
    Problem("logistic map", "chaos", of(laws.logistic_map), 0.016, (250, 250), 4),
    Problem("Henon map", "chaos", of(laws.henon_map), 0.042, (500, 500), 2),
    Problem("crossing hazards", "survival", of(laws.crossing_hazards), 0.5, (150, 150), 2),
    Problem("hazard ratio", "survival", of(laws.hazard_ratio), 3.5, (5, 500), 3),
    Problem("Ising lattice", "lattices", of(laws.ising), 0.06, (100, 100), 64),
    Problem("malignant tumours", "patients", lazily(laws.tumours), 0.145, (100, 100), 30),
    Problem("diabetes", "patients", lazily(laws.diabetics), 0.31, (100, 100), 10),
)
