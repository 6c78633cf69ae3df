"""``samelaw monitor``: files one after another, each judged once, and what is written."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from drift_files import ROWS, csv, fill, reference
from optional import need
from samelaw import DriftMonitor
from samelaw.cli.monitoring.files import Call, Outputs, Plan
from samelaw.cli.request import Written
from samelaw.core.files import alone_with
from samelaw.monitor.stream import Stream

need("pyarrow")
pytestmark = pytest.mark.usefixtures("empty_folder")
KEPT = ("monitor", "reference.csv", "in", "--state", "state", "--seed", "0")


@pytest.fixture
def files():
    """Six days, the last two of which have moved, and a reference."""
    fill(Path("in"), range(1, 7), shift=1.0)
    reference(Path())
    return sorted(Path("in").glob("*.csv"))


def undisturbed(days):
    """What the same files give one after another, in one go."""
    monitor = DriftMonitor("reference.csv", rng=0)
    for day in days:
        reading = monitor.update(f"in/day{day:02}.csv")
    return reading


def found(samelaw, *words):
    return json.loads(samelaw(*words, "--json", "-")[1])


def names(history):
    return [period["name"] for period in history["periods"]]


def test_a_quiet_stream_is_0_and_an_alarm_is_1(samelaw, files):
    code, out, err = samelaw("monitor", "reference.csv", *files[:4], "--seed", 0)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("day01.csv ")
    assert "No alarm after 600 rows." in out
    code, out, err = samelaw("monitor", "reference.csv", *files, "--seed", 0, "--quiet")
    assert (code, err) == (1, "")
    assert out == "The law of the stream has changed since about row 600, most in amount.\n"


def test_everything_is_written(samelaw, files):
    outputs = ("--report", "p.html", "--json-lines", "l.jsonl", "--prometheus", "m.prom")
    code, out, _ = samelaw("monitor", "reference.csv", *files, "--json", "-", *outputs)
    history = json.loads(out)
    assert code == 1
    assert history["kind"] == "drift_history"
    assert history["reading"]["rows"] == 6 * ROWS
    assert names(history) == [path.name for path in files]
    assert len(Path("l.jsonl").read_text().splitlines()) == 6
    assert "samelaw_drift_alarm 1\n" in Path("m.prom").read_text()
    page = Path("p.html").read_text()
    assert f"--seed {history['reading']['seed']}" in page
    assert "Alarm in day05.csv" in page


def test_the_same_command_judges_each_file_once(samelaw, files):
    for path in files[2:]:
        path.rename(path.with_suffix(".later"))
    assert names(found(samelaw, *KEPT)) == ["day01.csv", "day02.csv"]
    files[2].with_suffix(".later").rename(files[2])
    code, out, _ = samelaw(*KEPT)
    assert code == 0
    assert out.startswith("day03.csv ")
    assert "2 files were judged before: a file is judged once." in out
    os.utime(files[0], (1, 1))  # another time is no other content
    files[1].rename("in/day02b.csv")  # nor is another name
    history = found(samelaw, *KEPT)
    assert names(history) == ["day01.csv", "day02.csv", "day03.csv"]
    assert history["reading"]["rows"] == 3 * ROWS
    files[0].write_text(csv(99))  # a file of today under the name of yesterday's is a new one
    assert len(names(found(samelaw, *KEPT))) == 4


def test_an_interrupted_stream_is_as_if_it_had_not_been(samelaw, files):
    for number in range(1, 7):
        code, _, err = samelaw(*KEPT[:2], *files[:number], *KEPT[3:], "-q")
        assert (code, err) == (int(number > 4), "")
    assert found(samelaw, *KEPT)["reading"]["evidence"] == undisturbed(range(1, 7)).evidence


def test_what_a_failed_output_did_not_tell_is_told_at_the_next_call(samelaw, files):
    """The alarm was saved, and then a disk was full."""
    code, _, err = samelaw(*KEPT, "--prometheus", "/dev/full", "-q")
    assert code == 2
    assert "No space left" in err
    told = (*KEPT, "--prometheus", "m.prom")
    code, out, err = samelaw(*told)
    assert (code, err) == (1, "")
    assert out.startswith("day01.csv ")
    assert "day05.csv " in out
    assert ": alarm at row " in out
    assert "samelaw_drift_alarm 1\n" in Path("m.prom").read_text()
    assert "samelaw_drift_rows_total 900\n" in Path("m.prom").read_text()
    code, out, _ = samelaw(*told)
    assert code == 1, "an alarm stands until it is accepted"
    assert "day05.csv" not in out, "every output has it"


@pytest.mark.long
def test_a_closed_disk_under_stdout_tells_nothing_so_all_is_told_again(files):
    command = [sys.executable, "-m", "samelaw", *KEPT]
    with open("/dev/full", "w") as full:
        failed = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert failed.returncode == 2
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert again.stdout.startswith("day01.csv ")


KILLED = """
import os, signal, sys
from samelaw.monitor import stream
from samelaw.cli.main import run
moment, count, write = sys.argv[1], 0, stream.Stream.write
replace = os.replace
def kill(*names):
    os.kill(os.getpid(), signal.SIGKILL)
def counted(self, path):
    global count
    count += 1
    if count == 2 and moment == "before":
        kill()
    if count == 2 and moment == "within":
        os.replace = kill
    write(self, path)
    if count == 2:
        kill()
stream.Stream.write = counted
run(sys.argv[2:])
"""


@pytest.mark.long
@pytest.mark.parametrize("moment", ["before", "within", "after"])
def test_a_kill_neither_loses_nor_doubles_a_file(samelaw, files, moment):
    command = [sys.executable, "-c", KILLED, moment, *KEPT]
    killed = subprocess.run(command, check=False, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    code, out, _ = samelaw(*KEPT)
    assert code == 1
    lines = [line.split()[0] for line in out.splitlines()[:6]]
    assert lines == [path.name for path in files], "none was told by the call that died"
    again = found(samelaw, *KEPT)
    assert again["reading"]["evidence"] == undisturbed(range(1, 7)).evidence
    assert not list(Path().glob(".*tmp"))


@pytest.mark.heavy
def test_twenty_kills_at_random_moments(samelaw, files):
    """Files keep coming; each is judged once, and the evidence is that of a quiet day."""
    rng, day = np.random.default_rng(0), 6
    for _ in range(20):
        process = subprocess.Popen([sys.executable, "-m", "samelaw", *KEPT, "-q"])
        try:
            time.sleep(rng.uniform(0.5, 3.0))
        finally:
            process.kill()
            process.wait()
        day += 1
        Path(f"in/day{day:02}.csv").write_text(csv(day))
    history = found(samelaw, *KEPT)
    assert names(history) == [f"day{i:02}.csv" for i in range(1, day + 1)]
    assert history["reading"]["evidence"] == undisturbed(range(1, day + 1)).evidence


def test_files_that_cannot_be_read_are_2_and_the_others_are_judged(samelaw, files):
    for path in files[:2]:
        path.write_text("other\n1\n2\n")
    code, out, err = samelaw(*KEPT[:2], *files[:4], *KEPT[3:], "--prometheus", "m.prom")
    assert code == 2
    assert [line.partition(" was not judged: ")[0] for line in err.splitlines()] == [
        "samelaw: in/day01.csv",
        "samelaw: in/day02.csv",
    ]
    assert "is not in" in err
    assert out.startswith("day03.csv ")
    assert "samelaw_drift_files_unread 2\n" in Path("m.prom").read_text()
    fill(Path("in"), [1])
    code, out, err = samelaw(*KEPT[:2], *files[:4], *KEPT[3:])
    assert code == 2
    assert "day02.csv was not judged" in err
    assert out.startswith("day01.csv "), "it is mended"
    files[1].unlink()
    history = found(samelaw, *KEPT)
    assert names(history) == [f"day{i:02}.csv" for i in (3, 4, 1, 5, 6)]
    assert history["reading"]["rows"] == 5 * ROWS
    assert history["reading"]["evidence"] == undisturbed((3, 4, 1, 5, 6)).evidence


def test_a_file_that_has_grown_is_not_judged_again(samelaw, files):
    found(samelaw, *KEPT)
    files[1].write_text(files[1].read_text() + "10,north\n")
    code, _, err = samelaw(*KEPT)
    assert code == 1, "the alarm stands"
    assert "day02.csv has grown since it was judged" in err
    assert found(samelaw, *KEPT)["reading"]["rows"] == 6 * ROWS


class Growing(Written):
    """Files to which someone writes while they are read."""

    def table(self, path):
        found = super().table(path)
        Path(path).write_text(Path(path).read_text() + "10,north\n")
        return found


def test_a_file_that_changes_while_it_is_read_is_not_judged(files, capsys):
    plan, stream = Plan(["reference.csv"], written=Growing()), Stream(DriftMonitor("reference.csv"))
    Call(plan, Outputs(), None, stream)._take("in/day01.csv")
    assert "day01.csv changed while it was read" in capsys.readouterr().err
    assert (stream.periods, stream.monitor.reading.rows) == ([], 0)


def test_a_folder_without_a_state_is_its_files_each_once(samelaw, files):
    Path("in/copy.csv").write_text(files[0].read_text())
    for name in ("day09.csv.part", ".day09.csv", "_log.csv", "notes.md"):
        Path("in", name).write_text(csv(9))
    history = found(samelaw, "monitor", "reference.csv", "in", "in/day*.csv", "--seed", 0)
    assert names(history) == ["copy.csv", *(path.name for path in files[1:])]
    assert history["reading"]["rows"] == 6 * ROWS


def test_a_change_is_accepted(samelaw, files):
    code, out, _ = samelaw(*KEPT)
    assert code == 1
    assert out.endswith("\nOnce you know why: samelaw monitor --accept --state state\n")
    code, out, _ = samelaw("monitor", "--accept", "--collect", 300, "--state", "state", "-q")
    assert (code, out) == (0, "Collecting a new reference: 300 more rows are needed.\n")
    again = samelaw("monitor", "--accept", "--state", "state")
    assert again[0] == 2
    assert "no alarm stands" in again[2]
    fill(Path("in"), [7, 8, 9], shift=1.0)
    code, out, _ = samelaw(*KEPT)
    assert code == 0
    assert "day09.csv" in out


def test_files_after_an_alarm_are_held_to_the_reference(samelaw, files):
    """One that is as the reference again, and one that still shows the change."""
    Path("in/day07.csv").write_text(csv(7))
    code, out, _ = samelaw(*KEPT, "--report", "page.html")
    assert code == 1
    lines = out.splitlines()
    assert lines[5].startswith("day06.csv ")
    assert "150 rows against the reference, p = 0.001, effect 0." in lines[5]
    moved, quiet = found(samelaw, *KEPT)["periods"][5:]
    assert moved["pvalue"] == 0.001
    assert quiet["pvalue"] > 0.05
    assert quiet["effect"] < 0.05 < moved["effect"]
    assert "it still shows the change" in Path("page.html").read_text()


def test_a_state_goes_on_as_it_was_begun(samelaw, files):
    assert samelaw(*KEPT)[0] == 1
    before = Path("state").read_bytes()
    for words, said in (
        (("--ever", ".2", "--stretch", "3"), "other values of --ever, --stretch;"),
        (("--kind", "region=text"), "other values of --kind;"),
        (("--on-suspicion",), "other values of --on-suspicion;"),
    ):
        code, _, err = samelaw(*KEPT, *words)
        assert code == 2
        assert said in err
    assert samelaw(*KEPT[:-1], "1")[2].count("--seed")
    code, _, err = samelaw("monitor", "in/day01.csv", *KEPT[2:])
    assert code == 2
    assert "in/day01.csv is not what state was begun with (reference.csv)" in err
    assert Path("state").read_bytes() == before
    with alone_with(Path("state")):
        code, _, err = samelaw(*KEPT)
    assert code == 2
    assert "state is in use by another process" in err


def test_the_answer_says_how_to_run_it_again_and_what_was_not_judged(samelaw, files):
    _, out, _ = samelaw("monitor", "reference.csv", *files, "--seed", 0)
    assert "\nRun it again: samelaw " in out
    assert out.endswith(" --seed 0\n")
    assert "rows added no evidence: those after an alarm" in out
    assert "--accept" not in out


def test_a_promise_is_kept_in_the_words_of_the_answer(samelaw, files):
    for words, said in (
        (("--run-length", 5_000), "at least 5,000 rows on average"),
        (("--ever", 0.2), "at most 0.2"),
        (("--stretch", 3), "approximate: stretches of 3 rows"),
        (("--on-suspicion", "--pairs", 2, "--no-reserve"), "more rows"),
    ):
        assert said in samelaw("monitor", "reference.csv", files[0], *words)[1]
