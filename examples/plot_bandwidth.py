"""
What the bandwidth does
=======================

Seen with a kernel much narrower than the data every point is alone, and any two samples seem to
differ; seen with a much wider one they all look alike. A power series of finite order is safe at
both ends: its divergence peaks in between.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw import Gaussian, PowerSeries, VonNeumann, rjsd

rng = np.random.default_rng(0)
x = rng.normal(0.0, 1.0, size=(150, 1))
y = rng.normal(1.5, 1.0, size=(150, 1))
bandwidths = np.geomspace(1e-4, 1e2, 30)

# %%
# The exact entropy saturates at log 2; orders 1, 4 and 10 do not.

figure, axes = plt.subplots(layout="constrained")
entropies = (VonNeumann(), PowerSeries(10), PowerSeries(4), PowerSeries(1))
for style, entropy in zip(("-", "--", "-.", (0, (1, 1))), entropies):
    values = [rjsd(x, y, kernel=Gaussian(s), entropy=entropy) for s in bandwidths]
    axes.semilogx(bandwidths, values, ls=style, label=str(entropy))
axes.axhline(np.log(2), color="0.5", lw=1, label="log 2")
axes.set(xlabel="bandwidth σ", ylabel="divergence (nats)")
_ = axes.legend()
