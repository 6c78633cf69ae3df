"""Shared fixtures: one test body, every array library."""

import os

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Every shape is compiled for one call: what the compiler polishes is never paid back.
os.environ.setdefault(
    "XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
)

import gc
import importlib
import random
import zlib
from collections import defaultdict
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

from spending import Spending

gc.disable()  # until all is collected: what is collected stays
CI = os.environ.get("CI") == "true"
MINIMAL = os.environ.get("SAMELAW_MINIMAL") == "1"  # the run without optional dependencies
NAMESPACES = {
    "numpy": "array_api_compat.numpy",
    "torch": "array_api_compat.torch",
    "jax": "jax.numpy",
    "array_api_strict": "array_api_strict",
}

FEW_SHAPES = (
    *(f"tests/contract/test_{what}.py" for what in ("entropies", "feature_maps", "strategies")),
    *(f"tests/core/test_{what}.py" for what in ("arrays", "gradients", "linalg")),
    *(f"tests/{room}" for room in ("kernels/test_entropies.py", "tables")),
)
"""Test files whose one case of JAX is quick."""

settings.register_profile("local", deadline=None, max_examples=20)
settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("ci" if CI else "local")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Spending(), "spending")


@pytest.hookimpl(tryfirst=True)  # before `-m` looks at the markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """JAX compiles every shape anew: one case per contract, the full matrix is heavy.

    A contract is a test file. Which case it is depends on its name, so that contracts try
    different members. Contracts of what has many shapes keep theirs for the long run.
    """
    contracts: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if "[" in item.name and "jax" in item.name:  # by its parameter, or all of the test
            contracts[item.nodeid.split("::")[0]].append(item)
    for name, cases in contracts.items():
        kept = zlib.crc32(name.encode()) % len(cases)
        for item in cases[:kept] + cases[kept + 1 :]:
            item.add_marker(pytest.mark.heavy)
        if not name.startswith(FEW_SHAPES):
            cases[kept].add_marker(pytest.mark.long)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What a test draws without a seed depends on its name: chance fails no run in twenty."""
    np.random.bit_generator.randbits = random.Random(item.nodeid).getrandbits  # type: ignore[attr-defined]


def pytest_collection_finish() -> None:
    """What was collected stays: the garbage collector need not look at it again, round by round."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", params=NAMESPACES)
def xp(request: pytest.FixtureRequest) -> ModuleType:
    """Array namespace: numpy, torch, jax (float64) and the strict standard in turn."""
    try:
        return importlib.import_module(NAMESPACES[request.param])
    except ImportError as error:
        reason = f"{request.param} is not installed ({error}); `make test` installs it"
        if CI and not MINIMAL:
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def to_xp(xp: ModuleType) -> Callable[..., Any]:
    """Return ``convert(array, dtype=None)``: a numpy array as an array of the library under test.

    ``dtype`` is a name such as ``"float32"``; without it the type of the array is kept.
    """

    def convert(array: Any, dtype: str | None = None) -> Any:
        copy = np.array(array, dtype=dtype)  # own memory: torch warns about read-only buffers
        return xp.asarray(copy)

    return convert


@pytest.fixture(scope="session")
def to_numpy() -> Callable[[Any], np.ndarray]:
    """Return a function that gives any library's array, on or off the tape, as numpy."""

    def convert(array: Any) -> np.ndarray:
        if hasattr(array, "detach"):
            array = array.detach().cpu()
        return np.from_dlpack(array) if hasattr(array, "__dlpack__") else np.asarray(array)

    return convert
