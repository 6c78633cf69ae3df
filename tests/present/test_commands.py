"""The commands: their help, and the forms their answer can take."""

import json
import re

import pytest

from csvs import FEW, rows_of, write
from optional import need

pytestmark = pytest.mark.usefixtures("empty_folder")


def test_quiet_prints_the_sentence_only(samelaw):
    need("pyarrow")
    a = write("a.csv", rows_of())
    code, out, err = samelaw("compare", a, write("b.csv", rows_of(shift=2)), *FEW, "--quiet")
    assert (code, err) == (1, "")
    said = r"b.csv differs from a.csv: (x and y|y and x) changed\.( Clearest where [^\n]+)?\n"
    assert re.fullmatch(said, out)


def test_json_to_stdout_is_json_alone(samelaw):
    need("pyarrow")
    a = write("a.csv", rows_of())
    code, out, _ = samelaw("compare", a, a, *FEW, "--json", "-")
    assert code == 0
    assert json.loads(out)["verdict"] == "no difference found"


@pytest.mark.parametrize("command", [(), ("compare",), ("monitor",), ("demo",), ("doctor",)])
def test_help_fits_80_columns(samelaw, command):
    code, out, err = samelaw(*command, "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80


def test_version(samelaw):
    import samelaw as package

    assert samelaw("--version") == (0, f"samelaw {package.__version__}\n", "")


def test_nothing_asked_for_is_no_verdict(samelaw):
    code, out, err = samelaw()
    assert (code, out) == (2, "")
    assert err.startswith("Usage: samelaw")
