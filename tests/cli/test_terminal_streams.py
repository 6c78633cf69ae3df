"""Streams as they are: not of Unicode, closed, or left by the reader."""

import io
import os
import subprocess
import sys

import pytest

from samelaw.cli import terminal_streams as streams


def test_signs_a_terminal_lacks_are_written_in_others(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii"))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), "ascii"))
    streams.steady()
    streams.show("0.5 → 0.7 × größe …")
    assert raw.getvalue().decode() == "0.5 -> 0.7 x gr\\xf6\\xdfe ...\n"
    assert not streams.speaks_unicode()


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("name", "speak"), [("stdout", streams.tell), ("stderr", streams.say)])
def test_sentences_are_broken_for_terminals_alone(monkeypatch, name, speak):
    said = "samelaw: a sentence of many words\n\nRun it again: samelaw compare a.csv b.csv --seed 5"
    monkeypatch.setenv("COLUMNS", "20")
    for stream in (io.StringIO(), Terminal()):
        monkeypatch.setattr(sys, name, stream)
        speak(said)
        first, again = stream.getvalue().rstrip().split("\n\n")
        assert again == said.split("\n\n")[1], "to be copied"
        lines = ["samelaw: a sentence", "of many words"]
        assert first.split("\n") == (lines if stream.isatty() else [" ".join(lines)])


def test_closed_streams_are_replaced(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    closed = io.TextIOWrapper(io.BytesIO(), "utf-8")
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    streams.steady()
    with sys.stdout, sys.stderr:
        streams.show("nobody sees this")
        streams.say("nor this")
        assert streams.speaks_unicode()


def test_a_message_to_nobody_raises_nothing(monkeypatch):
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    streams.say("hello")


def test_a_reader_who_left_is_no_error():
    code = "from samelaw.cli import terminal_streams as s; s.show('x' * 10**6); s.flush()"
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as left:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=left, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (0, b"")
