"""Where tables differ: planted rows, patterns and the axes of the picture."""

from types import SimpleNamespace

import numpy as np
import pytest

from samelaw import compare
from samelaw.comparison.rows.witness import _axes, directions, picture, principal_plane, witness
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.reading.read import read_table

SIZES = (200, 150)


def points(rng, planted=20):
    found = rng.normal(size=(sum(SIZES), 3))
    found[SIZES[0] : SIZES[0] + planted, 0] += 8
    return found


def test_the_witness_is_high_on_planted_rows_and_near_0_elsewhere():
    rng = np.random.default_rng(0)
    seen = witness(points(rng), SIZES, rng)
    np.testing.assert_array_equal(seen.rows, np.arange(350))
    planted = np.arange(200, 220)
    first = np.argsort(-seen.score)[:20]
    assert len(set(first) & set(planted)) >= 18
    assert abs(np.median(np.delete(seen.score, planted))) < 0.3


def test_directions_name_the_column_that_moved():
    rng = np.random.default_rng(1)
    table = read_table({"moved": rng.normal(size=350), "other": rng.normal(size=350)})
    views = [ColumnView(table.column(name)) for name in ("moved", "other")]
    found = directions(points(rng, 150), views, np.array([0, 1, 1]), SIZES, rng)
    assert found[0].columns[0][0] == "moved"
    assert found[0].words[0] in ("high moved", "low moved")
    for mode in found:
        assert mode.strength == pytest.approx(mode.share_b - mode.share_a)
    assert [abs(m.strength) for m in found] == sorted(
        (abs(m.strength) for m in found), reverse=True
    )


def test_the_picture_shows_rows_of_both_tables_where_they_are():
    rng = np.random.default_rng(2)
    rows = points(rng)
    seen = witness(rows, SIZES, rng)
    shown = picture(seen, ("u", "v"), rows[:, :2], SIZES, rng)
    assert set(zip(shown.x, shown.y, strict=True)) <= {tuple(r) for r in rows[:, :2].tolist()}
    assert shown.table.count("A") == 200
    assert shown.table.count("B") == 150
    assert all(-1 <= w <= 1 for w in shown.witness)


def test_the_plane_is_that_of_largest_variation():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(300, 4)) * [1.0, 9.0, 0.1, 3.0]
    plane = principal_plane(rows, rng)
    assert abs(np.corrcoef(plane[:, 0], rows[:, 1])[0, 1]) > 0.99
    assert abs(np.corrcoef(plane[:, 1], rows[:, 3])[0, 1]) > 0.99
    assert not principal_plane(rows[:, :1], rng)[:, 1].any()  # one column has one direction


def column(name, changed=True, missing=False):
    return SimpleNamespace(column=name, changed=changed, missing=missing)


def test_axes_are_a_changed_pair_or_a_changed_column_and_another():
    columns = dict.fromkeys("uvw")
    pair = SimpleNamespace(columns=("v", "w"), changed=True)
    words = SimpleNamespace(columns=("v", "word"), changed=True)
    assert _axes(columns, [column("u")], [words, pair]) == ("v", "w")
    assert _axes(columns, [column("w")], [words]) == ("w", "u")
    assert _axes(columns, [column("w"), column("v")], []) == ("w", "v")
    assert _axes(columns, [column("w", changed=False), column("v", missing=True)], []) is None
    assert _axes({"u": None}, [column("u")], []) is None


def test_moments_are_drawn_as_dates():
    rng = np.random.default_rng(0)
    day = np.datetime64("2025-01-01") + rng.integers(0, 90, 120)
    a = {"x": rng.normal(size=60), "day": day[:60]}
    b = {"x": rng.normal(size=60) + 2.0, "day": day[60:]}
    shown = compare(a, b, rng=0, permutations=99).picture
    assert shown.dates == tuple(name == "day" for name in shown.axes)
    assert any(shown.dates)
