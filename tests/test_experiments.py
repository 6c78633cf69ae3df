"""One layout for all experiments: what is kept makes table and picture, and names its commit."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from optional import need

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
FOLDERS = sorted(path.parent for path in (ROOT / "experiments").glob("*/__main__.py"))
NAMES = [folder.name for folder in FOLDERS]
GIVEN = {"published.json", "paper.json", "pilot.json"}
"""Numbers of others, and of the pilot that set strengths: no run writes them."""

CHEAP = "second_order"
SMALL = 120_000  # bytes


def experiment(name):
    need("matplotlib").use("Agg")
    need("torch")
    module = importlib.import_module(f"experiments.{name}.__main__")
    return module.EXPERIMENT


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_folder_holds_code_words_table_picture_and_a_small_summary(folder):
    kept = {path.name for path in folder.iterdir() if path.is_file()}
    assert {"README.md", "table.md", "figure.png", "summary.json"} <= kept
    assert {name for name in kept if name.endswith(".json")} - GIVEN == {"summary.json"}
    assert {Path(name).suffix for name in kept} <= {".py", ".md", ".png", ".json", ".txt"}
    assert (folder / "summary.json").stat().st_size < SMALL


@pytest.mark.parametrize("folder", FOLDERS, ids=NAMES)
def test_a_summary_names_the_versions_and_the_commit_it_was_made_by(folder):
    books = json.loads((folder / "summary.json").read_text())
    versions = [book["versions"] for book in books.values() if "versions" in book]
    assert versions
    for found in versions:
        assert {"python", "numpy", "commit"} <= found.keys()


@pytest.mark.parametrize("name", ["fig4", "fig4_deep", "fig5", "large", "second_order"])
def test_a_readme_says_how_many_repetitions_there_are(name):
    """They once said how many were planned."""
    folder = ROOT / "experiments" / name
    books = json.loads((folder / "summary.json").read_text()).values()
    cells = [cell for book in books for cell in book.get("cells", {}).values()]
    counts = [cell["repetitions"] for cell in cells if "repetitions" in cell]
    told = f"{min(counts)} to {max(counts)} repetitions"
    assert told in (folder / "README.md").read_text(), f"{name}/README.md: {told}"


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.heavy] * (name != CHEAP)) for name in NAMES],
)
def test_the_summary_alone_makes_the_table_and_the_picture(name, tmp_path):
    summary = json.loads((ROOT / "experiments" / name / "summary.json").read_text())
    if name == "suite":  # two halves, so a command line of its own
        report = importlib.import_module("experiments.suite.report").write
    else:
        report = experiment(name).report
    report(summary, tmp_path)
    kept = (ROOT / "experiments" / name / "table.md").read_text()
    assert (tmp_path / "table.md").read_text() == kept
    assert (tmp_path / "figure.png").stat().st_size > 10_000


@pytest.mark.parametrize("name", [CHEAP])
def test_the_command_line_is_the_same_for_all(name):
    made = experiment(name)
    assert made.name == name
    chosen = made.options(["run", "--quick"])
    assert (chosen.action, chosen.quick, chosen.repetitions) == ("run", True, 2)
    assert made.options([]).action == "report"
    assert chosen.part == list(made.parts)


def test_a_longer_cell_stays_and_other_books_too():
    from experiments.command import merged

    old = {"a": {"seed": 1, "cells": {"x": {"repetitions": 9}, "y": {"repetitions": 2}}}, "b": {}}
    new = {"a": {"seed": 2, "cells": {"x": {"repetitions": 3}, "y": {"repetitions": 2, "new": 1}}}}
    assert merged(old, new) == {
        "a": {
            "seed": 2,
            "cells": {"x": {"repetitions": 9}, "y": {"repetitions": 2, "new": 1}},
        },
        "b": {},
    }


def test_a_cell_of_uncommitted_code_gives_way_to_a_shorter_one():
    from experiments.command import merged

    old = {"cells": {"x": {"repetitions": 9, "commits": ["a", "b-dirty"]}}}
    new = {"cells": {"x": {"repetitions": 3, "commits": ["c"]}}}
    assert merged(old, new) == new


def test_rejections_survive_their_summary():
    from experiments import grid

    values = [0.01, 0.05, 0.2, 0.04, 1.0, 0.5, 0.03, 0.06, 0.05]
    cell = {"problem": "p", "value": 1, "method": "m", "repetitions": 9, "values": values}
    (kept,) = grid.reduced({"cells": {"p": cell}})["cells"].values()
    assert "values" not in kept
    assert grid.rejections(kept).tolist() == [v <= 0.05 for v in values]
    assert grid.rate(kept) == grid.rate(cell)


@pytest.fixture
def checkout(tmp_path):
    """A folder with one file of code, committed."""

    def git(*words):
        author = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *author, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    (tmp_path / "code.py").write_text("one")
    git("add", ".")
    git("commit", "-m", "one")
    return tmp_path


def test_what_is_not_committed_is_no_ground_for_results(checkout):
    from experiments.command import refuse_uncommitted

    refuse_uncommitted(checkout)
    (checkout / "table.md").write_text("what a report writes")
    refuse_uncommitted(checkout)
    (checkout / "code.py").write_text("two")
    with pytest.raises(SystemExit, match=r"1 files are not committed \(code\.py\).*--quick"):
        refuse_uncommitted(checkout)


def test_a_commit_that_lacks_code_is_marked(checkout):
    from experiments.common import commit

    assert re.fullmatch("[0-9a-f]{7,}", commit(checkout))
    (checkout / "new.py").write_text("two")
    assert re.fullmatch("[0-9a-f]{7,}-dirty", commit(checkout))


def try_experiment(commits, **versions):
    """An experiment of one cell, drawn by these commits."""
    from experiments.command import Experiment

    cell = {"repetitions": 3, "commits": commits}
    book = {"versions": versions, "cells": {"new": cell}}
    return Experiment("a", lambda *_: None, lambda _: {"results": book}, lambda *_: None)


@pytest.mark.parametrize(("first", "last"), [("abc-dirty", "def"), ("abc", "def-dirty")])
def test_no_summary_takes_what_was_drawn_by_code_that_is_not_committed(tmp_path, first, last):
    """However it came to be drawn: by an experiment of its own command line, or begun earlier."""
    raw, home = tmp_path / "build", tmp_path / "home"
    unfit = try_experiment([first, last], commit=last)
    with pytest.raises(SystemExit, match=r"results was drawn in part .*-dirty.*stays in build"):
        unfit.keep(raw, home)
    assert not home.exists()
    unfit.keep(raw, raw)  # a try: it stays there
    assert (raw / "summary.json").exists()


def test_a_cell_names_the_commits_that_drew_it_when_others_come_later(tmp_path):
    old = {"results": {"versions": {"commit": "old"}, "cells": {"kept": {"repetitions": 5}}}}
    (tmp_path / "summary.json").write_text(json.dumps(old))
    try_experiment(["one", "two"], commit="two").keep(tmp_path / "build", tmp_path)
    found = json.loads((tmp_path / "summary.json").read_text())["results"]
    assert found["versions"]["commit"] == "two"
    assert {key: cell["commits"] for key, cell in found["cells"].items()} == {
        "kept": ["old"],
        "new": ["one", "two"],
    }


def test_only_what_no_commit_has_drawn_is_drawn_again(tmp_path):
    from experiments import grid

    book = {
        "versions": {"commit": "abc-dirty"},
        "cells": {"a": {"commits": ["abc"]}, "b": {"commits": ["abc", "abd-dirty"]}, "c": {}},
    }
    path = tmp_path / "summary.json"
    path.write_text(json.dumps({"results": book}))
    assert grid.drawn_by_commits(path, "results") == {"a"}
    assert grid.drawn_by_commits(path, "other") == set()


@pytest.mark.long
def test_every_figure_and_table_of_the_paper_has_its_verdict_from_the_present_summaries():
    need("torch")
    need("matplotlib").use("Agg")
    from experiments.verdicts import page, records

    kept = (ROOT / "experiments" / "verdicts.md").read_text()
    assert kept == page(), "write it anew: python -m experiments.verdicts"
    found = (ROOT / "experiments" / "verdicts.json").read_text()
    assert found == records(), "write it anew: python -m experiments.verdicts"
    for one in json.loads(found):
        assert (one["summary"] is None) == (one["verdict"] == "not run")
        assert one["summary"] is None or (ROOT / one["summary"]).is_file()
    items = " ".join(line for line in kept.splitlines() if line.startswith("### "))
    numbers = re.findall(r"(Figure|Table)s? (\d)[a-f]?(?:(?:–| and )(\d))?", items)
    told = {
        (kind, number)
        for kind, first, last in numbers
        for number in range(int(first), int(last or first) + 1)
    }
    assert told >= {("Figure", k) for k in range(1, 9)} | {("Table", k) for k in range(1, 5)}


def test_pairs_of_draws_decide_the_word():
    from experiments.verdict import Pairs, Verdict, word

    few = np.arange(20) < 5
    many, same = np.arange(20) < 15, Pairs(few, few, (20,))
    ahead, behind = Pairs(many, few, (20,)), Pairs(few, many, (20,))
    assert (ahead.only, ahead.pvalue) == ((10, 0), pytest.approx(2**-9))
    assert [p.ahead for p in (ahead, same, behind)] == [True, False, False]
    assert [p.behind for p in (ahead, same, behind)] == [False, False, True]
    assert [p.level_or_ahead for p in (ahead, same, behind)] == [True, True, False]
    assert word(ahead.ahead) == "confirmed"
    assert word(ahead.ahead, stand_in=True) == "confirmed on a stand-in"
    assert word(same.ahead, same.behind) == "not confirmed"
    assert word(behind.ahead, behind.behind) == "contradicted"
    assert word(behind.ahead, behind.behind, stand_in=True) == "not confirmed"
    with pytest.raises(ValueError, match=r"a verdict is one of confirmed, .* got 'proved'"):
        Verdict("Figure 1", "it holds", "proved", "", "0", "")


def a_real_table():
    """A frame that every kind of defect can go into."""
    pd = need("pandas")
    rng = np.random.default_rng(0)
    x, days = np.round(rng.normal(100.0, 15.0, 400), 1), rng.integers(0, 300, 400)
    columns = {
        "x": x,
        "half": np.round(0.5 * x + rng.normal(0.0, 3.0, 400), 2),
        "word": rng.choice(["red", "blue", "green"], 400, p=[0.5, 0.3, 0.2]),
        "day": (pd.Timestamp("2020-01-01") + pd.to_timedelta(days, "D")).strftime("%Y-%m-%d"),
    }
    return pd.DataFrame(columns)


PLANTED = {  # of the column before and after
    "units": lambda a, b: np.isclose(b, 1000 * a).sum() == 12,
    "shift": lambda a, b: np.isclose(b - a, 0.3 * a.std(ddof=0), atol=0.06).all(),
    "spread": lambda a, b: np.isclose(b.std(), 1.5 * a.std(), rtol=0.01),
    "sign": lambda a, b: (b == -a).sum() == 8,
    "sentinel": lambda a, b: (b == -999).sum() == 12,
    "imputed": lambda a, b: np.isclose(b, a.mean(), atol=0.06).sum() >= 60,
    "clipped": lambda a, b: b.max() == np.round(np.quantile(a, 0.9), 2) or b.max() < a.max(),
    "rounded": lambda a, b: (b == np.round(a)).all(),
    "text": lambda a, b: (b == "unknown").sum() == 12,
    "missing": lambda a, b: b.isna().sum() == 40,
    "merged": lambda a, b: set(a) - set(b) == {"blue"} and (b == "red").sum() > (a == "red").sum(),
    "respelled": lambda a, b: set(b) == {"red", "BLUE", "green"},
    "thinned": lambda a, b: 0.3 < (b == "blue").sum() / (a == "blue").sum() < 0.7,
    "top": lambda a, b: len(b) == 380 and b.max() <= np.quantile(a, 0.95),
    "swapped": lambda a, b: 1 <= (a != b).sum() <= 20,
    "decoupled": lambda a, b: (a != b).any() and sorted(a) == sorted(b),
    "later": lambda a, b: (b > a).all(),
    "repeated": lambda a, b: len(b) == 440 and set(a) == set(b),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_defect_is_in_the_column_it_names_and_nowhere_else(kind):
    from experiments.real_tables.defects import KINDS

    assert list(KINDS) == list(PLANTED)
    whole = a_real_table().rename(columns={"half": "self"})  # a real table has such a column
    for columns in KINDS[kind].places(whole):
        found = KINDS[kind].plant(whole.copy(), columns, np.random.default_rng(1))
        name = columns[0] if columns else "x"
        assert PLANTED[kind](whole[name], found[name])
        if len(found) == len(whole):
            others = [name for name in whole if name not in columns]
            assert found[others].equals(whole[others])
    assert KINDS[kind].places(whole)
    assert KINDS[kind].places(whole[[]]) in ([], [()])


def test_a_planted_defect_is_found_and_named_by_the_test_of_its_column(monkeypatch):
    from experiments.real_tables import rivals, tables, trials

    monkeypatch.setattr(trials, "sources", lambda kind: ("a table",))
    monkeypatch.setattr(trials, "tables", lambda: {"a table": a_real_table()})
    found = trials.trial("respelled", 0, "KS and χ² per column", np.random.default_rng(0), 0)
    assert found["pvalue"] < 0.001
    assert (found["table"], found["planted"], found["named"]) == ("a table", ["word"], True)
    monkeypatch.setitem(trials.RIVALS, "boosted trees", lambda *_: 1 / 0)
    failed = trials.trial("none", 0, "boosted trees", np.random.default_rng(0), 0)
    assert (failed["pvalue"], failed["error"]) == (1.0, "ZeroDivisionError: division by zero")
    a, b = tables.halves(a_real_table(), np.random.default_rng(0))
    assert sorted([*a["x"], *b["x"]]) == sorted(a_real_table()["x"])
    assert rivals.tests_per_column(a, b, 0)["columns"] == []


def test_words_among_numbers_count_as_missing_for_tests_of_numbers():
    from experiments.real_tables import rivals

    a = a_real_table()[["x"]]
    b = a.astype(object)
    b.iloc[:40] = "unknown"
    first, second = rivals.aligned(a.rename(columns={"x": "self"}), b.rename(columns={"x": "self"}))
    first, second = (side.rename(columns={"self": "x"}) for side in (first, second))
    assert (first["x"].isna().sum(), second["x"].isna().sum()) == (0, 40)
    assert rivals.tests_per_column(first, second, 0)["columns"] == ["x"]


@pytest.mark.parametrize("columns", [["x"], ["x", "half"], ["x", "word", "day"]])
def test_trees_take_tables_of_numbers_alone_and_columns_without_values(columns):
    need("sklearn")
    from experiments.real_tables import rivals

    a = a_real_table()[columns].assign(empty=np.nan)
    b = a.assign(x=a["x"] + 20)
    found = rivals.boosted_trees(a, b, 0)
    assert (found["pvalue"] < 0.001, found["columns"]) == (True, ["x"])


def test_a_note_on_how_a_column_was_read_tells_of_no_defect():
    from experiments.real_tables import trials

    told = {"notes": ["x: 15 % of the values in A are in B too.", "x reaches 900 in B (1 row)."]}
    assert trials._remarked(told, "units", ("x",)) == "x reaches 900 in B (1 row)."
    assert trials._remarked({"notes": told["notes"][:1]}, "units", ("x",)) == ""
    words = {"notes": ["x: 3 rows hold the text 'unknown' in place of a value"]}
    assert trials._remarked(words, "text", ("x",)) == words["notes"][0]
