"""The second reporting set, for the choice that followed the first: never used to choose anything.

Strengths were set by ``python -m experiments.suite pilot --half second``: rivals alone; what they
found is in `pilot.json`. The default was not run. A family of the set, how values are written
down, showed on 2026-11-17 that ties went unseen; it chose something and is among the tuning
problems now.
"""

from experiments.suite import second_laws as laws
from experiments.suite.problem import Problem, lazily, of

PROBLEMS = (
    Problem("ability", "questionnaires", of(laws.ability), 0.27, (150, 150), 12),
    Problem("discrimination", "questionnaires", of(laws.discrimination), 0.42, (150, 150), 12),
    Problem("clustered points", "point patterns", of(laws.clustered_points), 0.16, (100, 100), 16),
    Problem(
        "gradient of points", "point patterns", of(laws.gradient_of_points), 0.14, (60, 300), 16
    ),
    Problem("spectral peak", "signals", of(laws.spectral_peak), 0.006, (100, 100), 32),
    Problem("phase coupling", "signals", of(laws.phase_coupling), 0.42, (200, 200), 24),
    Problem("queue", "queues", of(laws.queue), 1.5, (200, 200), 10),
    Problem("allele drift", "genotypes", of(laws.allele_drift), 0.028, (100, 100), 60),
    Problem("linkage", "genotypes", of(laws.linkage), 0.38, (150, 150), 40),
    Problem("coalescent", "ancestors", of(laws.coalescent), 0.34, (150, 150), 9),
    Problem("sensor gain", "sensors", of(laws.sensor_gain), 1, (150, 150), 12),
    Problem("sensor swap", "sensors", of(laws.sensor_swap), 0.9, (200, 200), 12),
    Problem("evenness", "species", of(laws.evenness), 0.16, (100, 100), 30),
    Problem("wines", "wines", lazily(laws.wines), 0.22, (60, 60), 13),
)
