"""Routes of a test: all pairs, blocks, and a large sample against a small one."""

import tracemalloc

import numpy as np
import pytest

from levels import check, runs_to_see
from samelaw import Fuse, Gaussian, compare, two_sample_test
from samelaw.comparison.rows.witness import directions
from samelaw.core import memory
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.reading.read import read_table
from samelaw.testing import KernelGroup, routes


def samples(n, m, shift=0.0, width=3):
    rng = np.random.default_rng([n, m])
    return rng.normal(size=(n, width)), rng.normal(size=(m, width)) + shift


def as_table(rows):
    return {f"c{i}": column for i, column in enumerate(rows.T)}


@pytest.mark.parametrize(
    ("n", "m", "most"),
    [
        (20, 420, 400),
        *(
            pytest.param(*s, routes.MOST_GRAM_ROWS, marks=pytest.mark.heavy)
            for s in ((20, 2_100), (13_000, 20), (40_000, 60))
        ),
    ],
)
def test_a_large_sample_against_a_small_one_gets_an_answer(monkeypatch, n, m, most):
    monkeypatch.setattr(routes, "MOST_GRAM_ROWS", most)
    x, y = samples(n, m)
    result = two_sample_test(x, y, permutations=99, rng=0)
    assert "rows left out at random" in result.method
    assert result.sizes == (n, m)
    x, y = samples(n, m, shift=2.0)
    assert two_sample_test(x, y, permutations=39, rng=0).reject
    assert compare(as_table(x), as_table(y), permutations=39, rng=0).reject


@pytest.mark.long
def test_blocks_are_bounded_and_so_is_memory():
    x, y = samples(400_000, 200)
    strategy = Fuse([KernelGroup([Gaussian(1.0)], (1, 10))])
    tracemalloc.start()
    result = two_sample_test(x, y, strategy=strategy, permutations=99, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "1967 v 33 blocks of 6 rows" in result.method
    assert "far larger sample 200,000 rows drawn at random were not taken" in result.method
    assert peak < 2**30


def test_rows_of_a_thinned_table_keep_their_numbers(monkeypatch):
    """Row 432 of A is unlike any of B, and is called so though most rows of A were not taken."""
    monkeypatch.setattr(memory, "MOST_ROWS_OF_ONE", 400)
    x, y = samples(600, 4)
    x[:, 0] = np.arange(600)  # every row says which it is
    found = compare(as_table(x), as_table(y), permutations=39, rng=0, kinds={"c0": "numeric"})
    assert found.sizes == (600, 4)
    assert any("400 of its 600 rows" in note for note in found.notes)
    shown = [row for row in found.rows if row.table == "A"]
    assert [float(row.values["c0"]) for row in shown] == [row.row for row in shown]


@pytest.mark.long
@pytest.mark.parametrize(
    "runs",
    [
        runs_to_see(0.5, 0.1, power=0.99),  # rows left out by their order, say
        pytest.param(runs_to_see(0.2, 0.1), marks=pytest.mark.heavy),
    ],
)
def test_thinned_samples_keep_the_level(monkeypatch, runs):
    monkeypatch.setattr(memory, "MOST_ROWS_OF_ONE", 60)
    level, hits = 0.1, 0
    strategy = Fuse([KernelGroup([Gaussian(1.0)], (1, 10))])
    for run in range(runs):
        rng = np.random.default_rng([run, 5])
        x, y = rng.exponential(size=(900, 1)), rng.exponential(size=(6, 1))
        found = two_sample_test(x, y, strategy=strategy, level=level, permutations=39, rng=run)
        hits += found.reject
    check(hits, runs, level)


def test_directions_see_every_row_of_a_handful():
    """Of 5 rows among 100,000 a draw of 40,000 may hold none."""
    x, y = samples(5, 100_000)
    pool = np.concatenate([x, y])
    column = read_table({"c": pool[:, 0]}).column("c")
    for seed in range(3):
        found = directions(
            pool,
            [ColumnView(column)],
            np.zeros(x.shape[1], dtype=int),
            (5, 100_000),
            np.random.default_rng(seed),
        )
        assert all(0 < mode.share_a <= 1 for mode in found)
