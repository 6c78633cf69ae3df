"""A table of cells (problem × value × method), many repetitions each, that can be interrupted.

Repetition r of a problem and value sees the same samples whatever the method, so methods can be
compared pair by pair. Results are written after every chunk; a run that was stopped goes on where
it was.
"""

import sys
import time
import zlib
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.common import HERE, UNFIT, read_json, versions, write_json

Outcome = float | dict[str, Any]
"""A p-value, another number, or a record of JSON values with the p-value under ``pvalue``."""

Trial = Callable[[str, Any, str, np.random.Generator, int], Outcome]
"""(problem, value, method, generator of the samples, seed of the test) → outcome."""

LEVEL = 0.05


@dataclass(frozen=True)
class Cell:
    """One number to be known: a method on a problem at a value."""

    problem: str
    value: Any
    method: str
    repetitions: int

    @property
    def key(self) -> str:
        return f"{self.problem} | {self.value} | {self.method}"


def stream(seed: int, problem: str, value: Any, repetition: int) -> tuple[np.random.Generator, int]:
    """The generator of the samples of a repetition and the seed of its test."""
    name = zlib.crc32(f"{problem} | {value}".encode())
    sequence = np.random.SeedSequence([seed, name, repetition])
    return np.random.default_rng(sequence), int(sequence.generate_state(1)[0])


def run(
    cells: Sequence[Cell],
    trial: Trial,
    path: Path,
    *,
    seed: int,
    settings: dict[str, Any],
    chosen: Namespace,
    chunk: int = 10,
    round_of: int = 50,
) -> dict[str, Any]:
    """Fill the table at ``path``: all cells to ``round_of`` repetitions, then go on.

    ``chosen`` are the options of the command: jobs, minutes, methods, cells, and whether only to
    draw what no commit has drawn.
    """
    from joblib import Parallel, delayed

    cells = [cell for cell in cells if chosen.method is None or cell.method in chosen.method]
    if chosen.cell:
        cells = [cell for cell in cells if any(name in cell.key for name in chosen.cell)]
    if chosen.unfit:
        book_name = path.stem.partition("-")[0]  # a summary may join several: second-rivals
        fit = drawn_by_commits(HERE / path.parent.name / "summary.json", book_name)
        cells = [cell for cell in cells if cell.key not in fit]
    book = read_json(path) or {"seed": seed, "settings": {}, "versions": {}, "cells": {}}
    book["settings"] = {**book["settings"], **settings}
    book["versions"] = {**book["versions"], **versions()}
    made_by = book["versions"]["commit"]
    for entry in book["cells"].values():
        entry.pop("late", None)  # of a run that was stopped: its predecessors never came
    path.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * chosen.budget
    tasks = list(_tasks(cells, book["cells"], chunk, round_of))
    total, done, saved = sum(len(reps) for _, reps in tasks), 0, time.monotonic()
    work = (
        delayed(_chunk)(trial, cell, reps, seed) for cell, reps in tasks if time.monotonic() < end
    )
    jobs = chosen.jobs
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch=jobs + 1)
    for cell, first, values, seconds in parallel(work):
        entry = _enter(book["cells"], cell, first, values, seconds)
        entry["commits"] = [*dict.fromkeys([*entry.get("commits", []), made_by])]
        done += len(values)
        if time.monotonic() - saved > 10:
            write_json(path, book)
            saved = time.monotonic()
            sys.stderr.write(f"\r{done}/{total}  {cell.key:60.60}")
    write_json(path, book)
    if total:
        sys.stderr.write("\n" if done == total else f"\nout of time at {done}/{total}\n")
    return book


def drawn_by_commits(path: Path, name: str) -> set[str]:
    """Cells of a book of a summary that code of commits alone has drawn."""
    book = read_json(path).get(name, {})
    whole = [book.get("versions", {}).get("commit", UNFIT)]
    return {
        key
        for key, cell in book.get("cells", {}).items()
        if not any(one.endswith(UNFIT) for one in cell.get("commits", whole))
    }


def _tasks(
    cells: Sequence[Cell], book: dict[str, Any], chunk: int, round_of: int
) -> Iterator[tuple[Cell, range]]:
    """Chunks of missing repetitions, round by round."""
    most = max((cell.repetitions for cell in cells), default=0)
    for low in range(0, most, round_of):
        for cell in cells:
            have = book.get(cell.key, {"repetitions": 0})["repetitions"]
            start, stop = max(low, have), min(low + round_of, cell.repetitions)
            for first in range(start, stop, chunk):
                yield cell, range(first, min(first + chunk, stop))


def _chunk(
    trial: Trial, cell: Cell, repetitions: range, seed: int
) -> tuple[Cell, int, list[Outcome], float]:
    start = time.process_time()
    values = [
        _rounded(
            trial(cell.problem, cell.value, cell.method, *stream(seed, cell.problem, cell.value, r))
        )
        for r in repetitions
    ]
    return cell, repetitions.start, values, time.process_time() - start


def _rounded(outcome: Outcome) -> Outcome:
    if isinstance(outcome, dict):
        return {k: round(v, 6) if isinstance(v, float) else v for k, v in outcome.items()}
    return round(float(outcome), 6)


def _enter(
    book: dict[str, Any], cell: Cell, first: int, values: list[Outcome], seconds: float
) -> dict[str, Any]:
    """Add a chunk; chunks that come before their predecessors wait in ``late``."""
    empty = {"problem": cell.problem, "value": cell.value, "method": cell.method, "values": []}
    entry = book.setdefault(cell.key, {**empty, "repetitions": 0, "seconds": 0.0})
    late = entry.pop("late", [])
    late.append([first, values])
    entry["seconds"] = round(entry["seconds"] + seconds, 3)
    while ready := [part for part in late if part[0] == len(entry["values"])]:
        entry["values"] += ready[0][1]
        late.remove(ready[0])
    entry["repetitions"] = len(entry["values"])
    if late:
        entry["late"] = late
    return entry


def rejections(entry: dict[str, Any], level: float = LEVEL) -> np.ndarray[Any, Any]:
    """Which repetitions of a cell rejected: of its p-values, or as its summary has it."""
    if "rejected" in entry:
        return from_bits(entry["rejected"], entry["repetitions"])
    pvalues = [v["pvalue"] if isinstance(v, dict) else v for v in entry["values"]]
    return np.asarray(pvalues) <= level + 1e-9


def to_bits(hits: Any) -> str:
    """Yes and no of every repetition, in hexadecimal digits: methods can be compared in pairs."""
    return np.packbits(np.asarray(hits, dtype=bool)).tobytes().hex()


def from_bits(bits: str, count: int) -> np.ndarray[Any, Any]:
    """The first ``count`` of what `to_bits` holds."""
    packed = np.frombuffer(bytes.fromhex(bits), dtype=np.uint8)
    return np.unpackbits(packed, count=count).astype(bool)


def reduced(book: dict[str, Any]) -> dict[str, Any]:
    """The book with the rejections of every cell in place of its p-values."""
    return with_cells(book, lambda entry: {"rejected": to_bits(rejections(entry))})


def with_cells(
    book: dict[str, Any], reduce: Callable[[dict[str, Any]], dict[str, Any]]
) -> dict[str, Any]:
    """The book with something in place of the values of every cell."""
    cells = {}
    for key, entry in book["cells"].items():
        if entry["repetitions"]:
            kept = {k: v for k, v in entry.items() if k not in ("values", "late")}
            cells[key] = {**kept, **reduce(entry)}
    return {**book, "cells": cells}


def books(folder: Path, *names: str) -> dict[str, Any]:
    """The reduced books of a folder that are there."""
    found = {name: read_json(folder / f"{name}.json") for name in names}
    return {name: reduced(book) for name, book in found.items() if book}


def interval(hits: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The exact (Clopper–Pearson) interval of a rate."""
    from scipy.stats import binomtest

    found = binomtest(hits, trials).proportion_ci(confidence)
    return float(found.low), float(found.high)


def rate(entry: dict[str, Any], level: float = LEVEL) -> tuple[float, float, float]:
    """Rejection rate of a cell and its exact 95 % interval."""
    hits = rejections(entry, level)
    return (float(hits.mean()), *interval(int(hits.sum()), len(hits)))


def select(book: dict[str, Any], **wanted: Any) -> list[dict[str, Any]]:
    """Cells with at least one repetition that match."""
    return [
        entry
        for entry in book.get("cells", {}).values()
        if entry["repetitions"] and all(entry[k] == v for k, v in wanted.items())
    ]


def summary(book: dict[str, Any]) -> str:
    """A line per cell: rate, exact 95 % interval, repetitions, CPU seconds per repetition."""
    lines = []
    for entry in select(book):
        share, low, high = rate(entry)
        each = entry["seconds"] / entry["repetitions"]
        name = f"{entry['problem']} | {entry['value']} | {entry['method']}"
        lines.append(
            f"{name:60} {share:.3f} [{low:.3f}, {high:.3f}] {entry['repetitions']:5d} {each:8.3f} s"
        )
    return "\n".join(lines)


def page(book: dict[str, Any], written_by: str) -> str:
    """A Markdown table per problem: power, exact 95 % interval, repetitions of every cell."""
    lines = [f"<!-- Written by `python -m {written_by}`; do not edit. -->", ""]
    entries = select(book)
    for problem in dict.fromkeys(entry["problem"] for entry in entries):
        here = [entry for entry in entries if entry["problem"] == problem]
        methods = list(dict.fromkeys(entry["method"] for entry in here))
        found = {(entry["value"], entry["method"]): entry for entry in here}
        lines += [f"| {problem} | {' | '.join(methods)} |", "|---" * (len(methods) + 1) + "|"]
        for value in sorted({entry["value"] for entry in here}):
            cells = [
                "{:.2f} [{:.2f}, {:.2f}], {}".format(*rate(entry), entry["repetitions"])
                if (entry := found.get((value, method)))
                else ""
                for method in methods
            ]
            lines.append(f"| {value} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)
