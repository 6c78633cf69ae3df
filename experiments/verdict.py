"""A claim of the paper, the word for what became of it, and pairs of tests that decide the word."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from experiments import grid
from experiments.common import HERE, read_json

LEVEL = 0.05
"""Of the exact test on pairs of draws that decides between "confirmed" and "not confirmed"."""
MARGIN = 0.05
"""Two tests are level when the mean difference of power is above minus this, 95 % sure."""
WORDS = ("confirmed", "confirmed on a stand-in", "not confirmed", "contradicted", "not run")


@dataclass(frozen=True)
class Verdict:
    """One claim of the paper: what was found, with how many draws, and the word for it."""

    item: str
    claim: str
    word: str
    found: str
    draws: str
    source: str

    def __post_init__(self) -> None:
        if self.word not in WORDS:
            raise ValueError(f"a verdict is one of {', '.join(WORDS)}; got {self.word!r}.")

    @property
    def line(self) -> str:
        draws = f" *Draws: {self.draws}; `experiments/{self.source}`.*" if self.source else ""
        return f"- **{self.word}**: {self.claim} – {self.found}.{draws}"

    @property
    def record(self) -> dict[str, str | None]:
        """For a program; the summary has seeds, versions and commits."""
        path = f"experiments/{self.source}/summary.json" if self.source else None
        return {
            "item": self.item,
            "claim": self.claim,
            "verdict": self.word,
            "found": self.found,
            "draws": self.draws,
            "summary": path,
        }


def unrun(item: str, claim: str, why: str) -> Verdict:
    return Verdict(item, claim, "not run", why, "0", "")


def word(supported: bool, refuted: bool = False, *, stand_in: bool = False) -> str:
    """A stand-in can confirm a claim, but not contradict what was said of other data."""
    if supported:
        return "confirmed on a stand-in" if stand_in else "confirmed"
    return "contradicted" if refuted and not stand_in else "not confirmed"


@cache
def summary(name: str) -> dict[str, Any]:
    return read_json(HERE / name / "summary.json")


def cells_of(name: str) -> dict[str, Any]:
    """The cells of all books of an experiment: ours, and those of rivals."""
    books = summary(name).values()
    return {key: cell for book in books for key, cell in book.get("cells", {}).items()}


def span(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low}" if low == high else f"{low} to {high}"


@dataclass(frozen=True)
class Pairs:
    """Two tests on the same draws of one or more cells; of each cell, the draws both have."""

    first: np.ndarray[Any, Any]
    second: np.ndarray[Any, Any]
    draws: tuple[int, ...]

    @classmethod
    def of(cls, name: str, *cells: tuple[str, str]) -> "Pairs":
        """From the keys of cells in a summary; cells that only one test has are left out."""
        book = cells_of(name)
        hits = [[grid.rejections(book[k]) for k in keys] for keys in cells if {*keys} <= {*book}]
        shared = [min(map(len, both)) for both in hits]
        first, second = (
            np.concatenate([both[side][:n] for both, n in zip(hits, shared, strict=True)])
            for side in (0, 1)
        )
        return cls(first, second, tuple(shared))

    @classmethod
    def methods(
        cls, name: str, problem: str, values: Sequence[Any], first: str, second: str
    ) -> "Pairs":
        keys = ((f"{problem} | {v} | {first}", f"{problem} | {v} | {second}") for v in values)
        return cls.of(name, *keys)

    @property
    def only(self) -> tuple[int, int]:
        """Draws in which only the first, and only the second rejects."""
        return int((self.first & ~self.second).sum()), int((~self.first & self.second).sum())

    @property
    def pvalue(self) -> float:
        from scipy.stats import binomtest

        ahead, behind = self.only
        return float(binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0

    @property
    def ahead(self) -> bool:
        return self.only[0] > self.only[1] and self.pvalue <= LEVEL

    @property
    def behind(self) -> bool:
        return self.only[0] < self.only[1] and self.pvalue <= LEVEL

    @property
    def level_or_ahead(self) -> bool:
        apart = self.first.astype(float) - self.second
        return bool(apart.mean() - 1.96 * apart.std() / math.sqrt(apart.size) > -MARGIN)

    def __str__(self) -> str:
        power = f"{self.first.mean():.2f} v {self.second.mean():.2f}"
        ahead, behind = self.only
        return f"{power} ({ahead} v {behind}, p = {self.pvalue:.2g})"
