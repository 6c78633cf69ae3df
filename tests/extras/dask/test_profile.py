"""Dask dataframes: any partitions, lost workers, runs that died; one answer, to the last bit."""

import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from optional import need
from samelaw import Reference, compare
from samelaw.comparison.references.dask_door import is_dask
from samelaw.divergence.random_blocks import Deal
from samelaw.extras.dask.profile import (
    Roles,
    _bytes,
    _made,
    add_parts,
    dask_frame,
    gathered,
    profile_dask,
    sketched_pair,
)

dask = need("dask")
dataframe = need("dask.dataframe")
pandas = need("pandas")


def rows(n=900, seed=0, shift=0.0):
    """A sorted table, so that partitions are unlike each other."""
    rng = np.random.default_rng(seed)
    return pandas.DataFrame(
        {
            "x": np.sort(rng.normal(size=n)) + shift,
            "k": np.sort(rng.choice(["a", "b", "c"], n)),
            "m": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 9, n)),
        }
    )


def parted(frame, count):
    return dataframe.from_pandas(frame, npartitions=count)


@pytest.fixture(autouse=True)
def no_server():
    with dask.config.set(scheduler="synchronous"):
        yield


def same(one, other):
    assert one.fingerprint == other.fingerprint
    np.testing.assert_array_equal(one.kept, other.kept)
    for name, value in one.summary.state().items():
        np.testing.assert_array_equal(value, other.summary.state()[name])


def test_sums_are_those_of_the_rows_and_partitions_do_not_matter():
    found = [profile_dask(parted(rows(), count), rng=1) for count in (1, 7)]
    assert found[0].fingerprint == found[1].fingerprint
    np.testing.assert_array_equal(found[0].kept, found[1].kept)
    np.testing.assert_allclose(found[0].summary.total, found[1].summary.total)
    assert found[0].rows == len(found[0].kept) == 720
    again = Reference.of(parted(rows(), 7), rng=1)
    same(again, found[1])
    direct = Reference.of(rows(), like=again, rng=0)
    prepared = direct.summary.columns.weight * direct.summary.columns.mean
    prepared -= again.summary.columns.weight * again.summary.columns.mean
    assert np.abs(prepared[0] / 180) < 0.3  # what is left is the mean of preparation rows


def test_a_comparison_takes_dataframes_on_either_side(monkeypatch):
    monkeypatch.setattr("samelaw.extras.dask.compare.ROOM", 0.0)
    a, b = parted(rows(200), 3), parted(rows(150, seed=2, shift=1.0), 2)
    options = {"rng": 0, "permutations": 39}
    found = compare(a, b, **options)
    assert found.columns_changed == ("x",)
    assert found.sizes == (160, 150)
    notes = " ".join(found.notes)
    assert "a reference of 160 rows" in notes
    assert "tested on all rows" in notes
    assert found.level == 0.05
    assert found.seed == 0
    assert compare(rows(150, seed=1), a, **options).sizes == (150, 160)
    kept = Reference.of(rows(200), rng=0)
    assert not compare(kept, parted(rows(150, seed=1), 2), **options).reject


def parts(count=4):
    frame = rows()
    roles = Roles(Deal(900, 1, 3), 0, 100)
    empty = Reference.of(frame, rng=0).without_rows()
    cuts = np.array_split(np.arange(900), count)
    found = [_made(frame.iloc[some], i, int(some[0]), empty, roles) for i, some in enumerate(cuts)]
    return found, empty, roles


def test_lost_and_doubled_partitions_are_found():
    found, _, roles = parts()
    assert add_parts(found).finished(4, roles).summary.rows == 900
    with pytest.raises(ValueError, match="partitions 1 came twice"):
        add_parts([found[1], *found])
    with pytest.raises(ValueError, match=r"partitions 2 of 4 are missing: 675 rows came of 900"):
        add_parts([found[0], found[1], found[3]]).finished(4, roles)
    forged = replace(found[2], numbers=(1,))
    with pytest.raises(ValueError, match=r"came of 900|came twice"):
        add_parts([found[0], forged, found[3]]).finished(3, roles)
    short = replace(found[3], rows=10)
    with pytest.raises(ValueError, match="rows were lost or doubled"):
        add_parts([*found[:3], short]).finished(4, roles)


def test_the_order_in_which_parts_arrive_does_not_matter():
    found, _, roles = parts()
    forth, back = (add_parts(list(p)).finished(4, roles) for p in (found, found[::-1]))
    np.testing.assert_array_equal(forth.kept, back.kept)
    np.testing.assert_allclose(forth.summary.total, back.summary.total)


def test_a_run_that_died_goes_on_with_what_it_saved(tmp_path):
    frame = parted(rows(), 5)
    whole = profile_dask(frame, rng=1, checkpoint=tmp_path)
    saved = sorted(tmp_path.iterdir())
    assert len(saved) == 5
    saved[1].unlink()
    saved[3].write_bytes(saved[3].read_bytes()[:-50])
    before = {path: path.stat().st_mtime_ns for path in (saved[0], saved[2], saved[4])}
    same(profile_dask(frame, rng=1, checkpoint=tmp_path), whole)
    assert {path: path.stat().st_mtime_ns for path in before} == before  # taken as they were
    other = profile_dask(parted(rows(seed=5), 5), rng=1, checkpoint=tmp_path)
    same(other, profile_dask(parted(rows(seed=5), 5), rng=1))  # not those of another table
    with pytest.raises(ValueError, match="checkpoint= needs a number as rng="):
        profile_dask(frame, checkpoint=tmp_path)


def test_a_source_that_changes_is_refused():
    shrinking = iter([400, 400, 390])

    def some(_):
        return rows().iloc[: next(shrinking)]

    frame = parted(rows(400), 1).map_partitions(some, meta=rows(10))
    with pytest.raises(ValueError, match="partition 0 has 390 rows where 400 were counted"):
        profile_dask(frame, rng=0)


def test_only_dataframes_that_fit_are_gathered():
    a, b = parted(rows(300), 3), rows(200)
    size = sum(_bytes(part.compute()) for part in a.partitions)
    found = gathered((a, b), size)
    pandas.testing.assert_frame_equal(found[0], rows(300), check_dtype=False)
    assert found[1] is b
    assert gathered((a, b), size - 1)[0] is a
    assert not any(map(is_dask, gathered((a, a), 2 * size)))
    assert all(map(is_dask, gathered((a, a), 2 * size - 1)))


def test_an_index_with_a_name_is_a_column():
    named = rows(60).set_index(pandas.Index(np.arange(60) / 7, name="at"))
    assert "at" in profile_dask(parted(named, 2), rng=0).rules.names
    assert "index" not in profile_dask(parted(rows(60), 2), rng=0).rules.names
    with_number = rows(60).set_index(pandas.RangeIndex(60, name="at"))
    assert "at" not in profile_dask(parted(with_number, 2), rng=0).rules.names


def test_files_become_dataframes(tmp_path):
    rows(50).to_csv(tmp_path / "a.csv", index=False)
    rows(50).to_parquet(tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        frame = dask_frame(str(tmp_path / name))
        assert is_dask(frame)
        assert list(frame.columns) == ["x", "k", "m"]
    assert not is_dask(rows())


def test_an_empty_partition_adds_nothing():
    found, empty, roles = parts()
    none = _made(rows().iloc[:0], 4, 900, empty, roles)
    one, other = add_parts([*found, none]).finished(5, roles), add_parts(found).finished(4, roles)
    np.testing.assert_array_equal(one.kept, other.kept)
    np.testing.assert_array_equal(one.summary.total, other.summary.total)


def test_all_rows_are_in_blocks_of_one_size():
    frames = parted(rows(), 4), parted(rows(500, seed=1), 3)
    references, sketches = sketched_pair(*frames, None, np.random.default_rng(0))
    assert sketches is not None
    assert [one.rows for one in references] == [720, 500]
    assert [one.block for one in sketches] == [12, 12]
    for reference, sketch in zip(references, sketches, strict=True):
        assert len(sketch.totals) * 12 + sketch.left_over == reference.rows


def test_row_numbers_are_no_law(monkeypatch):
    """Dataframes of two sizes differ in them, whatever else they hold."""
    monkeypatch.setattr("samelaw.extras.dask.compare.ROOM", 0.0)
    rng = np.random.default_rng(0)
    a, b = (
        parted(pandas.DataFrame({"nr": np.arange(n), "x": rng.normal(size=n)}), 3)
        for n in (900, 600)
    )
    found = compare(a, b, permutations=99, rng=0)
    assert not found.reject
    assert [left.column for left in found.left_out] == ["nr"]
    told = profile_dask(a, kinds={"nr": "integer"}, rng=0).rules.columns
    assert [str(one.kind) for one in told] == ["integer", "numeric"]


def test_row_numbers_are_told_where_few_of_the_rows_are_for_preparation():
    frame = pandas.DataFrame({"nr": np.arange(300_000), "half": np.arange(300_000) // 2})
    frame["nr"] = frame["nr"].sample(frac=1.0, random_state=0).to_numpy()  # in any order
    rules = profile_dask(parted(frame, 2), keep=0, rng=0).rules
    assert {one.name: str(one.kind) for one in rules.columns} == {
        "nr": "identifier",
        "half": "integer",
    }


def slow(frame):
    time.sleep(0.25)
    return frame


@pytest.mark.heavy
def test_a_cluster_that_loses_and_gains_a_worker_gives_the_same_answer():
    distributed = need("distributed")
    quick = parted(rows(6000), 24)
    expected = profile_dask(quick, rng=1)
    frame = quick.map_partitions(slow, meta=rows(10))
    local = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set(scheduler=None),
        distributed.LocalCluster(processes=True, host="127.0.0.1", **local) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        assert len(set(pids)) == 3
        threading.Timer(2.0, os.kill, (pids[0], signal.SIGKILL)).start()
        threading.Timer(2.5, cluster.scale, (4,)).start()
        started = time.monotonic()
        found = profile_dask(frame, rng=1)
        assert time.monotonic() - started > 2.5  # it was in the middle
        same(found, expected)
        assert pids[0] not in client.run(os.getpid).values()
