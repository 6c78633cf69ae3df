"""The second reporting set, for the choice that followed the first: never used to choose anything.

Strengths were set by ``python -m experiments.suite pilot --half second``: rivals alone; what they
found is in `pilot.json`. The default was not run.
"""

from experiments.suite import second_laws as laws
from experiments.suite.problem import Problem, lazily, of

PROBLEMS = (
    Problem("ability", "questionnaires", of(laws.ability), 0.25, (150, 150), 12),
    Problem("discrimination", "questionnaires", of(laws.discrimination), 0.35, (150, 150), 12),
    Problem("clustered points", "point patterns", of(laws.clustered_points), 0.25, (100, 100), 16),
    Problem(
        "gradient of points", "point patterns", of(laws.gradient_of_points), 0.06, (60, 300), 16
    ),
    Problem("spectral peak", "signals", of(laws.spectral_peak), 0.008, (100, 100), 32),
    Problem("phase coupling", "signals", of(laws.phase_coupling), 0.6, (200, 200), 24),
    Problem("queue", "queues", of(laws.queue), 0.6, (200, 200), 10),
    Problem("allele drift", "genotypes", of(laws.allele_drift), 0.03, (100, 100), 60),
    Problem("linkage", "genotypes", of(laws.linkage), 0.2, (150, 150), 40),
    Problem("coalescent", "ancestors", of(laws.coalescent), 0.5, (150, 150), 9),
    Problem("heaping", "records", of(laws.heaping), 0.3, (250, 250), 3),
    Problem("detection limit", "records", of(laws.detection_limit), 1.8, (60, 300), 6),
    Problem("sensor gain", "sensors", of(laws.sensor_gain), 0.4, (150, 150), 12),
    Problem("sensor swap", "sensors", of(laws.sensor_swap), 0.4, (200, 200), 12),
    Problem("evenness", "species", of(laws.evenness), 0.15, (100, 100), 30),
    Problem("wines", "wines", lazily(laws.wines), 0.12, (60, 60), 13),
)
