"""One pair of files, as `samelaw.compare` and the rivals see it, and what each says of it."""

import tempfile
import warnings
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import samelaw as sl
from experiments.real_tables import rivals
from experiments.real_tables.defects import KINDS, tables_for
from experiments.real_tables.tables import Frame, Rng, chosen, halves, tables

SEED = 41
NULL = "none"
SPLITS = 2
"""Random halves of every table."""
EACH = 10
"""Tables that every kind of defect is planted into."""
RIVALS = {
    "KS and χ² per column": rivals.tests_per_column,
    "boosted trees": rivals.boosted_trees,
}
METHODS = ("samelaw", *RIVALS)


def drawn(kind: str, table: int, rng: Rng) -> tuple[Frame, Frame, str, tuple[str, ...]]:
    """Two halves, the name of the table they are of, and the columns with the defect."""
    name = sources(kind)[table]
    whole = tables()[name]
    a, b = halves(whole, rng)
    if kind == NULL:
        return a, b, name, ()
    places = KINDS[kind].places(whole)
    columns = places[int(rng.integers(len(places)))]
    return a, KINDS[kind].plant(b, columns, rng), name, columns


@cache
def sources(kind: str) -> tuple[str, ...]:
    """The tables of a kind of defect, or those that are only split."""
    if kind == NULL:
        return chosen(SEED)
    return tuple(islice(tables_for(kind, tables(), SEED), EACH))


def trial(kind: str, table: int, method: str, rng: Rng, seed: int) -> dict[str, Any]:
    """What a method says of a pair; the number of the table is in the place of a strength."""
    a, b, name, columns = drawn(kind, table, rng)
    with tempfile.TemporaryDirectory() as folder:
        paths = [_written(side, Path(folder, f"{word}.csv")) for word, side in (("a", a), ("b", b))]
        said = says(paths, method, seed, kind, columns)
    return {"table": name, "planted": list(columns), **said}


def _written(frame: Frame, path: Path) -> Path:
    frame.to_csv(path, index=False, float_format="%.15g")  # whole numbers without a point
    return path


def says(
    paths: list[Path], method: str, seed: int, kind: str, columns: tuple[str, ...]
) -> dict[str, Any]:
    """The answer of a method, or the error it ended with, which finds nothing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = _theirs(paths, method, seed) if method in RIVALS else _ours(paths, seed)
        except Exception as error:  # an error is a finding
            return {"pvalue": 1.0, "error": f"{type(error).__name__}: {error}"}
    names = {*found["columns"]}
    said = {
        "named": bool(names & {*columns} if columns else names and kind == NULL),
        "remark": _remarked(found, kind, columns),
        "warnings": sorted({str(one.message) for one in caught}),
    }
    return {**found, **said}


def _theirs(paths: list[Path], method: str, seed: int) -> dict[str, Any]:
    import pandas as pd

    return RIVALS[method](*rivals.aligned(*map(pd.read_csv, paths)), seed)


def _ours(paths: list[Path], seed: int) -> dict[str, Any]:
    found = sl.compare(*paths, rng=seed)
    return {
        "pvalue": 0.0 if found.schema_differs else float(found.pvalue),
        "columns": list(found.columns_changed),
        "notes": list(found.notes),
        "repeats": bool(found.duplicates and found.duplicates.remarks()),
        "sentence": found.sentence,
    }


def _remarked(found: dict[str, Any], kind: str, columns: tuple[str, ...]) -> str:
    """What was said of the defect apart from any test: of its column, or of rows that repeat.

    Of halves without a defect it is all that the sentence thinks worth a look.
    """
    if kind == NULL:
        return str(found.get("sentence", "")).partition("Worth a look: ")[2]
    if not columns:
        return found.get("sentence", "") if found.get("repeats") else ""
    return next((note for note in found.get("notes", ()) if _on_values(note, columns)), "")


def _on_values(note: str, columns: tuple[str, ...]) -> bool:
    """Whether a note says what stands out in a column, or which words stand among its numbers.

    Other notes tell how a column was read, with or without a defect.
    """
    stands_out = note.startswith(tuple(f"{name} " for name in columns))
    words = note.startswith(tuple(f"{name}: " for name in columns)) and "in place of" in note
    return stands_out or words
