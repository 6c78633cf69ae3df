"""
How many different things does a generator make?
================================================

The exponential of the representation entropy counts the effectively different points of a sample:
the Vendi score. As a metric it needs no rows in memory, and it comes with a standard error. Here a
generator collapses from ten modes to one.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

from samelaw import Gaussian, Renyi, VonNeumann
from samelaw.learn import FourierLayer, RepresentationEntropy, RepresentationJSD

torch.manual_seed(0)
torch.set_num_threads(1)
DIMENSION, ROWS = 16, 2000
centres = 6.0 * torch.randn(10, DIMENSION)


def sample(weights: torch.Tensor) -> torch.Tensor:
    """Points around the centres, each centre with its weight."""
    which = torch.multinomial(weights, ROWS, replacement=True)
    return centres[which] + 0.2 * torch.randn(ROWS, DIMENSION)


# %%
# The bandwidth decides what counts as different: here 3, between the width of a mode (0.8) and the
# distances of the centres (about 34). With D frequencies at most 2D things can be told apart.

layer = FourierLayer(DIMENSION, 64, kernel=Gaussian(3.0))
kept = np.array([10, 8, 6, 4, 3, 2, 1])
scores = {"Vendi (von Neumann)": VonNeumann(), "RKE (Rényi 2)": Renyi(2.0)}
numbers = {name: [] for name in scores}
fidelity = []
for count in kept:
    points = sample((torch.arange(10) < count).double())
    for name, entropy in scores.items():
        metric = RepresentationEntropy(layer, entropy, effective_number=True, with_error=True)
        for batch in points.split(250):
            metric.update(batch)
        numbers[name].append([float(part) for part in metric.compute()])
    distance = RepresentationJSD(layer, with_error=True)
    distance.update(sample(torch.ones(10)), real=True)
    distance.update(points, real=False)
    fidelity.append([float(part) for part in distance.compute()])

# %%
# The scores follow the number of modes: Rényi's nearly counts them, von Neumann's also counts some
# of the spread within each. The divergence from the full law follows as well, close under the exact
# value (it is a lower bound), and sees what diversity alone cannot: *which* modes are gone.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for name, values in numbers.items():
    value, error = np.array(values).T
    axes[0].errorbar(kept, value, 2 * error, marker="o", ms=4, label=name)
axes[0].plot(kept, kept, color="0.6", linestyle=":", label="modes kept")
axes[0].set(xlabel="modes the generator kept", ylabel="effective number")
axes[0].invert_xaxis()
axes[0].legend()
value, error = np.array(fidelity).T
axes[1].errorbar(kept, value, 2 * error, marker="o", ms=4, label="RJSD, Fourier features")
share = kept / 10
exact = (
    share * np.log(2 * share / (1 + share)) + (1 - share) * np.log(2) + np.log(2 / (1 + share))
) / 2
axes[1].plot(kept, exact, color="0.6", linestyle=":", label="Jensen–Shannon, exact")
axes[1].set(xlabel="modes the generator kept", ylabel="divergence from ten modes (nats)")
axes[1].invert_xaxis()
_ = axes[1].legend()
