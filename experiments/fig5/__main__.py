"""Figure 5 of the paper: power on the Mixture and on real data, beside the published curves."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid, problems
from experiments.command import Experiment, Summary
from experiments.common import HERE, read_json, save_figure

import samelaw as sl
from samelaw.testing import KernelGroup

PUBLISHED = HERE / "fig5" / "published.json"
PERMUTATIONS = 199
SIGMAS = (1.6, 0.7, 2.0, 0.6, 1.4, 0.8, 1.0, 0.5, 1.2, 0.9, 1.8)
SIZES = (500, 1000, 1500, 2000, 2500, 3000)
ORDERS = (1, 2, 4, 6, 10, 20, "inf")
QUANTILES = sl.kernels.KernelCollection(grid=sl.kernels.QuantileGrid())
GEOMETRIC = sl.kernels.KernelCollection(grid=sl.kernels.GeometricGrid())


def on_grid(plan: sl.Fuse, kernels: sl.kernels.KernelCollection) -> sl.Fuse:
    """The plan with these kernels in every group."""
    return replace(plan, components=[replace(g, kernels=kernels) for g in kernel_groups(plan)])


def kernel_groups(plan: sl.Fuse) -> list[KernelGroup]:
    """The groups of kernels of a plan; nothing but those in the tests of the paper."""
    return [group for group in plan.components if isinstance(group, KernelGroup)]


METHODS: dict[str, Callable[[], sl.testing.Strategy]] = {
    "Fuse (default)": sl.Fuse,
    "RJSD-Fuse": sl.Fuse.rjsd,
    "MMD-Fuse": sl.Fuse.mmd,
    "RJSD-Fuse, corrected": lambda: sl.Fuse.rjsd(corrected=True),
    "RJSD-Fuse, λ = 1": lambda: sl.Fuse.rjsd(sharpness=1.0),
    "RJSD-Fuse, λ = 500": lambda: sl.Fuse.rjsd(sharpness=500.0),
    "RJSD-Fuse, λ = ∞": lambda: replace(sl.Fuse.rjsd(), combine=sl.testing.Maximum()),
    "Fuse, quantile grid": lambda: sl.Fuse([KernelGroup(QUANTILES, (1, 30))]),
    "RJSD-Fuse, geometric grid": lambda: on_grid(sl.Fuse.rjsd(), GEOMETRIC),
    "MMD-Fuse, quantile grid": lambda: on_grid(sl.Fuse.mmd(), QUANTILES),
    "MMD-Fuse, geometric grid": lambda: on_grid(sl.Fuse.mmd(), GEOMETRIC),
    "Aggregate": sl.Aggregate,
    "MMDAgg": sl.Aggregate.mmd,
    "MMDAggInc": lambda: sl.Aggregate.mmd(pairs=200),
    "RJSD-Split": sl.Split,
    "MMD-Split": sl.Split.mmd,
    **{
        f"order {p}": (
            lambda p=p: sl.Fuse([KernelGroup(entropies=(float(p) if p == "inf" else p,))])
        )
        for p in ORDERS
    },
}
DEFAULT, FUSED = ("Fuse (default)",), ("RJSD-Fuse", "MMD-Fuse")
FORMS = ("RJSD-Fuse", "MMD-Fuse", "RJSD-Fuse, corrected")
"""Figure 5d: with and without the correction of the bias that the paper leaves open."""
SHARPNESS = ("RJSD-Fuse, λ = 1", "RJSD-Fuse, λ = 500", "RJSD-Fuse, λ = ∞")
"""And λ, which it does not state; of RJSD-Fuse it is n(n − 1)."""
OTHERS = tuple(
    name
    for name in METHODS
    if name not in (*DEFAULT, *FORMS, *SHARPNESS) and not name.startswith("order")
)
FEWER = {1500: 30, 2000: 20, 3000: 12}
"""Draws of RJSD-Fuse by n: all pairs of 2n rows and 20 kernels take 15, 35 and 120 seconds."""
SAMPLERS = {
    "mixture": problems.mixture,
    "galaxy": problems.galaxy_rows,
    "hard images": problems.cifar_hard,
    "digits": problems.digits,
}
BY_ROWS: dict[str, tuple[Callable[..., Any], float]] = {
    "mixture, rows": (problems.mixture, 1.3),
    "votes, rows": (problems.cifar_votes, 0.0),
    "galaxy, c = 0.3, rows": (problems.galaxy_rows, 0.3),
}
"""Samplers whose size varies, with the strength of the change."""
GALAXY_ROWS = (125, 250, 500)
REAL = {
    "hard": ("hard images", (0.2, 0.3, 0.4, 0.5)),
    "digits": ("digits", (0.05, 0.1, 0.15, 0.2)),
}
ROWS = {"digits": 200}  # 500 elsewhere
PARTS = (
    "bars",
    "curve",
    "grids",
    "orders",
    "others",
    "sizes",
    "more_rows",
    "votes",
    "hard",
    "digits",
    "galaxy",
    "galaxy_rows",
)


def cells(part: str, most: int | None) -> list[grid.Cell]:
    """What a part of the experiment has to fill in."""

    def table(problem: str, values: Any, methods: Any, repetitions: int = 200) -> list[grid.Cell]:
        wanted = repetitions if most is None else min(most, repetitions)
        return [grid.Cell(problem, v, m, wanted) for v in values for m in methods]

    if part in ("bars", "curve"):
        at = SIGMAS[:2] if part == "bars" else SIGMAS
        return table("mixture", at, FUSED) + table("mixture", at, DEFAULT, 100)
    if part == "grids":
        return table("mixture", SIGMAS[:2], [name for name in OTHERS if name.endswith("grid")], 50)
    if part == "orders":
        fast, slow = [f"order {p}" for p in ORDERS[:-1]], ["order inf"]
        return table("mixture", SIGMAS[:2], fast, 50) + table("mixture", SIGMAS[:2], slow, 20)
    if part == "others":
        return table("mixture", SIGMAS, [name for name in OTHERS if not name.endswith("grid")], 50)
    if part == "sizes":
        few, many = SIZES[:2], SIZES[2:]
        small = table("mixture, rows", few, FUSED) + table("mixture, rows", few, DEFAULT, 100)
        return small + table("mixture, rows", many, (*DEFAULT, "MMD-Fuse"), 50)
    if part == "more_rows":
        rare = (table("mixture, rows", (n,), FUSED[:1], count) for n, count in FEWER.items())
        return [cell for found in rare for cell in found]
    if part == "votes":
        others = ("MMDAgg", "MMD-Split")
        small = table("votes, rows", (500, 1000), (*DEFAULT, *FUSED, *others), 50)
        return small + table("votes, rows", (2000,), (*DEFAULT, "MMD-Fuse", *others), 50)
    if part in ("hard", "digits"):
        problem, strengths = REAL[part]
        return table(problem, strengths, (*DEFAULT, *FUSED, "MMDAgg", "MMD-Split"), 50)
    if part == "galaxy_rows":
        problem = "galaxy, c = 0.3, rows"
        forms = table(problem, GALAXY_ROWS, FORMS, 50)
        sharpness = table(problem, GALAXY_ROWS[1:2], SHARPNESS, 50)
        return forms + sharpness + table(problem, GALAXY_ROWS[:2], DEFAULT, 50)
    shares = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
    return table("galaxy", shares, (*FUSED, "MMDAgg"), 50)


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of a strategy on one draw."""
    strategy = METHODS[method]()
    if problem.endswith(", rows"):
        sampler, strength = BY_ROWS[problem]
        x, y = sampler(rng, strength, value, value)
    else:
        n = ROWS.get(problem, 500)
        x, y = SAMPLERS[problem](rng, value, n, n)
    if problem.startswith("galaxy"):
        strategy, x, y = on_images(strategy, x, y, pixels=method == "Fuse (default)")
    memory = 2.0**34 if method == "RJSD-Fuse" else None
    test = sl.two_sample_test(
        x, y, strategy=strategy, permutations=PERMUTATIONS, rng=seed, memory=memory
    )
    return test.pvalue


def on_images(
    strategy: Any, x: Any, y: Any, *, pixels: bool
) -> tuple[sl.testing.Strategy, Any, Any]:
    """The test of the images with these numbers: from their pixels, or from distances known before.

    12,288 pixels make distances the dearest part of a test; there are only 2,000 images. Kernels
    become Gram matrices of row numbers; the default looks at more than distances.
    """
    if pixels:
        images = problems.galaxy_images()[0]
        return strategy, images[x], images[y]
    chosen = np.concatenate([x, y])
    number = np.arange(len(chosen), dtype=float)[:, None]
    made = on_distances(strategy, chosen)
    return made, number[: len(x)], number[len(x) :]


def on_distances(strategy: Any, chosen: Any) -> sl.testing.Strategy:
    """The strategy with every collection of kernels as Gram matrices of the chosen images."""

    def grams(collection: Any) -> list[sl.kernels.Kernel]:
        kernels: list[sl.kernels.Kernel] = []
        for family in collection.families:
            apart = problems.galaxy_distances()[family.metric][np.ix_(chosen, chosen)]
            power = 2 if family.metric == "sqeuclidean" else 1
            for width in collection.grid(apart[np.triu_indices(len(apart), 1)].astype(float)):
                profile = family(1.0).profile((apart / np.float32(width)) ** power)
                kernels.append(sl.kernels.Precomputed(profile))
        return kernels

    if isinstance(strategy, sl.Fuse):
        groups = kernel_groups(strategy)
        return replace(strategy, components=[replace(g, kernels=grams(g.kernels)) for g in groups])
    return replace(strategy, kernels=grams(strategy.kernels))


# --- the figure ---------------------------------------------------------------------------------

COLOURS = {  # told apart without red and green too
    "Fuse (default)": "#d55e00", "RJSD-Fuse": "#0072b2", "MMD-Fuse": "#009e73",
    "RJSD-Fuse, corrected": "#56b4e9", "MMDAgg": "#e69f00", "MMDAggInc": "#b8a000",
    "Aggregate": "#7f5200", "MMD-Split": "#cc79a7", "RJSD-Split": "#000000",
}  # fmt: skip
MARKS = {
    "RJSD-Fuse": "s", "MMD-Fuse": "^", "RJSD-Fuse, corrected": "D", "MMDAgg": "v", "MMD-Split": "P",
    "RJSD-Fuse, λ = 1": "1", "RJSD-Fuse, λ = 500": "2", "RJSD-Fuse, λ = ∞": "3",
}  # fmt: skip


def curve(axis: Any, book: dict[str, Any], problem: str, method: str, **style: Any) -> None:
    """Power with exact 95 % intervals."""
    found = sorted(grid.select(book, problem=problem, method=method), key=lambda e: e["value"])
    if not found:
        return
    power = np.array([grid.rate(entry) for entry in found])
    look = {"color": COLOURS.get(method, "0.4"), "marker": MARKS.get(method, "o")}
    style = {**look, "lw": 1.6, "ms": 4, **style}
    everywhere = {entry["value"] for entry in grid.select(book, problem=problem)}
    if len(found) < 0.7 * len(everywhere):  # a line would pretend to know what lies between
        style["ls"] = "none"
    errors = np.abs(power[:, 1:] - power[:, :1]).T
    axis.errorbar(
        [e["value"] for e in found], power[:, 0], errors, label=method, elinewidth=0.7, **style
    )


SHADES = {"MMD-FUSE": "0.1", "MMDAgg": "0.3", "SCF": "0.45", "ACTT": "0.55", "AutoML": "0.6"}


def published(axis: Any, name: str) -> None:
    """The curves of the MMD-FUSE paper, thin; the strongest with a name."""
    held = read_json(PUBLISHED)[name]
    for index, (method, power) in enumerate(held["power"].items()):
        axis.plot(
            held["x"],
            power[: len(held["x"])],
            ls=("-", "--", ":", "-.")[index % 4],
            color=SHADES.get(method, "0.8"),
            lw=0.9,
            zorder=1,
            label=f"{method}, published" if method in SHADES else None,
        )


def draw(book: dict[str, Any], rivals: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 3, figsize=(13, 11.5), sharey=True)
    sigma, size, order, split, *real = axes.flat
    published(sigma, "mixture_vary_dif")
    published(size, "mixture_vary_n")
    for method in METHODS:
        if method in (*DEFAULT, *FUSED, "Aggregate", "MMDAgg", "MMDAggInc"):
            curve(sigma, book, "mixture", method)
        curve(size, book, "mixture, rows", method)
    for index, method in enumerate(sorted({e["method"] for e in grid.select(rivals)})):
        look = {"color": list(COLOURS.values())[index + 2], "marker": "sD^v"[index % 4]}
        curve(split, rivals, "mixture", method, ls="--", lw=1, **look)
    for method in ("Fuse (default)", "RJSD-Split", "MMD-Split"):
        curve(split, book, "mixture", method)
    for value, colour in zip(SIGMAS[:2], ("#d55e00", "#0072b2"), strict=True):
        shown = [
            (i, *grid.rate(entry))
            for i, p in enumerate(ORDERS)
            for entry in grid.select(book, problem="mixture", value=value, method=f"order {p}")
        ]
        if shown:
            at = np.array(shown)
            errors = np.abs(at[:, 2:] - at[:, 1:2]).T
            order.errorbar(
                at[:, 0], at[:, 1], errors, color=colour, marker="o", ms=3, label=f"σ = {value}"
            )
    order.set_xticks(range(len(ORDERS)), [str(p).replace("inf", "∞") for p in ORDERS])
    names = ("galaxy", "galaxy, c = 0.3, rows", "votes, rows", "hard images", "digits")
    for axis, problem in zip(real, names, strict=True):
        for method in METHODS:
            curve(axis, book, problem, method)
    titles = (
        "Mixture, n = m = 500", "Mixture, σ = 1.3", "Single orders, n = m = 500",
        "Mixture: splits and rivals", "Galaxy Zoo, n = m = 500", "Galaxy Zoo, c = 0.3",
        "CIFAR-10 v 10.1, votes",
        "CIFAR-10, hard images, n = m = 500", "MNIST v USPS, n = m = 200",
    )  # fmt: skip
    labels = (
        "σ of the fourth cluster", "n = m", "order p", "σ of the fourth cluster",
        "share of spirals c", "n = m", "n = m", "share of hard images", "share of USPS",
    )  # fmt: skip
    for axis, title, label in zip(axes.flat, titles, labels, strict=True):
        axis.axhline(grid.LEVEL, color="0.6", lw=0.7, ls=":")
        axis.set_title(title, fontsize=10)
        axis.set_xlabel(label, fontsize=9)
        axis.set_ylim(-0.02, 1.02)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize=6.5, frameon=False)
        else:
            axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center", color="0.5")
            axis.set_xticks([])
    for axis in axes[:, 0]:
        axis.set_ylabel("power")
    figure.tight_layout()
    save_figure(figure, folder)


def run(chosen: Namespace, raw: Path) -> None:
    grid.run(
        [cell for part in chosen.part for cell in cells(part, chosen.repetitions)],
        trial,
        raw / "results.json",
        seed=5,
        settings={"level": grid.LEVEL, "permutations": PERMUTATIONS},
        chosen=chosen,
    )


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "results", "rivals")


def report(summary: Summary, folder: Path) -> None:
    book = summary["results"]
    print(grid.summary(book))
    draw(book, summary.get("rivals", {}), folder)
    (folder / "table.md").write_text(grid.page(book, "experiments.fig5"))


EXPERIMENT = Experiment("fig5", run, summarize, report, PARTS)


if __name__ == "__main__":
    EXPERIMENT.main()
