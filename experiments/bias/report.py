"""The figure, the tables of the docs and the claims, from the summary."""

from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

Rows = list[dict[str, Any]]
METHODS = ("plain", "corrected", "unbiased, 1", "unbiased, 4", "unbiased, 16")
STYLES: dict[
    str, dict[str, Any]
] = {  # in the order of drawing: the correction on top, for it often hides the others
    "plain": {"color": "#c0392b"},
    "unbiased, 1": {"color": "#a9d8c1", "lw": 5},
    "unbiased, 4": {"color": "#4fae83", "lw": 3},
    "unbiased, 16": {"color": "#00603b", "lw": 1.5},
    "corrected": {"color": "#0072b2", "ls": "--"},
}
NOISE = 4.0  # standard errors of a mean bias; hundreds of cells are looked at
EQUAL_SIZES = (20, 50, 100, 200, 500)


def select(rows: Rows, **wanted: Any) -> Rows:
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def one(rows: Rows, **wanted: Any) -> dict[str, Any]:
    (row,) = select(rows, **wanted)
    return row


def draw(rows: Rows) -> Any:
    """Bias (above) and root mean square error (below) against n, one column per order."""
    orders = [1, 4, 10, "∞"]
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 9.5}):
        figure, axes = plt.subplots(2, 4, figsize=(12, 5.6), sharex=True, layout="constrained")
        for column, order in enumerate(orders):
            for method, style in STYLES.items():
                cells = [
                    row
                    for row in select(rows, problem="rough", order=order, method=method)
                    if row["n"] == row["m"]
                ]
                if not cells:
                    continue
                sizes = [row["n"] for row in cells]
                spread = [2 * row["bias_se"] for row in cells]
                bias = [row["bias"] for row in cells]
                axes[0, column].errorbar(
                    sizes, bias, spread, marker="o", ms=3.5, label=method, **style
                )
                rmse = [row["rmse"] for row in cells]
                axes[1, column].plot(sizes, rmse, marker="o", ms=3.5, **style)
            title = "von Neumann" if order == "∞" else f"order {order}"
            truth = select(rows, problem="rough", order=order, n=50, m=50)[0]["truth"]
            axes[0, column].set_title(f"{title}, true value {truth:.4f}", loc="left")
            axes[0, column].axhline(0, color="black", lw=0.8)
            axes[1, column].set(xlabel="rows per sample, n = m", yscale="log")
            axes[1, column].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes[1, column].yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
            axes[1, column].yaxis.set_minor_locator(NullLocator())
        for panel in axes.flat:
            panel.set(xscale="log", xticks=EQUAL_SIZES, xticklabels=map(str, EQUAL_SIZES))
            panel.xaxis.set_minor_locator(NullLocator())
            panel.spines[["top", "right"]].set_visible(False)
        axes[0, 0].set_ylabel("bias (± 2 standard errors)")
        axes[1, 0].set_ylabel("root mean square error")
        axes[0, 0].legend(frameon=False, fontsize=8)
    return figure


def table(rows: Rows) -> str:
    """Markdown: bias ± spread by size, the cost, and the coverage of the standard error."""
    lines = ["<!-- Written by `python -m experiments.bias`; do not edit. -->", ""]
    for name in ("smooth", "rough"):
        lines += [f"**Bias ± standard deviation of one estimate, {name} kernel**", ""]
        lines += _header("order", "n, m", "true value", *METHODS)
        for order in (1, 10, "∞"):
            for n, m in ((20, 20), (50, 50), (200, 200), (500, 500), (20, 60), (50, 150)):
                cells = select(rows, problem=name, order=order, n=n, m=m)
                if not cells:
                    continue
                found = {row["method"]: f"{row['bias']:+.4f} ± {row['sd']:.4f}" for row in cells}
                shown = [found.get(method, "–") for method in METHODS]
                lines.append(_line(order, f"{n}, {m}", f"{cells[0]['truth']:.4f}", *shown))
        lines.append("")
    lines += ["**CPU time of one estimate of order 10, in milliseconds**", ""]
    lines += _header("n, m", *METHODS)
    for n in EQUAL_SIZES:
        cells = select(rows, problem="rough", order=10, n=n, m=n)
        cost = {row["method"]: f"{1e3 * row['seconds']:.3g}" for row in cells}
        lines.append(_line(f"{n}, {n}", *(cost.get(method, "–") for method in METHODS)))
    lines += [
        "",
        "**Share of intervals, estimate ± 1.96 standard errors, that hold the truth**",
        "",
    ]
    centres = ("plain", "corrected")
    orders = (1, 4, 10, "∞")
    lines += _header("kernel", "n, m", *(f"order {o}, {c}" for o in orders for c in centres))
    for name in ("smooth", "rough"):
        for n, m in (*((k, k) for k in EQUAL_SIZES), (20, 60), (50, 150)):
            if not select(rows, problem=name, n=n, m=m):
                continue
            cells = [
                one(rows, problem=name, order=o, n=n, m=m, method=c)["coverage"]
                for o in orders
                for c in centres
            ]
            lines.append(_line(name, f"{n}, {m}", *(f"{value:.2f}" for value in cells)))
    return "\n".join(lines) + "\n"


def _header(*names: str) -> list[str]:
    return [_line(*names), _line(*("---" for _ in names))]


def _line(*cells: Any) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def check(rows: Rows) -> dict[str, bool]:
    """What the docs say about the three estimators, as claims."""
    unbiased = [row for row in rows if row["method"].startswith("unbiased")]
    finite = [row for row in rows if row["order"] != "∞"]

    def pairs(cells: Rows, *methods: str) -> list[tuple[dict[str, Any], ...]]:
        keys = {(r["problem"], r["n"], r["m"], r["order"]) for r in cells}
        names = ("problem", "n", "m", "order")
        return [
            tuple(one(rows, method=m, **dict(zip(names, key, strict=True))) for m in methods)
            for key in keys
        ]

    return {
        "the unbiased estimator is unbiased": all(
            abs(row["bias"]) < NOISE * row["bias_se"] for row in unbiased
        ),
        "the plain estimator is biased upwards": all(
            row["bias"] > 0 for row in select(rows, method="plain")
        ),
        "for power series the correction leaves at most a quarter of the bias": all(
            abs(fixed["bias"]) < 0.25 * plain["bias"] + NOISE * fixed["bias_se"]
            for plain, fixed in pairs(finite, "plain", "corrected")
        ),
        "and at most a tenth from 50 rows on": all(
            abs(fixed["bias"]) < 0.1 * plain["bias"] + NOISE * fixed["bias_se"]
            for plain, fixed in pairs(finite, "plain", "corrected")
            if min(plain["n"], plain["m"]) >= 50
        ),
        "for von Neumann it removes a part of the bias everywhere": all(
            abs(fixed["bias"]) < plain["bias"]
            for plain, fixed in pairs(select(rows, order="∞"), "plain", "corrected")
        ),
        "for power series the correction lowers the root mean square error": all(
            fixed["rmse"] <= 1.01 * plain["rmse"]
            for plain, fixed in pairs(finite, "plain", "corrected")
        ),
        "one ordering spreads at most a tenth more than the correction": all(
            single["sd"] < 1.1 * fixed["sd"]
            for single, fixed in pairs(unbiased, "unbiased, 1", "corrected")
        ),
        "more orderings than one take away less than a tenth of the spread": all(
            four["sd"] > 0.9 * single["sd"]
            for single, four in pairs(
                select(rows, method="unbiased, 4"), "unbiased, 1", "unbiased, 4"
            )
        ),
        "power series, n ≥ 50: intervals around the correction cover 88 % or more": all(
            row["coverage"] > 0.88
            for row in finite
            if row["method"] == "corrected" and min(row["n"], row["m"]) >= 50
        ),
    }
