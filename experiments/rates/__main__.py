"""How fast estimates settle: on a circle with known answers, and as the bandwidth shrinks."""

import math
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from experiments.command import Experiment, Summary
from experiments.common import read_json, save_figure, table_of, verify, versions, write_json

import samelaw as sl
from samelaw.problems import CauchyPair

LOG2 = math.log(2)
SETTINGS: dict[str, Any] = {
    "seed": 3,
    "repetitions": 60,
    "sizes": [16, 32, 64, 128, 256, 512],
    "decay": 0.6,
    "tilt": 0.8,
    "jsd": 0.5 * LOG2,
    "joint_sizes": [32, 64, 128, 256, 512, 1024],
    "joint_repetitions": 8,
}
FREQUENCIES = 60
"""Of the circle kernel that are kept for the truth; the rest adds less than 1e-12."""
BANDWIDTHS: dict[str, Callable[[float], float]] = {
    "σ = 2, fixed": lambda n: 2.0,
    "σ = 3 n^(−1/3)": lambda n: 3 * n ** (-1 / 3),
    "σ = 200/n²": lambda n: 200 / n**2,
}
"""Rates of the bandwidth: never, slowly enough, too fast."""


@dataclass(frozen=True, eq=False)
class Circle(sl.kernels.Kernel):
    """Poisson kernel on angles, Σ_k ρ^|k| e^{ik(s − t)}, divided by its value at 0."""

    decay: float

    def similarities(self, x: Any, y: Any) -> Any:
        r = self.decay
        return (1 - r) ** 2 / (1 - 2 * r * np.cos(x - y.T) + r**2)


def operator(decay: float, tilt: float) -> Any:
    """C of the law (1 + tilt · cos t)/2π under the kernel: known entries, one per frequency."""
    k = np.arange(-FREQUENCIES, FREQUENCIES + 1)
    scale = np.sqrt(decay ** np.abs(k) * (1 - decay) / (1 + decay))
    law = np.where(k[:, None] == k, 1.0, 0.0) + np.where(np.abs(k[:, None] - k) == 1, tilt / 2, 0.0)
    return scale[:, None] * law * scale


def entropy_of(matrix: Any) -> float:
    return float(sl.VonNeumann()(np.clip(np.linalg.eigvalsh(matrix), 0, 1)))


def draw_angles(rng: np.random.Generator, tilt: float, n: int) -> Any:
    """Angles with density (1 + tilt · cos t)/2π, by rejection."""
    kept = np.empty(0)
    while len(kept) < n:
        t = rng.uniform(-np.pi, np.pi, 2 * n)
        kept = np.concatenate(
            [kept, t[rng.uniform(size=2 * n) * (1 + tilt) < 1 + tilt * np.cos(t)]]
        )
    return kept[:n, None]


def circle() -> dict[str, Any]:
    """Errors (sizes × repetitions) of entropies and divergences, and the bound of the paper."""
    decay, tilt = SETTINGS["decay"], SETTINGS["tilt"]
    kernel, flat, tilted = Circle(decay), operator(decay, 0.0), operator(decay, tilt)
    divergence = entropy_of((flat + tilted) / 2) - (entropy_of(flat) + entropy_of(tilted)) / 2
    errors: dict[str, list[list[float]]] = {
        "entropy of a tilted law": [],
        "entropy of the even law": [],
        "divergence of two laws": [],
        "divergence of equal laws": [],
    }
    for n in SETTINGS["sizes"]:
        rows: dict[str, list[float]] = {name: [] for name in errors}
        for repetition in range(SETTINGS["repetitions"]):
            rng = np.random.default_rng([SETTINGS["seed"], n, repetition])
            x, other = draw_angles(rng, 0.0, n), draw_angles(rng, 0.0, n)
            y = draw_angles(rng, tilt, n)
            values = (
                sl.entropy(y, kernel=kernel) - entropy_of(tilted),
                sl.entropy(x, kernel=kernel) - entropy_of(flat),
                sl.rjsd(x, y, kernel=kernel) - divergence,
                sl.rjsd(x, other, kernel=kernel),
            )
            for name, value in zip(errors, values, strict=True):
                rows[name].append(float(value))
        for name, value in rows.items():
            errors[name].append(value)
    table = {name: np.array(values) for name, values in errors.items()}
    noise = math.sqrt(2 * (SETTINGS["repetitions"] - 1))  # of a standard deviation, relative
    spread = {name: values.std(axis=1, ddof=1) for name, values in table.items()}
    return {
        "spread": {name: value.round(6).tolist() for name, value in spread.items()},
        "spread standard errors": {k: (v / noise).round(6).tolist() for k, v in spread.items()},
        "bias": {name: v.mean(axis=1).round(6).tolist() for name, v in table.items()},
        "truth": {"divergence": divergence, "entropy": entropy_of(tilted)},
    }


def bound(n: Any) -> Any:
    """Proposition 3 with the best constants there can be, c = α = 1."""
    return (1 + (8 * np.log(n)) ** 2) / n + 17 / np.sqrt(n) * (2 + np.log(n))


def joint() -> dict[str, Any]:
    """Divergences of two Cauchy laws while the bandwidth shrinks with the rows."""
    problem = CauchyPair.with_jsd(SETTINGS["jsd"])
    found: dict[str, list[list[float]]] = {name: [] for name in BANDWIDTHS}
    for n in SETTINGS["joint_sizes"]:
        samples = [problem.draw(n, rng=[7, n, r]) for r in range(SETTINGS["joint_repetitions"])]
        for name, rule in BANDWIDTHS.items():
            kernel = sl.Gaussian(rule(n))
            found[name].append([float(sl.rjsd(x, y, kernel=kernel)) for x, y in samples])
    count = math.sqrt(SETTINGS["joint_repetitions"])
    return {
        "joint": {k: np.mean(v, axis=1).round(5).tolist() for k, v in found.items()},
        "joint standard errors": {
            k: (np.std(v, axis=1, ddof=1) / count).round(5).tolist() for k, v in found.items()
        },
    }


def run(chosen: Namespace, raw: Path) -> None:
    if chosen.quick:
        SETTINGS.update(repetitions=5, joint_repetitions=2, joint_sizes=[32, 64, 128, 256])
    found = {"settings": SETTINGS, "versions": versions(), **circle(), **joint()}
    write_json(raw / "results.json", found)


def summarize(raw: Path) -> Summary:
    return {"results": read_json(raw / "results.json")}


def slope(sizes: list[int], errors: list[float]) -> float:
    """Of the logarithms, from 64 rows on: the first sizes are not yet in the limit."""
    chosen = np.array(sizes) >= 64
    at, value = np.log(np.array(sizes)[chosen]), np.log(np.array(errors)[chosen])
    return float(np.polyfit(at, value, 1)[0])


def check(found: dict[str, Any]) -> dict[str, bool]:
    sizes, errors = found["settings"]["sizes"], found["spread"]
    slopes = {name: slope(sizes, values) for name, values in errors.items()}
    last = {name: values[-1] for name, values in found["joint"].items()}
    slowly = found["joint"]["σ = 3 n^(−1/3)"]
    jsd = found["settings"]["jsd"]

    def near(name: str, rate: float) -> tuple[str, bool]:
        told = f"{name}: it spreads as n^{slopes[name]:.2f}, in theory n^{rate:g}"
        return told, abs(slopes[name] - rate) < 0.2

    worst = np.abs(found["bias"]["entropy of a tilted law"])
    loose = min(bound(n) / error for n, error in zip(sizes, worst, strict=True))
    biases = [slope(sizes, np.abs(values).tolist()) for values in found["bias"].values()]
    fast, fixed = (last[name] for name in ("σ = 200/n²", "σ = 2, fixed"))
    nearer = abs(slowly[-1] - jsd) < abs(slowly[0] - jsd)
    rising = bool(np.all(np.diff(found["joint"]["σ = 200/n²"]) > -0.02))
    return dict(
        [
            near("entropy of a tilted law", -0.5),
            near("entropy of the even law", -1.0),
            near("divergence of two laws", -0.5),
            near("divergence of equal laws", -1.0),
            (
                f"biases fall as 1/n, also where spreads do not: n^{max(biases):.2f} or faster",
                max(biases) < -0.85,
            ),
            (f"the bound of proposition 3 holds, at least {loose:.0f} times too large", loose > 1),
            (
                f"σ → 0 slowly: {slowly[0]:.3f} … {slowly[-1]:.3f}, towards the JSD, {jsd:.3f}",
                nearer and abs(slowly[-1] - jsd) < 0.05,
            ),
            (f"σ → 0 too fast: {fast:.3f}, not the JSD", fast > jsd + 0.1 and rising),
            (f"σ fixed: {fixed:.3f}, below the JSD", fixed < jsd),
        ]
    )


COLOURS = ("#0072b2", "#56b4e9", "#d55e00", "#e69f00")
MARKS = ("o", "s", "^", "v")


def draw(found: dict[str, Any]) -> Any:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11.5, 4.6), layout="constrained")
    sizes = np.array(found["settings"]["sizes"])
    for name, colour, mark in zip(found["spread"], COLOURS, MARKS, strict=True):
        at = found["spread"][name]
        rate = slope(found["settings"]["sizes"], at)
        error = found["spread standard errors"][name]
        label = f"{name}, n^{rate:.2f}"
        left.errorbar(sizes, at, error, color=colour, marker=mark, ms=4, capsize=2, label=label)
    left.plot(sizes, 0.9 / np.sqrt(sizes), "0.5", ls="--", lw=1, label="1/√n and 1/n")
    left.plot(sizes, 2.2 / sizes, "0.5", ls="--", lw=1)
    left.plot(sizes, bound(sizes), "0.2", ls=":", label="bound of proposition 3, c = α = 1")
    left.set(xscale="log", yscale="log", xlabel="rows n (of each sample)")
    left.set(
        ylabel="standard deviation of the estimate (nats)",
        title="Circle, Poisson kernel: the truth is known",
    )
    left.legend(fontsize=7.5, frameon=False)
    sizes = np.array(found["settings"]["joint_sizes"])
    for (name, values), colour, mark in zip(
        found["joint"].items(), COLOURS[1:], MARKS[1:], strict=True
    ):
        error = found["joint standard errors"][name]
        right.errorbar(sizes, values, error, color=colour, marker=mark, ms=4, capsize=2, label=name)
    right.axhline(found["settings"]["jsd"], color="0.2", lw=1, label="Jensen–Shannon divergence")
    right.axhline(LOG2, color="0.2", ls=":", lw=1, label="log 2")
    right.set(xscale="log", xlabel="rows n = m", ylabel="divergence (nats)", ylim=(0, 0.75))
    right.set_title("Two Cauchy laws: how fast may σ go to 0?")
    right.legend(fontsize=7.5, frameon=False, loc="lower left")
    for panel, values in ((left, found["settings"]["sizes"]), (right, sizes)):
        panel.set_xticks(values, [str(v) for v in values])
        panel.minorticks_off()
    return figure


def report(summary: Summary, folder: Path) -> None:
    save_figure(draw(summary["results"]), folder)
    claims = check(summary["results"])
    (folder / "table.md").write_text(table_of(claims, "rates"))
    verify(claims)


EXPERIMENT = Experiment("rates", run, summarize, report)


if __name__ == "__main__":
    EXPERIMENT.main()
