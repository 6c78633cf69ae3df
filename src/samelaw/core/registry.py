"""Families of interchangeable classes under their public names.

A class joins its family by a decorator. Test batteries, CLI choices and tables in the docs
iterate over the family, so a new member is tested and documented without another list to edit.
Every registered class can be constructed without arguments: its defaults are its example.
"""

from collections.abc import Callable
from typing import Any, TypeVar

_FAMILIES: dict[str, dict[str, type[Any]]] = {}

Class = TypeVar("Class", bound=type[Any])


def register(family: str) -> Callable[[Class], Class]:
    """Decorate a class to make it a member of ``family`` under its own name."""

    def join(cls: Class) -> Class:
        _FAMILIES.setdefault(family, {})[cls.__name__] = cls
        return cls

    return join


def members(family: str) -> dict[str, type[Any]]:
    """The classes of a family by name, in the order of their definition."""
    return dict(_FAMILIES.get(family, {}))
