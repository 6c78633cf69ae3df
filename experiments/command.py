"""One command line and one layout for all: ``python -m experiments.<name> [run|report] [--quick]``.

``run`` draws into ``build/experiments/<name>`` (not kept) and reduces the draws to what the report
needs: ``summary.json``, with seeds, settings, versions and the commit. ``report`` makes
``table.md`` and ``figure.png`` from the summary alone. ``--quick`` tries all of it with a few
repetitions and leaves everything in ``build``.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.common import HERE, UNFIT, read_json, uncommitted, write_summary

Summary = dict[str, Any]
"""Books by name; a book has its seed, settings, versions and reduced cells, or other numbers."""

RAW = HERE.parent / "build" / "experiments"
QUICK = 2
"""Repetitions of a quick try."""


@dataclass(frozen=True)
class Experiment:
    """How an experiment runs, reduces its draws and reports."""

    name: str
    run: Callable[[Namespace, Path], None]
    """Draw what is wanted into this folder."""
    summarize: Callable[[Path], Summary]
    """What the report needs of the draws in this folder."""
    report: Callable[[Summary, Path], None]
    """Write table and figure into this folder."""
    parts: Sequence[str] = ()

    def main(self, argv: Sequence[str] | None = None) -> None:
        chosen = self.options(argv)
        home, raw = HERE / self.name, RAW / self.name
        if chosen.quick:
            home = raw = raw / "quick"
        if chosen.action == "run":
            if not chosen.quick:
                refuse_uncommitted()
            raw.mkdir(parents=True, exist_ok=True)
            self.run(chosen, raw)
            self.keep(raw, home)
        with suppress(SystemExit) if chosen.quick else nullcontext():  # claims need a full run
            self.report(read_json(home / "summary.json"), home)

    def keep(self, raw: Path, home: Path) -> None:
        """Reduce the draws of a folder and enter them into the summary."""
        path = home / "summary.json"
        new = self.summarize(raw)
        if home != raw:
            refuse_unfit(new)
        write_summary(path, merged(stamped(read_json(path)), stamped(new)))

    def options(self, argv: Sequence[str] | None) -> Namespace:
        parser = ArgumentParser(f"python -m experiments.{self.name}")
        parser.add_argument("action", choices=("run", "report"), nargs="?", default="report")
        parser.add_argument("--quick", action="store_true", help="a try: few repetitions, in build")
        parser.add_argument("--part", choices=self.parts, action="append", help="default: all")
        parser.add_argument("--jobs", type=int, default=1, help="processes")
        parser.add_argument("--budget", type=float, default=float("inf"), help="minutes; then stop")
        parser.add_argument("--method", action="append", help="only these; default: all")
        parser.add_argument(
            "--cell", action="append", help='only cells named so, as "scale | 2000"; default: all'
        )
        parser.add_argument(
            "--unfit", action="store_true", help="only cells that no commit has drawn"
        )
        chosen = parser.parse_args(argv)
        chosen.part = chosen.part or list(self.parts)
        chosen.repetitions = QUICK if chosen.quick else None
        return chosen


def merged(old: Any, new: Any) -> Any:
    """A new run over an old one, cell by cell.

    A cell gives way to one at least as long, and one of code that was never committed to any.
    """
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    unfit = any(one.endswith(UNFIT) for one in old.get("commits", ()))
    if not unfit and old.get("repetitions", 0) > new.get("repetitions", 0):
        return old
    return {**old, **{key: merged(old.get(key), value) for key, value in new.items()}}


def stamped(books: Summary) -> Summary:
    """Every cell with the commits that drew it: those of a book may come from several runs."""

    def cells(book: dict[str, Any]) -> dict[str, Any]:
        commits = [book["versions"]["commit"]]
        return {
            key: {**cell, "commits": cell.get("commits", commits)}
            for key, cell in book["cells"].items()
        }

    return {
        name: {**book, "cells": cells(book)} if {"cells", "versions"} <= {*book} else book
        for name, book in books.items()
    }


def refuse_unfit(books: Summary) -> None:
    """No result of code that was not committed becomes part of a summary."""
    for name, book in stamped(books).items():
        named = [book.get("versions", {}).get("commit", "")]
        named += [one for cell in book.get("cells", {}).values() for one in cell["commits"]]
        if left := sorted({one for one in named if one.endswith(UNFIT)}):
            raise SystemExit(
                f"{name} was drawn in part by code that is not committed ({', '.join(left)}): "
                "it stays in build. Remove it there, commit, and run again."
            )


def refuse_uncommitted(folder: Path = HERE.parent) -> None:
    """A result names the commit it was made by, so there must be one that has all the code."""
    if left := uncommitted(folder):
        raise SystemExit(
            f"{len(left)} files are not committed ({', '.join(left[:3])}{'…' * (len(left) > 3)}): "
            "results name the commit that made them. Commit first, or try with --quick."
        )
