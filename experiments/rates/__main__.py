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
    "joint_sizes": [64, 256, 1024, 4096, 16384],
    "joint_repetitions": [60, 60, 40, 8, 4],
    "bandwidths": [2.0, 1.4, 1.0],
    "reach": 300.0,
}
FREQUENCIES = 60
"""Of the circle kernel that are kept for the truth; the rest adds less than 1e-12."""
FIXED, SLOWEST, SLOW, FAST = "σ = 2, fixed", "σ = 3 n^(−1/5)", "σ = 3 n^(−1/3)", "σ = 200/n²"
BANDWIDTHS: dict[str, Callable[[float], float]] = {
    FIXED: lambda n: 2.0,
    SLOWEST: lambda n: 3 * n ** (-1 / 5),
    SLOW: lambda n: 3 * n ** (-1 / 3),
    FAST: lambda n: 200 / n**2,
}
"""Rates of the bandwidth: never, slowly enough, too fast."""
CELLS = 2
"""Cells per bandwidth, each of which gives a landmark."""


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


def divergence(x: Any, y: Any, bandwidth: float) -> float:
    """RJSD of two columns from one row of every cell of half a bandwidth that has any.

    In one dimension these carry all that the kernel sees: the estimate from all pairs of rows has
    the same first four digits (`deviation`), at a cost that grows as n³.
    """
    pool = np.concatenate([x, y])
    _, first = np.unique(np.floor(pool[:, 0] * (CELLS / bandwidth)), return_index=True)
    return float(sl.NystromEstimator(sl.Gaussian(bandwidth), pool[first])(x, y))


def deviation() -> float:
    """The largest difference to all pairs of rows over all paths, 256 rows."""
    x, y = CauchyPair.with_jsd(SETTINGS["jsd"]).draw(256, rng=11)
    apart = [
        divergence(x, y, rule(256)) - float(sl.rjsd(x, y, kernel=sl.Gaussian(rule(256))))
        for rule in BANDWIDTHS.values()
    ]
    return float(np.abs(apart).max())


def joint() -> dict[str, Any]:
    """Divergences of two Cauchy laws while the bandwidth shrinks with the rows."""
    problem = CauchyPair.with_jsd(SETTINGS["jsd"])
    found: dict[str, list[list[float]]] = {name: [] for name in BANDWIDTHS}
    for n, count in zip(SETTINGS["joint_sizes"], SETTINGS["joint_repetitions"], strict=True):
        samples = [problem.draw(n, rng=[7, n, r]) for r in range(count)]
        for name, rule in BANDWIDTHS.items():
            if name == FAST and n > 256:  # all rows are alone, and each is a landmark
                continue
            found[name].append([divergence(x, y, rule(n)) for x, y in samples])
    errors = {k: [np.std(v, ddof=1) / math.sqrt(len(v)) for v in w] for k, w in found.items()}
    return {
        "joint": {k: np.round([np.mean(v) for v in w], 5).tolist() for k, w in found.items()},
        "joint standard errors": {k: np.round(v, 5).tolist() for k, v in errors.items()},
        "deviation": round(deviation(), 6),
    }


def population() -> dict[str, Any]:
    """What the kernel hides of the JSD of the two laws, without samples: on a grid of 0.4 σ.

    The grid ends at ±``reach``, beyond which the laws are alike; so is the JSD it is compared with.
    """
    problem, reach = CauchyPair.with_jsd(SETTINGS["jsd"]), SETTINGS["reach"]
    hidden = []
    for bandwidth in SETTINGS["bandwidths"]:
        at = np.arange(-reach, reach, 0.4 * bandwidth)
        laws = [1 / (1 + (at - place) ** 2) for place in (0.0, problem.location)]
        first, second = (law / law.sum() for law in laws)
        mixed = (first + second) / 2
        gram = np.asarray(sl.Gaussian(bandwidth)(at[:, None], at[:, None]))
        whole, *parts = (
            entropy_of(np.sqrt(law)[:, None] * gram * np.sqrt(law))
            for law in (mixed, first, second)
        )
        jsd = sum(np.sum(law * np.log(law / mixed)) for law in (first, second)) / 2
        hidden.append(float(jsd - whole + sum(parts) / 2))
    return {"hidden": np.round(hidden, 6).tolist()}


def run(chosen: Namespace, raw: Path) -> None:
    if chosen.quick:
        SETTINGS.update(repetitions=5, joint_repetitions=[4, 3, 2], joint_sizes=[64, 256, 1024])
    found = {**read_json(raw / "results.json"), "settings": SETTINGS}
    if "circle" in chosen.part:
        found |= {"versions": versions(), **circle()}
    if "joint" in chosen.part:
        found |= {"joint versions": versions(), **joint(), **population()}
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
    jsd, joint_sizes = found["settings"]["jsd"], found["settings"]["joint_sizes"]

    def near(name: str, rate: float) -> tuple[str, bool]:
        told = f"{name}: it spreads as n^{slopes[name]:.2f}, in theory n^{rate:g}"
        return told, abs(slopes[name] - rate) < 0.2

    worst = np.abs(found["bias"]["entropy of a tilted law"])
    loose = min(bound(n) / error for n, error in zip(sizes, worst, strict=True))
    biases = [slope(sizes, np.abs(values).tolist()) for values in found["bias"].values()]
    rising = bool(np.all(np.diff(found["joint"][FAST]) > -0.02))

    widths = found["settings"]["bandwidths"]
    hidden = float(np.polyfit(np.log(widths), np.log(found["hidden"]), 1)[0])

    def slowly(name: str) -> tuple[str, bool]:
        above = np.array(found["joint"][name]) - jsd
        noise = 2 * np.array(found["joint standard errors"][name])
        falls = bool(np.all(np.diff(np.abs(above)) < np.hypot(noise[1:], noise[:-1])))
        rate = slope(joint_sizes, np.abs(above).tolist())
        told = (
            f"{name}: {above[0]:+.3f} … {above[-1]:+.3f} from the JSD, {jsd:.3f}, n = "
            f"{joint_sizes[0]} to {joint_sizes[-1]:,}: it falls as n^{rate:.2f}"
        )
        return told, falls and rate < -0.1 and abs(above[-1]) < 0.035

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
                f"what a kernel hides of the JSD falls as σ^{hidden:.2f}, in theory σ²",
                abs(hidden - 2) < 0.1,
            ),
            slowly(SLOWEST),
            slowly(SLOW),
            (f"{FAST}, too fast: {last[FAST]:.3f}, not the JSD", last[FAST] > jsd + 0.1 and rising),
            (f"{FIXED}: {last[FIXED]:.3f}, below the JSD", last[FIXED] < jsd),
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
    for (name, values), colour, mark in zip(found["joint"].items(), COLOURS, MARKS, strict=True):
        error, at = found["joint standard errors"][name], sizes[: len(values)]
        right.errorbar(at, values, error, color=colour, marker=mark, ms=4, capsize=2, label=name)
    right.axhline(found["settings"]["jsd"], color="0.2", lw=1, label="Jensen–Shannon divergence")
    right.axhline(LOG2, color="0.2", ls=":", lw=1, label="log 2")
    right.set(xscale="log", xlabel="rows n = m", ylabel="divergence (nats)", ylim=(0, 0.75))
    right.set_title("Two Cauchy laws: how fast may σ go to 0?")
    right.legend(fontsize=7.5, frameon=False, loc="lower left")
    for panel, values in ((left, found["settings"]["sizes"]), (right, sizes)):
        panel.set_xticks(values, [f"{v:,}" for v in values])
        panel.minorticks_off()
    return figure


def report(summary: Summary, folder: Path) -> None:
    save_figure(draw(summary["results"]), folder)
    claims = check(summary["results"])
    (folder / "table.md").write_text(table_of(claims, "rates"))
    verify(claims)


EXPERIMENT = Experiment("rates", run, summarize, report, ("circle", "joint"))


if __name__ == "__main__":
    EXPERIMENT.main()
