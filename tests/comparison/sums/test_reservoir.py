"""Rows drawn from tables read piece by piece: bounded, uniform, and of the pool alike."""

import numpy as np
import pyarrow as pa

from samelaw.comparison.sums.reservoir import Reservoir, drawn_from_pool, survey
from samelaw.tables.columns.raw_column import Form
from samelaw.tables.reading.batch_sources import open_batches


def rows(count):
    return open_batches(pa.table({"row": np.arange(count), "x": np.arange(count) % 7}))


def test_rows_are_counted_and_as_many_kept_as_asked_for():
    found = survey(rows(5_000), np.random.default_rng(0), 300)
    assert found.rows == 5_000
    assert found.drawn.rows == len(found.drawn.numbers) == 300
    np.testing.assert_array_equal(found.drawn.raw["row"].numbers(Form.NUMBER), found.drawn.numbers)
    assert len(set(found.drawn.numbers.tolist())) == 300


def test_a_small_table_is_kept_whole():
    found = survey(rows(50), np.random.default_rng(0), 300)
    np.testing.assert_array_equal(found.drawn.numbers, np.arange(50))


def test_the_draw_does_not_depend_on_the_pieces():
    table = pa.table({"row": np.arange(4_000)})
    draws = []
    for step in (4_000, 130):
        reservoir = Reservoir(100, np.random.default_rng(3))
        for start in range(0, 4_000, step):
            reservoir.show(table.slice(start, step))
        draws.append(np.sort(reservoir.kept()[1]))
    np.testing.assert_array_equal(*draws)


def test_early_and_late_rows_are_drawn_alike():
    late = 0
    for seed in range(40):
        found = survey(rows(1_000), np.random.default_rng(seed), 50)
        late += int((found.drawn.numbers >= 500).sum())
    assert abs(late - 1_000) < 4 * np.sqrt(40 * 50 * 0.25)


def test_the_pool_is_drawn_from_without_a_look_at_the_tables():
    shares = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        both = [survey(rows(count), rng, 200) for count in (6_000, 2_000)]
        a, b = drawn_from_pool(both, 200)
        assert a.rows + b.rows == 200
        shares.append(a.rows / 200)
    assert abs(np.mean(shares) - 0.75) < 4 * np.sqrt(0.75 * 0.25 / (30 * 200))
    assert np.std(shares) > 0.015, "the number of rows of a table is as random as under a draw"
