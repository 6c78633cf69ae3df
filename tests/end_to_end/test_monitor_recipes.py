"""The recipes of docs/monitor.md: what cron and systemd would run, run."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from drift_files import fill, reference
from optional import need

PAGE = (Path(__file__).parents[2] / "docs" / "monitor.md").read_text()
CRON = re.search(r"^[\d*/]+ [\d*/]+ \* \* \* (.+)$", PAGE, re.MULTILINE)[1]
UNIT = dict(re.findall(r"^(ExecStart|WorkingDirectory)=(.+)$", PAGE, re.MULTILINE))
PLACE = "/srv/shop"
pytestmark = pytest.mark.long  # two commands, each in processes of its own


@pytest.fixture
def shop(tmp_path):
    """A folder as the recipes expect it, without spaces in its name."""
    for name in ("typer", "pyarrow", "jinja2"):
        need(name)
    program = tmp_path / ".venv" / "bin" / "samelaw"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m samelaw "$@"\n')
    program.chmod(0o755)
    reference(tmp_path)
    fill(tmp_path / "in", range(1, 5))
    return tmp_path


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def test_cron_mails_nothing_until_there_is_an_alarm_and_then_every_day(shop):
    if not (shell := shutil.which("sh")):
        pytest.skip("cron needs a shell; this machine has none")
    job = [shell, "-c", CRON.replace(PLACE, str(shop))]
    first = run(job)
    assert (first.stdout, first.stderr) == ("", "")
    assert "No alarm after 600 rows." in (shop / "shop.out").read_text()
    fill(shop / "in", [5, 6], shift=1.0)
    told = run(job).stdout
    assert ": alarm at row " in told
    assert "4 files were judged before" in told
    assert "has changed since" in run(job).stdout


def test_the_unit_of_systemd_fails_with_an_alarm(shop):
    words = [word.replace(PLACE, str(shop)) for word in shlex.split(UNIT["ExecStart"])]
    folder = UNIT["WorkingDirectory"].replace(PLACE, str(shop))
    assert run(words, cwd=folder).returncode == 0
    fill(shop / "in", [5, 6], shift=1.0)
    assert run(words, cwd=folder).returncode == 1
    assert "samelaw_drift_alarm 1\n" in (shop / "shop.prom").read_text()
    assert "Alarm in day05.csv" in (shop / "shop.html").read_text()
