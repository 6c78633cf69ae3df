"""A printed command is one line that a shell reads back word by word."""

import os
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samelaw.results.escape_controls import legible
from samelaw.results.shell import shell_line

NAMES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0\n"), min_size=1, max_size=8),
    st.lists(st.integers(11, 255), min_size=1, max_size=4).map(bytes).map(os.fsdecode),
)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@settings(max_examples=30)
@given(st.lists(NAMES, min_size=1, max_size=4))
def test_bash_reads_the_same_words(words):
    line = shell_line(words)
    assert legible(line) == line
    script = f"printf '%s\\n' {line}"
    run = subprocess.run(
        ["bash", "-c", script], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert os.fsdecode(run.stdout) == "\n".join([*words, ""])
