"""The level of every strategy: rejection rates and p-values under the null hypothesis."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid, problems
from experiments.command import Experiment, Summary
from experiments.common import read_json, save_figure

import samelaw as sl

PERMUTATIONS = 199
RUNS = 1_000
SMALL = sl.kernels.KernelCollection(grid=sl.kernels.GeometricGrid(3))
TINY = sl.kernels.KernelCollection(families=(sl.Gaussian,), grid=sl.kernels.GeometricGrid(2))

PROBLEMS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "2-D mixture": (lambda rng, _, n, m: problems.mixture(rng, 1.0, n, m), 40, 40),
    "50-D Gaussian": (problems.gaussian50, 40, 40),
    "heavy tails, ties": (problems.heavy_ties, 40, 40),
    "discrete": (problems.discrete, 40, 40),
    "20 v 200": (problems.skewed, 20, 200),
}

STRATEGIES: dict[str, Callable[[], sl.testing.Strategy]] = {
    "Fuse (default)": sl.Fuse,
    "Fuse, sketches": lambda: sl.Fuse([sl.testing.KernelGroup(TINY, (1, 10))], sketches=True),
    "Fuse, blocks": lambda: sl.Fuse([sl.testing.KernelGroup(SMALL, (1, 10))]),
    "Fuse, sequential": lambda: sl.Fuse([sl.testing.KernelGroup(SMALL, (1, 10))]),
    "Fuse, unbiased": lambda: sl.Fuse(
        [sl.testing.KernelGroup(SMALL, (1, 10))], statistic=sl.SecondOrder(True)
    ),
    "Fuse, exact": lambda: sl.Fuse([sl.testing.KernelGroup(TINY, (4,))], statistic=sl.Exact()),
    "Fuse, von Neumann": lambda: sl.Fuse([sl.testing.KernelGroup(TINY, (np.inf, sl.Renyi(2)))]),
    "Fuse.rjsd": sl.Fuse.rjsd,
    "Fuse.mmd": sl.Fuse.mmd,
    "Permutation": lambda: sl.Permutation(sl.GramEstimator(entropy=sl.PowerSeries(4))),
    "Split": lambda: sl.Split(iterations=10),
    "Split.mmd": lambda: sl.Split.mmd(dimensions=1),
    "Aggregate": lambda: sl.Aggregate(SMALL),
    "Aggregate.mmd": sl.Aggregate.mmd,
    "Aggregate, pairs": lambda: sl.Aggregate.mmd(pairs=20),
}
FEW = {"Fuse, exact", "Permutation"}  # O(N³) per permutation


def trial(problem: str, _: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """One p-value where there is nothing to find."""
    sampler, n, m = PROBLEMS[problem]
    options: dict[str, Any] = {"permutations": 39 if method in FEW else PERMUTATIONS}
    if method == "Fuse, sketches":
        n = max(n, 32)  # sketches need 32 blocks on each side
    x, y = sampler(rng, None, n, m)
    if method == "Fuse, blocks":  # rows come in twos that share a disturbance
        x, y = (np.repeat(z[::2], 2, axis=0) + 0.3 * rng.normal(size=(len(z), 1)) for z in (x, y))
        options["groups"] = (np.arange(n) // 2, n + np.arange(m) // 2)
    if method == "Fuse, sequential":
        options["permutations"] = sl.testing.Sequential(10, 199)
    return sl.two_sample_test(x, y, strategy=STRATEGIES[method](), rng=seed, **options).pvalue


def uniformity(values: np.ndarray[Any, Any], count: int, seed: int = 0) -> float:
    """KS p-value after spreading each p-value over the step below it: exactly uniform then."""
    from scipy.stats import kstest

    spread = values - np.random.default_rng(seed).random(len(values)) / (count + 1)
    return float(kstest(spread, "uniform").pvalue)


def table(book: dict[str, Any]) -> list[dict[str, Any]]:
    """Rejection rates with the 99.9 % region of a true level, and the KS p-values.

    P-values of sequential stopping lie on an uneven grid: no KS test for them.
    """
    from scipy.stats import binom

    lines = []
    for entry in grid.select(book):
        runs, hits = entry["repetitions"], int(grid.rejections(entry).sum())
        low, high = (binom.ppf(q, runs, grid.LEVEL) for q in (0.0005, 0.9995))
        lines.append(
            {
                "strategy": entry["method"],
                "problem": entry["problem"],
                "runs": runs,
                "rate": hits / runs,
                "interval 99.9 %": grid.interval(hits, runs, 0.999),
                "inside": bool(low <= hits <= high),
                "ks": entry.get("ks"),
            }
        )
    return lines


def draw(book: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    names = [name for name in STRATEGIES if grid.select(book, method=name)]
    if not names:
        return
    columns = 4
    rows = -(-len(names) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(11, 2.5 * rows), sharex=True, sharey=True, squeeze=False
    )
    for axis in axes.flat[len(names) :]:
        axis.axis("off")
    for axis, name in zip(axes.flat, names, strict=False):
        for entry in grid.select(book, method=name):
            values = sorted_pvalues(entry)
            axis.step(values, np.arange(1, len(values) + 1) / len(values), lw=1, where="post")
        axis.plot([0, 1], [0, 1], color="0.5", lw=0.8, ls=":")
        axis.set_title(name, fontsize=9)
    runs = min(entry["repetitions"] for entry in grid.select(book))
    figure.legend(PROBLEMS, loc="lower center", ncols=len(PROBLEMS), frameon=False, fontsize=9)
    figure.suptitle(f"Share of p-values below t under the null hypothesis (≥ {runs} runs each)")
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    save_figure(figure, folder)


def page(book: dict[str, Any], again: dict[str, Any]) -> str:
    """The table in Markdown: rejections of each strategy, problem by problem."""
    lines = table(book)
    runs = sorted({line["runs"] for line in lines})
    ks = [line["ks"] for line in lines if line["ks"] is not None]
    text = [
        "<!-- Written by `python -m experiments.level`; do not edit. -->",
        "",
        f"Rejection rates at level .05, {' or '.join(map(str, runs))} runs each; **bold**: outside "
        "the region of a test of that level (99.9 %). "
        f"Smallest of {len(ks)} Kolmogorov–Smirnov p-values: {min(ks):.4f}.",
        "",
        f"| strategy | {' | '.join(PROBLEMS)} |",
        "|---" * (len(PROBLEMS) + 1) + "|",
    ]
    for name in STRATEGIES:
        here = {line["problem"]: line for line in lines if line["strategy"] == name}
        rates = [f"{here[p]['rate']:.3f}" if p in here else "" for p in PROBLEMS]
        rates = [
            f"**{rate}**" if p in here and not here[p]["inside"] else rate
            for p, rate in zip(PROBLEMS, rates, strict=True)
        ]
        text.append(f"| {name} | {' | '.join(rates)} |")
    for entry in grid.select(again):
        share, low, high = grid.rate(entry)
        text += [
            "",
            f"Once more with other seeds: {entry['method']}, {entry['problem']}, "
            f"{entry['repetitions']} runs: {share:.4f} [{low:.4f}, {high:.4f}] (exact 95 %).",
        ]
    return "\n".join(text) + "\n"


def run(chosen: Namespace, raw: Path) -> None:
    settings = {"level": grid.LEVEL, "permutations": PERMUTATIONS, "sizes": "40 v 40"}
    path = raw / "results.json"
    if "all" in chosen.part:
        wanted = chosen.repetitions or RUNS
        cells = [grid.Cell(p, "null", s, wanted) for s in STRATEGIES for p in PROBLEMS]
        grid.run(
            cells, trial, path, seed=3, settings=settings, chosen=chosen,
            chunk=50, round_of=250,
        )  # fmt: skip
    if "again" in chosen.part and path.exists():  # what lies outside, with other seeds
        outside = [line for line in table(summarize(raw)["results"]) if not line["inside"]]
        many = chosen.repetitions or 4 * RUNS
        cells = [grid.Cell(o["problem"], "null", o["strategy"], many) for o in outside]
        grid.run(
            cells, trial, raw / "again.json", seed=4, settings=settings, chosen=chosen,
            chunk=50,
        )  # fmt: skip


def summarize(raw: Path) -> Summary:
    book = read_json(raw / "results.json")
    found = {"results": grid.with_cells(book, shape)} if book else {}
    return found | grid.books(raw, "again")


def shape(entry: dict[str, Any]) -> dict[str, Any]:
    """Rejections, uniformity, and how often each p-value came: the curve of the figure."""
    values = np.asarray(entry["values"])
    steps = 40 if entry["method"] in FEW else PERMUTATIONS + 1
    places = np.rint(values * steps).astype(int)
    kept: dict[str, Any] = {"rejected": grid.to_bits(grid.rejections(entry))}
    if entry["method"] == "Fuse, sequential":  # stopped early: an uneven grid, no KS test
        unique, counts = np.unique(values, return_counts=True)
        return kept | {"pvalues": unique.tolist(), "counts": counts.tolist()}
    counts = np.bincount(places, minlength=steps + 1)[1:]
    return kept | {"ks": uniformity(values, steps - 1), "counts": counts.tolist()}


def sorted_pvalues(entry: dict[str, Any]) -> np.ndarray[Any, Any]:
    """All p-values of a cell in their order."""
    counts = entry["counts"]
    places = entry.get("pvalues", np.arange(1, len(counts) + 1) / len(counts))
    return np.repeat(places, counts)


def report(summary: Summary, folder: Path) -> None:
    book = summary["results"]
    for line in table(book):
        low, high = line["interval 99.9 %"]
        ks = "" if line["ks"] is None else f"{line['ks']:.3f}"
        print(
            f"{line['strategy']:18} {line['problem']:18} {line['runs']:5d} {line['rate']:.3f} "
            f"[{low:.3f}, {high:.3f}] {'' if line['inside'] else 'OUTSIDE'} KS {ks}"
        )
    draw(book, folder)
    (folder / "table.md").write_text(page(book, summary.get("again", {})))


EXPERIMENT = Experiment("level", run, summarize, report, ("all", "again"))


if __name__ == "__main__":
    EXPERIMENT.main()
