"""Optional libraries in tests: skipped where they may be absent, never in the full run."""

import importlib

import pytest

from conftest import CI, MINIMAL


def need(name):
    """Import a library or skip the test; with CI=true its absence is a failure."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        reason = f"{name} is not installed ({error}); `make test` installs it"
        if CI and not MINIMAL:
            pytest.fail(reason)
        pytest.skip(reason, allow_module_level=True)
