"""
Many groups against one control
===============================

Three hundred groups of fifty rows, thirty of which follow another law: ten moved, ten are wider,
in ten some three rows in ten went elsewhere. One pass makes a sketch of each group; all are tested
against the control at a false-discovery rate of 5 %, and the divergences between those that were
discovered show the three families, from the sketches alone.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw.extras.groups import GroupSketches, control_tests

rng = np.random.default_rng(1)
columns, size = 8, 50


def group(number: int) -> np.ndarray:
    """Rows of a group; the first thirty follow other laws."""
    rows = rng.normal(size=(size, columns))
    if number < 10:
        return rows + 0.45
    if number < 20:
        return rows * 1.5
    if number < 30:
        return rows - np.outer(rng.random(size) < 0.3, np.full(columns, 1.6))
    return rows


names = [f"g{i}" for i in range(300)]
rows = np.concatenate([*(group(i) for i in range(300)), rng.normal(size=(3_000, columns))])
labels = np.array([*names, "control"]).repeat([size] * 300 + [3_000])

sketches = GroupSketches.of(rows, labels, control="control", rng=0)
result = control_tests(sketches, rng=0)
found = [name for name, reject in zip(result.names, result.reject, strict=True) if reject]
print(f"{len(found)} of 300 discovered, {sum(int(n[1:]) >= 30 for n in found)} of them unchanged")

# %%
# Left: how far each group is from the control, and how sure. Right: how far those discovered are
# from each other.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
result.plot(left)
matrix = np.clip(sketches.divergences(found), 0.0, None)
image = right.imshow(matrix, cmap="Blues")
right.set(title="divergences between those discovered", xticks=[], yticks=[])
figure.colorbar(image, ax=right, label="nats")
plt.show()
