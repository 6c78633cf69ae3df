"""Every way out of the command has its exit code and its words."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from csvs import rows_of, write
from optional import need
from passwords import WITH_PASSWORD

pytestmark = pytest.mark.usefixtures("empty_folder")


def test_a_mistake_of_ours_is_2_and_says_so(samelaw, monkeypatch):
    from samelaw.comparison import api

    def broken(*arguments, **options):
        raise KeyError("inner")

    monkeypatch.setattr(api, "compare", broken)
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
        (MemoryError("sums need memory=9; name fewer columns"), 2, "sums need memory=9; name"),
        (SystemExit(1), 2, ""),
    ],
)
def test_no_way_out_looks_like_a_verdict(samelaw, monkeypatch, error, code, said):
    from samelaw.comparison import api

    def leave(*arguments, **options):
        raise error

    monkeypatch.setattr(api, "compare", leave)
    found, out, err = samelaw("compare", "a.csv", "b.csv", "--report", "r.html")
    assert found == code
    assert said in err
    assert out == ""
    assert not Path("r.html").exists()


def test_without_the_extra_one_line_says_what_to_install():
    code = (
        "import sys; sys.modules['typer'] = None\n"
        "from samelaw.cli.main import main; sys.argv = ['samelaw', '--help']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "samelaw: the command line needs typer; run: pip install 'samelaw[cli]'\n"
    )


def test_help_is_quick_and_light():
    need("typer")
    code = (
        "import sys, time; start = time.process_time()\n"
        "from samelaw.cli.main import run\n"
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


USES = [
    ("compare", "{}", "a.csv"),
    ("compare", "a.csv", "{}"),
    ("compare", "{}", "{}", "--sql"),
    ("compare", "{}", "{}", "--report", "r.html", "--json", "r.json"),
    ("compare", "a.csv", "a.csv", "{}"),
    ("compare", "--{}", "a.csv", "a.csv"),
    ("compare", "a.csv", "a.csv", "--sample={}"),
    ("sql", "a", "b", "--on", "{}"),
    ("sql", "{}", "b", "--on", "duckdb://"),
    ("sql", "a", "b", "--dialect", "postgres", "--like", "{}"),
    ("sql", "--blocks", "{}"),
    ("monitor", "{}", "a.csv"),
    ("monitor", "{}", "a.csv", "--report", "r.html"),
]


@pytest.mark.parametrize("use", USES, ids=" ".join)
def test_a_password_is_nowhere_in_what_is_said(samelaw, monkeypatch, use):
    """Nor in a traceback, a page or JSON, however it is typed."""
    monkeypatch.setenv("SAMELAW_DEBUG", "1")
    write("a.csv", rows_of(40))
    for text in WITH_PASSWORD[:: 1 if use[-1] == "{}" else 5]:
        code, out, err = samelaw(*(word.format(text) for word in use))
        assert (code, out) == (2, ""), text
        assert re.search("^samelaw: .* holds a password, .*~/.pgpass", err, re.MULTILINE), err
        assert "s3c" not in err, text
        assert [path.name for path in Path().iterdir()] == ["a.csv"]
