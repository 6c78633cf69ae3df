"""``samelaw compare``: the forms its answer can take."""

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
