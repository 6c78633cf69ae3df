import inspect
import subprocess
import sys

import pytest

import samelaw

HEAVY = ("torch", "jax", "sklearn", "pandas", "polars", "scipy", "matplotlib", "rich")


def test_all_is_sorted_and_has_no_double():
    assert list(samelaw.__all__) == sorted(set(samelaw.__all__))


def test_dir_shows_every_public_name():
    assert set(samelaw.__all__) <= set(dir(samelaw))


@pytest.mark.parametrize("name", samelaw.__all__)
def test_name_is_importable_and_documented(name):
    thing = getattr(samelaw, name)
    if not callable(thing):
        return
    text = inspect.getdoc(thing) or ""
    assert text.strip(), f"{name} has no docstring"
    if inspect.isfunction(thing):
        assert "Examples\n--------" in text, f"the docstring of {name} has no Examples section"


def test_unknown_name_says_which():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = samelaw.no_such_name


def test_import_is_light():
    script = (
        "import sys, time; start = time.process_time(); import samelaw\n"
        "print(time.process_time() - start)\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    # Measured in a fresh process: this one has already loaded everything.
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    seconds, loaded = run.stdout.split("\n")[:2]
    assert loaded == ""
    assert float(seconds) < 1.0
