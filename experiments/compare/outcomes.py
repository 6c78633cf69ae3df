"""What is read off the draws: power, names, rows, limits. Every number is from the JSON."""

from typing import Any

import numpy as np

from experiments import grid
from experiments.compare import tables

Entry = dict[str, Any]
Rate = tuple[float, float, float]


def rate(hits: Any) -> Rate:
    """A share and its exact 95 % limits."""
    return (float(np.mean(hits)), *grid.interval(int(np.sum(hits)), len(hits)))


def read(entry: Entry, word: str) -> Rate:
    """The rate of what a reduced cell says of each draw."""
    return rate(grid.from_bits(entry[word], entry["repetitions"]))


def power(entry: Entry) -> Rate:
    return rate(grid.rejections(entry))


def right(entry: Entry) -> Rate:
    """Draws in which something right is named: the pair itself if only dependence changed."""
    return read(entry, "right")


def every(entry: Entry) -> Rate:
    """Draws in which all that changed is named."""
    return read(entry, "every")


def wrong(entry: Entry) -> Rate:
    """Draws in which a column is named that did not change, alone or in a pair."""
    return read(entry, "wrong")


def reduced(entry: Entry, truth: dict[str, Any] | None = None) -> Entry:
    """What the report needs of a cell: yes or no by draw, and means."""
    values, change = entry["values"], tables.CHANGES.get(entry["problem"])
    known = set(change.columns) if change else set()
    words: dict[str, list[bool]] = {
        "rejected": [bool(hit) for hit in grid.rejections(entry)],
        "wrong": [bool(set(value["columns"]) - known) for value in values],
    }
    if change:
        words["right"] = [_right(entry["problem"], value) for value in values]
        words["every"] = [known <= set(value["columns"]) for value in values]
    if "dataset" in values[0]:
        words["dataset"] = [value["dataset"] for value in values]
    found: Entry = {word: grid.to_bits(hits) for word, hits in words.items()}
    if "effect" in values[0]:
        found["effect"] = float(np.mean([v["effect"] for v in values]))
        found["above"] = float(np.mean([v["interval"][0] > 0 for v in values]))
    if change and change.planted and "hits" in values[0]:
        found["rows"] = _rows_hit(values)
    if truth and truth["strength"] == entry["value"]:
        found["covered"] = _covered(entry, truth)
    return found


def _right(problem: str, value: Entry) -> bool:
    change = tables.CHANGES[problem]
    if "alone" not in value:  # tools that name columns only
        return bool(set(change.columns) & set(value["columns"]))
    if change.joint:
        return list(change.columns) in value["pairs"]
    words = [f"{name} (missing)" if change.missing else name for name in change.columns]
    return bool(set(words) & set(value["alone"]))


def _rows_hit(values: list[Entry]) -> float:
    """Planted rows among the twenty shown, as a share of those that fit."""
    shares = [v["hits"] / min(20, v["planted"]) for v in values if v["planted"]]
    return float(np.mean(shares)) if shares else float("nan")


def _covered(entry: Entry, truth: dict[str, Any]) -> dict[str, Rate]:
    """Draws whose limits hold the effect in population: the largest, and that of the column."""
    value = truth["effect"]
    found = {"largest": rate([_within(v["interval"], value) for v in entry["values"]])}
    change = tables.CHANGES[entry["problem"]]
    if not change.joint:
        name = change.columns[0] + (" (missing)" if change.missing else "")
        own = truth["effects"][name][0]
        found["own"] = rate([_within(v["effects"][name][1:], own) for v in entry["values"]])
    return found


def _within(limits: list[float], value: float) -> bool:
    return limits[0] - 1e-9 <= value <= limits[1] + 1e-9


def by_change(book: dict[str, Any], method: str) -> dict[str, Entry]:
    """The cell of every change at the strength it has now."""
    return {
        name: entry
        for name, change in tables.CHANGES.items()
        for entry in grid.select(book, problem=name, value=change.strength, method=method)
    }
