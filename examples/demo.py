"""Compare the two pairs of tables in examples/data: print what was found and draw it.

For each pair the numeric columns are tested together: the statistic is set beside those of 999
random relabellings of the same rows.
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


def read(name):
    """Return the numeric columns of one table and the number of rows left out."""
    table = np.genfromtxt(DATA / f"{name}.csv", delimiter=",", names=True, usecols=COLUMNS)
    x = np.stack([np.log(table[c]) if c in SKEWED else table[c] for c in COLUMNS], axis=1)
    complete = np.isfinite(x).all(axis=1)
    return x[complete], int((~complete).sum())


def compare(pair):
    """Return the test of a pair, after saying what was read and found."""
    (x, left_x), (y, left_y) = read(f"{pair}_a"), read(f"{pair}_b")
    unit = np.concatenate([x, y]).std(axis=0)
    x, y = x / unit, y / unit
    result = samelaw.two_sample_test(x, y, rng=1)
    distance = max(float(samelaw.rjsd_corrected(x, y, weights="balanced")), 0.0) / np.log(2)
    print(f"{pair}_a.csv against {pair}_b.csv")
    print(f"  {len(x)} and {len(y)} rows; {left_x + left_y} with a missing value were left out")
    print(f"  distance {distance:.4f} on a scale from 0 (same law) to 1 (nothing in common)")
    found = "These tables differ." if result.reject else "No difference found."
    print(f"  {found}  (p = {result.pvalue:.3g}; loudest: {result.voices[0]['name']})\n")
    return result


def draw(results, path):
    """Draw each pair's statistic against those of relabelled rows."""
    figure, axes = plt.subplots(1, len(results), figsize=(9, 3), sharey=True, layout="constrained")
    for ax, (pair, result) in zip(axes, results.items(), strict=True):
        result.plot(ax)
        ax.set_title(f"{pair}_a.csv against {pair}_b.csv")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main():
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", nargs="?", type=Path, default=Path("build/demo.svg"))
    path = parser.parse_args().output
    print(f"Orders of a shop, columns {', '.join(COLUMNS)}.\n")
    draw({pair: compare(pair) for pair in ("same", "changed")}, path)
    print(f"The figure is in {path}. Categories and dates come with `samelaw compare`.")


if __name__ == "__main__":
    main()
