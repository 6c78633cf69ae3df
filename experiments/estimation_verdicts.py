"""Claims about estimates: figures 1 to 3 and 8, and the limit of section 5.1."""

import math

import numpy as np

from experiments.fig3.methods import BARE, ORACLE, OURS
from experiments.verdict import Verdict, span, summary, unrun, word

LOG2 = math.log(2)
TRACKS = 0.05 * LOG2
"""An estimate tracks the divergence when it is off by no more than a twentieth of its range."""
SLOW = 20
"""Epochs to adapt from which an estimate is called slow."""


def estimators() -> list[Verdict]:
    """Figures 1 and 2: curves whose shape is the claim."""
    from experiments.fig1.check import check as claims_1
    from experiments.fig2.run import check as claims_2

    rows = []
    for item, name, check, claim in (
        ("Figure 1a–f", "fig1", claims_1, "shapes of the three estimators while σ varies"),
        ("Figure 2", "fig2", claims_2, "finite orders close the gap of the entropies as σ → 0"),
    ):
        book = summary(name)["results"]
        held = check(book)
        found = (
            f"all {len(held)} statements hold; sample sizes are ours"
            if all(held.values())
            else f"{sum(held.values())} of {len(held)} statements hold"
        )
        count = f"{book['settings']['repetitions']} per curve"
        rows.append(Verdict(item, claim, word(all(held.values())), found, count, name))
    return rows


class Stream:
    """Figure 3: RJSD-NN as published has no warm-up; ours stands behind it."""

    published = ("RJSD-p, published", "RJSD-FF, published", "RJSD-NN, published")
    shuffled = "MINE, labels shuffled"

    def __init__(self) -> None:
        book = summary("fig3")["results"]
        self.lines, self.settings = book["stream"], book["settings"]
        self.levels = np.array(self.settings["levels"]) * LOG2

    def verdicts(self) -> list[Verdict]:
        return [self.saturates(), self.track(), self.rivals(), self.variance()]

    def row(self, claim: str, held: bool, found: str) -> Verdict:
        count = f"{self.settings['seeds']} seeds × {self.settings['steps']} epochs per level"
        return Verdict("Figure 3", claim, word(held), found, count, "fig3")

    def worst(self, name: str) -> float:
        return float(np.abs(self.lines[name]["bias"]).max())

    def deviation(self, name: str) -> float:
        return float(np.mean(self.lines[name]["sd"]))

    def saturates(self) -> Verdict:
        read = (self.levels + self.lines["RJSD, published"]["bias"]) / LOG2
        held = bool(np.all(read > self.levels / LOG2) and read[-1] > 0.99)
        found = f"{', '.join(f'{v:.2f}' for v in read)} log 2 at the five levels"
        return self.row("the kernel estimator, maximised over σ, goes to log 2", held, found)

    def track(self) -> Verdict:
        bias = ", ".join(f"{name.split(',')[0]} {self.worst(name):.3f}" for name in self.published)
        ours = [f"{self.worst(name):.3f}" for name in (BARE, OURS)]
        return self.row(
            "RJSD-p, -FF and -NN track the divergence",
            all(self.worst(name) < TRACKS for name in self.published),
            f"largest bias in nats {bias} (published forms, no warm-up); our RJSD-NN {ours[0]} "
            f"without and {ours[1]} with its warm-up",
        )

    def rivals(self) -> Verdict:
        slow = [self.lines[name]["adapt"][0] for name in ("InfoNCE", "NWJ")]
        noisy = self.deviation(self.shuffled) > 1.3 * self.deviation(ORACLE)
        return self.row(
            "MINE is noisy, CLUB biased, InfoNCE and NWJ slow to adapt",
            noisy and self.worst("CLUB") > TRACKS and min(slow) > SLOW,
            f"deviation of MINE {self.deviation(self.shuffled):.3f} (oracle "
            f"{self.deviation(ORACLE):.3f}), but {self.deviation('MINE'):.3f} if its labels are "
            f"averaged; bias of CLUB {self.worst('CLUB'):.3f}; {slow[0]:g} and {slow[1]:g} epochs "
            "to the first level, fewer to later ones",
        )

    def variance(self) -> Verdict:
        others = ("InfoNCE", "NWJ", "CLUB", "MINE")
        least = min(others, key=self.deviation)
        names = (*self.published, least, ORACLE)
        found = ", ".join(f"{name.split(',')[0]} {self.deviation(name):.4f}" for name in names)
        held = all(self.deviation(n) < 0.95 * self.deviation(least) for n in self.published)
        claim = "RJSD has a lower variance than the other estimators"
        return self.row(claim, held, f"mean deviation {found}")


def joint_limit() -> list[Verdict]:
    """Section 5.1 expects RJSD to be the JSD as σ → 0 and n → ∞."""
    from experiments.rates.__main__ import FAST, SLOW, SLOWEST, slope

    book = summary("rates")["results"]
    jsd, sizes = book["settings"]["jsd"], book["settings"]["joint_sizes"]
    found, held = [], []
    for name in (SLOWEST, SLOW):
        above = np.array(book["joint"][name]) - jsd
        error = book["joint standard errors"][name][-1]
        found.append(f"with {name} off by {above[0]:+.3f} … {above[-1]:+.3f} ± {error:.3f}, "
                     f"as n^{slope(sizes, np.abs(above).tolist()):.2f}")  # fmt: skip
        held.append(abs(above[-1]) + 2 * error < TRACKS)
    text = (
        f"n = {sizes[0]} to {sizes[-1]:,}, true {jsd:.3f}: {'; '.join(found)}; but "
        f"{book['joint'][FAST][-1]:.3f} at n = 256 with {FAST}: σ must go slowly"
    )
    count = span(book["settings"]["joint_repetitions"])
    claim = "RJSD reaches the JSD as σ → 0 and n → ∞"
    return [Verdict("Section 5.1", claim, word(all(held)), text, count, "rates")]


def pictures() -> list[Verdict]:
    """Figures without a comparison in them."""
    from experiments.fig8.__main__ import check

    book = summary("fig8")["results"]
    held = check(book)
    found = "; ".join(claim for claim, holds in held.items() if holds)
    count = str(book["settings"]["repetitions"])
    claim = "D over ten quantiles of the distances"
    return [
        unrun("Figures 6 and 7", "none: pictures of the data", "nothing to check"),
        Verdict("Figure 8", claim, word(all(held.values())), found, count, "fig8"),
    ]
