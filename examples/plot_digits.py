"""
Which handwritten digits are alike? (real data)
===============================================

1,797 scanned digits of 8 × 8 grey values, as they come with scikit-learn. One divergence per pair
of digits, with one kernel for all, is a map of which are written alike; and a test finds that
writers of the first and of the second half of the collection are not the same.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from samelaw import Gaussian, pairwise_divergence, two_sample_test
from samelaw.kernels import median_bandwidth

digits = load_digits()
images, labels = digits.data / 16, digits.target
samples = [images[labels == digit][:120] for digit in range(10)]

# %%
# Three and nine share strokes; zero and one have least in common.

kernel = Gaussian(median_bandwidth(images[:1000]))
table = np.asarray(pairwise_divergence(samples, kernel=kernel, entropy=10)) / np.log(2)
figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
image = axes.imshow(table, cmap="cividis")
axes.set(xlabel="digit", ylabel="digit", xticks=range(10), yticks=range(10))
figure.colorbar(image, label="divergence / log 2")
above = np.where(np.eye(10, dtype=bool), np.inf, table)
first, second = np.unravel_index(above.argmin(), above.shape)
farthest = np.unravel_index(table.argmax(), table.shape)
print(f"most alike: {first} and {second}; least: {farthest[0]} and {farthest[1]}")

# %%
# Are the digits of the first half of the collection written like those of the second?

half = len(images) // 2
result = two_sample_test(images[:half], images[half:], permutations=199, rng=0)
print(result)
rng = np.random.default_rng(0)
mixed = rng.permutation(images)
print(
    "shuffled first:", two_sample_test(mixed[:half], mixed[half:], permutations=199, rng=0).pvalue
)
assert result.reject
