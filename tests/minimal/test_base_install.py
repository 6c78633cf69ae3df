"""What can break without the optional dependencies: `make test-minimal` runs this without any.

Imports, one number against its closed form, one test, one comparison, and what is said when
something needs an extra, as files do. Everything else is tested once, with all of them.
"""

import importlib
import math
import pkgutil
import sys
from importlib.util import find_spec

import numpy as np
import pytest

import samelaw
from conftest import MINIMAL

WITH_EXTRAS = (
    "samelaw.__main__",
    "samelaw.learn.adaptation",
    "samelaw.core.torch_gradients",  # imported when a torch matrix arrives
    "samelaw.kernels.torch_spectra",
    "samelaw.extras.river",
    "samelaw.extras.scikit_learn",
    "samelaw.extras.generators.metric",
    "samelaw.learn",
    "samelaw.cli",
)
BASE = [
    found.name
    for found in pkgutil.walk_packages(samelaw.__path__, "samelaw.", onerror=lambda name: None)
    if not found.name.startswith(WITH_EXTRAS)
]
OPTIONAL = ("torch", "torchmetrics", "jax", "pyarrow", "matplotlib", "rich", "typer", "jinja2")


def samples(n=40, m=30, shift=2.0):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), rng.normal(size=(m, 2)) + shift


@pytest.mark.skipif(not MINIMAL, reason="the full environment has them")
@pytest.mark.parametrize("name", OPTIONAL)
def test_this_environment_has_no_optional_dependency(name):
    assert find_spec(name) is None


def test_every_module_of_the_base_install_is_imported():
    """What cannot be imported says its own name."""
    assert all(importlib.import_module(name) for name in BASE)


def test_every_public_name_is_there():
    named = samelaw.__all__  # type: ignore[attr-defined]
    assert [name for name in named if getattr(samelaw, name, None) is None] == []


def test_divergence_of_strangers_is_the_entropy_of_the_shares():
    x, y = np.zeros((3, 1)), np.full((1, 1), 1e3)
    expected = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert samelaw.rjsd(x, y, kernel=samelaw.Gaussian(1.0)) == pytest.approx(expected)
    assert samelaw.rjsd(x, x, kernel=samelaw.Gaussian(1.0)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("sketches", [False, True])
def test_a_test_finds_a_shift(sketches):
    x, y = samples()
    strategy = samelaw.Fuse(sketches=sketches)
    found = samelaw.two_sample_test(x, y, strategy=strategy, permutations=39, rng=0)
    assert found.pvalue == 1 / 40
    assert "p" in str(found)


def table(values):
    words = np.where(values[:, 1] > 1, "a", "b")
    return {"größe": values[:, 0], "word": words, "empty": [None] * len(values)}


def test_tables_are_compared():
    x, y = samples()
    found = samelaw.compare(table(x), table(y), permutations=39, rng=0)
    assert found.pvalue == 1 / 40
    assert "größe" in found.columns_changed
    assert "größe" in str(found)


@pytest.mark.skipif(not MINIMAL, reason="the full environment has the extras")
@pytest.mark.parametrize("name", ["samelaw.learn", "samelaw.learn.adaptation"])
def test_a_room_without_its_extra_says_what_to_type(name):
    with pytest.raises(ImportError, match=r"needs PyTorch: pip install .samelaw\[torch\]"):
        importlib.import_module(name)


@pytest.mark.skipif(not MINIMAL, reason="the full environment has the extras")
def test_the_command_without_its_extra_says_what_to_type(capsys):
    from samelaw.cli.main import run

    assert run(["compare", "a.csv", "b.csv"]) == 2
    assert "pip install 'samelaw[cli]'" in capsys.readouterr().err
    assert "typer" not in sys.modules


@pytest.mark.skipif(not MINIMAL, reason="the full environment has the extras")
@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_file_without_its_extra_says_what_to_type(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"x\n1\n2\n")
    with pytest.raises(ValueError, match=r"pip install .?samelaw\[cli\]"):
        samelaw.compare(path, path)
