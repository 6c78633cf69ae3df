"""
Which measurements tell two wines apart? (real data)
====================================================

Chemical analyses of wines of three growers, as they come with scikit-learn. `compare` takes two of
them as tables: every column that moved is named, with the chance of any wrong name at most 5 %, and
so are pairs of measurements that go together differently.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import samelaw

wine = load_wine()
growers = [
    {name: wine.data[wine.target == grower, j] for j, name in enumerate(wine.feature_names)}
    for grower in (0, 1, 2)
]
found = samelaw.compare(growers[0], growers[1], rng=0, permutations=199)
print(found.sentence)

# %%
# Columns in the order of their effects.

changed = sorted(
    (m for m in found.marginals if m.changed and not m.missing), key=lambda m: m.effect
)
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
left.barh([m.column for m in changed], [m.effect for m in changed])
left.set(xlabel="effect, 0 (same law) to 1 (nothing in common)")
_ = found.plot(right, column=changed[-1].column)
