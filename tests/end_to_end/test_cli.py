"""The command as people run it: every answer, every error with its exact words, every exit code."""

import bz2
import csv
import json
import os
import pty
import re
import shlex
import subprocess
import sys
import time
import zipfile
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from csvs import FEW, rows_of, write
from optional import need

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


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The shipped pair that changed, compared once; the demo writes its report."""
    folder = tmp_path_factory.mktemp("shop")
    outputs = {kind: folder / f"out.{kind}" for kind in ("json", "csv")}
    done = process(
        "compare",
        *(DATA / f"changed_{side}.csv" for side in "ab"),
        *("--json", outputs["json"], "--rows", outputs["csv"]),
        *("--sample", "550", *FEW),
        env={**os.environ, "COLUMNS": "80"},
    )
    return done, outputs


def test_the_changed_pair_gives_a_sentence_the_numbers_and_the_columns(shop):
    done, _ = shop
    assert done.returncode == 1
    assert done.stderr == ""  # no terminal, no progress bar
    sentence = " ".join(done.stdout.split("\n\n")[0].split())
    assert sentence.startswith("changed_b.csv differs from changed_a.csv: ")
    assert ": minutes_on_site and pages_seen no longer go together as before, and " in sentence
    assert "Clearest where minutes_on_site " in sentence
    places = [done.stdout.index(w) for w in ("effect", "p-value", "Changed", "No change found in")]
    assert places == sorted(places)
    assert re.search(r"rank correlation \+0\.[78]\d → [+−-]0\.[01]\d", done.stdout)
    answer = done.stdout[: done.stdout.index("Run it again")]  # that is one line, to paste
    assert max(map(len, answer.splitlines())) <= 80
    assert "\x1b" not in done.stdout


def test_its_json_follows_the_schema(shop):
    need("jsonschema")
    from jsonschema import Draft202012Validator

    schema = json.loads((files("samelaw.results") / "schemas" / "comparison.json").read_text())
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
    pair = (DATA / "same_a.csv", DATA / "same_b.csv")
    code, out, _ = samelaw("compare", *pair, "--sample", "300", *FEW)
    assert code == 0
    assert out.startswith("No difference found between same_a.csv and same_b.csv.")
    assert "does not prove that there is none" in out


def test_a_change_too_small_to_matter_is_no_alarm(samelaw):
    a, b = write("a.csv", rows_of(300)), write("b.csv", rows_of(300, shift=0.7, seed=1))
    assert samelaw("compare", a, b, *FEW)[0] == 1
    code, out, _ = samelaw("compare", a, b, *FEW, "--min-effect", "0.9")
    assert code == 0
    assert "not shown to reach 0.9" in " ".join(out.split())


def test_a_row_written_again_and_again_is_the_reason_and_can_be_left_out(samelaw):
    text = rows_of(150, header="x,y,z", seed=1)
    again = text + 60 * (text.splitlines()[50] + "\n")
    a, b = write("a.csv", rows_of(150, header="x,y,z")), write("b.csv", again)
    code, out, _ = samelaw("compare", a, b, *FEW, "--quiet")
    assert code == 1
    assert "one row occurs 61 times in B (29 % of its rows), never in A; " in " ".join(out.split())
    code, out, _ = samelaw("compare", a, b, *FEW, "--unique")
    assert code == 0
    assert "--unique" in out.split("Run it again:")[1]
    assert "The p-value is not exact" in " ".join(out.split())


def test_sameness_has_its_own_exit_codes(samelaw):
    a, b = (DATA / f"same_{side}.csv" for side in "ab")
    few = ("--columns", "amount,device", "--sample", "300", *FEW)
    code, out, _ = samelaw("compare", a, b, *few, "--same-within", "0.1")
    assert code == 0
    assert out.startswith("same_b.csv is the same as same_a.csv within 0.1")
    assert "--same-within 0.1" in out  # in the command that runs it again
    code, out, _ = samelaw("compare", a, b, *few, "--same-within", "0.005", "--json", "out.json")
    assert code == 1
    assert out.startswith("same_b.csv is not shown to be the same as same_a.csv within 0.005")
    found = json.loads(Path("out.json").read_text())
    schema = json.loads(files("samelaw.results").joinpath("schemas/comparison.json").read_text())
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


@pytest.mark.parametrize(
    ("shift", "options"),
    [
        (0, ()),
        *((2, options) for options in ((), ("--with-rows",), ("--no-rows",))),
        *(pytest.param(0, (o,), marks=pytest.mark.heavy) for o in ("--with-rows", "--no-rows")),
    ],
)
def test_values_of_rows_are_where_they_were_asked_for(samelaw, options, shift):
    a, b = write("a.csv", rows_of()), write("b.csv", rows_of(shift=shift, seed=3))
    outputs = ("--json", "out.json", "--report", "out.html")
    code, out, _ = samelaw("compare", a, b, *FEW, *outputs, *options)
    assert code == bool(shift)
    found, page = json.loads(Path("out.json").read_text()), Path("out.html").read_text()
    assert ("rows" in found) is (options == ("--with-rows",))
    hidden = options == ("--no-rows",)
    assert ("Each dot is a row" in page) is not hidden
    assert ("Rows that stand for the difference" in page) is (bool(shift) and not hidden)
    assert ("Rows of B least like A: " in out) is (bool(shift) and not hidden)
    words = shlex.split(re.search(r"Run it again: (.*)", out)[1])
    assert [word for word in words if word.endswith("-rows")] == list(options)


def test_the_json_with_rows_follows_the_schema(samelaw):
    need("jsonschema")
    from jsonschema import Draft202012Validator

    a, b = write("a.csv", rows_of()), write("b.csv", rows_of(shift=2, seed=1))
    _, out, _ = samelaw("compare", a, b, *FEW, "--json", "-", "--with-rows")
    schema = json.loads((files("samelaw.results") / "schemas" / "comparison.json").read_text())
    found = json.loads(out)
    Draft202012Validator(schema).validate(found)
    assert {row["table"] for row in found["rows"]} == {"A", "B"}
    assert set(found["rows"][0]["values"]) == {"x", "y"}


def priced(rows=200, seed=0, show=str, name="price"):
    """A CSV of a price, written in some way, and a word."""
    rng = np.random.default_rng(seed)
    lines = [
        f'"{show(round(v, 2))}",{w}'
        for v, w in zip(rng.gamma(3, 10, rows), rng.choice(["red", "blue"], rows), strict=True)
    ]
    return "\n".join([f"{name},colour", *lines, ""])


SILENT = {
    "renamed column": (priced(seed=1, name="cost"), "price is gone, cost is new"),
    "currency": (priced(seed=1, show="${:.2f}".format), "price (as written) changed"),
    "percent": (priced(seed=1, show="{:.2f} %".format), "price (as written) changed"),
    "thousands": (priced(seed=1, show=lambda v: f"{100 * v:,.2f}"), "price changed"),
    "one word in twelve": (
        priced(seed=1, show=lambda v: "oops" if 100 * v % 12 < 1 else str(v)),
        "price (as written) changed",
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_anyone_would_see_is_not_passed_over(samelaw, name):
    content, said = SILENT[name]
    a, b = write("a.csv", priced()), write("b.csv", content)
    code, out, _ = samelaw("compare", a, b, "--quiet", *FEW)
    assert code == 1
    assert said in " ".join(out.split())


def test_one_stray_word_is_told_and_no_alarm(samelaw):
    a, b = write("a.csv", priced()), priced(seed=1).splitlines()
    b[7] = '"oops",red'
    code, out, _ = samelaw("compare", a, write("b.csv", "\n".join(b)), *FEW)
    assert code == 0
    assert "new in B: 'oops' (1 row)" in " ".join(out.split())


def test_another_schema_is_in_every_output_and_may_be_allowed(samelaw):
    need("jsonschema")
    a, b = write("a.csv", priced()), write("b.csv", priced(seed=1, name="cost"))
    outputs = ("--json", "out.json", "--report", "out.html")
    code, out, _ = samelaw("compare", a, b, *FEW, *outputs, "--min-effect", "0.5")
    assert code == 1
    said = "b.csv differs from a.csv: price is gone, cost is new; no other difference found."
    assert said in " ".join(out.split())
    assert "Columns differ, their values are not found to" in " ".join(out.split())
    found = json.loads(Path("out.json").read_text())
    schema = json.loads(files("samelaw.results").joinpath("schemas/comparison.json").read_text())
    need("jsonschema").validate(found, schema)
    assert (found["verdict"], found["schema_differs"], found["sentence"]) == (
        *("different", True, said),
    )
    assert [(c["column"], c["difference"]) for c in found["schema_changes"]] == [
        *(("price", True), ("cost", True)),
    ]
    page = Path("out.html").read_text()
    assert said in page
    assert "<h1>" in page
    assert "≠" in page
    code, out, _ = samelaw("compare", a, b, *FEW, "--allow-schema")
    assert code == 0
    assert out.startswith("No difference found")
    assert "price: only in A" in out
    assert "--allow-schema" in re.search(r"Run it again: (.*)", out)[1]


def test_headerless_files_are_compared_when_told(samelaw):
    a, b = (write(f"{name}.csv", priced(seed=i).split("\n", 1)[1]) for i, name in enumerate("ab"))
    code, _, err = samelaw("compare", a, b, *FEW)
    assert code == 2
    assert "--no-header" in err
    code, out, _ = samelaw("compare", a, b, *FEW, "--no-header")
    assert code == 0
    assert "No change found in column" in out
    assert "--no-header" in re.search(r"Run it again: (.*)", out)[1]


def test_standard_input_and_packed_files_are_the_same_table(samelaw, monkeypatch):
    text = rows_of(120)
    a = write("a.csv", text)
    write("b.csv.bz2", bz2.compress(text.encode()))
    with zipfile.ZipFile("b.zip", "w") as archive:
        archive.writestr("inside/b.csv", text)
    names, *lines = csv.reader(text.splitlines())
    listed = [dict(zip(names, map(float, line), strict=True)) for line in lines]
    write("b.json", json.dumps(listed))
    with open(a) as file:
        monkeypatch.setattr(sys, "stdin", file)
        code, out, err = samelaw("compare", a, "-", *FEW)
    assert (code, err) == (0, "")
    assert "a.csv and standard input are identical: the same 120 rows in the same order." in out
    assert re.search(r"^p-value +1 \(", out, re.MULTILINE)
    for other in ("b.csv.bz2", "b.zip", "b.json"):
        _, again, _ = samelaw("compare", a, other, *FEW)
        assert again.splitlines()[2:-1] == out.splitlines()[2:-1]
    assert samelaw("compare", "-", "-")[0] == 2


def test_separator_and_encoding_reach_the_reader(samelaw):
    text = "größe^tag\n" + "".join(f"{i % 7}^é{i % 3}\n" for i in range(60))
    a = write("a.csv", text.encode("cp437"))
    b = write("b.csv", text.replace("^", "\t").encode("cp437"))
    for path, sign in ((a, "^"), (b, "\\t")):
        options = ("--sep", sign, "--encoding", "cp437")
        code, out, _ = samelaw("compare", path, path, *options, *FEW, "--json", "-")
        assert code == 0
        assert {m["column"] for m in json.loads(out)["marginals"]} == {"größe", "tag"}
    _, out, _ = samelaw("compare", b, b, "--sep", "tab", "--encoding", "cp437", *FEW)
    again = shlex.split(re.search(r"Run it again: (.*)", out)[1])
    assert samelaw(*again[1:])[1] == out


def test_a_report_with_a_title_is_compared_below_it(samelaw):
    title = "Sales, May\nmade by Ann\n\n"
    a = write("a.csv", title + rows_of(header="x,y,z"))
    b = write("b.csv", title + rows_of(header="x,y,z", shift=2))
    for options in ((), ("--skip", "3")):
        code, out, _ = samelaw("compare", a, b, *options, *FEW, "--json", "-")
        assert code == 1
        assert {m["column"] for m in json.loads(out)["marginals"]} == {"x", "y", "z"}
    _, out, _ = samelaw("compare", a, b, *FEW)
    assert "its first 2 lines are above the names" in " ".join(out.split())


def test_a_sample_is_drawn_and_its_seed_is_said(samelaw):
    a, b = write("a.csv", rows_of(500)), write("b.csv", rows_of(400, seed=1))
    _, out, _ = samelaw("compare", a, b, "--sample", "100", "--permutations", "99")
    assert "100 of the 500 rows of A and 100 of the 400 of B" in " ".join(out.split())
    again = shlex.split(re.search(r"Run it again: (.*)", out)[1])
    assert "--seed" in again
    assert samelaw(*again[1:])[1] == out


def test_a_target_is_told_in_the_sentence_and_the_page(samelaw):
    a, b = write("a.csv", rows_of(120)), write("b.csv", rows_of(120, seed=1))
    code, out, _ = samelaw("compare", a, b, "--target", "y", "--report", "r.html", *FEW)
    assert code == 0
    said = "Of y: the inputs are not shown to have changed"
    assert said in " ".join(out.split())
    assert said in " ".join(Path("r.html").read_text("utf-8").split())
    assert "--target y" in out


def test_memory_is_bounded_and_said_again(samelaw):
    a = write("a.csv", rows_of(60))
    _, out, _ = samelaw("compare", a, a, "--memory", "0.25 GB", *FEW)
    assert "--memory 256M" in out
    code, _, err = samelaw("compare", a, a, "--memory", "1M", *FEW)
    assert code == 2
    assert "the least that works is" in err


def test_rows_are_written_as_they_were_read(samelaw):
    lines = [f"{10_000_000 + i},{i % 5}.50,k-{i:03d},note {i}" for i in range(60)]
    header = "count,price,key,text"
    a = write("a.csv", "\n".join([header, *lines]))
    moved = [line.replace(".50", "9.50").replace(",note 7", ",") for line in lines]
    b = write("b.csv", "\n".join([header, *moved]))
    code, _, _ = samelaw("compare", a, b, *FEW, "--rows", "rows.csv")
    assert code == 1
    tables = {"A": lines, "B": moved}
    with open("rows.csv", newline="") as file:
        found = list(csv.DictReader(file))
    assert found
    for row in found:
        cells = [row[name] for name in header.split(",")]
        assert ",".join(cells) == tables[row["table"]][int(row["row"])]


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


TWICE = """
import os
from samelaw.cli.main import run
for plain in (False, True):
    if plain:
        os.environ["NO_COLOR"] = "1"
    code = run({words!r})
    os.write(1, b"== %d" % code)
"""


@pytest.mark.long
def test_colour_and_progress_only_where_someone_looks():
    """One process for both: starting it is what takes the time."""
    a, b = write("a.csv", rows_of(100)), write("b.csv", rows_of(100, shift=2))
    environment = {
        k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CI")
    }
    environment |= {"TERM": "xterm", "COLUMNS": "80"}
    master, slave = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-c", TWICE.format(words=["compare", str(a), str(b), *FEW])],
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
    assert done.wait() == 0
    os.close(master)
    text = shown.decode()
    assert re.findall(r"== (\d)", text) == ["1", "1"]
    coloured, plain, _ = re.split(r"== \d", text)
    for part in (coloured, plain):
        assert "Comparing" in part
        assert bool(re.search(r"\x1b\[[0-9;]*3[0-7]m", part)) is (part is coloured)


@pytest.mark.heavy
def test_three_thousand_rows_with_report_in_ten_seconds():
    """3,000 v 2,000 rows, 14 columns, report: under 10 CPU seconds after start-up."""
    rng = np.random.default_rng(0)
    for name, rows in (("a", 3_000), ("b", 2_000)):
        values = rng.normal(size=(rows, 14))
        header = ",".join(f"c{i}" for i in range(14))
        np.savetxt(f"{name}.csv", values, "%.4f", ",", header=header, comments="")
    code = (
        "import time, sys; import samelaw.cli.commands, samelaw.comparison.api\n"
        "import matplotlib.figure, jinja2, pyarrow.csv, rich.console\n"
        "from samelaw.cli.main import run; start = time.process_time()\n"
        "code = run('compare a.csv b.csv --seed 1 --report r.html --quiet'.split())\n"
        "print(code, time.process_time() - start)"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    code, seconds = done.stdout.split()[-2:]
    assert code in "01"
    assert float(seconds) < 10, f"{seconds} CPU s, {time.perf_counter() - start:.1f} s in all"
