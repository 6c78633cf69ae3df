"""One command per figure and table, one line per statement of the paper, loaders of its data."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from optional import need

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
EXPERIMENTS = ROOT / "experiments"
pytestmark = pytest.mark.long  # every experiment is loaded, with all it compares itself to


@pytest.fixture(autouse=True)
def libraries():
    need("torch")
    need("matplotlib").use("Agg")


def test_every_figure_and_table_has_a_name_that_runs_experiments_there_are():
    from experiments.__main__ import ITEMS

    assert list(ITEMS) == [
        *(f"fig{k}" for k in (1, 2, 3, 4, 5, 8)), *(f"table{k}" for k in (1, 2, 3, 4)),
    ]  # fmt: skip
    for item in ITEMS.values():
        for folder, *parts in item.runs:
            module = __import__(f"experiments.{folder}.__main__", fromlist=["EXPERIMENT"])
            assert set(parts) <= set(module.EXPERIMENT.parts)


def test_the_list_says_what_became_of_each(capsys):
    from experiments.__main__ import ITEMS, main

    assert main(["list"]) == 0
    said = capsys.readouterr().out
    for name, item in ITEMS.items():
        assert re.search(rf"^{name} +{re.escape(item.title)}$", said, re.MULTILINE)
    assert said.count("confirmed") >= len(ITEMS) - 1


def test_all_goes_on_where_it_was_stopped():
    from experiments.__main__ import ITEMS, wanted

    assert wanted("fig2", {"fig2": "abc"}, "abc") == ["fig2"]
    assert wanted("all", {}, "abc") == list(ITEMS)
    done = {"fig1": "abc", "fig2": "another"}
    assert wanted("all", done, "abc") == [name for name in ITEMS if name != "fig1"]


@pytest.mark.heavy
def test_a_quick_run_writes_figure_numbers_and_verdict(capfd):
    from experiments.__main__ import main

    assert main(["fig8", "--quick"]) == 0
    assert "Figure 8: confirmed" in capfd.readouterr().out
    folder = ROOT / "build" / "experiments" / "fig8" / "quick"
    for name in ("figure.png", "summary.json", "table.md", "verdict.md"):
        assert (folder / name).stat().st_size > 100


def test_the_checklist_is_written_from_the_present_summaries():
    from experiments.checklist import page

    kept = (EXPERIMENTS / "checklist.md").read_text()
    assert kept == page(), "write it anew: python -m experiments.checklist"


def test_every_row_of_the_checklist_has_a_status_and_a_command():
    from experiments.checklist import rows

    found = {row.name: row for row in rows()}
    wanted = {"D1", "P1b", "P2", "L1+", "Th3", "E11", "F6", "Fig1a", "Fig5-d", "T3", "DA3", "A5"}
    assert wanted <= found.keys()
    assert len(found) >= 85
    for row in found.values():
        cells = row.line.strip("| ").split(" | ")
        assert len(cells) == 6
        assert row.how.startswith("`")
    untested = [name for name, row in found.items() if row.status == "not run"]
    assert untested == ["T1 AutoML"]  # it cannot be installed


def test_a_row_counts_the_verdicts_on_its_own_statement():
    from experiments.checklist import rows

    found = {row.name: row for row in rows()}
    assert len(found["Fig3-1"].verdicts) == len(found["Fig3-5..8"].verdicts) == 1
    assert len(found["T1 MMDAgg"].verdicts) == 1


def test_numbers_of_ours_say_what_they_are_of():
    from experiments.checklist import rows

    for row in rows():
        if row.name.startswith(("Fig4", "Fig5", "T1 RJSD", "T1 MMD")):
            said = r"(n|σ|c) = [\d.,]+: .*(Fuse|Deep|Agg|Split|p =)"
            assert re.search(said, row.ours()), row.name


def test_the_page_names_every_file_of_real_data():
    page = (ROOT / "docs" / "reproduction.md").read_text()
    sources = (EXPERIMENTS / "problems.py", EXPERIMENTS / "tables2_4" / "tasks.py")
    text = "".join(path.read_text() for path in sources)
    files = re.findall(r'_(?:load|deep)\("([^"]+)"\)', text)
    assert len(files) >= 8
    assert [name for name in files if f"`{name}`" not in page] == []


def test_a_statement_without_a_test_would_show():
    from experiments.checklist import Row

    assert Row("Q9", "never stated", command="nothing").status == "not run"
    assert Row("D1", "stated").status.startswith("holds")


def binary_batch(rng, count):
    """Bytes of a batch of the binary version, its images and labels."""
    images = rng.integers(0, 256, size=(count, 32, 32, 3), dtype=np.uint8)
    labels = rng.integers(0, 10, size=count, dtype=np.uint8)
    planes = images.transpose(0, 3, 1, 2).reshape(count, -1)
    return np.column_stack([labels, planes]).tobytes(), images, labels


def test_batches_of_cifar_10_are_read(tmp_path):
    from experiments.table1.cifar import read_batch, rows

    raw, images, labels = binary_batch(np.random.default_rng(0), 7)
    path = tmp_path / "test_batch.bin"
    path.write_bytes(raw)
    found, told = read_batch(path)
    np.testing.assert_array_equal(found, images)
    np.testing.assert_array_equal(told, labels)
    assert rows(found).shape == (7, 3072)
    assert rows(found).max() <= 1


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"\x80\x04abc", "take the binary version"),
        (b"\x01" * 100, "3,073 per image"),
        (b"\x0b" * 3073, "has the label 11"),
    ],
)
def test_other_files_are_refused_with_the_reason(tmp_path, raw, said):
    from experiments.table1.cifar import read_batch

    path = tmp_path / "batch"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=said):
        read_batch(path)


@pytest.mark.parametrize("version", ["v4", "v6"])
def test_cifar_10_1_is_read_and_dropping_files_in_runs_the_protocol(tmp_path, version, monkeypatch):
    from experiments.table1 import __main__ as table1
    from experiments.table1 import cifar

    rng = np.random.default_rng(1)
    folder = tmp_path / "cifar10.1"
    folder.mkdir()
    raw, images, labels = binary_batch(rng, 9)
    np.save(folder / f"cifar10.1_{version}_data.npy", images)
    np.save(folder / f"cifar10.1_{version}_labels.npy", labels)
    found, told = cifar.read_cifar_10_1(folder, version)
    np.testing.assert_array_equal(found, images)
    assert told.tolist() == labels.tolist()
    monkeypatch.setenv("SAMELAW_DATA", str(tmp_path))
    assert {cell.problem for cell in table1.cells(None)} == {table1.VOTES}
    (tmp_path / "cifar10").mkdir()
    (tmp_path / "cifar10" / "test_batch.bin").write_bytes(raw)
    wanted = {(cell.problem, cell.value, cell.repetitions) for cell in table1.cells(None)}
    assert ((table1.IMAGES, 2021, 1000) in wanted) == (version == "v4")
    if version == "v4":
        table1.images.cache_clear()
        x, y = table1.draw_rows(table1.IMAGES, rng, 5)
        assert x.shape == y.shape == (5, 3072)
        assert 0 < table1.trial(table1.IMAGES, 8, "MMD-Fuse", rng, 0) <= 1
        table1.images.cache_clear()
