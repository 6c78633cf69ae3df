"""``python -m experiments.suite [run | report | pilot] [--half tuning | reporting] [--quick]``.

``run`` draws into ``build/experiments/suite`` and goes on where it was stopped: draws of the rivals
are kept, ours are made anew for every commit (and with ``--fresh``). ``report`` makes `table.md`
and `figure.png` from `summary.json`; ``pilot`` runs rivals alone, to set strengths. The reporting
half is run once per release: every evaluation of it is entered in `evaluations.md`.
"""

import datetime
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from experiments import grid
from experiments.command import refuse_uncommitted
from experiments.common import HERE, read_json, versions, write_json
from experiments.suite import report, trials

FOLDER = HERE / "suite"
RAW = HERE.parent / "build" / "experiments" / "suite"
LOG = FOLDER / "evaluations.md"
"""What a run writes itself: a run that was stopped may go on."""


def options(argv: list[str] | None = None) -> Namespace:
    parser = ArgumentParser("python -m experiments.suite")
    parser.add_argument("action", choices=("run", "report", "pilot"), nargs="?", default="report")
    parser.add_argument("--half", choices=tuple(trials.HALVES), default="tuning")
    parser.add_argument("--quick", action="store_true", help="a try: few draws, kept in build")
    parser.add_argument("--draws", type=int, help="of each cell")
    parser.add_argument("--dear", type=int, default=12, help="pilot: draws of the dear rivals")
    parser.add_argument("--factors", type=float, nargs="+", default=[0.6, 1.0, 1.6])
    parser.add_argument("--problem", action="append", help="pilot: only these")
    parser.add_argument("--method", action="append", help="only these; default: all")
    parser.add_argument("--cell", action="append", help="only cells named so; default: all")
    parser.add_argument("--fresh", action="store_true", help="run: forget ours at this commit")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--budget", type=float, default=float("inf"), help="minutes; then stop")
    parser.add_argument("--unfit", action="store_true", help="only cells that no commit drew")
    chosen = parser.parse_args(argv)
    few = 2 if chosen.quick else 20 if chosen.action == "pilot" else trials.DRAWS
    chosen.draws = chosen.draws or few
    if chosen.quick and chosen.action == "run" and chosen.half in trials.REPORTING:
        parser.error("the reporting half is not for tries: it is run once per release.")
    return chosen


def enter(half: str, kind: str, book: dict[str, Any], path: Path = LOG) -> None:
    """Add an evaluation of the reporting half to the log: date, commit, what, how many draws."""
    if half not in trials.REPORTING:
        return
    cells = grid.select(book)
    methods = list(dict.fromkeys(cell["method"] for cell in cells))
    draws = sum(cell["repetitions"] for cell in cells)
    today = datetime.datetime.now(datetime.UTC).date()
    line = (
        f"| {today} | {versions()['commit']} | {half}: {kind} | {', '.join(methods)} | {draws} |\n"
    )
    with path.open("a") as log:
        log.write(line)


def rates(book: dict[str, Any]) -> dict[str, Any]:
    """What a pilot found: rejections and draws by problem, strength and method."""
    found: dict[str, Any] = {}
    for cell in grid.select(book):
        hits = grid.rejections(cell)
        here = found.setdefault(cell["problem"], {}).setdefault(str(cell["value"]), {})
        here[cell["method"]] = [int(hits.sum()), len(hits)]
    return found


def main(argv: list[str] | None = None) -> None:
    chosen = options(argv)
    home = raw = RAW / "quick"
    if not chosen.quick:
        home, raw = FOLDER, RAW
    raw.mkdir(parents=True, exist_ok=True)
    if chosen.action == "pilot":
        book = trials.pilot(chosen.half, raw / f"pilot-{chosen.half}.json", chosen)
        held = read_json(home / "pilot.json")
        write_json(home / "pilot.json", {**held, **rates(book)})
        if not chosen.quick:
            enter(chosen.half, "pilot", book)
        return
    if chosen.action == "run":
        if not chosen.quick:
            refuse_uncommitted()
        enter(chosen.half, "run begins", {})  # one that is stopped is an evaluation too
        book = trials.run(chosen.half, raw, chosen)
        summary = read_json(home / "summary.json")
        write_json(home / "summary.json", report.joined(summary, chosen.half, book))
        enter(chosen.half, "run ends", book)
    report.write(read_json(home / "summary.json"), home)


if __name__ == "__main__":
    main()
