"""One name per figure and table of the paper: ``python -m experiments fig1 [--quick]``.

A full run goes on where an earlier one stopped, writes table, figure and numbers into the folders
of the experiments, and the verdicts and the checklist anew; a quick one tries everything with a few
draws in ``build`` and decides nothing.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass

from experiments.command import RAW, refuse_uncommitted
from experiments.common import HERE, read_json, versions

DONE = RAW / "reproduced.json"
"""Which names were run in full, and at which commit: ``all`` does not repeat them."""


@dataclass(frozen=True)
class Item:
    """A figure or table: what it shows, who makes it, and where its verdicts stand."""

    title: str
    runs: tuple[tuple[str, ...], ...]
    """Experiment, then its parts; none: all."""
    headings: tuple[str, ...]
    """How the items of its verdicts begin."""


def _tables(benchmark: str) -> tuple[str, ...]:
    return ("tables2_4", *(f"{part} {benchmark}" for part in ("beta", "main", "orders")))


ITEMS = {
    "fig1": Item("three estimators while the bandwidth varies", (("fig1",),), ("Figure 1",)),
    "fig2": Item("the three entropies inside RJSD", (("fig2",),), ("Figure 2",)),
    "fig3": Item("learning the divergence of a stream", (("fig3",),), ("Figure 3",)),
    "fig4": Item("power against the order", (("fig4",), ("fig4_deep",)), ("Figure 4",)),
    "fig5": Item(
        "power against strength and size", (("fig5",),), ("Figure 5", "Section 5.3", "Abstract")
    ),
    "fig8": Item("distances, and RJSD over ten bandwidths", (("fig8",),), ("Figure 8",)),
    "table1": Item("CIFAR-10 against 10.1", (("table1",), ("fig4_deep",)), ("Table 1",)),
    "table2": Item("adaptation, Office-31", (_tables("office31"),), ("Table 2", "Tables 2")),
    "table3": Item(
        "adaptation, Office-Home (Office-Caltech-10)",
        (_tables("surf"), _tables("caltech")),
        ("Table 3", "Tables 2"),
    ),
    "table4": Item("adaptation, ImageNet-R (PACS)", (_tables("pacs"),), ("Table 4", "Tables 2")),
}


def listing() -> str:
    """Names, what they are, the draws that are kept and the word for each claim."""
    from experiments.verdicts import verdicts

    found, lines = verdicts(), []
    for name, item in ITEMS.items():
        words = [v.word for v in found if v.item.startswith(item.headings)]
        counts = ", ".join(f"{words.count(w)} {w}" for w in dict.fromkeys(words))
        folders = ", ".join(dict.fromkeys(run[0] for run in item.runs))
        lines.append(f"{name:8}{item.title}\n{'':8}experiments/{folders}; {counts}")
    return "\n".join(lines)


def told(name: str) -> str:
    """The verdicts on a figure or table, from the summaries that are kept."""
    from experiments.verdicts import verdicts

    chosen = [v for v in verdicts() if v.item.startswith(ITEMS[name].headings)]
    return "\n".join(f"{v.item}: {v.word}: {v.claim} – {v.found}." for v in chosen)


def reproduce(name: str, chosen: Namespace) -> int:
    """Run the experiments of a name one after the other; their exit code."""
    for number, (experiment, *parts) in enumerate(ITEMS[name].runs, 1):
        say(f"{name}: {ITEMS[name].title} ({number} of {len(ITEMS[name].runs)}: {experiment})")
        command = [sys.executable, "-m", f"experiments.{experiment}", "run"]
        command += ["--quick"] * chosen.quick + ["--jobs", str(chosen.jobs)]
        command += ["--budget", str(chosen.budget)] * (chosen.budget is not None)
        command += [word for part in parts for word in ("--part", part)]
        if code := subprocess.run(command, cwd=HERE.parent).returncode:
            return code
    return 0


def keep(name: str, quick: bool) -> None:
    """Say the verdicts; after a full run write them anew, and that this one is done."""
    verdict = told(name)
    print(verdict)
    if quick:
        for experiment, *_ in ITEMS[name].runs:
            note = "A try decides nothing; from the draws that are kept:\n\n"
            (RAW / experiment / "quick" / "verdict.md").write_text(note + verdict + "\n")
        return
    from experiments import checklist, verdicts

    verdicts.write()
    (HERE / "checklist.md").write_text(checklist.page())
    done = {**read_json(DONE), name: versions()["commit"]}
    DONE.write_text(json.dumps(done, indent=1) + "\n")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def options(argv: list[str] | None) -> Namespace:
    parser = ArgumentParser("python -m experiments")
    parser.add_argument("name", help="list, all, or what list names")
    parser.add_argument("--quick", action="store_true", help="minutes: few draws, in build")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--budget", type=float, help="minutes per experiment; then stop")
    chosen = parser.parse_args(argv)
    if chosen.name not in (known := ("list", *ITEMS, "all")):
        sys.exit(f"{chosen.name!r} is no figure or table of the paper; try {', '.join(known)}.")
    return chosen


def main(argv: list[str] | None = None) -> int:
    chosen = options(argv)
    if chosen.name == "list":
        print(listing())
        return 0
    if not chosen.quick:
        refuse_uncommitted()
    names = wanted(chosen.name, {} if chosen.quick else read_json(DONE), versions()["commit"])
    for number, name in enumerate(names, 1):
        say(f"[{number}/{len(names)}]")
        if code := reproduce(name, chosen):
            return code
        keep(name, chosen.quick)
    return 0


def wanted(name: str, done: dict[str, str], commit: str) -> list[str]:
    """What a name stands for; of ``all``, what was not run at this commit yet."""
    if name != "all":
        return [name]
    return [item for item in ITEMS if done.get(item) != commit]


if __name__ == "__main__":
    sys.exit(main())
