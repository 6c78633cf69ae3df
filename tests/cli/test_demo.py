"""The demo: two tables that never change, and a report."""

import re
from pathlib import Path

import pytest

from optional import need
from samelaw.cli.demo import write_pair

DATA = Path(__file__).parents[2] / "examples" / "data"


@pytest.mark.long
def test_demo_writes_two_tables_and_a_report(samelaw):
    need("pyarrow"), need("jinja2"), need("matplotlib")
    code, out, err = samelaw("demo")
    assert (code, err) == (0, "")
    assert "--seed 2" in out.splitlines()[0]
    folder = Path("samelaw-demo")
    assert {path.name for path in folder.iterdir()} == {
        "changed_a.csv",
        "changed_b.csv",
        "report.html",
    }
    assert out.startswith("$ samelaw compare samelaw-demo/changed_a.csv")
    assert "changed_b.csv differs from changed_a.csv" in " ".join(out.split())
    html = (folder / "report.html").read_text()
    assert len(html.encode()) < 300_000
    assert re.search("minutes_on_site .*pages_seen .*no longer go together", html)
    assert "--seed 2" in html


@pytest.mark.parametrize("name", ["same", "changed"])
def test_the_shipped_tables_are_those_of_the_demo(tmp_path, name):
    for path in write_pair(tmp_path, name):
        assert path.read_bytes() == (DATA / path.name).read_bytes()


def test_a_file_is_no_place_for_the_demo(samelaw):
    Path("taken").write_text("")
    for place in ("taken", "taken/below"):
        code, _, err = samelaw("demo", place)
        assert (code, err) == (2, f"samelaw: {place} is a file, or lies in one; name a folder.\n")
