"""The figure: power and names of all tools on all changes, as coloured tables."""

from pathlib import Path

import numpy as np

from experiments import grid
from experiments.common import save_figure
from experiments.compare import outcomes, tables
from experiments.compare.report import NAMES, RIVALS, Book

PANELS = (
    ("called different", outcomes.power, "YlGn"),
    ("right column or pair named", outcomes.right, "YlGn"),
    ("wrong column named", outcomes.wrong, "OrRd"),
)
LABELS = {"evidently": "evidently\n(any column)"}
"""Its own verdict on a whole table asks for half of the columns, and is hardly ever given."""


def draw(summary: dict[str, Book], folder: Path) -> None:
    """Power, right names and wrong names as a coloured table, ours beside the rivals'."""
    import matplotlib.pyplot as plt

    held: dict[str, Book] = {name: {} for name in (*NAMES, "rivals")} | summary
    ours = outcomes.by_change(held["changes"], "samelaw")
    if not ours:
        return
    rivals = {name: outcomes.by_change(held["rivals"], name) for name in RIVALS}
    methods = {"samelaw": ours, **{name: cells for name, cells in rivals.items() if cells}}
    names = [*tables.CHANGES, "none"]
    figure, axes = plt.subplots(1, 3, figsize=(15, 4.4), layout="constrained", sharey=True)
    for axis, (title, read, colours) in zip(axes, PANELS, strict=True):
        shares = np.full((len(names), len(methods)), np.nan)
        for j, (method, found) in enumerate(methods.items()):
            for i, name in enumerate(names[:-1]):
                if name in found:
                    shares[i, j] = read(found[name])[0]
            null = _null_entry(held, method)
            if null and read is not outcomes.right:
                shares[-1, j] = read(null)[0]
        axis.imshow(shares, cmap=colours, vmin=0, vmax=1, aspect="auto")
        for (i, j), share in np.ndenumerate(shares):
            word = "" if np.isnan(share) else f"{share:.2f}".lstrip("0") if share < 1 else "1"
            axis.text(j, i, word, ha="center", va="center", color="w" if share > 0.7 else "k")
        labels = [LABELS.get(name, name.replace(" ", "\n")) for name in methods]
        axis.set_xticks(range(len(methods)), labels, fontsize=8)
        axis.set_yticks(range(len(names)), [*names[:-1], "no change"])
        axis.set_title(title, loc="left", fontsize=11)
        axis.spines[:].set_visible(False)
        axis.tick_params(length=0)
    save_figure(figure, folder)


def _null_entry(held: dict[str, Book], method: str) -> Book | None:
    book = held["level"] if method == "samelaw" else held["rivals"]
    found = grid.select(book, problem="none", method=method)
    return found[0] if found else None
