"""Other people's tools on the same files: ``python -m experiments.compare.rivals run``.

Runs in an environment of its own (``requirements.txt``). A tool that cannot be imported is entered
with its error and never imitated. Each sees the files as a user would hand them over: read by
pandas with times parsed; alibi-detect and the classifier, which take arrays, further get category
codes, missing values at the median (alibi-detect) and one indicator per column that has some.
"""

import importlib
import tempfile
import warnings
from argparse import Namespace
from collections.abc import Callable
from contextlib import redirect_stderr
from importlib import metadata
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from experiments import grid
from experiments.command import Experiment, Summary
from experiments.common import read_json
from experiments.compare import outcomes, tables

SEED = 17  # as the experiment: the same draws
PERMUTATIONS = 199
LEVEL = grid.LEVEL
CATEGORIES = [name for name, kind in tables.KINDS.items() if kind == "category"]


def evidently(a: Any, b: Any, seed: int) -> dict[str, Any]:
    """Its preset: a test per column at .05; ``dataset`` is its verdict (half the columns)."""
    from evidently import Report
    from evidently.presets import DataDriftPreset

    found = Report([DataDriftPreset()]).run(b, a).dict()["metrics"]
    share = found[0]["value"]["share"]
    named = [_column(m) for m in found[1:] if m["value"] < m["config"]["threshold"]]
    return _decided(named, bool(named)) | {"dataset": bool(share >= 0.5)}


def _column(metric: dict[str, Any]) -> str:
    return str(metric["config"]["column"])


def tabular_drift(a: Any, b: Any, seed: int) -> dict[str, Any]:
    """alibi-detect: Kolmogorov–Smirnov and χ² tests, corrected after Bonferroni."""
    from alibi_detect.cd import TabularDrift

    x, y, names, coded = _coded(a, b)
    detector = TabularDrift(x, p_val=LEVEL, categories_per_feature=dict.fromkeys(coded))
    found = detector.predict(y)["data"]
    hits = np.flatnonzero(found["p_val"] < found["threshold"])
    return _decided(sorted({names[i] for i in hits}), bool(found["is_drift"]))


def mmd_drift(a: Any, b: Any, seed: int) -> dict[str, Any]:
    """alibi-detect: MMD with its own Gaussian kernel on standardised columns and indicators."""
    import torch
    from alibi_detect.cd import MMDDrift

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    x, y, _, coded = _coded(a, b)
    pool = np.concatenate([x, y])
    plain = np.delete(pool, coded, axis=1)
    parts = [(plain - plain.mean(axis=0)) / plain.std(axis=0)]
    parts += [pool[:, [i]] == np.unique(pool[:, i]) for i in coded]
    points = np.concatenate(parts, axis=1).astype(np.float32)
    detector = MMDDrift(
        points[: len(x)], backend="pytorch", p_val=LEVEL, n_permutations=PERMUTATIONS, device="cpu"
    )
    found = detector.predict(points[len(x) :])["data"]
    return {"pvalue": float(found["p_val"]), "columns": []}


def classifier(a: Any, b: Any, seed: int) -> dict[str, Any]:
    """Boosted trees told on half the rows; ranks of their scores on the rest; the top column."""
    from scipy.stats import mannwhitneyu
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    x, y, names, coded = _coded(a, b, fill=False)
    pool, side = np.concatenate([x, y]), np.repeat([0, 1], [len(x), len(y)])
    train, test, told, asked = train_test_split(
        pool, side, test_size=0.5, random_state=seed, stratify=side
    )
    model = HistGradientBoostingClassifier(categorical_features=coded, random_state=seed)
    model.fit(train, told)
    score = model.predict_proba(test)[:, 1]
    pvalue = mannwhitneyu(score[asked == 1], score[asked == 0], alternative="greater").pvalue
    weight = permutation_importance(
        model, test, asked, scoring="roc_auc", n_repeats=3, random_state=seed
    )
    top = names[int(np.argmax(weight.importances_mean))]
    return {"pvalue": float(pvalue), "columns": [top] if pvalue <= LEVEL else []}


def _decided(named: list[str], different: bool) -> dict[str, Any]:
    """Tools that only decide get a p-value of 0 or 1."""
    return {"pvalue": 0.0 if different else 1.0, "columns": named}


def _coded(a: Any, b: Any, fill: bool = True) -> tuple[Any, Any, list[str], list[int]]:
    """Arrays of both tables, the column each comes from, and which hold codes."""
    import pandas as pd

    pool = pd.concat([a, b], ignore_index=True)
    parts: list[np.ndarray[Any, Any]] = []
    names: list[str] = []
    coded: list[int] = []
    for name in pool:
        values, codes = pool[name], name in CATEGORIES
        if codes:
            values = pd.Series(values.astype("category").cat.codes)
        elif values.dtype.kind == "M":
            values = values.astype("int64") / 1e9
        absent = values.isna()
        for part, words in (
            (values.fillna(values.median()) if fill else values, codes),
            (absent, True),
        ):
            if part is not absent or absent.any():
                coded += [len(parts)] if words else []
                parts.append(part.to_numpy(float))
                names.append(str(name))
    points = np.stack(parts, axis=1)
    return points[: len(a)], points[len(a) :], names, coded


METHODS: dict[str, tuple[str, Callable[[Any, Any, int], dict[str, Any]]]] = {
    "evidently": ("evidently", evidently),
    "alibi-detect TabularDrift": ("alibi_detect.cd", tabular_drift),
    "alibi-detect MMD": ("alibi_detect.cd", mmd_drift),
    "classifier": ("sklearn", classifier),
}


def trial(
    change: str, strength: float, method: str, rng: np.random.Generator, seed: int
) -> dict[str, Any]:
    """What a rival says of the files of a draw."""
    import pandas as pd

    a, b, _ = tables.draw(rng, change, strength)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frames = [
            pd.read_csv(
                tables.write_csv(columns, Path(folder, f"{name}.csv")), parse_dates=["time"]
            )
            for name, columns in (("a", a), ("b", b))
        ]
        with redirect_stderr(StringIO()):  # progress bars
            return METHODS[method][1](frames[0], frames[1], seed)


def installed() -> tuple[list[str], dict[str, str], dict[str, str]]:
    """Methods that can be run, why others cannot, and versions."""
    able, broken, versions = [], {}, {}
    for name, (module, _) in METHODS.items():
        try:
            importlib.import_module(module)
            if "MMD" in name:
                importlib.import_module("torch")
        except Exception as error:  # whatever keeps it from working is the finding
            broken[name] = f"{type(error).__name__}: {error}"
        else:
            able.append(name)
    for package in ("evidently", "alibi-detect", "scikit-learn", "pandas", "numpy", "torch"):
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return able, broken, versions


def run(chosen: Namespace, raw: Path) -> None:
    able, broken, versions = installed()
    cells = []
    for name in able:
        if "level" in chosen.part:
            cells.append(grid.Cell("none", 0.0, name, chosen.repetitions or 100))
        if "changes" in chosen.part:
            cells += [
                grid.Cell(change, how.strength, name, chosen.repetitions or 50)
                for change, how in tables.CHANGES.items()
            ]
    grid.run(
        cells, trial, raw / "rivals.json", seed=SEED,
        settings={"level": LEVEL, "not run": broken, "rivals": versions,
                  "permutations": PERMUTATIONS},
        chosen=chosen, chunk=5, round_of=25,
    )  # fmt: skip


def summarize(raw: Path) -> Summary:
    return {"rivals": grid.with_cells(read_json(raw / "rivals.json"), outcomes.reduced)}


def report(summary: Summary, folder: Path) -> None:
    """The page is written by ``python -m experiments.compare``."""
    print(grid.summary(summary["rivals"]))


EXPERIMENT = Experiment("compare", run, summarize, report, ("changes", "level"))


if __name__ == "__main__":
    EXPERIMENT.main()
