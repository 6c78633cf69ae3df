"""
What a p-value is made of
=========================

Four hundred points in two clouds that have the same columns and differ in how the columns go
together. Labels are permuted 999 times; the statistic of the true labels stands apart from all.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw import two_sample_test

rng = np.random.default_rng(0)
x = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=200)
y = rng.multivariate_normal([0, 0], [[1, -0.6], [-0.6, 1]], size=200)
result = two_sample_test(x, y, rng=0)
print(result)

# %%
# Left the samples, right every value of the statistic: the p-value is the share of those at least
# as large as the observed one, which counts itself.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.scatter(*x.T, s=9, label="x")
left.scatter(*y.T, s=9, marker="x", label="y")
left.set(xlabel="first column", ylabel="second column", aspect="equal")
left.legend()
_ = result.plot(right)
assert result.reject
