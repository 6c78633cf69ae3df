"""Answers stay what they were: numbers, names, verdicts and sentences.

A number that changes on purpose is a decision: ``SAMELAW_WRITE=1 pytest tests/frozen`` writes the
answers anew, and the commit says why. Statistics are made in single precision, so that processors
agree to four digits; ``SAMELAW_DIGITS=1e-9`` compares two trees on one processor.
"""

import json
import math
import os
from pathlib import Path

import pytest

from frozen.cases import CASES, DATA, OPTIONAL, STREAMED
from optional import need

ANSWERS = Path(__file__).parent / "answers"
DIGITS = float(os.environ.get("SAMELAW_DIGITS", "1e-4"))
RENAMED = {}
"""Old key of an answer: its name today."""


def differences(now, then, place=""):
    """Where two plain values differ, with both of them."""
    if isinstance(then, dict) and isinstance(now, dict):
        then = {RENAMED.get(key, key): value for key, value in then.items()}
        for key in sorted({*now, *then}):
            inner = f"{place}.{key}"
            if key in now and key in then:
                yield from differences(now[key], then[key], inner)
            else:
                yield inner, now.get(key, "nothing"), then.get(key, "nothing")
    elif isinstance(then, list) and isinstance(now, list) and len(now) == len(then):
        for number, pair in enumerate(zip(now, then, strict=True)):
            yield from differences(*pair, f"{place}[{number}]")
    elif not alike(now, then):
        yield place, now, then


def alike(now, then):
    if isinstance(now, float) and isinstance(then, float):
        return math.isclose(now, then, rel_tol=DIGITS, abs_tol=DIGITS / 100)
    return now == then


@pytest.mark.parametrize("name", CASES)
def test_an_answer_stays_what_it_was(name, monkeypatch):
    for library in OPTIONAL.get(name, ()):
        need(library)
    monkeypatch.chdir(DATA)
    if name in STREAMED:
        piecewise(monkeypatch)
    now = json.loads(json.dumps(CASES[name]()))
    file = ANSWERS / f"{name}.json"
    if os.environ.get("SAMELAW_WRITE"):
        file.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n")
    assert list(differences(now, json.loads(file.read_text()))) == []


def piecewise(monkeypatch):
    """Tables of any size are read piece by piece."""
    from samelaw.comparison.sums import large_tables

    for name in ("STREAMED_ABOVE", "FEWEST", "_SMALL"):
        monkeypatch.setattr(large_tables, name, 0)


def test_every_answer_has_a_case():
    assert {file.stem for file in ANSWERS.glob("*.json")} == CASES.keys()
