"""Packages whose names are loaded when they are first used (PEP 562).

A package holds a table from each public name to the module it lives in. That table is the only
list: the stub beside the package, which type checkers and editors read, is written from it by
``tests/test_public_surface.py``.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# What users call a library, and the extra that brings it.
_OPTIONAL = {
    "torch": ("PyTorch", "torch"),
    "torchmetrics": ("torchmetrics", "torch"),
    "sklearn": ("scikit-learn", "sklearn"),
    "river": ("river", "river"),
}


def attach(
    package: str, homes: Mapping[str, str], modules: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping
        The full name of the module each public name lives in.
    modules : names
        Modules of the package that are reached as attributes, without an import of their own.
    """
    rooms = frozenset(modules)

    def load(name: str) -> Any:
        if name in rooms:
            return import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(_imported(package, homes[name]), name)
        setattr(sys.modules[package], name, value)  # so that it is looked up once
        return value

    return load, lambda: sorted([*homes, *rooms])


def require(package: str, library: str) -> None:
    """Raise unless a library is installed, without loading it."""
    if find_spec(library) is None:
        raise _missing(package, library)


def _imported(package: str, module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name not in _OPTIONAL:
            raise
        raise _missing(package, error.name) from None


def _missing(package: str, library: str) -> ImportError:
    shown, extra = _OPTIONAL[library]
    return ImportError(f'{package} needs {shown}: pip install "samelaw[{extra}]"')
