"""10,000 groups against one control: CPU time, peak memory, level, false discoveries, power.

Each case runs in a process of its own, whose peak memory is what the system says. Groups of 100
rows in 50 columns, of the scales that principal components have, against 10,000 rows of control; a
tenth of the groups is changed, a quarter of those each in the mean, in a fifth of the rows, in the
spread, and in the dependence of columns.
"""

import json
import subprocess
import sys
from typing import Any

from _common import RESULTS, report

GOAL_SECONDS = 300.0
CASES = """
import json, resource, sys, time
import numpy as np
from scipy.stats import binom
import samelaw
from samelaw.extras.groups import GroupSketches, control_tests

KINDS = ("mean", "few rows", "spread", "dependence")

def change(x, kind, rng):
    n, d = x.shape
    if kind == "mean":
        return x + 0.11 * x.std(axis=0) * rng.normal(size=d)
    if kind == "few rows":
        moved = rng.random(n) < 0.2
        return x + np.outer(moved, 0.45 * x.std(axis=0) * rng.choice((-1.0, 1.0), size=d))
    if kind == "spread":
        return x * np.exp(0.045 * rng.choice((-1.0, 1.0)))
    y, scale = x.copy(), x.std(axis=0)
    y[:, :25] = 0.8 * x[:, :25] + 0.6 * x[:, 25:] * (scale[:25] / scale[25:])
    return y

def table(groups, rows, control, columns, changed, seed):
    rng = np.random.default_rng(seed)
    scale = np.linspace(3.0, 0.5, columns)
    x = (rng.normal(size=(groups * rows + control, columns)) * scale).astype(np.float32)
    for g in range(changed):
        own = slice(g * rows, (g + 1) * rows)
        x[own] = change(x[own], KINDS[g % 4], rng)
    names = [f"g{i}" for i in range(groups)]
    return x, np.array(names + ["control"]).repeat([rows] * groups + [control])

def used():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime, now.ru_maxrss / 1024

def groups_case(groups, rows, control, columns, changed, seed):
    x, labels = table(groups, rows, control, columns, changed, seed)
    before, _ = used()
    sketches = GroupSketches.of(x, labels, control="control", rng=seed)
    sketched, _ = used()
    found = control_tests(sketches, rng=seed)
    seconds, memory = used()
    told = {
        "sketch, s": sketched - before,
        "tests, s": seconds - sketched,
        "in all, s": seconds - before,
        "peak, MiB": memory,
        "table, MiB": x.nbytes / 2**20,
        "most permutations": int(found.permutations.max()),
        "permutations in all": int(found.permutations.sum()),
    }
    null = found.pvalues[changed:]
    if changed:
        told["found"] = float(found.reject[:changed].mean())
        false = found.reject[changed:].sum() / max(1, found.reject.sum())
        told["false among discoveries"] = float(false)
        for i, kind in enumerate(KINDS):
            told[f"found, {kind}"] = float(found.reject[:changed][i::4].mean())
    else:
        for level in (0.05, 0.01, 0.001):
            count = int((null <= level).sum())
            bounds = binom.interval(0.999, len(null), level)
            told[f"p ≤ {level}"] = count / len(null)
            told[f"inside 99.9 % of {level}"] = bool(bounds[0] <= count <= bounds[1])
        told["discoveries"] = int(found.reject.sum())
    if changed:
        start, _ = used()
        matrix = sketches.divergences()
        told["all divergences, s"] = used()[0] - start
    return told

def false_case(groups, rows, control, columns, changed, tables, seed):
    shares, found, null = [], 0, []
    for number in range(tables):
        x, labels = table(groups, rows, control, columns, changed, seed + number)
        sketches = GroupSketches.of(x, labels, control="control", rng=number)
        tests = control_tests(sketches, rng=number)
        shares.append(tests.reject[changed:].sum() / max(1, tests.reject.sum()))
        found += int(tests.reject.sum())
        null.append(np.mean(tests.pvalues[changed:] <= 0.01))
    error = float(np.std(shares, ddof=1) / tables**0.5)
    return {
        "false among discoveries": float(np.mean(shares)),
        "its error": error,
        "largest of a table": float(np.max(shares)),
        "discoveries": found,
        "p ≤ 0.01 where nothing changed": float(np.mean(null)),
        "met": bool(np.mean(shares) - 2 * error <= 0.05),
    }

def power_case(groups, rows, control, columns, seed):
    x, labels = table(groups, rows, control, columns, groups, seed)
    samples = {name: x[labels == name] for name in dict.fromkeys(labels.tolist())}
    start, _ = used()
    many = control_tests(samples, "control", rng=seed)
    middle, _ = used()
    pairs = samelaw.group_tests(samples, control="control", permutations=1999, rng=seed)
    end, _ = used()
    each = np.array([one.pvalue for one in pairs.results])
    told = {"control_tests, s": middle - start, "group_tests, s": end - middle}
    for i, kind in enumerate(KINDS):
        told[f"control_tests, {kind}"] = float((many.pvalues[i::4] <= 0.01).mean())
        told[f"group_tests, {kind}"] = float((each[i::4] <= 0.01).mean())
    return told

name, *numbers = sys.argv[1:]
case = {"groups": groups_case, "power": power_case, "false": false_case}[name]
print(json.dumps(case(*map(int, numbers))))
"""


def measured(*arguments: Any) -> dict[str, Any]:
    command = [sys.executable, "-c", CASES, *map(str, arguments)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


RUNS: dict[str, tuple[Any, ...]] = {
    "time": (
        "10,000 groups of 100 rows, 50 columns, 1,000 changed",
        *("groups", 10_000, 100, 10_000, 50, 1_000, 0),
    ),
    "part": (
        "3,000 groups of 100 rows, 50 columns, 300 changed",
        *("groups", 3_000, 100, 10_000, 50, 300, 0),
    ),
    "level": (
        "10,000 groups of 40 rows, 10 columns, none changed",
        *("groups", 10_000, 40, 10_000, 10, 0, 1),
    ),
    "false": (
        "20 tables of 1,000 groups of 100 rows, 50 columns, 100 changed: false discoveries at .05",
        *("false", 1_000, 100, 10_000, 50, 100, 20, 100),
    ),
    "power": (
        "100 changed groups of 100 v 500 rows, 50 columns: power at .01",
        *("power", 100, 100, 500, 50, 2),
    ),
}


def main() -> None:
    """All runs, or those that are named; rows of the others stay as they were measured."""
    new: dict[str, dict[str, Any]] = {}
    for name in sys.argv[1:] or RUNS:
        case, *arguments = RUNS[name]
        new[case] = {"case": case, **measured(*arguments)}
        if name == "time":
            new[case]["goal, s"] = GOAL_SECONDS
            new[case]["met"] = new[case]["in all, s"] <= GOAL_SECONDS
    path = RESULTS / "groups.json"
    before = json.loads(path.read_text())["rows"] if path.exists() else []
    rows = {row["case"]: row for row in before} | new
    ordered = [rows[case] for case, *_ in RUNS.values() if case in rows]
    report("groups", "thousands of groups against one control: CPU seconds, memory, level", ordered)


if __name__ == "__main__":
    main()
