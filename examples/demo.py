"""Compare the two pairs of tables in examples/data: print what was found and draw it.

For each pair the divergence of the numeric columns is set beside the divergences of 19 random
reshuffles of the same rows. If the law is the same, the true split is the largest of the 20 with
probability 1/20.
"""

import argparse
from pathlib import Path

import matplotlib
import numpy as np

import samelaw

matplotlib.use("svg")
import matplotlib.pyplot as plt

DATA = Path(__file__).parent / "data"
COLUMNS = ["amount", "items", "age", "minutes_on_site", "pages_seen"]
SKEWED = ["amount", "minutes_on_site"]  # compared on the log scale
RESHUFFLES = 19


def read(name):
    """Return the numeric columns of one table and the number of rows left out."""
    table = np.genfromtxt(DATA / f"{name}.csv", delimiter=",", names=True, usecols=COLUMNS)
    x = np.stack([np.log(table[c]) if c in SKEWED else table[c] for c in COLUMNS], axis=1)
    complete = np.isfinite(x).all(axis=1)
    return x[complete], int((~complete).sum())


def divergence(pool, first):
    """Return the divergence of the rows in the mask from the others: 0 same, 1 nothing shared."""
    return samelaw.rjsd(pool[first], pool[~first], weights="balanced") / np.log(2)


def compare(pair, rng):
    """Return the divergence of a pair and those of its reshuffles, after saying what was read."""
    (x, left_x), (y, left_y) = read(f"{pair}_a"), read(f"{pair}_b")
    pool = np.concatenate([x, y])
    pool = (pool - pool.mean(axis=0)) / pool.std(axis=0)
    first = np.arange(len(pool)) < len(x)
    observed = divergence(pool, first)
    shuffled = [divergence(pool, rng.permutation(first)) for _ in range(RESHUFFLES)]
    larger = sum(value >= observed for value in shuffled)
    print(f"{pair}_a.csv against {pair}_b.csv")
    print(f"  {len(x)} and {len(y)} rows; {left_x + left_y} with a missing value were left out")
    print(f"  divergence {observed:.4f} on a scale from 0 (same law) to 1 (nothing in common)")
    print(f"  reshuffled {min(shuffled):.4f} to {max(shuffled):.4f}: what chance alone gives")
    found = "These tables differ." if larger == 0 else "No difference found."
    print(f"  {found}  (p = {(1 + larger) / (1 + RESHUFFLES):.2f})\n")
    return observed, shuffled


def draw(results, path):
    """Draw each pair's divergence against its reshuffles."""
    figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
    for row, (observed, shuffled) in enumerate(results.values()):
        axes.scatter(shuffled, [row] * len(shuffled), color="0.6", label="rows reshuffled")
        axes.scatter(observed, row, color="C3", marker="D", s=60, label="the two tables")
    axes.set(xlabel="divergence / log 2", ylim=(-0.6, len(results) - 0.4), xlim=(0, None))
    axes.set_yticks(range(len(results)), results)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[:2], labels[:2], loc="center right")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main():
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", nargs="?", type=Path, default=Path("build/demo.svg"))
    path = parser.parse_args().output
    rng = np.random.default_rng(1)
    print(f"Orders of a shop, columns {', '.join(COLUMNS)}.\n")
    draw({pair: compare(pair, rng) for pair in ("same", "changed")}, path)
    print(f"The figure is in {path}. Text columns and a proper test come with `samelaw compare`.")


if __name__ == "__main__":
    main()
