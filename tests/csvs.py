"""Small CSV files for tests of the command."""

from pathlib import Path

import numpy as np

FEW = ("--permutations", "99", "--seed", "1")
"""Options for a quick and repeatable answer."""


def write(name, text, folder=""):
    path = Path(folder) / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows_of(rows=60, *, shift=0.0, header="x,y", seed=0, separator=","):
    """A small CSV of normal numbers."""
    names = header.split(separator)
    values = np.random.default_rng(seed).normal(size=(rows, len(names))) + shift
    lines = [separator.join(f"{v:.3f}" for v in row) for row in values]
    return "\n".join([header, *lines, ""])
