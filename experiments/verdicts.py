"""What became of every figure and table of the paper: ``python -m experiments.verdicts``.

Words and numbers are both made from the summaries, so a verdict follows its draws. ``verdicts.md``
is part of the documentation, ``verdicts.json`` the same for a program.
"""

import json
from functools import cache

from experiments.adaptation_verdicts import adaptation
from experiments.common import HERE, UNFIT
from experiments.estimation_verdicts import Stream, estimators, joint_limit, pictures
from experiments.power_verdicts import deep, images, mixture, rivals, shift, split_orders
from experiments.verdict import WORDS, Verdict, summary


@cache
def verdicts() -> list[Verdict]:
    """All of them; a page asks once per row."""
    parts = (
        estimators, Stream().verdicts, split_orders, deep, mixture, images, rivals, adaptation,
        joint_limit, pictures,
    )  # fmt: skip
    return [*(verdict for part in parts for verdict in part()), shift()]


def unfit_cells(name: str) -> tuple[int, int, float]:
    """Cells (or books without any) that name a commit without all the code, of how many; hours."""
    unfit, total, seconds = 0, 0, 0.0
    for book in summary(name).values():
        whole = [book.get("versions", {}).get("commit", "")]
        for cell in (book.get("cells") or {"": {}}).values():
            named = cell.get("commits", whole)
            total += bool(any(named))
            if any(one.endswith(UNFIT) for one in named):
                unfit, seconds = unfit + 1, seconds + cell.get("seconds", 0.0)
    return unfit, total, seconds / 3600


def uncommitted() -> str:
    """Experiments with such cells, how many, and what it takes to draw them again."""
    told = []
    for name in sorted(path.parent.name for path in HERE.glob("*/summary.json")):
        unfit, total, hours = unfit_cells(name)
        if unfit:
            cost = f", {hours:.1f} CPU hours" if hours else ""
            told.append(f"{name} ({unfit} of {total}{cost})")
    return "; ".join(told)


def pictured(found: list[Verdict]) -> dict[str, str]:
    """The first figure or table of each experiment: there its picture stands."""
    shown: dict[str, str] = {}
    for verdict in found:
        if verdict.source and verdict.item.startswith(("Figure", "Table")):
            shown.setdefault(verdict.source, verdict.item)
    return shown


def section(item: str, found: list[Verdict]) -> list[str]:
    folders = [folder for folder, where in pictured(found).items() if where == item]
    pictures = [f"![{item}, drawn again](../experiments/{k}/figure.png)" for k in folders]
    lines = [verdict.line for verdict in found if verdict.item == item]
    return [f"### {item}", "", *lines, "", *(line for one in pictures for line in (one, ""))]


def page() -> str:
    """Markdown, as the documentation includes it."""
    found = verdicts()
    counts = ", ".join(f"{sum(v.word == w for v in found)} {w}" for w in WORDS)
    items = dict.fromkeys(verdict.item for verdict in found)
    return "\n".join(
        [
            "<!-- Written by `python -m experiments.verdicts`; do not edit. -->",
            "",
            f"{len(found)} claims: {counts}.",
            "",
            *(line for item in items for line in section(item, found)),
            "### Commits",
            "",
            provenance(uncommitted()),
            "",
        ]
    )


def provenance(unfit: str) -> str:
    """What drew the results; ``unfit`` counts those of code that was not committed."""
    said = "Every result in a `summary.json` names the commits whose code drew it"
    if not unfit:
        return f"{said}; none was drawn by code that was not committed."
    return (
        f"{said}. Some of the older ones were drawn by code that was committed only later, so that "
        "their commit is near what made them, and not exactly it; they stand, as they take long to "
        f"draw again (how many of how many results, and the time for it): {unfit}."
    )


def records() -> str:
    """JSON: a line per claim, which names the summary with seeds, versions and commits."""
    lines = (json.dumps(verdict.record, ensure_ascii=False) for verdict in verdicts())
    return "[\n " + ",\n ".join(lines) + "\n]\n"


def write() -> None:
    (HERE / "verdicts.md").write_text(page())
    (HERE / "verdicts.json").write_text(records())


if __name__ == "__main__":
    write()
