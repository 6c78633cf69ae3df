"""Engines with an environment of their own: `make test-engines` installs and runs them."""

import importlib
import os

import pytest


def need_engine(name):
    """Import an engine or skip the test; in its own environment its absence is a failure."""
    if os.environ.get("SAMELAW_ENGINES") != "1":
        pytest.skip(f"{name} has an environment of its own; run: make test-engines")
    return importlib.import_module(name)
