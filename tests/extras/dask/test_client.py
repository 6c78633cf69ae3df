"""``--dask ADDRESS`` on the command line."""

import pytest

from csvs import FEW, rows_of, write
from optional import need
from samelaw.extras.dask import client as dask_client
from samelaw.extras.dask.client import on_cluster

need("dask.dataframe")
distributed = need("distributed")


def test_without_an_address_nothing_changes():
    with on_cluster(None, ["a.csv", "b.csv"]) as found:
        assert found == ["a.csv", "b.csv"]


def test_an_address_where_nobody_answers_is_said_in_a_line(samelaw, monkeypatch):
    monkeypatch.setattr(dask_client, "_WAIT", "200ms")
    write("a.csv", rows_of(60))
    code, _, err = samelaw("compare", "a.csv", "a.csv", "--dask", "tcp://127.0.0.1:9")
    assert code == 2
    assert "--dask: no scheduler answers at tcp://127.0.0.1:9" in err


@pytest.mark.heavy
def test_a_cluster_compares_and_profiles_files(samelaw, tmp_path):
    a, b = write("a.csv", rows_of(200)), write("b.csv", rows_of(150, shift=2))
    local = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(host="127.0.0.1", **local) as cluster:
        address = ("--dask", cluster.scheduler_address)
        code, out, _ = samelaw("compare", a.resolve(), b.resolve(), *FEW, *address)
        assert code == 1
        assert f"--dask {cluster.scheduler_address}" in out
        code, out, err = samelaw("profile", a.resolve(), "-o", "r.safetensors", *address)
        assert (code, err) == (0, "")
        assert "A reference of 160 rows" in out
    assert samelaw("compare", "r.safetensors", "b.csv", *FEW)[0] == 1
