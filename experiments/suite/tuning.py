"""The tuning half: choose on it as much as you like, claim nothing from it.

Strengths come from the tables that named the problems and from the pilot (`pilot.json`).
"""

from experiments import problems
from experiments.suite import tuning_laws as laws
from experiments.suite.problem import Problem, lazily, of

PROBLEMS = (
    Problem("shift, one column", "shifts", of(laws.shift(1, 1)), 0.25, (200, 200), 1),
    Problem("dense shift, 50 columns", "shifts", of(laws.shift(50, 50)), 0.06, (200, 200), 50),
    Problem("sparse shift, 1 of 100", "shifts", of(laws.shift(100, 1)), 0.55, (200, 200), 100),
    Problem("heavy-tailed shift, 2 of 30", "shifts", of(laws.heavy_shift), 0.55, (100, 100), 30),
    Problem("scale, 1 of 50", "scales", of(laws.sparse_scale), 0.6, (150, 150), 50),
    Problem("correlation, 1 pair of 20", "dependence", of(laws.one_pair), 0.5, (150, 150), 20),
    Problem("heaping", "records", of(laws.heaping), 0.5, (250, 250), 3),
    Problem("detection limit", "records", of(laws.detection_limit), 2.0, (60, 300), 6),
    Problem("shift, 5 v 500", "shifts", of(laws.shift(2, 2)), 0.85, (5, 500), 2),
    Problem("scale, 2 columns", "scales", of(laws.scale(2)), 0.12, (200, 200), 2),
    Problem("narrower, 40 v 400", "scales", of(laws.scale(5)), -0.12, (40, 400), 5),
    Problem("Laplace, 10 columns", "tails", of(laws.laplace(10)), 0.8, (200, 200), 10),
    Problem("Student, 5 columns", "tails", of(laws.student), 0.22, (200, 200), 5),
    Problem("lognormal, 3 columns", "tails", of(laws.lognormal), 0.2, (200, 200), 3),
    Problem("Cauchy shift, 3 columns", "tails", of(laws.cauchy_shift), 0.35, (200, 200), 3),
    Problem("overdispersed counts", "counts", of(laws.poisson), 0.1, (200, 200), 5),
    Problem("more zeros", "counts", of(laws.zero_inflated), 0.1, (200, 200), 3),
    Problem("50 categories", "counts", of(laws.categories), 0.35, (200, 200), 50),
    Problem("bumps, 1-D", "bumps", of(laws.perturbed_uniform(1, 2)), 0.5, (300, 300), 1),
    Problem("bumps, 2-D", "bumps", of(laws.perturbed_uniform(2, 1)), 0.7, (300, 300), 2),
    Problem("blobs", "clusters", of(laws.blobs), 0.8, (200, 200), 2),
    Problem("HDGM, 10 columns", "clusters", of(laws.hdgm), 0.95, (500, 500), 10),
    Problem("paper's mixture", "clusters", of(laws.mixture_width), 0.8, (300, 300), 2),
    Problem("new cluster", "clusters", of(laws.new_cluster), 0.05, (200, 200), 10),
    Problem("subgroup", "clusters", of(laws.subgroup), 0.08, (200, 200), 20),
    Problem("rotation", "dependence", of(laws.rotation), 0.45, (100, 100), 6),
    Problem("AR(1), 50", "dependence", of(laws.autoregression(50, 0.0)), 0.22, (200, 200), 50),
    Problem("AR(1), 500", "dependence", of(laws.autoregression(500, 0.5)), 0.09, (100, 100), 500),
    Problem(
        "equicorrelation, 4", "dependence", of(laws.equicorrelation(4, 0.0)), 0.28, (200, 200), 4
    ),
    Problem(
        "equicorrelation, 500",
        "dependence",
        of(laws.equicorrelation(500, 0.5)),
        0.035,
        (50, 50),
        500,
    ),
    Problem(
        "equicorrelation, 1500",
        "dependence",
        of(laws.equicorrelation(1500, 0.5)),
        0.012,
        (100, 100),
        1500,
    ),
    Problem("Clayton v Gumbel, 2", "copulas", of(laws.clayton(2)), 1.0, (150, 150), 2),
    Problem("Clayton v Gumbel, 5", "copulas", of(laws.clayton(5)), 0.9, (100, 100), 5),
    Problem("dependent spread", "dependence", of(laws.dependent_spread), 0.5, (200, 200), 3),
    Problem("parity", "dependence", of(laws.parity), 0.8, (200, 200), 3),
    Problem("circle, slow wave", "manifolds", of(laws.circle(2)), 0.5, (200, 200), 2),
    Problem("circle, fast wave", "manifolds", of(laws.circle(6)), 0.55, (200, 200), 2),
    Problem("von Mises-Fisher", "manifolds", of(laws.directions), 0.4, (100, 100), 3),
    Problem("Swiss roll", "manifolds", of(laws.swiss_roll), 0.8, (100, 100), 3),
    Problem("torus", "manifolds", of(laws.torus), 0.4, (200, 200), 3),
    Problem("MNIST v USPS", "images", problems.digits, 0.11, (200, 200), 256),
    Problem("CIFAR-10, hard images", "images", problems.cifar_hard, 0.3, (300, 300), 64),
    Problem("galaxies", "images", lazily(laws.galaxies), 0.55, (200, 200), 768),
    Problem("weather", "real tables", lazily(laws.weather), 0.35, (200, 200), 8),
    Problem("electricity", "real tables", lazily(laws.electricity), 0.38, (40, 400), 5),
)
