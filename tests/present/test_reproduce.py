"""`samelaw reproduce`: thin, and honest about what it needs."""

import pytest

from samelaw.present import cli
from samelaw.present.reproduce import find_checkout, reproduce


def checkout(folder, code):
    """A folder that looks like a checkout, with an entry of these lines."""
    (folder / "experiments").mkdir()
    (folder / "experiments" / "__init__.py").touch()  # no other package of that name comes first
    (folder / "experiments" / "reproduce.py").write_text(code)
    (folder / "below").mkdir()
    return folder


def test_a_checkout_is_found_from_below(tmp_path):
    folder = checkout(tmp_path, "")
    assert find_checkout(folder / "below") == folder.resolve()


def test_without_one_the_reason_is_told_and_the_exit_code_is_2(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("samelaw.present.reproduce.__file__", str(tmp_path / "site" / "here.py"))
    with pytest.raises(ValueError, match=r"reproduce needs a checkout of samelaw"):
        find_checkout()
    assert cli.run(["reproduce", "fig1", "--quick"]) == 2
    assert "an installed package has no experiments" in capsys.readouterr().err


def test_name_and_options_reach_the_checkout(tmp_path):
    folder = checkout(tmp_path, "import sys\nopen('said', 'w').write(' '.join(sys.argv[1:]))\n")
    reproduce("fig2", ["--quick", "--jobs", "2"], folder / "below")
    assert (folder / "said").read_text() == "fig2 --quick --jobs 2"


def test_what_fails_there_is_an_error(tmp_path):
    folder = checkout(tmp_path, "raise SystemExit(1)\n")
    with pytest.raises(ValueError, match=r"fig2 did not go through \(exit code 1\)"):
        reproduce("fig2", [], folder)


def test_the_command_passes_what_was_typed(tmp_path, monkeypatch):
    folder = checkout(tmp_path, "import sys\nopen('said', 'w').write(' '.join(sys.argv[1:]))\n")
    monkeypatch.chdir(folder)
    assert cli.run(["reproduce", "all", "--quick", "--jobs", "3", "--budget", "1.5"]) == 0
    assert (folder / "said").read_text() == "all --quick --jobs 3 --budget 1.5"
