"""The table and the picture: power of every method, and how far ours is from the best rival."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments import grid
from experiments.common import save_figure
from experiments.suite.methods import METHODS, OURS
from experiments.suite.problem import Array

TITLES = {
    "tuning": "tuning half",
    "reporting": "reporting half",
    "second": "second reporting set",
}
MARGIN = 0.05
"""A deficit counts when its 99 % lower limit exceeds this."""
_99 = 2.5758293035489004  # normal quantile of .995


_LEFT_OUT = ("values", "late", "value")  # the strength is in the key


def reduced(half: str, book: dict[str, Any]) -> dict[str, Any]:
    """What the report needs of a run: the rejections of every cell, in hexadecimal digits."""
    cells = {}
    for key, entry in book["cells"].items():
        if entry["repetitions"]:
            kept = {k: v for k, v in entry.items() if k not in _LEFT_OUT}
            hits = np.packbits(grid.rejections(entry)).tobytes().hex()
            cells[key] = {**kept, "rejected": hits}
    return {half: {**book, "cells": cells}}


def joined(summary: dict[str, Any], half: str, book: dict[str, Any]) -> dict[str, Any]:
    """The summary with a run entered: cells it has more draws of, or of another commit, are new."""
    new = reduced(half, book)[half]
    commits = [new["versions"]["commit"]]
    cells = {k: {"commits": commits, **v} for k, v in new["cells"].items()}
    held = summary.get(half, {}).get("cells", {})
    fewer = {k for k, v in cells.items() if _rival(v) and v["repetitions"] < _draws(held.get(k))}
    kept = {**held, **{k: v for k, v in cells.items() if k not in fewer}}
    return {**summary, half: {**new, "cells": kept}}


def _rival(cell: dict[str, Any]) -> bool:
    return bool(cell["method"] != OURS)


def _draws(cell: dict[str, Any] | None) -> int:
    return 0 if cell is None else int(cell["repetitions"])


def hits(cell: dict[str, Any]) -> Array:
    """Which draws of a cell rejected (R,)."""
    packed = np.frombuffer(bytes.fromhex(cell["rejected"]), dtype=np.uint8)
    return np.unpackbits(packed, count=cell["repetitions"]).astype(bool)


@dataclass(frozen=True)
class Deficit:
    """Power of one method less that of another on the same draws, with a 99 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, better: Array, worse: Array) -> "Deficit":
        """The interval of Bonett & Price (2012) for paired shares."""
        count = min(len(better), len(worse))
        better, worse = better[:count], worse[:count]
        won, lost = int((better & ~worse).sum()), int((worse & ~better).sum())
        p, q = (won + 1) / (count + 2), (lost + 1) / (count + 2)
        half = _99 * math.sqrt((p + q - (p - q) ** 2) / (count + 2))
        return cls((won - lost) / count, max(p - q - half, -1.0), min(p - q + half, 1.0))


@dataclass(frozen=True)
class Line:
    """One problem: rejections by method."""

    problem: str
    found: dict[str, Array]

    @property
    def best_rival(self) -> str:
        return max((m for m in self.found if m != OURS), key=lambda m: self.found[m].mean())

    @property
    def best(self) -> str:
        return max(self.found, key=lambda m: self.found[m].mean())

    @property
    def deficit(self) -> Deficit:
        """Of ours against the best rival."""
        return Deficit.of(self.found[self.best_rival], self.found[OURS])

    def cell(self, method: str) -> str:
        """Power with its exact 95 % interval; the best is bold, clear deficits are marked."""
        if method not in self.found:
            return ""
        mine = self.found[method]
        low, high = grid.interval(int(mine.sum()), len(mine))
        power = f"{mine.mean():.2f}"
        if method == self.best:
            return f"**{power}** [{low:.2f}, {high:.2f}]"
        behind = Deficit.of(self.found[self.best], mine)
        mark = f" ▼{behind.value:.2f}" if behind.low > MARGIN else ""
        return f"{power} [{low:.2f}, {high:.2f}]{mark}"


def lines(book: dict[str, Any]) -> list[Line]:
    """The problems of a half."""
    found: dict[str, dict[str, Array]] = {}
    for cell in book.get("cells", {}).values():
        found.setdefault(cell["problem"], {})[cell["method"]] = hits(cell)
    return [Line(problem, methods) for problem, methods in found.items()]


def _range(rows: list[Line]) -> str:
    """How many draws the cells have."""
    draws = sorted({len(found) for row in rows for found in row.found.values()})
    return f"{draws[0]}" if len(draws) == 1 else f"{draws[0]} to {draws[-1]}"


def table(half: str, book: dict[str, Any]) -> list[str]:
    """Rows problems, columns methods, then the mean of ours less each rival."""
    rows = lines(book)
    names = [m for m in METHODS if any(m in row.found for row in rows)]
    text = [f"## {TITLES[half]}", "", f"{len(rows)} problems, {_range(rows)} draws per rate.", ""]
    text += [f"| problem | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    text += [f"| {row.problem} | {' | '.join(map(row.cell, names))} |" for row in rows]
    if OURS in names:
        text.append(f"| *{OURS} ahead by* | {' | '.join(_ahead(rows, m) for m in names)} |")
    return [*text, ""]


def _ahead(rows: list[Line], method: str) -> str:
    """Mean power of ours less that of a method where both ran, with its standard error."""
    both = [row.found for row in rows if {OURS, method} <= set(row.found)]
    if method == OURS or not both:
        return ""
    gaps = []
    for found in both:
        count = min(len(found[OURS]), len(found[method]))
        gaps.append(found[OURS][:count] * 1.0 - found[method][:count])
    mean = float(np.mean([gap.mean() for gap in gaps]))
    error = math.sqrt(sum(gap.var() / len(gap) for gap in gaps)) / len(gaps)
    return f"{mean:+.3f} ± {error:.3f} ({len(both)})"


def draw(summary: dict[str, Any], folder: Path) -> None:
    """Per half: power of ours less that of the best rival, sorted, with 99 % intervals."""
    import matplotlib.pyplot as plt

    halves = {half: [r for r in lines(book) if len(r.found) > 1 and OURS in r.found]
              for half, book in summary.items()}  # fmt: skip
    halves = {half: rows for half, rows in halves.items() if rows}
    if not halves:
        return
    longest = max(map(len, halves.values()))
    size = (7.5 * len(halves), 1.4 + 0.23 * longest)
    figure, axes = plt.subplots(1, len(halves), figsize=size, squeeze=False)
    for axis, (half, rows) in zip(axes[0], halves.items(), strict=True):
        _panel(axis, half, sorted(rows, key=lambda row: -row.deficit.value))
    figure.tight_layout()
    save_figure(figure, folder)
    plt.close(figure)


def _panel(axis: Any, half: str, rows: list[Line]) -> None:
    behind = 0
    for place, row in enumerate(rows):
        gap = row.deficit
        lost = gap.low > MARGIN
        behind += lost
        colour = "#d55e00" if lost else "#0072b2" if gap.high < 0 else "0.45"
        axis.plot([-gap.high, -gap.low], [place, place], color=colour, lw=1.4)
        axis.plot(-gap.value, place, "o", color=colour, ms=5)
    axis.axvspan(-MARGIN, MARGIN, color="0.93", zorder=0)
    axis.axvline(0, color="0.3", lw=0.8)
    axis.set_yticks(range(len(rows)), [f"{r.problem}  ({r.best_rival})" for r in rows], fontsize=8)
    axis.set_ylim(-0.7, len(rows) - 0.3)
    axis.set_xlim(-1, 1)
    axis.set_xlabel("← best rival ahead      power of samelaw less the best rival's      ahead →")
    title = f"{TITLES[half]}: clearly behind on {behind} of {len(rows)} ({_range(rows)} draws)"
    axis.set_title(title, fontsize=11)


def write(summary: dict[str, Any], folder: Path) -> None:
    """`table.md` and `figure.png` from the summary."""
    if not summary:
        return
    text = ["<!-- Written by `python -m experiments.suite`; do not edit. -->", ""]
    text += ["Power at level .05 with exact 95 % intervals, all methods on the same draws.",
             f"Bold: the best; ▼: behind the best by more than {MARGIN} (99 %).", ""]  # fmt: skip
    for half, book in summary.items():
        text += table(half, book)
    (folder / "table.md").write_text("\n".join(text))
    draw(summary, folder)
