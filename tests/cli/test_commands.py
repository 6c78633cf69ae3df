"""The commands: their help, and what is said when none is named."""

import pytest

pytestmark = pytest.mark.usefixtures("empty_folder")


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
