"""Rates read off the recorded draws: power, names, rows, limits. Every number is from the JSON."""

from typing import Any

import numpy as np

from experiments import grid
from experiments.compare import tables

Entry = dict[str, Any]
Rate = tuple[float, float, float]


def rate(hits: list[bool]) -> Rate:
    """A share and its exact 95 % limits."""
    return (float(np.mean(hits)), *grid.interval(int(sum(hits)), len(hits)))


def power(entry: Entry) -> Rate:
    return rate([bool(hit) for hit in grid.rejections(entry)])


def right(entry: Entry) -> Rate:
    """Draws in which something right is named: the pair itself if only dependence changed."""
    return rate([_right(entry["problem"], value) for value in entry["values"]])


def _right(problem: str, value: Entry) -> bool:
    change = tables.CHANGES[problem]
    if "alone" not in value:  # tools that name columns only
        return bool(set(change.columns) & set(value["columns"]))
    if change.joint:
        return list(change.columns) in value["pairs"]
    words = [f"{name} (missing)" if change.missing else name for name in change.columns]
    return bool(set(words) & set(value["alone"]))


def every(entry: Entry) -> Rate:
    """Draws in which all that changed is named."""
    wanted = set(tables.CHANGES[entry["problem"]].columns)
    return rate([wanted <= set(value["columns"]) for value in entry["values"]])


def wrong(entry: Entry) -> Rate:
    """Draws in which a column is named that did not change, alone or in a pair."""
    change = tables.CHANGES.get(entry["problem"])
    known = set(change.columns) if change else set()
    return rate([bool(set(value["columns"]) - known) for value in entry["values"]])


def rows_hit(entry: Entry, found_only: bool = False) -> float:
    """Planted rows among the twenty shown, as a share of those that fit."""
    chosen = [v for v in entry["values"] if v["pvalue"] <= grid.LEVEL or not found_only]
    shares = [v["hits"] / min(20, v["planted"]) for v in chosen if v["planted"]]
    return float(np.mean(shares)) if shares else float("nan")


def covered(entry: Entry, truth: dict[str, Any]) -> dict[str, Rate]:
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
