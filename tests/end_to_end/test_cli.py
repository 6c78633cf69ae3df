"""The command as people run it: every answer, every error with its exact words, every exit code."""

import csv
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from csvs import FEW, rows_of, write
from optional import need
from samelaw.present.demo import write_pair

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"

pytestmark = pytest.mark.usefixtures("empty_folder")


def process(*arguments, **options):
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "samelaw", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


# ---------------------------------------------------------------- the answer


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The shipped pair that changed, compared once with everything written."""
    folder = tmp_path_factory.mktemp("shop")
    outputs = {kind: folder / f"out.{kind}" for kind in ("html", "json", "csv")}
    done = process(
        "compare",
        *(DATA / f"changed_{side}.csv" for side in "ab"),
        *("--report", outputs["html"], "--json", outputs["json"], "--rows", outputs["csv"]),
        *FEW,
        env={**os.environ, "COLUMNS": "80"},
    )
    return done, outputs


def test_the_changed_pair_gives_a_sentence_the_numbers_and_the_columns(shop):
    done, _ = shop
    assert done.returncode == 1
    assert done.stderr == ""  # no terminal, no progress bar
    sentence = " ".join(done.stdout.split("\n\n")[0].split())
    assert sentence.startswith("changed_b.csv differs from changed_a.csv: ")
    assert re.search("amount and device changed|device and amount changed", sentence)
    assert sentence.endswith("minutes_on_site and pages_seen no longer go together as before.")
    places = [done.stdout.index(w) for w in ("p-value", "effect", "Changed", "No change found in")]
    assert places == sorted(places)
    assert "rank correlation +0.78 → +0.01" in done.stdout
    answer = done.stdout[: done.stdout.index("Run it again")]  # that is one line, to paste
    assert max(map(len, answer.splitlines())) <= 80
    assert "\x1b" not in done.stdout


def test_its_json_follows_the_schema(shop):
    need("jsonschema")
    from jsonschema import Draft202012Validator

    schema = json.loads((files("samelaw.present") / "schemas" / "comparison.json").read_text())
    Draft202012Validator.check_schema(schema)
    found = json.loads(shop[1]["json"].read_text())
    Draft202012Validator(schema).validate(found)
    assert found["schema_version"] == schema["properties"]["schema_version"]["const"]
    assert set(found["columns_changed"]) == {"amount", "device", "minutes_on_site", "pages_seen"}
    assert found["column_groups"] == [["minutes_on_site", "pages_seen"]]
    broken = {**found, "pvalue": 0.0}
    assert not Draft202012Validator(schema).is_valid(broken)


def test_its_rows_are_a_table_of_the_files_own_rows(shop):
    with open(shop[1]["csv"], newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["table"] for row in rows} == {"A", "B"}
    with open(DATA / "changed_b.csv", newline="") as file:
        table = list(csv.DictReader(file))
    for row in rows:
        if row["table"] == "B":
            original = table[int(row["row"])]
            assert row["device"] == original["device"]
            assert float(row["amount"]) == pytest.approx(float(original["amount"]), rel=1e-4)


def test_its_report_is_one_small_file(shop):
    html = shop[1]["html"].read_text()
    assert len(html.encode()) < 300_000
    assert re.search("minutes_on_site .*pages_seen .*no longer go together", html)
    assert "--seed 1" in html


def test_the_printed_command_gives_the_same_answer(samelaw):
    header = "x,a b"
    a, b = (write(f"{name}.csv", rows_of(header=header, seed=i)) for i, name in enumerate("ab"))
    _, out, _ = samelaw(
        "compare", a, b, "--level", "0.1", "--columns", "a b", "--kind", "x=numeric"
    )
    command = shlex.split(re.search(r"Run it again: (.*)", out)[1])
    assert "--seed" in command  # drawn for this run, and said
    assert samelaw(*command[1:])[1] == out


def test_the_same_pair_is_not_called_different(samelaw):
    code, out, _ = samelaw("compare", DATA / "same_a.csv", DATA / "same_b.csv", *FEW)
    assert code == 0
    assert out.startswith("No difference found between same_a.csv and same_b.csv.")
    assert "does not prove that there is none" in out


def test_a_change_too_small_to_matter_is_no_alarm(samelaw):
    a, b = write("a.csv", rows_of(300)), write("b.csv", rows_of(300, shift=0.7, seed=1))
    assert samelaw("compare", a, b, *FEW)[0] == 1
    code, out, _ = samelaw("compare", a, b, *FEW, "--min-effect", "0.9")
    assert code == 0
    assert "not shown to reach 0.9" in " ".join(out.split())


def test_sameness_has_its_own_exit_codes(samelaw):
    a, b = (DATA / f"same_{side}.csv" for side in "ab")
    code, out, _ = samelaw("compare", a, b, *FEW, "--same-within", "0.05")
    assert code == 0
    assert out.startswith("same_b.csv is the same as same_a.csv within 0.05")
    assert "--same-within 0.05" in out  # in the command that runs it again
    code, out, _ = samelaw("compare", a, b, *FEW, "--same-within", "0.005", "--json", "out.json")
    assert code == 1
    assert out.startswith("same_b.csv is not shown to be the same as same_a.csv within 0.005")
    found = json.loads(Path("out.json").read_text())
    schema = json.loads(files("samelaw.present").joinpath("schemas/comparison.json").read_text())
    need("jsonschema").validate(found, schema)
    assert found["verdict"] == "not shown to be the same"
    assert found["same"] is False
    if found["rows_needed"]:
        said = " v ".join(f"{rows:,}" for rows in found["rows_needed"])
        assert f"About {said} rows like these would show" in " ".join(out.split())


def test_only_the_correlation_changed_and_both_columns_are_named(samelaw):
    rng = np.random.default_rng(5)
    tables = []
    for rho in (0.0, 0.9):
        z = rng.multivariate_normal([0, 0, 0], [[1, rho, 0], [rho, 1, 0], [0, 0, 1]], size=200)
        tables.append(
            "\n".join(["x1,x2,x3", *(",".join(f"{v:.4f}" for v in row) for row in z), ""])
        )
    a, b = write("a.csv", tables[0]), write("b.csv", tables[1])
    code, _, _ = samelaw("compare", a, b, *FEW, "--json", "out.json")
    assert code == 1
    assert sorted(json.loads(Path("out.json").read_text())["columns_changed"]) == ["x1", "x2"]


def test_quiet_prints_the_sentence_only(samelaw):
    a = write("a.csv", rows_of())
    code, out, err = samelaw("compare", a, write("b.csv", rows_of(shift=2)), *FEW, "--quiet")
    assert (code, err) == (1, "")
    assert re.fullmatch("b.csv differs from a.csv: (x and y|y and x) changed.\n", out)


def test_json_to_stdout_is_json_alone(samelaw):
    a = write("a.csv", rows_of())
    code, out, _ = samelaw("compare", a, a, *FEW, "--json", "-")
    assert code == 0
    assert json.loads(out)["verdict"] == "no difference found"


@pytest.mark.parametrize("options", [(), ("--with-rows",), ("--no-rows",)])
@pytest.mark.parametrize("shift", [0, 2])
def test_values_of_rows_are_where_they_were_asked_for(samelaw, options, shift):
    a, b = write("a.csv", rows_of()), write("b.csv", rows_of(shift=shift, seed=1))
    outputs = ("--json", "out.json", "--report", "out.html")
    code, out, _ = samelaw("compare", a, b, *FEW, *outputs, *options)
    assert code == bool(shift)
    found, page = json.loads(Path("out.json").read_text()), Path("out.html").read_text()
    assert ("rows" in found) is (options == ("--with-rows",))
    hidden = options == ("--no-rows",)
    assert ("Each dot is a row" in page) is not hidden
    assert ("Rows that stand for the difference" in page) is (bool(shift) and not hidden)
    assert ("Least like A in B: rows" in out) is (bool(shift) and not hidden)
    words = shlex.split(re.search(r"Run it again: (.*)", out)[1])
    assert [word for word in words if word.endswith("-rows")] == list(options)


def test_the_json_with_rows_follows_the_schema(samelaw):
    need("jsonschema")
    from jsonschema import Draft202012Validator

    a, b = write("a.csv", rows_of()), write("b.csv", rows_of(shift=2, seed=1))
    _, out, _ = samelaw("compare", a, b, *FEW, "--json", "-", "--with-rows")
    schema = json.loads((files("samelaw.present") / "schemas" / "comparison.json").read_text())
    found = json.loads(out)
    Draft202012Validator(schema).validate(found)
    assert {row["table"] for row in found["rows"]} == {"A", "B"}
    assert set(found["rows"][0]["values"]) == {"x", "y"}


def test_options_reach_the_comparison(samelaw):
    header = "x,y,id,a b"
    a = write("a.csv", rows_of(header=header))
    b = write("b.csv", rows_of(header=header, shift=1, seed=1))
    options = ("--columns", "x,y", "--columns", '"a b"', "--kind", "x=numeric", "--level", "0.1")
    code, out, _ = samelaw("compare", a, b, *options, *FEW, "--json", "-")
    assert code == 1
    settings = json.loads(out)["settings"]
    assert settings["columns"] == ["x", "y", "a b"]
    assert settings["kinds"] == {"x": "numeric"}
    assert settings["level"] == 0.1
    code, out, _ = samelaw("compare", a, b, "--ignore", "x,y,id", *FEW, "--json", "-")
    assert [found["column"] for found in json.loads(out)["marginals"]] == ["a b"]


def test_rows_of_a_group_stay_together(samelaw):
    def table(seed):
        rng = np.random.default_rng(seed)
        level = np.repeat(rng.normal(size=20), 15)  # one value per customer: 20 rows, not 300
        return "\n".join(
            ["customer,x", *(f"{seed}-{i // 15},{v:.4f}" for i, v in enumerate(level)), ""]
        )

    a, b = write("a.csv", table(1)), write("b.csv", table(2))
    assert samelaw("compare", a, b, "--groups", "customer", *FEW)[0] == 0
    assert samelaw("compare", a, b, "--ignore", "customer", *FEW)[0] == 1


# ---------------------------------------------------------------- ways out


def test_a_mistake_of_ours_is_2_and_says_so(samelaw, monkeypatch):
    import samelaw as package

    def broken(*arguments, **options):
        raise KeyError("inner")

    monkeypatch.setattr(package, "compare", broken, raising=False)
    code, _, err = samelaw("compare", "a.csv", "b.csv")
    assert code == 2
    assert err.startswith("samelaw: unexpected KeyError: 'inner'. This is a mistake in samelaw")
    assert "Traceback" not in err
    assert "Traceback" in samelaw("--debug", "compare", "a.csv", "b.csv")[2]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted; nothing was written"),
        (MemoryError(), 2, "not enough memory"),
        (SystemExit(1), 2, ""),
    ],
)
def test_no_way_out_looks_like_a_verdict(samelaw, monkeypatch, error, code, said):
    import samelaw as package

    def leave(*arguments, **options):
        raise error

    monkeypatch.setattr(package, "compare", leave, raising=False)
    found, out, err = samelaw("compare", "a.csv", "b.csv", "--report", "r.html")
    assert found == code
    assert said in err
    assert out == ""
    assert not Path("r.html").exists()


def test_a_closed_pipe_is_quiet_and_keeps_the_verdict():
    a, b = write("a.csv", rows_of()), write("b.csv", rows_of(shift=2))
    command = [sys.executable, "-m", "samelaw", "compare", a, b, *FEW]
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as closed:
        done = subprocess.run(
            command, stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.stderr == ""
    assert done.returncode == 1


@pytest.mark.parametrize("plain", [True, False])
def test_colour_and_progress_only_where_someone_looks(plain):
    a, b = write("a.csv", rows_of(400)), write("b.csv", rows_of(400, shift=2))
    environment = {
        k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CI")
    }
    environment |= {"TERM": "xterm", "COLUMNS": "80", **({"NO_COLOR": "1"} if plain else {})}
    master, slave = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "samelaw", "compare", a, b, *FEW],
        stdout=slave,
        stderr=slave,
        env=environment,
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            chunk = os.read(master, 65_536)
        except OSError:  # the other end was closed
            break
        if not chunk:
            break
        shown += chunk
    assert done.wait() == 1
    os.close(master)
    text = shown.decode()
    assert "Comparing" in text
    assert bool(re.search(r"\x1b\[[0-9;]*3[0-7]m", text)) is not plain


def test_without_the_extra_one_line_says_what_to_install():
    code = (
        "import sys; sys.modules['typer'] = None\n"
        "from samelaw.present.cli import main; sys.argv = ['samelaw', '--help']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "samelaw: the command line needs typer; run: pip install 'samelaw[cli]'\n"
    )


# ---------------------------------------------------------------- the rest


def test_help_is_quick_and_light():
    code = (
        "import sys, time; start = time.process_time()\n"
        "from samelaw.present.cli import run\n"
        "assert run(['--help']) == 0\n"
        "print('cpu', time.process_time() - start)\n"
        "heavy = ('numpy', 'scipy', 'matplotlib', 'pyarrow')\n"
        "print('heavy', *[name for name in heavy if name in sys.modules])"
    )
    runs = []
    for _ in range(3):  # the best of three: others use this machine too
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        runs.append(float(re.search(r"cpu (\S+)", done.stdout)[1]))
    assert done.stdout.rstrip().endswith("heavy")
    assert min(runs) < 0.5


@pytest.mark.parametrize("command", [(), ("compare",), ("demo",), ("doctor",)])
def test_help_fits_80_columns(samelaw, command):
    code, out, err = samelaw(*command, "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80


def test_version(samelaw):
    import samelaw as package

    assert samelaw("--version") == (0, f"samelaw {package.__version__}\n", "")


def test_doctor_says_what_is_there_and_what_is_missing(samelaw, monkeypatch):
    code, out, _ = samelaw("doctor")
    assert code == 0
    for part in ("Python", "cores:", "[x] base: numpy", "[x] cli: typer", "BLAS threads"):
        assert part in out
    from samelaw.present import doctor

    monkeypatch.setitem(doctor.PARTS, "torch", ("no-such-package",))
    line = next(line for line in doctor.examine() if "no-such-package" in line)
    assert line == (
        "[ ] torch: no-such-package missing, for losses and deep kernels; "
        "run: pip install 'samelaw[torch]'"
    )


def test_doctor_warns_when_threads_cost_more_than_they_help(monkeypatch):
    from samelaw.present import doctor

    times = iter([20.0, 1.0])
    monkeypatch.setattr(doctor, "_time", lambda environment: next(times))
    warning = doctor._threads()[-1]
    assert "slow small matrices down, here 20 times" in warning
    assert "export OMP_NUM_THREADS=1" in warning


@pytest.mark.parametrize(("given", "seen"), [({}, "1 1"), ({"OMP_NUM_THREADS": "3"}, "3 None")])
def test_the_command_takes_one_thread_unless_told_otherwise(given, seen):
    code = (
        "import os; from samelaw.present import cli; cli._one_thread();"
        "print(os.environ['OMP_NUM_THREADS'], os.environ.get(cli.OURS))"
    )
    bare = {k: v for k, v in os.environ.items() if not k.endswith("NUM_THREADS")}
    run = subprocess.run(
        [sys.executable, "-c", code], env=bare | given, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == seen


def test_demo_writes_two_tables_and_a_report(samelaw):
    code, out, err = samelaw("demo")
    assert (code, err) == (1, "")
    folder = Path("samelaw-demo")
    assert {path.name for path in folder.iterdir()} == {
        "changed_a.csv",
        "changed_b.csv",
        "report.html",
    }
    assert out.startswith("$ samelaw compare samelaw-demo/changed_a.csv")
    assert "changed_b.csv differs from changed_a.csv" in " ".join(out.split())


@pytest.mark.parametrize("name", ["same", "changed"])
def test_the_shipped_tables_are_those_of_the_demo(tmp_path, name):
    for path in write_pair(tmp_path, name):
        assert path.read_bytes() == (DATA / path.name).read_bytes()


@pytest.mark.heavy
def test_three_thousand_rows_with_report_in_ten_seconds():
    """3,000 v 2,000 rows, 14 columns, report: under 10 CPU seconds after start-up."""
    rng = np.random.default_rng(0)
    for name, rows in (("a", 3_000), ("b", 2_000)):
        values = rng.normal(size=(rows, 14))
        header = ",".join(f"c{i}" for i in range(14))
        np.savetxt(f"{name}.csv", values, "%.4f", ",", header=header, comments="")
    code = (
        "import time, sys; import samelaw.present.commands, samelaw.comparison.api\n"
        "import matplotlib.figure, jinja2, pyarrow.csv, rich.console\n"
        "from samelaw.present.cli import run; start = time.process_time()\n"
        "code = run('compare a.csv b.csv --seed 1 --report r.html --quiet'.split())\n"
        "print(code, time.process_time() - start)"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    code, seconds = done.stdout.split()[-2:]
    assert code in "01"
    assert float(seconds) < 10, f"{seconds} CPU s, {time.perf_counter() - start:.1f} s in all"
