"""
Learning how far apart two laws are
===================================

The divergence is a lower bound of the Jensen–Shannon divergence whatever the kernel, so a network
may learn the kernel that makes it largest. Two Cauchy laws, whose divergence is known in closed
form, move apart every 60 steps; the estimate of each fresh batch is read before it is learnt from.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

from samelaw.learn import VariationalJSD
from samelaw.problems import CauchyPair

torch.set_num_threads(1)
rng = np.random.default_rng(0)
levels, steps = (0.15, 0.3, 0.45), 60
learner, readings = VariationalJSD(), []
for level in levels:
    problem = CauchyPair.with_jsd(level)
    fit = learner.fit((problem.draw(512, rng=rng) for _ in range(steps)), rng=0)
    readings += [reading.value for reading in fit.history.readings]

# %%
# The first level has a warm-up; from then on the estimate follows within a few batches.

figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
axes.plot(readings, ".", ms=4, label="estimate of a batch")
axes.step(np.arange(len(readings)), np.repeat(levels, steps), color="0.3", label="true divergence")
axes.set(xlabel="step", ylabel="Jensen–Shannon divergence (nats)")
axes.legend()
last = np.mean(readings[-20:])
print(f"last level {levels[-1]}, mean of its last 20 batches {last:.3f}")
assert abs(last - levels[-1]) < 0.05
